//! Texts that must never be shown or logged.

use std::fmt;

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

/// A client secret or a token. `Debug` hides the value, which is readable only with [`Self::reveal`]. Its memory is
/// overwritten on drop.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

/// Compares texts in constant time, so that the duration doesn't reveal their common start.
pub(crate) fn equal_in_constant_time(left: &str, right: &str) -> bool {
    left.as_bytes().ct_eq(right.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_nothing() {
        assert_eq!(format!("{:?}", Secret::new("hunter2")), "Secret(…)");
    }

    #[test]
    fn same_is_equality() {
        assert!(equal_in_constant_time("abc", "abc"));
        assert!(!equal_in_constant_time("abc", "abd"));
        assert!(!equal_in_constant_time("abc", "ab"));
        assert!(!equal_in_constant_time("", "a"));
        assert!(equal_in_constant_time("", ""));
    }
}
