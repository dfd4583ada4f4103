//! Checks values against the limits of their field.

use crate::{cell_value::ReadValue, mark::FindingDetail, target::TargetField};
use takt_core::finding::FindingCode;

/// Returns the finding for the limit that a value violates.
pub(crate) fn violated_limit(field: &TargetField, value: &ReadValue<'_>) -> Option<(FindingCode, FindingDetail)> {
    let limits = &field.limits;
    if let Some(number) = value.number() {
        if let Some(bound) = limits.exclusive_minimum.filter(|&bound| number <= bound) {
            return Some((FindingCode::NotAbove, FindingDetail::Limit(bound)));
        }
        if let Some(bound) = limits.minimum.filter(|&bound| number < bound) {
            return Some((FindingCode::BelowMinimum, FindingDetail::Limit(bound)));
        }
        return limits
            .maximum
            .filter(|&bound| number > bound)
            .map(|bound| (FindingCode::AboveMaximum, FindingDetail::Limit(bound)));
    }
    let ReadValue::Text(text) = value else { return None };
    if let Some(bound) =
        limits.max_length.filter(|&bound| text.len() > bound as usize && text.chars().count() > bound as usize)
    {
        return Some((FindingCode::TooLong, FindingDetail::Limit(f64::from(bound))));
    }
    let allowed = limits.values.is_empty() || limits.values.iter().any(|allowed| allowed == text.as_ref());
    (!allowed).then_some((FindingCode::NotAllowed, FindingDetail::None))
}
