//! Keys that are being sent elsewhere, as they are told, and what a person wants done about them. Who claims what is found in
//! `key_claim_check`.

use jiff::Timestamp;

use crate::SubmissionId;

/// The reason code of rows that were left out because another desk was sending the same; `person`, `file` and `since` name it.
pub const CLAIMED: &str = "claimed-elsewhere-since";

/// The reason code of rows that stay unconfirmed: they didn't arrive, and another desk was sending the same when that was found out;
/// `person`, `file` and `since` name it.
pub const CLAIMED_UNCONFIRMED: &str = "claimed-unconfirmed";

/// Keys that another submission sends at this moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyClaim {
    pub submission: SubmissionId,
    /// Who sends it, and where.
    pub person: String,
    pub file: String,
    pub since: Timestamp,
    /// How many of one's own rows have a key of it.
    pub rows: u32,
}

/// What is done about items whose keys another desk is sending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ClaimChoice {
    /// Nothing is sent.
    #[default]
    Refuse,
    /// They are skipped, and the rest is sent.
    LeaveOut,
}
