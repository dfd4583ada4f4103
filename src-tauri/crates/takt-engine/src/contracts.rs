//! Contracts of sites: what a site's own document would change, taking it, and earlier versions.
//!
//! Leaves to others: reading and matching documents (takt-openapi), the versions and the contract in force (takt-sites).

mod address;
mod edit;
mod effect;
mod junit;
mod learn_pages;
mod learn_reply;
mod live;
mod paging_test;
mod single_request;
mod value_type;

use std::{collections::HashMap, path::Path, sync::Arc};

use jiff::tz::TimeZone;
use parking_lot::{Mutex, MutexGuard};
use serde::Serialize;
use takt_client::MAX_DOCUMENT_BYTES;
use takt_contract::{Contract, overlay::Overlay, without_byte_order_mark};
use takt_core::{Code, Problem};
use takt_import::RememberedMappings;
use takt_openapi::{
    Document, DocumentError,
    comparison::{AssumptionDifference, OperationDifference, compare, compare_assumptions},
    export,
    matching::{MatchDecision, OperationMatch, match_operations},
    proposal::{assumptions, propose},
};
use takt_sites::{
    Sites,
    sites::{ContractVersion, DriftEntry},
};

pub use address::DocumentPlace;
pub use edit::{AssumptionEdit, FieldEdit, OperationEdit};
pub use effect::ContractEffect;
use effect::effects;
pub use junit::junit;
pub use live::{ContractTest, OperationTest, TestOutcome};
pub use paging_test::{ListPages, PagingFinding, PagingTest, StatedLimit};
pub use single_request::{SingleAnswer, SingleRequest};
pub use value_type::ValueType;

/// The contracts of sites.
pub struct Contracts {
    sites: Arc<Sites>,
    mappings: RememberedMappings,
    person: String,
    /// What was looked at and not taken yet, by site.
    previews: Mutex<HashMap<String, PendingContract>>,
}

takt_core::opaque_debug!(Contracts);

/// A document that was looked at, and what it makes of the contract.
struct PendingContract {
    source: String,
    bytes: Vec<u8>,
    overlay: Overlay,
}

/// A document's operation that a person chose for one of the contract's.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct MatchChoice {
    pub operation: String,
    /// Absent where the document has none.
    pub target: Option<MatchTarget>,
}

/// A document's operation.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct MatchTarget {
    pub method: String,
    pub path: String,
}

/// What a document would change.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ContractPreview {
    /// The document's own title.
    pub title: String,
    /// The file's name or the address.
    pub source: String,
    pub matches: Vec<OperationMatch>,
    /// Against the contract in force.
    pub differences: Vec<OperationDifference>,
    /// Assumptions about the whole service with another value than in the contract in force.
    pub assumptions: Vec<AssumptionDifference>,
    /// What a person already has that this touches.
    pub effects: Vec<ContractEffect>,
    /// The document's operations that a person may choose from.
    pub targets: Vec<MatchTarget>,
}

impl ContractPreview {
    /// Whether every operation was found without a question.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.matches.iter().all(|found| found.decision == MatchDecision::Matched)
    }
}

/// The differences between two contracts.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ContractDifferences {
    pub operations: Vec<OperationDifference>,
    /// Assumptions about the whole service.
    pub assumptions: Vec<AssumptionDifference>,
}

impl ContractDifferences {
    fn between(before: &Contract, after: &Contract) -> Self {
        Self { operations: compare(before, after), assumptions: compare_assumptions(before, after) }
    }
}

/// Where a document counts.
struct DocumentContext {
    /// The contract in force there.
    before: Arc<Contract>,
    zone: TimeZone,
    /// Empty where no site is meant.
    base_url: String,
}

/// What a document says, on the built-in contract.
struct ReadContract {
    preview: ContractPreview,
    overlay: Overlay,
}

impl Contracts {
    /// The contracts of `sites`; `person` takes them.
    #[must_use]
    pub fn new(sites: Arc<Sites>, mappings: RememberedMappings, person: String) -> Self {
        Self { sites, mappings, person, previews: Mutex::default() }
    }

    /// Who takes contracts here.
    pub(crate) fn person(&self) -> &str {
        &self.person
    }

