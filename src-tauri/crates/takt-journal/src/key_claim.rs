//! Claims on keys that another desk is sending, and the choices for the affected items. `key_claim_check` finds them.

use jiff::Timestamp;

use crate::SubmissionId;

/// The reason code of rows that were left out because another desk was sending the same keys. The parameters `person`,
/// `file` and `since` identify that submission.
pub const CLAIMED: &str = "claimed-elsewhere-since";

/// The reason code of rows that stay unconfirmed. Reading back showed that they weren't applied, but another desk was
/// sending the same keys at that time. The parameters `person`, `file` and `since` identify that submission.
pub const CLAIMED_UNCONFIRMED: &str = "claimed-unconfirmed";

/// The claim of another submission that is sending some of the same keys at this moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyClaim {
    pub submission: SubmissionId,
    /// The person who sends it, and the computer.
    pub person: String,
    pub file: String,
    pub since: Timestamp,
    /// The number of rows of this desk's submission with such a key.
    pub rows: u32,
}

/// The choice for items whose keys another desk is sending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ClaimChoice {
    /// Nothing is sent.
    #[default]
    Refuse,
    /// The items are skipped, and the rest is sent.
    LeaveOut,
}
