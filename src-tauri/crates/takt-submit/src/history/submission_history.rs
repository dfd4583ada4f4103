//! The history of submissions: search, chains of follow-ups, results for the workbook that was sent, and repeated
//! submissions.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::Path,
    sync::Arc,
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use takt_contract::{Contract, Names};
use takt_core::{Clock, Code, ExcelRow, Home, Problem, RowId, RowResult, Words, words::CurrentWords};
use takt_import::{FixedBy, FollowUpRows, ImportId, ImportView, Imports, MappingFile, PlanMapping, SavedCopy, SentTo};
use takt_journal::{Journal, SubmissionId, SubmissionRecord, SubmissionState, history::HistoryFilter};
use takt_sites::{Context, Sites};

use crate::{
    preview::PreviewRow,
    result_reason::{finding_code, is_finding},
    submission::{StoredComparison, SubmissionView, Submissions, is_renamed_text_sheet},
};

/// Limits a chain, because a submission may have many follow-ups.
const MAX_CHAIN_LENGTH: usize = 100;
/// The rows that are read from the journal at a time.
const PAGE_SIZE: u32 = 5_000;

/// A filter of submissions. Absent fields match every submission.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct HistoryQuery {
    /// Part of a file name, an operation, a site, a person, a row's key, a reason, or the submission's ID.
    pub text: Option<String>,
    pub site: Option<String>,
    pub state: Option<SubmissionState>,
    /// Only submissions with unconfirmed rows.
    pub unconfirmed: bool,
    /// The earliest start of a submission (ISO 8601 with an offset).
    pub since: Option<String>,
    /// Only submissions that started before this time match (ISO 8601 with an offset).
    pub until: Option<String>,
}

/// A page of the matching submissions, the newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct HistoryList {
    pub total: u32,
    pub offset: u32,
    pub submissions: Vec<SubmissionView>,
}

/// The related submissions and the mapping of a submission.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SubmissionContext {
    /// The chain of follow-ups with the submission, the oldest first.
    pub chain: Vec<SubmissionView>,
    /// The mapping as a mapping file. Absent if the rows were entered in the window.
    pub mapping: Option<String>,
}

/// Searches earlier submissions, exports their results, and prepares repeated ones.
#[derive(Clone)]
pub struct History {
    pub contract: Arc<Contract>,
    pub journal: Arc<Journal>,
    pub sites: Arc<Sites>,
    pub clock: Clock,
    pub(crate) home: Home,
    pub current_words: CurrentWords,
    pub(crate) imports: Arc<Imports>,
    pub(crate) submissions: Arc<Submissions>,
}

takt_core::opaque_debug!(History);

impl History {
    /// Creates the history of `submissions`.
    #[must_use]
    pub fn new(context: &Context, imports: Arc<Imports>, submissions: Arc<Submissions>) -> Self {
        Self {
            contract: Arc::clone(&context.contract),
            journal: Arc::clone(&context.journal),
            sites: Arc::clone(&context.sites),
            clock: Arc::clone(&context.clock),
            home: context.home.clone(),
            current_words: context.current_words.clone(),
            imports,
            submissions,
        }
    }

    /// Lists the matching submissions, the newest first.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: `since` or `until` isn't a time.
    /// - A [journal code](takt_core::problem#journal-codes): the submissions can't be read.
    pub fn list(&self, query: &HistoryQuery, offset: u32, limit: u32) -> Result<HistoryList, Problem> {
        let page = self.journal.history(&self.filter(query)?, offset, limit)?;
        Ok(HistoryList { total: page.total, offset, submissions: self.submissions.views(page.submissions) })
    }