    /// What a document would change at a site, or of the built-in contract. Nothing is taken before [`Self::take`].
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - [`Code::DocumentRefused`]: it is no OpenAPI document that can be read; the details say where and why.
    /// - A [journal code](takt_core::problem#journal-codes): the contract in force can't be read.
    pub fn preview(
        &self,
        site: Option<&str>,
        source: &str,
        bytes: &[u8],
        choices: &[MatchChoice],
    ) -> Result<ContractPreview, Problem> {
        let context = match site {
            Some(site) => self.context_of(site)?,
            None => self.context_without_site(),
        };
        let read = self.read(source, bytes, choices, &context)?;
        if let Some(site) = site {
            let mut previews = self.pending();
            let (source, bytes) = (source.to_owned(), bytes.to_vec());
            previews.insert(site.to_owned(), PendingContract { source, bytes, overlay: read.overlay });
        }
        Ok(read.preview)
    }

    /// As [`Self::preview`], of a file.
    ///
    /// # Errors
    ///
    /// As [`Self::preview`]; [`Code::FileUnreadable`] and [`Code::FileTooLarge`] for the file.
    pub fn preview_file(
        &self,
        site: Option<&str>,
        path: &Path,
        choices: &[MatchChoice],
    ) -> Result<ContractPreview, Problem> {
        let (source, bytes) = read_file(path)?;
        self.preview(site, &source, &bytes, choices)
    }

    /// The document that was looked at last for a site, with other choices.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`]: nothing was looked at (`no-contract-preview`).
    /// - As [`Self::preview`].
    pub fn preview_again(&self, site: &str, choices: &[MatchChoice]) -> Result<ContractPreview, Problem> {
        let looked_at = self.pending().get(site).map(|pending| (pending.source.clone(), pending.bytes.clone()));
        let (source, bytes) = looked_at.ok_or_else(|| Problem::in_the_way("no-contract-preview"))?;
        self.preview(Some(site), &source, &bytes, choices)
    }

    /// Takes what was looked at last for a site; gives the version's number.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`]: nothing was looked at (`no-contract-preview`).
    /// - [`Code::Unknown`]: no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be written.
    pub fn take(&self, site: &str) -> Result<u32, Problem> {
        let looked_at = self.pending().remove(site);
        let pending = looked_at.ok_or_else(|| Problem::in_the_way("no-contract-preview"))?;
        self.sites.set_overlay(site, &pending.overlay, &pending.source, &self.person)
    }

    /// Takes an overlay as it is; gives the version's number.
    pub(crate) fn set(&self, site: &str, overlay: &Overlay, source: &str) -> Result<u32, Problem> {
        self.sites.set_overlay(site, overlay, source, &self.person)
    }

