//! The state of an item on the service, and the reasons why a read-back proves nothing about it.

use serde_json::Value;
use takt_client::{ClientError, ListFault};

/// The status of a response that was read, for errors.
const OK: u16 = 200;

/// The state of an item on the service, as far as a read-back proves it.
#[derive(Debug, Clone, PartialEq)]
pub enum ServiceItem {
    /// The item in the request's shape, with the fields that both sides know. A member without a value on the service
    /// is null, even if the request can't send null.
    Holds(Value),
    /// A complete and consistent list in the contract's shape doesn't contain the item.
    Absent,
    /// The item's container (such as a link's template) doesn't exist: the status is one of the contract's, and no
    /// earlier read showed the container.
    ContainerMissing(u16),
    /// The read proves neither that the item exists nor that it doesn't.
    Inconclusive(ReadBackFault),
}

/// The reason why a read-back proves nothing about an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReadBackFault {
    #[error("the item lacks a value that its read needs")]
    MissingKey,
    #[error("the service has no read that shows it")]
    NotReadable,
    #[error("the response isn't the list that the contract describes")]
    Malformed,
    /// A status that can mean "not found", with a body that doesn't confirm it.
    #[error("the service responded with status {0}")]
    Refused(u16),
    /// A status that means "not found", for a container that an earlier read showed.
    #[error("the service responded with status {0}, although it had shown this before")]
    ContainerLost(u16),
    /// Other rows are missing too, and Takt didn't delete them.
    #[error("other rows that the list had shown before are missing, too")]
    LostItems,
    /// Rows of the list don't have the member that would show the item.
    #[error("the service's rows don't show it")]
    NotShown,
    #[error("{0}")]
    Incomplete(ListFault),
}

impl ReadBackFault {
    /// Returns true if a repeated read may prove more.
    #[must_use]
    pub fn is_transient(self) -> bool {
        match self {
            Self::Malformed | Self::Refused(_) | Self::ContainerLost(_) | Self::LostItems | Self::Incomplete(_) => true,
            Self::MissingKey | Self::NotReadable | Self::NotShown => false,
        }
    }
}

impl From<ReadBackFault> for ClientError {
    fn from(fault: ReadBackFault) -> Self {
        let not_understood = |status| Self::NotUnderstood { status, reason: fault.to_string(), body: String::new() };
        match fault {
            ReadBackFault::Incomplete(fault) => fault.into(),
            ReadBackFault::Refused(status) | ReadBackFault::ContainerLost(status) => not_understood(status),
            _ => not_understood(OK),
        }
    }
}
