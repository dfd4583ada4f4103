//! The handover sheet for the next shift: submissions with their senders and changes, and open rows.

use std::{collections::BTreeMap, path::Path};

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};
use takt_journal::{Change, RowResult, SubmissionRecord, history::HistoryFilter};
use takt_sheet::writer::{OutCell, OutColumn, OutSheet, write_workbook};

use super::submission_history::{History, file_name, parse_timestamp};
use takt_core::{Problem, Words};

use crate::submission;

/// Limits the submissions of the shift, and the earlier ones, each. The newest are included.
const MAX_SUBMISSIONS: u32 = 5_000;
/// Limits the open rows. If rows are omitted, the sheet's title mentions it.
const MAX_ROWS: usize = 50_000;
const PAGE_SIZE: u32 = 2_000;
/// The shown characters of a file's hash.
const HASH_LENGTH: usize = 12;

const SUBMISSION_COLUMNS: [(&str, f64); 20] = [
    ("number", 8.0),
    ("started", 20.0),
    ("ended", 20.0),
    ("person", 14.0),
    ("site", 14.0),
    ("operation", 26.0),
    ("file", 28.0),
    ("hash", 16.0),
    ("sheet", 16.0),
    ("state", 14.0),
    ("relation", 18.0),
    ("rows", 9.0),
    ("accepted", 11.0),
    ("new", 9.0),
    ("changed", 11.0),
    ("rejected", 11.0),
    ("unconfirmed", 11.0),
    ("pending", 11.0),
    ("skipped", 11.0),
    ("problem", 60.0),
];
const OPEN_ROW_COLUMNS: [(&str, f64); 10] = [
    ("number", 8.0),
    ("started", 20.0),
    ("site", 14.0),
    ("operation", 26.0),
    ("file", 28.0),
    ("sheet", 16.0),
    ("row", 8.0),
    ("key", 30.0),
    ("result", 14.0),
    ("reasons", 80.0),
];

impl History {
    /// Writes a workbook about all submissions since `since` (ISO 8601 with an offset), and the open rows of earlier
    /// ones.
    ///
    /// Times are in `zone`. Returns the number of submissions since then.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`](takt_core::Code::InvalidInput): `since` isn't a time.
    /// - [`Code::WriteFailed`](takt_core::Code::WriteFailed): the workbook can't be written.
    /// - A [journal code](takt_core::problem#journal-codes): the submissions can't be read.
    pub fn save_handover(&self, since: &str, zone: &TimeZone, path: &Path) -> Result<u32, Problem> {
        let since = parse_timestamp(since)?;
        let words = self.current_words.words();
        let handover = Handover { history: self, words: &words, zone };
        let submissions = self.load_submissions(&HistoryFilter { since: Some(since), ..HistoryFilter::default() })?;
        let older = HistoryFilter { until: Some(since), unsettled: true, ..HistoryFilter::default() };
        let older = self.load_submissions(&older)?;
        let sheets =
            [handover.submissions_sheet(since, &submissions)?, handover.open_rows_sheet(&older, &submissions)?];
        write_workbook(path, &sheets).map_err(|error| Problem::from_sheet_error(&file_name(path), error))?;
        Ok(u32::try_from(submissions.len()).unwrap_or(u32::MAX))
    }

    /// Returns the newest matching submissions, the oldest first.
    fn load_submissions(&self, filter: &HistoryFilter) -> Result<Vec<SubmissionRecord>, Problem> {
        let mut submissions = self.journal.history(filter, 0, MAX_SUBMISSIONS)?.submissions;
        submissions.reverse();
        Ok(submissions)
    }
}

struct Handover<'a> {
    history: &'a History,
    words: &'a Words,
    zone: &'a TimeZone,
}