    /// Returns the chain of follow-ups that contains a submission, and the submission's mapping.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such submission.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn submission_context(&self, id: SubmissionId) -> Result<SubmissionContext, Problem> {
        let record = self.journal.submission(id)?;
        let mapping = record.mapping.as_ref().map(serde_json::to_string_pretty).transpose();
        let mapping = mapping.map_err(|error| Problem::new(Code::Bug).details(error))?;
        Ok(SubmissionContext { chain: self.chain(id)?, mapping })
    }

    /// Returns the first submission of the chain and all that followed, the oldest first.
    fn chain(&self, id: SubmissionId) -> Result<Vec<SubmissionView>, Problem> {
        let journal = &self.journal;
        let mut root = id;
        for _ in 0..MAX_CHAIN_LENGTH {
            match journal.submission(root)?.follows {
                Some(follows) => root = follows.submission,
                None => break,
            }
        }
        let mut known = BTreeSet::from([root]);
        let mut open = vec![root];
        while let Some(next) = open.pop() {
            let followers = journal.followers(next)?;
            let remaining = MAX_CHAIN_LENGTH.saturating_sub(known.len());
            open.extend(followers.iter().map(|one| one.submission).take(remaining).filter(|one| known.insert(*one)));
        }
        known.insert(id);
        let records = known.into_iter().map(|one| journal.submission(one)).collect::<Result<_, _>>()?;
        Ok(self.submissions.views(records))
    }

    fn filter(&self, query: &HistoryQuery) -> Result<HistoryFilter, Problem> {
        let text = query.text.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let matches = |names: &Names, text: &str| {
            let text = text.to_lowercase();
            [&names.en, &names.de, &names.es, &names.pt].iter().any(|name| name.to_lowercase().contains(&text))
        };
        let operations = self.contract.operations().iter();
        let operations = text.map(|text| operations.filter(|one| matches(&one.names, text)).map(|one| one.id.clone()));
        let words = self.current_words.words();
        Ok(HistoryFilter {
            operations: operations.into_iter().flatten().collect(),
            codes: text.map(|text| codes_containing(&words, text)).unwrap_or_default(),
            text: text.map(str::to_owned),
            site: query.site.clone(),
            states: query.state.into_iter().collect(),
            unconfirmed: query.unconfirmed,
            unsettled: false,
            since: query.since.as_deref().map(parse_timestamp).transpose()?,
            until: query.until.as_deref().map(parse_timestamp).transpose()?,
        })
    }
}

/// Results for the workbook that was sent, which the user selects again.
impl History {
    /// Writes each row's result and reasons next to it, in a copy of the workbook that was sent, for all steps of its
    /// plan.
    ///
    /// Another file is refused because its rows would get the results of other rows.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such submission, or the workbook lacks one of its
    ///   sheets.
    /// - A [file code](takt_core::problem#file-codes): the workbook can't be read.
    /// - [`Code::Precondition`]: it isn't the file that was sent (`another-file`), or
    ///   `path` is the planner's file (`own-file`).
    /// - [`Code::WriteFailed`]: the copy can't be written.
    /// - A [journal code](takt_core::problem#journal-codes): the submission can't be read.
    pub fn save_results_in_sent_workbook(
        &self,
        id: SubmissionId,
        workbook: &Path,
        path: &Path,
    ) -> Result<SavedCopy, Problem> {
        let record = self.journal.submission(id)?;
        let view = self.imports.open(workbook)?;
        let saved = self.export_into(&record, &view, workbook, path);
        self.imports.close(view.id);
        saved
    }

    fn export_into(
        &self,
        record: &SubmissionRecord,
        view: &ImportView,
        workbook: &Path,
        path: &Path,
    ) -> Result<SavedCopy, Problem> {
        if record.hash != view.hash {
            let file = file_name(workbook);
            return Err(Problem::obstacle("another-file").parameter("file", file));
        }
        let mut sheets = Vec::new();
        for step in self.journal.plans().steps(record.plan)? {
            let step = self.journal.submission(step)?;
            self.imports.choose_sheet(view.id, &step.sheet)?;
            sheets.extend(self.apply_mappings(view.id, &step));
            sheets.push(step.sheet);
        }
        let original = self.imports.original_with_sheets(view.id, &sheets)?;
        self.submissions.export_results(record.id, Some(&original), path)
    }

    /// Reads a sheet by the submission's mapping, for its header row. Returns the other sheets of the mapping.
    ///
    /// A mapping of an earlier version that is no longer valid is ignored.
    fn apply_mappings(&self, import: ImportId, record: &SubmissionRecord) -> Vec<String> {
        let mappings = record.mapping.as_ref().map(parse_mappings).unwrap_or_default();
        for mapping in &mappings {
            if let Err(problem) = self.imports.apply_mapping(import, mapping) {
                tracing::info!(submission = %record.id, %problem, "the mapping of then isn't taken any more");
            }
        }
        let sheets = mappings.into_iter().filter_map(|mapping| mapping.sheet);
        sheets.filter(|sheet| *sheet != record.sheet).collect()
    }
}

/// Repeating an earlier submission: with its rejected rows, or with another file and the same mapping.
impl History {
    /// Excludes all rows of an import except those that were rejected in the submission. The file may be the same or a
    /// corrected one.
    ///
    /// Afterwards, the import can only be sent to the submission's site.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such submission, the import isn't open, or its file
    ///   has no such sheet.
    /// - [`Code::Precondition`]: the import follows a submission of another site
    ///   (`other-site`).
    /// - A [file code](takt_core::problem#file-codes): the sheet can't be read.
    /// - A [journal code](takt_core::problem#journal-codes): the submission can't be read.
    pub fn limit_to_rejected_rows(&self, import: ImportId, id: SubmissionId) -> Result<ImportView, Problem> {
        let (submission, view) = (self.submissions.view(id)?, self.imports.view(import)?);
        self.imports.bind_to_site(import, &submission.site, FixedBy::Submission { id })?;
        let is_same_file = is_renamed_text_sheet(&submission.file, &submission.sheet, &view.file, &view.sheet);
        let sheet = if is_same_file { view.sheet } else { submission.sheet.clone() };
        let mut rejected = self.rejected_reasons(id)?;
        let rows = self.submissions.rejected_rows(id)?.into_iter().filter(|row| row.sheet == submission.sheet);
        let rows = rows.map(|row| (row.row, rejected.remove(&row).unwrap_or_default())).collect();
        FollowUpRows::new(&self.imports).limit_to_rejected_rows(import, &sheet, rows)
    }

