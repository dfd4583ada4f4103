//! Opens rows of a site as an import, so that users can change what they see.
//!
//! Decides which operations rows of a list can become. `sheet` creates the workbook. From there on, they're rows of a
//! workbook like any other, with a snapshot of the site's values.

mod sheet;

use std::{path::Path, sync::Arc};

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use takt_contract::{Contract, Operation, OperationKind};

pub use self::sheet::RowChange;
use crate::{
    blank, imports::Imports, mapping::MappingFile, matching::MatchReason, plan::Book, reading_view::RowChoice,
    session::Session, view::ImportView,
};
use takt_browse::{
    RowSet,
    lists::{ExportOrigin, MAX_REMEMBERED, remembering},
    read_back::ReadBack,
};
use takt_core::{Clock, Code, Language, Problem};
use takt_sites::{Context, Sites};

/// The rows of a set to open, and the operation to open them for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FromRows {
    /// The rows in their order in the sheet. Rows that only a change names follow them.
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

/// Creates imports without a file of the planner, from rows of a site or as blank workbooks.
#[derive(Clone)]
pub struct ImportSources {
    pub sites: Arc<Sites>,
    pub clock: Clock,
    pub(crate) imports: Arc<Imports>,
}

takt_core::opaque_debug!(ImportSources);

impl ImportSources {
    /// Creates sources that open their workbooks in `imports`.
    #[must_use]
    pub fn new(context: &Context, imports: Arc<Imports>) -> Self {
        Self { sites: Arc::clone(&context.sites), clock: Arc::clone(&context.clock), imports }
    }

    /// Returns the operations that rows of a list can become, in the contract's order. The list must show their
    /// changes.
    #[must_use]
    pub fn list_target_operations(&self, site: &str, list: &str) -> Vec<String> {
        let contract = &self.imports.contract(Some(site));
        let operations = contract.operations().iter();
        operations
            .filter(|operation| can_become(contract, list, operation))
            .map(|operation| operation.id.clone())
            .collect()
    }

    /// Opens rows of a set for one of these operations, as a workbook that isn't on disk. The set's values count as
    /// seen by the planner. If the planner changes a field that others have changed since, that is a conflict. Fields
    /// that the operation doesn't have are left out. Empty values stay unchanged.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the contract has no such operation or list, rows of the list can't become its items, or a
    ///   change names what the list doesn't have.
    /// - [`Code::Precondition`]: too many rows were chosen (`too-many-rows`), the set has none of them
    ///   (`no-rows-chosen`), or changing one would also change others (`rows-mean-others`).
    /// - [`Code::MappingRefused`]: a change names an invalid field or text.
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
            return Err(Problem::obstacle("too-many-rows"));
        }
        let rows = set.pick(&positions);
        let found: Vec<(u32, &Value)> =
            positions.iter().copied().zip(&rows).filter(|(_, row)| !row.is_null()).collect();
        if found.is_empty() {
            return Err(Problem::obstacle("no-rows-chosen"));
        }
        if found.iter().any(|(_, row)| back.matches_other_rows(row)) {
            return Err(Problem::obstacle("rows-mean-others"));
        }
        let (sheet, mapping) = sheet::sheet(operation, &back, &found, &from.changes, language).ok_or_else(unknown)?;
        let values: Vec<Value> = found.iter().map(|(_, row)| (*row).clone()).collect();
        let address = self.sites.address_of(set.site());
        let origin = ExportOrigin { site: set.site(), list: back.list(), address: &address };
        let hidden: Vec<_> = remembering(origin, (self.clock)(), &values).into_iter().collect();
        let name = sheet::name(list, values.len(), language);
        let bytes =
            takt_sheet::writer::workbook_bytes(&[sheet], &hidden).map_err(|error| Problem::of_sheet(&name, error))?;
        self.imports.open_made(set.site(), &name, bytes, &mapping)
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
    fn open_made(&self, site: &str, name: &str, bytes: Vec<u8>, mapping: &MappingFile) -> Result<ImportView, Problem> {
        let id = self.next_id();
        let book = self.with_context(Some(site), |ctx| {
            let mut session = Session::open_made(id, name, bytes, ctx)?;
            // A code that looks like a word for a total is still a code.
            session.choose_rows(RowChoice { skip_hidden: false, keep_totals: true });
            session.apply_as(mapping, MatchReason::SameName, ctx)?;
            Ok::<_, Problem>(Book::new(session))
        })?;
        self.insert_book(id, book)
    }
}

fn can_become(contract: &Contract, list: &str, operation: &Operation) -> bool {
    let Some(read_back) = operation.read_back.as_ref().filter(|_| operation.kind == OperationKind::Sync) else {
        return false;
    };
    read_back.list == list || shows_the_same(contract, list, &read_back.list)
}

/// Returns true if a list shows the rows of another list in more detail.
pub fn shows_the_same(contract: &Contract, list: &str, other: &str) -> bool {
    let (Some(list), Some(other)) = (contract.operation(list), contract.operation(other)) else { return false };
    let (Some(fields), Some(others)) = (&list.answer, &other.answer) else { return false };
    let more = fields.fields.len() > others.fields.len();
    let has = |name: &str| fields.fields.iter().any(|field| field.name == name);
    more && !list.key.is_empty() && list.key == other.key && others.fields.iter().all(|field| has(&field.name))
}
