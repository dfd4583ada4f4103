//! Options of a bench that are numbers.

use std::{ops::RangeInclusive, slice, str::FromStr};

use crate::error::XtaskError;

/// The number that stands after an option, where it is within bounds.
pub(super) fn number<N: FromStr + PartialOrd>(
    option: &str,
    rest: &mut slice::Iter<'_, String>,
    bounds: RangeInclusive<N>,
) -> Result<N, XtaskError> {
    let number = rest.next().and_then(|text| text.parse().ok());
    number.filter(|number| bounds.contains(number)).ok_or_else(|| XtaskError::Bench(option.to_owned()))
}