    /// Removes the rows of an import that were sent from its file to the submission's site, so that the skipped rows can
    /// be fixed and sent. Rows that the user excluded stay excluded. The import shows the submission's sheet afterwards.
    ///
    /// Rows that were rejected or are unconfirmed are removed, too. They are sent again by their own submission.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such submission, the import isn't open, or its file
    ///   has no such sheet.
    /// - [`Code::Precondition`]: the import's file isn't the one that was sent (`workbook-edited`).
    /// - A [file code](takt_core::problem#file-codes): a sheet can't be read.
    /// - A [journal code](takt_core::problem#journal-codes): the submission can't be read.
    pub fn remove_sent_rows(&self, import: ImportId, id: SubmissionId) -> Result<ImportView, Problem> {
        let (record, view) = (self.journal.submission(id)?, self.imports.view(import)?);
        if record.hash != view.hash {
            return Err(Problem::obstacle("workbook-edited").parameter("file", view.file));
        }
        for submission in self.submissions_of_file(&record)? {
            let to = SentTo { site: submission.site, operation: submission.operation };
            let mut sent: BTreeMap<String, Vec<ExcelRow>> = BTreeMap::new();
            for row in self.sent_rows(submission.id)? {
                sent.entry(row.sheet).or_default().push(row.row);
            }
            for (sheet, rows) in sent {
                FollowUpRows::new(&self.imports).remove_sent_rows(import, &sheet, to.clone(), rows)?;
            }
        }
        for step in self.journal.plans().steps(record.plan)? {
            self.keep_exclusions(import, step)?;
        }
        self.imports.choose_sheet(import, &record.sheet)
    }

    /// Excludes the rows of an import that the user excluded from a submission. Without this, they would be sent when the
    /// file is opened again for its skipped rows.
    fn keep_exclusions(&self, import: ImportId, id: SubmissionId) -> Result<(), Problem> {
        let mut left_out: BTreeMap<String, Vec<ExcelRow>> = BTreeMap::new();
        let mut after = 0;
        loop {
            let items = self.journal.rows().item_details(id, RowResult::Skipped, after, PAGE_SIZE)?;
            let Some(last) = items.last() else { break };
            after = last.number;
            // The journal has no reason for rows that the user excluded.
            for (sheet, row) in items.into_iter().filter(|item| item.reasons.is_empty()).flat_map(|item| item.rows) {
                left_out.entry(sheet).or_default().push(ExcelRow::new(row));
            }
        }
        for (sheet, rows) in left_out {
            FollowUpRows::new(&self.imports).exclude_rows(import, &sheet, rows)?;
        }
        Ok(())
    }

    /// Returns the number of rows that a submission skipped because of errors, and that weren't sent later from the same
    /// file.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such submission.
    /// - A [journal code](takt_core::problem#journal-codes): the submission can't be read.
    pub fn skipped_error_rows(&self, id: SubmissionId) -> Result<u32, Problem> {
        let record = self.journal.submission(id)?;
        if record.counts.skipped == 0 {
            return Ok(0);
        }
        let mut skipped: BTreeSet<(String, u32)> = BTreeSet::new();
        let mut after = 0;
        loop {
            let items = self.journal.rows().item_details(id, RowResult::Skipped, after, PAGE_SIZE)?;
            let Some(last) = items.last() else { break };
            after = last.number;
            let faulty = items.into_iter().filter(|item| item.reasons.iter().any(is_finding));
            skipped.extend(faulty.flat_map(|item| item.rows));
        }
        for other in self.submissions_of_file(&record)? {
            if other.id > id && other.operation == record.operation && !skipped.is_empty() {
                for row in self.sent_rows(other.id)? {
                    skipped.remove(&(row.sheet, row.row.get()));
                }
            }
        }
        Ok(u32::try_from(skipped.len()).unwrap_or(u32::MAX))
    }

