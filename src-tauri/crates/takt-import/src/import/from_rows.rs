//! Rows that a site was seen to hold, opened as an import: from what is seen to what is done.
//!
//! Owns which operations rows of a list can become, and opening them. Leaves the workbook that is made of them to `sheet`; from
//! there on they are rows of a workbook like any other, which remembers what the site held.

mod sheet;

use std::{path::Path, sync::Arc};

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use takt_contract::{Contract, Operation, OperationKind};

use super::{ImportView, Imports, MappingFile, MatchReason, RowChoice, blank, plan::Book, session::Session};
use takt_browse::{
    RowSet,
    browse::{ExportOrigin, MAX_REMEMBERED, remembering},
    read_back::ReadBack,
};
use takt_core::{Clock, Code, Language, Problem};
use takt_sites::{Context, Sites};

/// What a field of a row is to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RowChange {
    /// In the set.
    pub position: u32,
    /// A field of the operation, for example `beginPlanned`.
    pub field: String,
    /// As the service would answer it.
    pub value: Value,
}

/// Which rows of a set are opened, and what for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FromRows {
    /// In the order in which they are to stand. Rows that are only named by a change come behind them.
    pub positions: Vec<u32>,
    pub operation: String,
    #[serde(default)]
    pub changes: Vec<RowChange>,
}

impl FromRows {
    fn all_positions(&self) -> Vec<u32> {
        let mut seen = std::collections::HashSet::new();
        let changed = self.changes.iter().map(|change| change.position);
        self.positions.iter().copied().chain(changed).filter(|position| seen.insert(*position)).collect()
    }
}

/// Imports that begin without a file of the planner's: rows that a site holds, and blank workbooks to fill in.
#[derive(Clone)]
pub struct ImportSources {
    pub sites: Arc<Sites>,
    pub clock: Clock,
    pub(crate) imports: Arc<Imports>,
}

takt_core::opaque_debug!(ImportSources);

impl ImportSources {
    /// Makes `imports` of what isn't a file.
    #[must_use]
    pub fn new(context: &Context, imports: Arc<Imports>) -> Self {
        Self { sites: Arc::clone(&context.sites), clock: Arc::clone(&context.clock), imports }
    }

    /// The operations that rows of a list can become, in the contract's order: those whose changes are seen again there.
    #[must_use]
    pub fn becomes(&self, site: &str, list: &str) -> Vec<String> {
        let contract = &self.imports.contract(Some(site));
        let operations = contract.operations().iter();
        operations
            .filter(|operation| can_become(contract, list, operation))
            .map(|operation| operation.id.clone())
            .collect()
    }

    /// Opens rows of a set for one of these operations, as a workbook that is nowhere on the disk. What the set holds counts
    /// as what the planner has seen: where others changed a field since, a change of it is a conflict. Fields that the
    /// operation doesn't have are left out, and what is empty stays as it is.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the contract has no such operation or list, rows of the list can't become its items, or the
    ///   list doesn't hold what a change names.
    /// - [`Code::Precondition`]: too many rows were chosen (`too-many-rows`), none that the set has (`no-rows-chosen`), or
    ///   one that a change would reach others with (`rows-mean-others`).
    /// - [`Code::MappingRefused`]: a change names a field or says a text that can't be.
    pub fn from_rows(&self, set: &RowSet, from: &FromRows, language: Language) -> Result<ImportView, Problem> {
        let unknown = || Problem::new(Code::Unknown).parameter("what", from.operation.as_str());
        let contract = &self.imports.contract(Some(set.site()));
        let operation = contract.operation(&from.operation).ok_or_else(unknown)?;
        let list = contract.operation(set.operation()).ok_or_else(unknown)?;
        if !can_become(contract, &list.id, operation) {
            return Err(unknown());
        }
        let back = ReadBack::of(contract, &operation.id).ok_or_else(unknown)?;
        let positions = from.all_positions();
        if positions.len() > MAX_REMEMBERED {
            return Err(Problem::in_the_way("too-many-rows"));
        }
        let rows = set.pick(&positions);
        let found: Vec<(u32, &Value)> =
            positions.iter().copied().zip(&rows).filter(|(_, row)| !row.is_null()).collect();
        if found.is_empty() {
            return Err(Problem::in_the_way("no-rows-chosen"));
        }
        if found.iter().any(|(_, row)| back.means_every(row)) {
            return Err(Problem::in_the_way("rows-mean-others"));
        }
        let (sheet, mapping) = sheet::sheet(operation, &back, &found, (&from.changes, language)).ok_or_else(unknown)?;
        let held: Vec<Value> = found.iter().map(|(_, row)| (*row).clone()).collect();
        let address = self.sites.address_of(set.site());
        let place = ExportOrigin { site: set.site(), list: back.list(), address: &address };
        let hidden: Vec<_> = remembering(place, (self.clock)(), &held).into_iter().collect();
        let name = sheet::name(list, held.len(), language);
        let bytes =
            takt_sheet::writer::workbook_bytes(&[sheet], &hidden).map_err(|error| Problem::of_sheet(&name, error))?;
        self.imports.open_made(set.site(), (&name, bytes), &mapping)
    }

    /// Writes a blank workbook to fill in for an operation that takes items.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the contract has no such operation, or it takes no items.
    /// - [`Code::WriteFailed`]: the workbook can't be written.
    pub fn write_blank(&self, operation: &str, language: Language, path: &Path) -> Result<(), Problem> {
        let unknown = || Problem::new(Code::Unknown).parameter("what", operation);
        let contract = self.imports.contract(None);
        let found = contract.operation(operation).ok_or_else(unknown)?;
        let today = (self.clock)().to_zoned_datetime(TimeZone::UTC).date();
        let blank = blank::blank(found, language, today).ok_or_else(unknown)?;
        let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        takt_sheet::writer::write_blank(path, &blank).map_err(|error| Problem::of_sheet(&file, error))
    }
}

impl Imports {
    fn open_made(
        &self,
        site: &str,
        (name, bytes): (&str, Vec<u8>),
        mapping: &MappingFile,
    ) -> Result<ImportView, Problem> {
        let id = self.next();
        let book = self.around(Some(site), |around| {
            let mut session = Session::open_made(id, name, bytes, around)?;
            // A code that reads like a word for a total is a code.
            session.choose_rows(RowChoice { skip_hidden: false, keep_totals: true });
            session.apply_as(mapping, MatchReason::SameName, around)?;
            Ok::<_, Problem>(Book::new(session))
        })?;
        self.insert_book(id, book)
    }
}

fn can_become(contract: &Contract, list: &str, operation: &Operation) -> bool {
    let Some(said) = operation.read_back.as_ref().filter(|_| operation.kind == OperationKind::Sync) else {
        return false;
    };
    said.list == list || shows_the_same(contract, list, &said.list)
}

/// True where a list's rows are those of another one, told in more detail.
pub fn shows_the_same(contract: &Contract, list: &str, other: &str) -> bool {
    let (Some(list), Some(other)) = (contract.operation(list), contract.operation(other)) else { return false };
    let (Some(fields), Some(others)) = (&list.answer, &other.answer) else { return false };
    let more = fields.fields.len() > others.fields.len();
    let has = |name: &str| fields.fields.iter().any(|field| field.name == name);
    more && !list.key.is_empty() && list.key == other.key && others.fields.iter().all(|field| has(&field.name))
}
