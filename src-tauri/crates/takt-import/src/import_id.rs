//! The number of an open import, as its own type.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The number of an open import. Numbers are 1-based, in the order of opening, and valid until the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(transparent)]
pub struct ImportId(u32);

impl ImportId {
    #[must_use]
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for ImportId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