impl Handover<'_> {
    fn submissions_sheet(&self, since: Timestamp, submissions: &[SubmissionRecord]) -> Result<OutSheet, Problem> {
        let now = (self.history.clock)();
        let at = |timestamp: Timestamp| {
            timestamp.to_zoned_datetime(self.zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
        };
        let zone = now.to_zoned_datetime(self.zone.clone()).time_zone().iana_name().unwrap_or("UTC").to_owned();
        let mut title = vec![
            self.translate("heading", &[]),
            self.translate("period", &[("from", at(since)), ("to", at(now)), ("zone", zone)]),
            self.translate("by", &[("person", self.history.submissions.person().to_owned())]),
        ];
        if submissions.is_empty() {
            title.push(self.translate("nothing", &[]));
        }
        let rows = submissions.iter().map(|submission| self.submission_row(submission)).collect::<Result<_, _>>()?;
        Ok(OutSheet { name: self.translate("name", &[]), title, columns: self.out_columns(&SUBMISSION_COLUMNS), rows })
    }

    fn submission_row(&self, submission: &SubmissionRecord) -> Result<Vec<OutCell>, Problem> {
        let changes = self.history.journal.row_counts_by_change(submission.id)?;
        let accepted = |wanted: Change| {
            let counted =
                changes.iter().filter(|(change, result, _)| *change == Some(wanted) && *result == RowResult::Accepted);
            count_cell(counted.map(|(_, _, rows)| rows).sum())
        };
        let counts = &submission.counts;
        let relation = submission.follows.map(|follows| {
            let word = serde_json::to_value(follows.relation).unwrap_or_default();
            let key = format!("follows-{}", word.as_str().unwrap_or_default());
            self.translate(&key, &[("number", follows.submission.to_string())])
        });
        Ok(vec![
            count_cell(submission.id.get()),
            self.time_cell(Some(submission.started)),
            self.time_cell(submission.ended),
            submission.person.as_str().into(),
            submission.site.as_str().into(),
            self.operation_name(submission).into(),
            submission.file.as_str().into(),
            submission.hash.chars().take(HASH_LENGTH).collect::<String>().into(),
            submission.sheet.as_str().into(),
            self.state_text(submission).into(),
            relation.map_or(OutCell::Empty, Into::into),
            count_cell(submission.total),
            count_cell(counts.accepted),
            accepted(Change::New),
            accepted(Change::Changed),
            count_cell(counts.rejected),
            count_cell(counts.unconfirmed),
            count_cell(counts.pending + counts.sending),
            count_cell(counts.skipped),
            self.problem_title(submission).map_or(OutCell::Empty, Into::into),
        ])
    }

    /// Lists unconfirmed rows, then rejected and pending rows that weren't accepted later.
    fn open_rows_sheet(
        &self,
        older: &[SubmissionRecord],
        submissions: &[SubmissionRecord],
    ) -> Result<OutSheet, Problem> {
        let mut rows: Vec<Vec<OutCell>> = Vec::new();
        let (name, columns) = (self.translate("open", &[]), self.out_columns(&OPEN_ROW_COLUMNS));
        let mut title = vec![self.translate("openHeading", &[])];
        for result in [RowResult::Unconfirmed, RowResult::Rejected, RowResult::Sending, RowResult::Pending] {
            for submission in older.iter().chain(submissions).filter(|submission| submission.counts.count(result) > 0) {
                let settled = self.history.journal.rows().keys_accepted_later(submission.id)?;
                self.for_each_row(submission, result, |key, row| {
                    if (result == RowResult::Unconfirmed || !settled.contains(key)) && rows.len() < MAX_ROWS {
                        rows.push(row);
                    }
                    rows.len() < MAX_ROWS
                })?;
            }
        }
        if rows.len() >= MAX_ROWS {
            title.push(self.translate("more", &[("count", MAX_ROWS.to_string())]));
        }
        if rows.is_empty() {
            title.push(self.translate("allDone", &[]));
        }
        Ok(OutSheet { name, title, columns, rows })
    }

    /// Calls `on_row` for each row of a result with its key, until it returns false.
    fn for_each_row(
        &self,
        submission: &SubmissionRecord,
        result: RowResult,
        mut on_row: impl FnMut(&str, Vec<OutCell>) -> bool,
    ) -> Result<(), Problem> {
        let mut offset = 0;
        loop {
            let page = self.history.journal.rows().page(submission.id, Some(result), offset, PAGE_SIZE)?;
            for stored in &page.rows {
                let row = submission::result_row(self.words, stored);
                let cells = vec![
                    count_cell(submission.id.get()),
                    self.time_cell(Some(submission.started)),
                    submission.site.as_str().into(),
                    self.operation_name(submission).into(),
                    submission.file.as_str().into(),
                    row.sheet.into(),
                    count_cell(row.row.get()),
                    row.key.into(),
                    self.words.result_text(row.result).into(),
                    row.reasons.join("; ").into(),
                ];
                if !on_row(&stored.key, cells) {
                    return Ok(());
                }
            }
            offset += PAGE_SIZE;
            if offset >= page.total {
                return Ok(());
            }
        }
    }

    fn operation_name(&self, submission: &SubmissionRecord) -> String {
        let operation = self.history.contract.operation(&submission.operation);
        operation.map_or_else(
            || submission.operation.clone(),
            |operation| self.words.localized_name(&operation.names).to_owned(),
        )
    }

    fn state_text(&self, submission: &SubmissionRecord) -> String {
        let word = serde_json::to_value(submission.state).unwrap_or_default();
        self.translate(&format!("state-{}", word.as_str().unwrap_or_default()), &[])
    }

    fn problem_title(&self, submission: &SubmissionRecord) -> Option<String> {
        let problem: Problem = serde_json::from_value(submission.problem.clone()?).ok()?;
        Some(self.words.problem_title(problem.code, &problem.parameters))
    }

    fn out_columns(&self, columns: &[(&str, f64)]) -> Vec<OutColumn> {
        columns.iter().map(|(name, width)| OutColumn { heading: self.translate(name, &[]), width: *width }).collect()
    }

    /// Returns a cell with the local time, without fractions of a second.
    fn time_cell(&self, at: Option<Timestamp>) -> OutCell {
        let seconds = at.and_then(|at| Timestamp::from_second(at.as_second()).ok());
        seconds.map_or(OutCell::Empty, |at| OutCell::DateTime(local_time(at, self.zone)))
    }

    fn translate(&self, name: &str, parameters: &[(&str, String)]) -> String {
        let parameters: BTreeMap<String, String> =
            parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        self.words.text(&["handover", name], &parameters)
    }
}

fn local_time(at: Timestamp, zone: &TimeZone) -> DateTime {
    zone.to_datetime(at)
}

fn count_cell(number: u32) -> OutCell {
    f64::from(number).into()
}
