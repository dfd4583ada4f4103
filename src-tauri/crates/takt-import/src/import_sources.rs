//! Creates imports from rows of a site, or as blank workbooks, instead of from the planner's file.
//!
//! Rows of a site become a workbook with a column per field of the operation, and a snapshot of the site's values.
//! Afterwards, they're treated like rows of any other workbook.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use takt_browse::{
    RowSet,
    lists::{ExportOrigin, MAX_SNAPSHOT_ROWS, snapshot_sheet, to_out_cell},
    read_back::ReadBack,
};
use takt_contract::{Contract, FieldKind, Operation, OperationKind};
use takt_core::{Clock, Code, Language, Problem, Words};
use takt_sheet::writer::{OutCell, OutColumn, OutSheet};
use takt_sites::{Context, Sites};

use crate::{
    blank_workbook::build_blank,
    heading::normalize_heading,
    imports::Imports,
    mapping::{Fields, MappingFile},
    matching::MatchReason,
    plan::OpenWorkbook,
    reading_view::RowChoice,
    session::Session,
    target::{TargetField, TargetFields},
    view::ImportView,
};

/// The rows of a set to open, and the operation to open them for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FromRows {
    /// The rows' positions in the set, in the order of the sheet. Rows that are only in `changes` follow.
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

    /// Returns the operations that rows of a list can be sent with, in the contract's order. These are synchronizations
    /// whose effects the list shows.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the site's contract can't be read.
    pub fn list_target_operations(&self, site: &str, list: &str) -> Result<Vec<String>, Problem> {
        let contract = &self.imports.site_contract(site)?;
        let operations = contract.operations().iter();
        Ok(operations
            .filter(|operation| can_become_items(contract, list, operation))
            .map(|operation| operation.id.clone())
            .collect())
    }

    /// Opens rows of a set as a workbook that isn't on disk, for an operation of [`Self::list_target_operations`]. The
    /// set's values are the last values that the planner has seen. If others changed a field since then, and the
    /// planner also changes it, that is a conflict. Fields that the operation doesn't have are left out, also in
    /// changes. Empty values stay unchanged.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the contract has no such operation or list, or rows of the list can't become its items.
    /// - [`Code::Precondition`]: too many rows were chosen (`too-many-rows`), the set has none of them
    ///   (`no-rows-chosen`), or changing a row would also change other rows (`rows-mean-others`).
    /// - [`Code::MappingRefused`]: the workbook's columns can't be matched with the operation's fields.
    /// - A [file code](takt_core::problem#file-codes): the workbook exceeds a limit.
    pub fn open_rows(&self, set: &RowSet, from: &FromRows, language: Language) -> Result<ImportView, Problem> {
        let unknown = || Problem::new(Code::Unknown).parameter("what", from.operation.as_str());
        let contract = &self.imports.site_contract(set.site())?;
        let operation = contract.operation(&from.operation).ok_or_else(unknown)?;
        let list = contract.operation(set.operation()).ok_or_else(unknown)?;
        if !can_become_items(contract, &list.id, operation) {
            return Err(unknown());
        }
        let read_back = ReadBack::for_operation(contract, &operation.id).ok_or_else(unknown)?;
        let positions = from.all_positions();
        if positions.len() > MAX_SNAPSHOT_ROWS {
            return Err(Problem::obstacle("too-many-rows"));
        }
        let rows = set.rows_at(&positions);
        let found: Vec<(u32, &Value)> =
            positions.iter().copied().zip(&rows).filter(|(_, row)| !row.is_null()).collect();
        if found.is_empty() {
            return Err(Problem::obstacle("no-rows-chosen"));
        }
        if found.iter().any(|(_, row)| read_back.matches_other_rows(row)) {
            return Err(Problem::obstacle("rows-mean-others"));
        }
        let (sheet, mapping) =
            build_sheet(operation, &read_back, &found, &from.changes, language).ok_or_else(unknown)?;
        let values: Vec<Value> = found.iter().map(|(_, row)| (*row).clone()).collect();
        let address = self.sites.site_address(set.site())?;
        let origin = ExportOrigin { site: set.site(), list: read_back.list(), address: &address };
        let hidden: Vec<_> = snapshot_sheet(origin, (self.clock)(), &values).into_iter().collect();
        let name = import_name(list, values.len(), language);
        let bytes = takt_sheet::writer::workbook_bytes(&[sheet], &hidden)
            .map_err(|error| Problem::from_sheet_error(&name, error))?;
        self.imports.open_generated(set.site(), &name, bytes, &mapping)
    }

    /// Writes a blank workbook to fill in for an operation that takes items.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the contract has no such operation, or it takes no items.
    /// - [`Code::WriteFailed`]: the workbook can't be written.
    pub fn write_blank(&self, operation: &str, language: Language, path: &Path) -> Result<(), Problem> {
        let unknown = || Problem::new(Code::Unknown).parameter("what", operation);
        let contract = self.imports.chosen_contract();
        let found = contract.operation(operation).ok_or_else(unknown)?;
        let today = (self.clock)().to_zoned_datetime(TimeZone::UTC).date();
        let blank = build_blank(found, language, today).ok_or_else(unknown)?;
        let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        takt_sheet::writer::write_blank_workbook(path, &blank).map_err(|error| Problem::from_sheet_error(&file, error))
    }
}

