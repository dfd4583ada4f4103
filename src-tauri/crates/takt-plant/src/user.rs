//! The users who can sign in to the practice plant.

use crate::PlantError;

/// A user, who determines the permissions of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum User {
    /// Can read and write.
    Planner,
    /// Can only read.
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

    pub(crate) fn can_write(self) -> bool {
        self == Self::Planner
    }

    pub(crate) fn from_name(name: &str) -> Result<Self, PlantError> {
        let user = Self::ALL.into_iter().find(|user| user.name() == name);
        user.ok_or_else(|| PlantError::UnknownUser(name.to_owned()))
    }
}