    /// Every version of a site's contract, newest first.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn versions(&self, site: &str) -> Result<Vec<ContractVersion>, Problem> {
        self.sites.contract_versions(site)
    }

    /// Puts an earlier version in force again; 0 is the built-in contract. Gives the new version's number.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the site has no such version.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be read or written.
    pub fn restore(&self, site: &str, number: u32) -> Result<u32, Problem> {
        self.sites.restore_contract(site, number, &self.person)
    }

    /// What a site answers otherwise than its contract in force says, as far as answers were looked at.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn drift(&self, site: &str) -> Result<Vec<DriftEntry>, Problem> {
        self.sites.drift(site)
    }

    /// What the contract in force at a site changes of the built-in one.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn differences(&self, site: &str) -> Result<Vec<OperationDifference>, Problem> {
        Ok(compare(self.sites.builtin_contract(), &*self.sites.contract(site)?))
    }

    /// What one version of a site's contract says otherwise than another; 0 is the built-in contract.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the site has no such version.
    /// - A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn compare_versions(&self, site: &str, before: u32, after: u32) -> Result<ContractDifferences, Problem> {
        let (builtin, zone) = (self.sites.builtin_contract(), self.sites.time_zone(site));
        let contract = |number: u32| -> Result<Contract, Problem> {
            let overlay = if number == 0 { Overlay::default() } else { self.sites.overlay_version(site, number)? };
            Ok(builtin.with_overlay(&overlay, &zone))
        };
        Ok(ContractDifferences::between(&contract(before)?, &contract(after)?))
    }

    /// What the contract in force at a site says otherwise than one of before.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn changes_since(&self, site: &str, before: &Contract) -> Result<ContractDifferences, Problem> {
        Ok(ContractDifferences::between(before, &*self.sites.contract(site)?))
    }

    /// What a second document says otherwise than a first.
    ///
    /// # Errors
    ///
    /// As [`Self::preview_file`], of either file.
    pub fn compare_files(&self, first: &Path, second: &Path) -> Result<ContractDifferences, Problem> {
        let builtin = self.sites.builtin_contract();
        let contract = |path: &Path| -> Result<Contract, Problem> {
            let (source, bytes) = read_file(path)?;
            let read = self.read(&source, &bytes, &[], &self.context_without_site())?;
            Ok(builtin.with_overlay(&read.overlay, &TimeZone::UTC))
        };
        Ok(ContractDifferences::between(&contract(first)?, &contract(second)?))
    }

    fn pending(&self) -> MutexGuard<'_, HashMap<String, PendingContract>> {
        self.previews.lock()
    }

    fn context_of(&self, site: &str) -> Result<DocumentContext, Problem> {
        let site = self.sites.find(site)?;
        let zone = self.sites.time_zone(&site.name);
        Ok(DocumentContext { before: self.sites.contract(&site.name)?, zone, base_url: site.base_url })
    }

    fn context_without_site(&self) -> DocumentContext {
        let before = Arc::clone(self.sites.builtin_contract());
        DocumentContext { before, zone: TimeZone::UTC, base_url: String::new() }
    }

    fn read(
        &self,
        source: &str,
        bytes: &[u8],
        choices: &[MatchChoice],
        context: &DocumentContext,
    ) -> Result<ReadContract, Problem> {
        let DocumentContext { before, zone, base_url } = context;
        let builtin = self.sites.builtin_contract();
        let document = Document::read(bytes).map_err(|error| refused(source, &error))?.at(base_url);
        if let Some(error) = assumptions::errors(&document, builtin).first() {
            return Err(Problem::new(Code::DocumentRefused)
                .parameter("file", source)
                .details(format!("x-takt-assumptions: {error}")));
        }
        let mut matches = match_operations(&document, builtin);
        choices.iter().for_each(|choice| choose(&mut matches, choice));
        let overlay = propose(&document, &matches, builtin).overlay;
        let after = builtin.with_overlay(&overlay, zone);
        let ContractDifferences { operations: differences, assumptions } = ContractDifferences::between(before, &after);
        let effects = effects(&differences, before, &after, &self.mappings)?;
        let targets = document.operations().iter();
        let targets =
            targets.map(|operation| MatchTarget { method: operation.method.clone(), path: operation.path.clone() });
        let preview = ContractPreview {
            title: document.title().to_owned(),
            source: source.to_owned(),
            matches,
            differences,
            assumptions,
            effects,
            targets: targets.collect(),
        };
        Ok(ReadContract { preview, overlay })
    }
}

/// A person's word counts; an operation of the document that was another's isn't that one's any more.
fn choose(matches: &mut [OperationMatch], choice: &MatchChoice) {
    for found in matches.iter_mut() {
        let is_taken = choice.target.as_ref().is_some_and(|target| {
            found.matched().is_some_and(|best| best.method == target.method && best.path == target.path)
        });
        if found.operation == choice.operation {
            *found = match &choice.target {
                Some(target) => OperationMatch::by_hand(&choice.operation, &target.method, &target.path),
                None => OperationMatch { decision: MatchDecision::Missing, ..found.clone() },
            };
        } else if is_taken {
            found.decision = MatchDecision::Ask;
        }
    }
}

fn read_file(path: &Path) -> Result<(String, Vec<u8>), Problem> {
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let unreadable = |cause| Problem::new(Code::FileUnreadable).parameter("file", &file).details(cause);
    if std::fs::metadata(path).map_err(unreadable)?.len() > MAX_DOCUMENT_BYTES as u64 {
        return Err(Problem::new(Code::FileTooLarge).parameter("file", &file));
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    Ok((file, without_byte_order_mark(&bytes).to_vec()))
}

fn refused(source: &str, error: &DocumentError) -> Problem {
    let code = match error {
        DocumentError::Swagger2 | DocumentError::OtherVersion { .. } => Code::DocumentVersion,
        _ => Code::DocumentRefused,
    };
    Problem::new(code).parameter("file", source).details(error)
}

/// The contract as OpenAPI 3.1, in the names of its site.
#[must_use]
pub fn document(contract: &Contract) -> serde_json::Value {
    export::document(contract)
}