impl Imports {
    fn open_generated(
        &self,
        site: &str,
        name: &str,
        bytes: Vec<u8>,
        mapping: &MappingFile,
    ) -> Result<ImportView, Problem> {
        let id = self.next_id();
        let contract = self.site_contract(site)?;
        let book = self.with_context(&contract, |ctx| {
            let mut session = Session::open_generated(id, name, bytes, ctx)?;
            // Rows of a site never total others, even if a code looks like a word for a total.
            session.choose_rows(RowChoice { skip_hidden: false, keep_totals: true });
            session.apply_mapping_as(mapping, MatchReason::SameName, ctx)?;
            Ok::<_, Problem>(OpenWorkbook::new(session, Arc::clone(&contract)))
        })?;
        self.insert_book(id, book)
    }
}

fn can_become_items(contract: &Contract, list: &str, operation: &Operation) -> bool {
    let Some(read_back) = operation.read_back.as_ref().filter(|_| operation.kind == OperationKind::Sync) else {
        return false;
    };
    read_back.list == list || is_detail_list(contract, list, &read_back.list)
}

/// Returns true if a list shows the rows of another list in more detail.
pub fn is_detail_list(contract: &Contract, list: &str, other: &str) -> bool {
    let (Some(list), Some(other)) = (contract.operation(list), contract.operation(other)) else { return false };
    let (Some(fields), Some(others)) = (&list.answer, &other.answer) else { return false };
    let more = fields.fields.len() > others.fields.len();
    let has = |name: &str| fields.fields.iter().any(|field| field.name == name);
    more && !list.key.is_empty() && list.key == other.key && others.fields.iter().all(|field| has(&field.name))
}

/// A new value for a field of a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RowChange {
    /// The row's position in the set.
    pub position: u32,
    /// A field of the operation, for example `beginPlanned`.
    pub field: String,
    /// In the form of the service's responses.
    pub value: Value,
}

/// Maximum characters of a sheet name in Excel.
const MAX_SHEET_NAME_LENGTH: usize = 31;
/// Maximum UTF-16 units of a cell in Excel.
const MAX_CELL_UNITS: usize = 32_767;
/// Nanoseconds per millisecond, the resolution of a cell's date and time.
const NANOSECONDS_PER_MILLISECOND: i32 = 1_000_000;
const TICKS_PER_MILLISECOND: i64 = 10_000;

/// Returns the name that is shown instead of a file name.
fn import_name(list: &Operation, rows: usize, language: Language) -> String {
    let words = Words::load(language);
    let parameters = [("list", language.localized_name(&list.names).to_owned()), ("rows", rows.to_string())];
    let parameters: BTreeMap<String, String> = parameters.map(|(name, text)| (name.to_owned(), text)).into();
    words.text(&["own", if rows == 1 { "from-row" } else { "from-rows" }], &parameters)
}

