//! The two people of the practice plant.

use crate::PlantError;

/// Who signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum User {
    /// May read and write.
    Planner,
    /// May only read.
    Viewer,
}

impl User {
    pub(crate) const ALL: [Self; 2] = [Self::Planner, Self::Viewer];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Planner => "planner",
            Self::Viewer => "viewer",
        }
    }

    pub(crate) fn may_write(self) -> bool {
        self == Self::Planner
    }

    pub(crate) fn named(name: &str) -> Result<Self, PlantError> {
        let user = Self::ALL.into_iter().find(|user| user.name() == name);
        user.ok_or_else(|| PlantError::UnknownUser(name.to_owned()))
    }
}
