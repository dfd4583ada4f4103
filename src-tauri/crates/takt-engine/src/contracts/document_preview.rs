//! Previews the changes that a site's document would make, and their effects on the user's data. The document is a
//! file, or is fetched from the site.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use takt_client::{ClientError, MAX_DOCUMENT_BYTES};
use takt_contract::{Contract, Names, overlay::Overlay, without_byte_order_mark};
use takt_core::{Code, Problem};
use takt_import::RememberedMappings;
use takt_openapi::{
    Document, DocumentError,
    comparison::{AssumptionDifference, DifferenceKind, FieldDifference, FieldPlace, OperationDifference},
    matching::{MatchDecision, OperationMatch, match_operations},
    proposal::{assumptions, propose_overlay},
};
use takt_sites::SiteConnection;

use super::site_contracts::{ContractDifferences, Contracts, PendingContract};

/// The location from which a document is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocumentLocation {
    /// A file on this computer.
    File(PathBuf),
    /// A path or address at the site. An address must have the site's origin.
    Address(String),
    /// The usual addresses at the site, which are tried in order.
    UsualAddresses,
}

/// A document's operation that the user chose for an operation of the contract.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct MatchChoice {
    pub operation: String,
    /// `None` if the user stated that the document has no such operation.
    pub target: Option<MatchTarget>,
}

/// A document's operation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
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

/// The effect of a changed contract in one operation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ContractEffect {
    pub operation: String,
    /// The number of saved mappings for a field that was removed, or that has another type.
    pub mappings: u32,
    /// Pictures that can no longer be drawn, because a field is missing.
    pub pictures: Vec<Names>,
}

/// The contract and site to which a document is compared.
struct DocumentContext {
    /// The contract in force.
    before: Arc<Contract>,
    zone: TimeZone,
    /// Empty without a site.
    base_url: String,
}

/// The preview and overlay of a document, based on the built-in contract.
struct DocumentResult {
    preview: ContractPreview,
    overlay: Overlay,
}

impl Contracts {
    /// Previews the changes of a document at a site, or to the built-in contract. Nothing changes before
    /// [`Self::apply_preview`].
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
            Some(site) => self.site_context(site)?,
            None => self.context_without_site(),
        };
        let read = self.read_document(source, bytes, choices, &context)?;
        if let Some(site) = site {
            let mut previews = self.lock_pending();
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
        let document = self.lock_pending().get(site).map(|pending| (pending.source.clone(), pending.bytes.clone()));
        let (source, bytes) = document.ok_or_else(|| Problem::obstacle("no-contract-preview"))?;
        self.preview(Some(site), &source, &bytes, choices)
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
            let read = self.read_document(&source, &bytes, &[], &self.context_without_site())?;
            Ok(builtin.with_overlay(&read.overlay, &TimeZone::UTC))
        };
        Ok(ContractDifferences::between(&contract(first)?, &contract(second)?))
    }

    fn site_context(&self, site: &str) -> Result<DocumentContext, Problem> {
        let site = self.sites.find(site)?;
        let zone = self.sites.time_zone(&site.name)?;
        Ok(DocumentContext { before: self.sites.contract(&site.name)?, zone, base_url: site.base_url })
    }

    fn context_without_site(&self) -> DocumentContext {
        let before = Arc::clone(self.sites.builtin_contract());
        DocumentContext { before, zone: TimeZone::UTC, base_url: String::new() }
    }

    fn read_document(
        &self,
        source: &str,
        bytes: &[u8],
        choices: &[MatchChoice],
        context: &DocumentContext,
    ) -> Result<DocumentResult, Problem> {
        let DocumentContext { before, zone, base_url } = context;
        let builtin = self.sites.builtin_contract();
        let document =
            Document::read(bytes).map_err(|error| refusal_problem(source, &error))?.with_site_address(base_url);
        if let Some(error) = assumptions::errors(&document, builtin).first() {
            return Err(Problem::new(Code::DocumentRefused)
                .parameter("file", source)
                .details(format!("x-takt-assumptions: {error}")));
        }
        let mut matches = match_operations(&document, builtin);
        choices.iter().for_each(|choice| apply_choice(&mut matches, choice));
        let overlay = propose_overlay(&document, &matches, builtin).overlay;
        let after = builtin.with_overlay(&overlay, zone);
        let ContractDifferences { operations: differences, assumptions } = ContractDifferences::between(before, &after);
        let effects = find_effects(&differences, before, &after, &self.mappings)?;
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
        Ok(DocumentResult { preview, overlay })
    }
}