/// Builds a sheet from rows with their positions, and the mapping of its columns. Returns `None` if the operation takes
/// no items.
fn build_sheet(
    operation: &Operation,
    read_back: &ReadBack,
    rows: &[(u32, &Value)],
    changes: &[RowChange],
    language: Language,
) -> Option<(OutSheet, MappingFile)> {
    let targets = TargetFields::from_operation(operation)?;
    let headings = distinct_headings(&targets, language);
    let mut by_row: BTreeMap<u32, Vec<&RowChange>> = BTreeMap::new();
    changes.iter().for_each(|change| by_row.entry(change.position).or_default().push(change));
    let mut rows_out = Vec::new();
    let mut bare_items = Vec::new();
    for (position, row) in rows {
        let items = read_back.items_of_row(row);
        if items.is_empty() {
            bare_items.push(read_back.key_only_item_of_row(row));
        }
        for mut item in items {
            if let Value::Object(members) = &mut item {
                let row_changes = by_row.get(position).into_iter().flatten();
                members.extend(row_changes.map(|change| (change.field.clone(), change.value.clone())));
            }
            add_item_rows(&mut rows_out, &targets, &item);
        }
    }
    // Without items, rows with only keys are added, so that the user can fill them in.
    if rows_out.is_empty() {
        bare_items.iter().for_each(|item| add_item_rows(&mut rows_out, &targets, item));
    }
    let columns = headings.iter().zip(&targets.fields);
    let columns = columns.map(|(heading, field)| (heading.clone(), Fields::from(field.path.as_str()))).collect();
    let mapping =
        MappingFile { operation: operation.id.clone(), header_row: Some(1), columns, ..MappingFile::default() };
    let name =
        Some(language.localized_name(&operation.names)).filter(|name| name.chars().count() <= MAX_SHEET_NAME_LENGTH);
    let sheet = OutSheet {
        name: name.unwrap_or(&operation.id).chars().take(MAX_SHEET_NAME_LENGTH).collect(),
        title: Vec::new(),
        columns: headings.into_iter().map(OutColumn::new).collect(),
        rows: rows_out,
    };
    Some((sheet, mapping))
}

/// Returns a distinct heading for each field, with its list's name if its own isn't unique.
fn distinct_headings(targets: &TargetFields, language: Language) -> Vec<String> {
    let same = |one: &str, other: &TargetField| {
        normalize_heading(language.localized_name(&other.names)) == normalize_heading(one)
    };
    let mut taken = BTreeSet::new();
    let heading = |target: &TargetField| {
        let own = language.localized_name(&target.names);
        let alone = targets.fields.iter().filter(|other| same(own, other)).count() == 1;
        let name = if alone { own.to_owned() } else { target.name(language) };
        let name =
            if name.is_empty() || taken.contains(&normalize_heading(&name)) { target.path.clone() } else { name };
        taken.insert(normalize_heading(&name));
        name
    };
    targets.fields.iter().map(heading).collect()
}

/// Adds an item with one row per part of its longest list. Values outside of lists are only in the first row, except
/// keys, which are in every row.
fn add_item_rows(rows_out: &mut Vec<Vec<OutCell>>, targets: &TargetFields, item: &Value) {
    let lists = list_parts(targets, item);
    let row_count = lists.values().map(|parts| parts.len()).max().unwrap_or_default().max(1);
    for index in 0..row_count {
        let row = targets.fields.iter().map(|target| match &target.part_of {
            Some((list, member)) => {
                let part = lists.get(list.as_str()).and_then(|parts| parts.get(index));
                part.and_then(|part| to_cell(part.get(member)?, target.kind)).unwrap_or_default()
            }
            None if index > 0 && !target.key => OutCell::Empty,
            None => item.get(&target.path).and_then(|value| to_cell(value, target.kind)).unwrap_or_default(),
        });
        rows_out.push(row.collect());
    }
}

/// Returns an item's lists by name. A list with a text that is too long for a cell is left out. Sending the list
/// without that text would remove the text from the service.
fn list_parts<'a>(targets: &TargetFields, item: &'a Value) -> BTreeMap<String, Vec<&'a Map<String, Value>>> {
    let mut lists = BTreeMap::new();
    for (list, _) in targets.fields.iter().filter_map(|target| target.part_of.as_ref()) {
        let parts: Vec<&Map<String, Value>> = match item.get(list) {
            Some(Value::Array(parts)) => parts.iter().filter_map(Value::as_object).collect(),
            Some(Value::Object(part)) => vec![part],
            _ => Vec::new(),
        };
        let fits = |target: &TargetField| match &target.part_of {
            Some((own, member)) if own == list => {
                parts.iter().filter_map(|part| part.get(member)).all(|value| to_cell(value, target.kind).is_some())
            }
            _ => true,
        };
        if targets.fields.iter().all(fits) {
            lists.insert(list.clone(), parts);
        }
    }
    lists
}

/// Returns a cell that is read as the same value again, or `None` for a text that is too long. Dates and durations
/// finer than a cell's resolution become text.
fn to_cell(value: &Value, kind: FieldKind) -> Option<OutCell> {
    let plain = || Some(OutCell::Text(value.as_str()?.to_owned()));
    match to_out_cell(value, kind) {
        OutCell::Text(text) if text.encode_utf16().count() > MAX_CELL_UNITS => None,
        OutCell::DateTime(at) if at.subsec_nanosecond() % NANOSECONDS_PER_MILLISECOND != 0 => plain(),
        OutCell::Duration(ticks) if ticks % TICKS_PER_MILLISECOND != 0 => plain(),
        cell => Some(cell),
    }
}
