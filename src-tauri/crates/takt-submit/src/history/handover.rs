//! The sheet for the next shift: who sent what when and what it changed, and what still fails, is unconfirmed or waits.

use std::{collections::BTreeMap, path::Path};

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};
use takt_journal::{Change, RowResult, SubmissionRecord, history::HistoryFilter};
use takt_sheet::writer::{OutCell, OutColumn, OutSheet, write_workbook};

use super::{History, file_name, moment};
use takt_core::{Problem, Words};

use crate::submission;

/// Runs in one sheet: far more than a shift has.
const MAX_RUNS: u32 = 5_000;
/// Open rows in one sheet.
const MAX_ROWS: usize = 50_000;
const PAGE: u32 = 2_000;
/// Characters of a file's hash that people compare.
const HASH_SHOWN: usize = 12;

const RUNS: [(&str, f64); 20] = [
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
const OPEN: [(&str, f64); 10] = [
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
    /// Writes the sheet about everything that was started at `since` (ISO 8601 with an offset) or later, and about what is open
    /// from before. Times are shown in `zone`. Gives the number of runs in that time.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`](takt_core::Code::InvalidInput): `since` is no moment.
    /// - [`Code::WriteFailed`](takt_core::Code::WriteFailed): the workbook can't be written.
    /// - A [journal code](takt_core::problem#journal-codes): the submissions can't be read.
    pub fn save_handover(&self, since: &str, zone: &TimeZone, path: &Path) -> Result<u32, Problem> {
        let since = moment(since)?;
        let words = self.spoken.words();
        let sheet = Handover { history: self, words: &words, zone };
        let runs = self.runs(&HistoryFilter { since: Some(since), ..HistoryFilter::default() })?;
        let older = HistoryFilter { until: Some(since), unsettled: true, ..HistoryFilter::default() };
        let older = self.runs(&older)?;
        let sheets = [sheet.runs(since, &runs)?, sheet.open(&older, &runs)?];
        write_workbook(path, &sheets).map_err(|error| Problem::of_sheet(&file_name(path), error))?;
        Ok(u32::try_from(runs.len()).unwrap_or(u32::MAX))
    }

    /// Oldest first.
    fn runs(&self, filter: &HistoryFilter) -> Result<Vec<SubmissionRecord>, Problem> {
        let mut runs = self.journal.history(filter, 0, MAX_RUNS)?.submissions;
        runs.reverse();
        Ok(runs)
    }
}

struct Handover<'a> {
    history: &'a History,
    words: &'a Words,
    zone: &'a TimeZone,
}