    /// Returns what sending a row changed, or should have changed, by the comparison before it was sent. Returns `None`
    /// if the submission has no such row.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such submission, or the contract doesn't have its operation.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn row_changes(&self, id: SubmissionId, row: &RowId) -> Result<Option<PreviewRow>, Problem> {
        let (record, rows) = (self.journal.submission(id)?, self.journal.rows());
        let Some(item) = rows.find_item(id, &row.sheet, row.row.get())? else { return Ok(None) };
        let Some(item) = rows.item_detail(id, item)? else { return Ok(None) };
        Ok(Some(StoredComparison::new(&self.sites, &record)?.preview_item(&item)))
    }

    /// Returns the submissions with which rows of this submission's file were sent to its site, as far as the site still
    /// has their rows.
    fn submissions_of_file(&self, record: &SubmissionRecord) -> Result<Vec<SubmissionRecord>, Problem> {
        let mut all = match &*record.hash {
            "" => Vec::new(),
            hash => self.journal.plans().submissions_of_file(&record.site, hash)?,
        };
        for step in self.journal.plans().steps(record.plan)? {
            if all.iter().all(|other| other.id != step) {
                all.push(self.journal.submission(step)?);
            }
        }
        all.retain(|other| other.address == record.address);
        Ok(all)
    }

    /// Returns the rows of a submission that weren't skipped.
    fn sent_rows(&self, id: SubmissionId) -> Result<Vec<RowId>, Problem> {
        let (mut rows, mut offset) = (Vec::new(), 0);
        loop {
            let page = self.submissions.result_rows(id, None, offset, PAGE_SIZE)?;
            if page.rows.is_empty() {
                return Ok(rows);
            }
            offset += PAGE_SIZE;
            let sent = page.rows.into_iter().filter(|row| row.result != RowResult::Skipped);
            rows.extend(sent.map(|row| RowId { sheet: row.sheet, row: row.row }));
        }
    }

    /// Returns the reasons of each rejected row.
    fn rejected_reasons(&self, id: SubmissionId) -> Result<HashMap<RowId, Vec<String>>, Problem> {
        let (mut reasons, mut offset) = (HashMap::new(), 0);
        loop {
            let page = self.submissions.result_rows(id, Some(RowResult::Rejected), offset, PAGE_SIZE)?;
            if page.rows.is_empty() {
                return Ok(reasons);
            }
            offset += PAGE_SIZE;
            reasons.extend(page.rows.into_iter().map(|row| (RowId { sheet: row.sheet, row: row.row }, row.reasons)));
        }
    }

    /// Applies the mappings of a submission to an import, sheet by sheet, and excludes other sheets.
    ///
    /// If the submission had a single sheet, its name doesn't matter.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such submission, or the import isn't open.
    /// - [`Code::Precondition`]: the submission has no stored mapping
    ///   (`no-mapping-kept`).
    /// - [`Code::MappingRefused`]: a mapping doesn't fit the file.
    /// - A [file code](takt_core::problem#file-codes): a sheet can't be read.
    /// - A [journal code](takt_core::problem#journal-codes): the submission can't be read.
    pub fn apply_submission_mappings(&self, import: ImportId, id: SubmissionId) -> Result<ImportView, Problem> {
        let mappings = self.submissions.load_mappings(id)?;
        let mut view = self.imports.plan(import)?;
        let is_single = mappings.len() == 1;
        let mut read = Vec::new();
        for mut mapping in mappings {
            let exists = |name: &String| view.sheets.iter().any(|sheet| sheet.name == *name);
            if is_single && !mapping.sheet.as_ref().is_some_and(exists) {
                mapping.sheet = None;
            }
            view = self.imports.apply_mapping(import, &mapping)?;
            read.push(view.sheet.clone());
        }
        for step in view.steps.clone().iter().filter(|step| !read.contains(&step.sheet)) {
            view = self.imports.leave_sheet_out(import, &step.sheet, true)?;
        }
        Ok(view)
    }
}

/// Parses a mapping of one sheet or of several.
fn parse_mappings(stored: &Value) -> Vec<MappingFile> {
    match serde_json::from_value::<PlanMapping>(stored.clone()) {
        Ok(plan) => plan.sheets,
        Err(_) => serde_json::from_value(stored.clone()).into_iter().collect(),
    }
}

/// Returns the codes of reasons whose text contains `text`: Takt's own, and the findings of rows that weren't sent.
fn codes_containing(words: &Words, text: &str) -> Vec<String> {
    let findings = words.find_keys_with_text("finding", text).into_iter().map(|key| finding_code(&key));
    words.find_keys_with_text("resultReason", text).into_iter().chain(findings).collect()
}

pub(super) fn parse_timestamp(text: &str) -> Result<Timestamp, Problem> {
    text.parse().map_err(|error| Problem::new(Code::InvalidInput).parameter("what", text).details(error))
}

/// Returns the file's name without its folder.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