/// Documents from the site.
impl Contracts {
    /// Like [`Contracts::preview`], for a document from the site. The first request has no token. Responses that aren't
    /// documents are skipped, because many services respond to every address with a page.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`]: there is no document at any usual location (`no-document`).
    /// - As for [`Contracts::preview`]. Also a [client code](takt_core::problem#client-codes).
    pub async fn preview_address(
        &self,
        site: &str,
        location: Option<&str>,
        choices: &[MatchChoice],
    ) -> Result<ContractPreview, Problem> {
        let client = SiteConnection::connect(&self.sites, site).await?.client;
        let client_problem = |error: ClientError| Problem::from_client_error(site, error);
        let locations = match location {
            Some(location) => vec![location.to_owned()],
            None => self.sites.builtin_contract().document_places().to_vec(),
        };
        let mut not_a_document = None;
        for location in &locations {
            for address in client.document_addresses(location).map_err(client_problem)? {
                let Some(fetched) = client.fetch_document(&address).await.map_err(client_problem)? else { continue };
                match Document::read(&fetched.bytes) {
                    Ok(_) => return self.preview(Some(site), &fetched.address, &fetched.bytes, choices),
                    // The user must convert the document. Other locations have the same version.
                    Err(error @ (DocumentError::Swagger2 | DocumentError::OtherVersion { .. })) => {
                        return Err(refusal_problem(&fetched.address, &error));
                    }
                    Err(error) => not_a_document = Some(refusal_problem(&fetched.address, &error)),
                }
            }
        }
        // If the user gave the location, report its error.
        let location_error = not_a_document.filter(|_| location.is_some());
        Err(location_error.unwrap_or_else(|| Problem::obstacle("no-document")))
    }

    /// Like [`Contracts::preview`], for a document at any location.
    ///
    /// # Errors
    ///
    /// - As for [`Contracts::preview_file`] and [`Contracts::preview_address`].
    /// - [`Code::InvalidInput`]: an address without a site.
    pub async fn preview_location(
        &self,
        site: Option<&str>,
        location: &DocumentLocation,
        choices: &[MatchChoice],
    ) -> Result<ContractPreview, Problem> {
        let address = match location {
            DocumentLocation::File(path) => return self.preview_file(site, path, choices),
            DocumentLocation::Address(address) => Some(address.as_str()),
            DocumentLocation::UsualAddresses => None,
        };
        let site = site.ok_or_else(|| Problem::new(Code::InvalidInput).details("an address needs a site"))?;
        self.preview_address(site, address, choices).await
    }
}

/// Applies the user's choice. If another operation had this match, that operation must be decided again.
fn apply_choice(matches: &mut [OperationMatch], choice: &MatchChoice) {
    for operation_match in matches.iter_mut() {
        let is_taken = choice.target.as_ref().is_some_and(|target| {
            operation_match.matched().is_some_and(|best| best.method == target.method && best.path == target.path)
        });
        if operation_match.operation == choice.operation {
            *operation_match = match &choice.target {
                Some(target) => OperationMatch::chosen_by_user(&choice.operation, &target.method, &target.path),
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
    if fs::metadata(path).map_err(unreadable)?.len() > MAX_DOCUMENT_BYTES as u64 {
        return Err(Problem::new(Code::FileTooLarge).parameter("file", &file));
    }
    let bytes = fs::read(path).map_err(unreadable)?;
    Ok((file, without_byte_order_mark(&bytes).to_vec()))
}

/// Returns the problem of a document that can't be used.
fn refusal_problem(source: &str, error: &DocumentError) -> Problem {
    let code = match error {
        DocumentError::Swagger2 | DocumentError::OtherVersion { .. } => Code::DocumentVersion,
        _ => Code::DocumentRefused,
    };
    Problem::new(code).parameter("file", source).details(error)
}

/// Returns the effects of these differences, without operations that have none. Only Takt's internal names are
/// compared, so members that are renamed at the site have no effect.
fn find_effects(
    differences: &[OperationDifference],
    before: &Contract,
    after: &Contract,
    mappings: &RememberedMappings,
) -> Result<Vec<ContractEffect>, Problem> {
    let mut effects = Vec::new();
    for difference in differences {
        let fields: Vec<&str> =
            difference.fields.iter().filter(|field| is_type_changed(field)).map(|field| field.path.as_str()).collect();
        let mapping_count =
            if fields.is_empty() { 0 } else { mappings.count_mappings_with_fields(&difference.id, &fields)? };
        let pictures = find_lost_pictures(&difference.id, before, after);
        if mapping_count > 0 || !pictures.is_empty() {
            let mappings = u32::try_from(mapping_count).unwrap_or(u32::MAX);
            effects.push(ContractEffect { operation: difference.id.clone(), mappings, pictures });
        }
    }
    Ok(effects)
}

fn is_type_changed(field: &FieldDifference) -> bool {
    let kinds = (field.before.as_ref().map(|state| state.kind), field.after.as_ref().map(|state| state.kind));
    let is_sent = field.place == FieldPlace::Request;
    is_sent && (field.kind == DifferenceKind::Gone || field.kind == DifferenceKind::Changed && kinds.0 != kinds.1)
}

fn find_lost_pictures(operation: &str, before: &Contract, after: &Contract) -> Vec<Names> {
    let pictures = |contract: &Contract| {
        contract.operation(operation).map(|operation| operation.pictures.clone()).unwrap_or_default()
    };
    let remaining: BTreeSet<String> = pictures(after).into_iter().map(|picture| picture.id).collect();
    let lost = pictures(before).into_iter().filter(|picture| !remaining.contains(&picture.id));
    lost.map(|picture| picture.names).collect()
}
