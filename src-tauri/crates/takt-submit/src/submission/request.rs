//! Requests to send an open import or a list of items, with their options.

use serde_json::Value;
use takt_import::{ImportId, SiteItems, StepItems};
use takt_journal::{ClaimChoice, SubmissionOrigin};

use crate::preview::PreviewChoice;

/// An open import, with the choices for sending it.
#[derive(Debug, Clone)]
pub struct ImportToSend {
    pub import: ImportId,
    /// The name of the site to send to.
    pub site: String,
    /// The choice about the previewed changes. Without one, all items are sent, whether there is a preview or not.
    pub preview: Option<PreviewChoice>,
    /// Whether the import is closed once all its items are stored.
    pub close: bool,
}

/// The options for sending a plan.
#[derive(Debug, Clone, Default)]
pub struct SendOptions {
    /// Whether blocked items are skipped. Otherwise one blocked item prevents the submission.
    pub skip_blocked: bool,
    /// The items per request. If absent, the site's or the contract's number.
    pub batch_size: Option<u32>,
    /// The submission that this one follows.
    pub follows: Option<SubmissionOrigin>,
    /// The number of items of a trial run. The others stay pending.
    pub trial: Option<u32>,
    /// The site's name as typed by the user. Required for production sites.
    pub confirmed: Option<String>,
    /// Whether unconfirmed rows aren't read back at the end.
    pub leave_unconfirmed: bool,
    /// The choice for items whose keys another desk of the team is sending.
    pub claimed: ClaimChoice,
}

/// Items to send to a site, without an open import.
#[derive(Debug, Clone, Default)]
pub struct SubmissionRequest {
    pub site: String,
    /// Each step is a change: a sync of any operation, or the batch delete.
    pub steps: Vec<StepItems>,
    pub options: SendOptions,
    /// Takt's data about the items of a delete that isn't in their bodies, in the same order. Stored with the deleted
    /// rows.
    pub known_data: Option<Value>,
}

impl From<SiteItems> for SubmissionRequest {
    /// Creates a request with default options.
    fn from(items: SiteItems) -> Self {
        Self { site: items.site, steps: items.steps, ..Self::default() }
    }
}
