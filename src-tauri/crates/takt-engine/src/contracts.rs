//! Manages sites' contracts: previews a site's own document, applies it, and restores earlier versions.
//!
//! Reading and matching documents belongs to takt-openapi, versions and the contract in force to takt-sites.

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
    /// Previewed documents that weren't applied yet, by site.
    previews: Mutex<HashMap<String, PendingContract>>,
}

takt_core::opaque_debug!(Contracts);

/// A previewed document with the overlay it makes.
struct PendingContract {
    source: String,
    bytes: Vec<u8>,
    overlay: Overlay,
}

/// A document's operation that the user chose for an operation of the contract.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct MatchChoice {
    pub operation: String,
    /// `None` if the document has no such operation.
    pub target: Option<MatchTarget>,
}

/// A document's operation.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct MatchTarget {
    pub method: String,
    pub path: String,
}

/// The changes that a document would make.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ContractPreview {
    /// The document's title.
    pub title: String,
    /// The file's name or the address.
    pub source: String,
    pub matches: Vec<OperationMatch>,
    /// Compared to the contract in force.
    pub differences: Vec<OperationDifference>,
    /// Assumptions about the whole service whose values differ from the contract in force.
    pub assumptions: Vec<AssumptionDifference>,
    /// The user's data that the changes affect.
    pub effects: Vec<ContractEffect>,
    /// The document's operations to choose from.
    pub targets: Vec<MatchTarget>,
}

impl ContractPreview {
    /// Returns true if every operation was matched without a decision by the user.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.matches.iter().all(|operation_match| operation_match.decision == MatchDecision::Matched)
    }
}

/// The differences between two contracts.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ContractDifferences {
    pub operations: Vec<OperationDifference>,
    /// Differences in assumptions about the whole service.
    pub assumptions: Vec<AssumptionDifference>,
}

impl ContractDifferences {
    fn between(before: &Contract, after: &Contract) -> Self {
        Self { operations: compare(before, after), assumptions: compare_assumptions(before, after) }
    }
}

/// The context in which a document applies.
struct DocumentContext {
    /// The contract in force.
    before: Arc<Contract>,
    zone: TimeZone,
    /// Empty without a site.
    base_url: String,
}

/// The preview and overlay of a document, based on the built-in contract.
struct ReadContract {
    preview: ContractPreview,
    overlay: Overlay,
}

impl Contracts {
    /// Creates the contracts of `sites`. `person` is recorded as the author of changes.
    #[must_use]
    pub fn new(sites: Arc<Sites>, mappings: RememberedMappings, person: String) -> Self {
        Self { sites, mappings, person, previews: Mutex::default() }
    }

    /// Returns the author of changes.
    pub(crate) fn person(&self) -> &str {
        &self.person
    }

    /// Previews the changes of a document at a site, or to the built-in contract. Nothing changes before
    /// [`Self::take`].
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - [`Code::DocumentRefused`]: the document isn't a readable OpenAPI document. The details contain the position
    ///   and the reason.
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

    /// Like [`Self::preview`], for a file.
    ///
    /// # Errors
    ///
    /// As for [`Self::preview`]. [`Code::FileUnreadable`] and [`Code::FileTooLarge`] for the file.
    pub fn preview_file(
        &self,
        site: Option<&str>,
        path: &Path,
        choices: &[MatchChoice],
    ) -> Result<ContractPreview, Problem> {
        let (source, bytes) = read_file(path)?;
        self.preview(site, &source, &bytes, choices)
    }

    /// Previews the last document of a site again, with other choices.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`]: no document was previewed (`no-contract-preview`).
    /// - As for [`Self::preview`].
    pub fn preview_again(&self, site: &str, choices: &[MatchChoice]) -> Result<ContractPreview, Problem> {
        let document = self.pending().get(site).map(|pending| (pending.source.clone(), pending.bytes.clone()));
        let (source, bytes) = document.ok_or_else(|| Problem::in_the_way("no-contract-preview"))?;
        self.preview(Some(site), &source, &bytes, choices)
    }

    /// Applies the last previewed document of a site, and returns the version's number.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`]: no document was previewed (`no-contract-preview`).
    /// - [`Code::Unknown`]: no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be written.
    pub fn take(&self, site: &str) -> Result<u32, Problem> {
        let pending = self.pending().remove(site);
        let pending = pending.ok_or_else(|| Problem::in_the_way("no-contract-preview"))?;
        self.sites.set_overlay(site, &pending.overlay, &pending.source, &self.person)
    }

    /// Applies an overlay unchanged, and returns the version's number.
    pub(crate) fn set(&self, site: &str, overlay: &Overlay, source: &str) -> Result<u32, Problem> {
        self.sites.set_overlay(site, overlay, source, &self.person)
    }

    /// Returns every version of a site's contract, newest first.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn versions(&self, site: &str) -> Result<Vec<ContractVersion>, Problem> {
        self.sites.contract_versions(site)
    }

    /// Puts an earlier version in force again, and returns the new version's number. 0 is the built-in contract.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the site has no such version.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be read or written.
    pub fn restore(&self, site: &str, number: u32) -> Result<u32, Problem> {
        self.sites.restore_contract(site, number, &self.person)
    }

    /// Returns the differences between a site's responses and its contract in force, as far as responses were checked.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn drift(&self, site: &str) -> Result<Vec<DriftEntry>, Problem> {
        self.sites.drift(site)
    }

    /// Returns the changes of a site's contract in force to the built-in contract.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn differences(&self, site: &str) -> Result<Vec<OperationDifference>, Problem> {
        Ok(compare(self.sites.builtin_contract(), &*self.sites.contract(site)?))
    }

    /// Compares two versions of a site's contract. 0 is the built-in contract.
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

    /// Compares the contract in force at a site to an earlier one.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn changes_since(&self, site: &str, before: &Contract) -> Result<ContractDifferences, Problem> {
        Ok(ContractDifferences::between(before, &*self.sites.contract(site)?))
    }

    /// Compares two documents.
    ///
    /// # Errors
    ///
    /// As for [`Self::preview_file`], for either file.
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

/// Applies the user's choice. If another operation had this match, it must be decided again.
fn choose(matches: &mut [OperationMatch], choice: &MatchChoice) {
    for operation_match in matches.iter_mut() {
        let is_taken = choice.target.as_ref().is_some_and(|target| {
            operation_match.matched().is_some_and(|best| best.method == target.method && best.path == target.path)
        });
        if operation_match.operation == choice.operation {
            *operation_match = match &choice.target {
                Some(target) => OperationMatch::by_hand(&choice.operation, &target.method, &target.path),
                None => OperationMatch { decision: MatchDecision::Missing, ..operation_match.clone() },
            };
        } else if is_taken {
            operation_match.decision = MatchDecision::Ask;
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

/// Exports the contract as OpenAPI 3.1 with the site's names.
#[must_use]
pub fn document(contract: &Contract) -> serde_json::Value {
    export::document(contract)
}