impl Handover<'_> {
    fn runs(&self, since: Timestamp, runs: &[SubmissionRecord]) -> Result<OutSheet, Problem> {
        let now = (self.history.clock)();
        let at = |moment: Timestamp| moment.to_zoned_datetime(self.zone.clone()).strftime("%Y-%m-%d %H:%M").to_string();
        let zone = now.to_zoned_datetime(self.zone.clone()).time_zone().iana_name().unwrap_or("UTC").to_owned();
        let mut title = vec![
            self.text("heading", &[]),
            self.text("period", &[("from", at(since)), ("to", at(now)), ("zone", zone)]),
            self.text("by", &[("person", self.history.submissions.person().to_owned())]),
        ];
        if runs.is_empty() {
            title.push(self.text("nothing", &[]));
        }
        let rows = runs.iter().map(|run| self.run(run)).collect::<Result<_, _>>()?;
        Ok(OutSheet { name: self.text("name", &[]), title, columns: self.columns(&RUNS), rows })
    }

    fn run(&self, run: &SubmissionRecord) -> Result<Vec<OutCell>, Problem> {
        let changes = self.history.journal.changes(run.id)?;
        let done = |wanted: Change| {
            let counted =
                changes.iter().filter(|(change, result, _)| *change == Some(wanted) && *result == RowResult::Accepted);
            count(counted.map(|(_, _, rows)| rows).sum())
        };
        let counts = &run.counts;
        let relation = run.follows.map(|follows| {
            let word = serde_json::to_value(follows.relation).unwrap_or_default();
            let key = format!("follows-{}", word.as_str().unwrap_or_default());
            self.text(&key, &[("number", follows.submission.to_string())])
        });
        Ok(vec![
            count(run.id.get()),
            self.time(Some(run.started)),
            self.time(run.ended),
            run.person.as_str().into(),
            run.site.as_str().into(),
            self.operation(run).into(),
            run.file.as_str().into(),
            run.hash.chars().take(HASH_SHOWN).collect::<String>().into(),
            run.sheet.as_str().into(),
            self.state(run).into(),
            relation.map_or(OutCell::Empty, Into::into),
            count(run.total),
            count(counts.accepted),
            done(Change::New),
            done(Change::Changed),
            count(counts.rejected),
            count(counts.unconfirmed),
            count(counts.pending + counts.sending),
            count(counts.skipped),
            self.problem(run).map_or(OutCell::Empty, Into::into),
        ])
    }

    /// Unconfirmed rows first, then what was rejected and not accepted later, then what waits.
    fn open(&self, older: &[SubmissionRecord], runs: &[SubmissionRecord]) -> Result<OutSheet, Problem> {
        let mut rows: Vec<Vec<OutCell>> = Vec::new();
        let (name, columns) = (self.text("open", &[]), self.columns(&OPEN));
        let mut title = vec![self.text("openHeading", &[])];
        for result in [RowResult::Unconfirmed, RowResult::Rejected, RowResult::Sending, RowResult::Pending] {
            for run in older.iter().chain(runs).filter(|run| run.counts.of(result) > 0) {
                let settled = self.history.journal.rows().accepted_later(run.id)?;
                self.walk(run, result, |key, row| {
                    if (result == RowResult::Unconfirmed || !settled.contains(key)) && rows.len() < MAX_ROWS {
                        rows.push(row);
                    }
                    rows.len() < MAX_ROWS
                })?;
            }
        }
        if rows.len() >= MAX_ROWS {
            title.push(self.text("more", &[("count", MAX_ROWS.to_string())]));
        }
        if rows.is_empty() {
            title.push(self.text("allDone", &[]));
        }
        Ok(OutSheet { name, title, columns, rows })
    }

    /// Tells of each row of a result with its key, until it is enough.
    fn walk(
        &self,
        run: &SubmissionRecord,
        result: RowResult,
        mut tell: impl FnMut(&str, Vec<OutCell>) -> bool,
    ) -> Result<(), Problem> {
        let mut offset = 0;
        loop {
            let page = self.history.journal.rows().page(run.id, Some(result), offset, PAGE)?;
            for kept in &page.rows {
                let row = submission::result_row(self.words, kept);
                let cells = vec![
                    count(run.id.get()),
                    self.time(Some(run.started)),
                    run.site.as_str().into(),
                    self.operation(run).into(),
                    run.file.as_str().into(),
                    row.sheet.into(),
                    count(row.row.get()),
                    row.key.into(),
                    self.words.result(row.result).into(),
                    row.reasons.join("; ").into(),
                ];
                if !tell(&kept.key, cells) {
                    return Ok(());
                }
            }
            offset += PAGE;
            if offset >= page.total {
                return Ok(());
            }
        }
    }

    fn operation(&self, run: &SubmissionRecord) -> String {
        let operation = self.history.contract.operation(&run.operation);
        operation.map_or_else(|| run.operation.clone(), |found| self.words.named(&found.names).to_owned())
    }

    fn state(&self, run: &SubmissionRecord) -> String {
        let word = serde_json::to_value(run.state).unwrap_or_default();
        self.text(&format!("state-{}", word.as_str().unwrap_or_default()), &[])
    }

    fn problem(&self, run: &SubmissionRecord) -> Option<String> {
        let problem: Problem = serde_json::from_value(run.problem.clone()?).ok()?;
        Some(self.words.problem_title(problem.code, &problem.parameters))
    }

    fn columns(&self, columns: &[(&str, f64)]) -> Vec<OutColumn> {
        columns.iter().map(|(name, width)| OutColumn { heading: self.text(name, &[]), width: *width }).collect()
    }

    /// To the second, as the clock on the wall shows it.
    fn time(&self, at: Option<Timestamp>) -> OutCell {
        let whole = at.and_then(|at| Timestamp::from_second(at.as_second()).ok());
        whole.map_or(OutCell::Empty, |at| OutCell::DateTime(wall(at, self.zone)))
    }

    fn text(&self, name: &str, places: &[(&str, String)]) -> String {
        let places: BTreeMap<String, String> =
            places.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        self.words.text(&["handover", name], &places)
    }
}

fn wall(at: Timestamp, zone: &TimeZone) -> DateTime {
    zone.to_datetime(at)
}

fn count(number: u32) -> OutCell {
    f64::from(number).into()
}
