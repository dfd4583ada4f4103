//! Measures the window's queries on an opened workbook: pages at any offset, sorted and filtered. Each response is
//! awaited.

use std::{cell::Cell, path::Path, sync::Arc, time::Instant};

use jiff::Timestamp;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use takt_engine::{
    Engine, EngineConfig, Home, Problem,
    client::{Failpoints, Timeouts, Vault},
    import::{ImportId, ImportProgress, Imports, RowFilter, RowSort, RowState},
    item::{FindingCode, Severity},
};

use crate::{
    error::{BenchError, unexpected_result},
    import::{files::Files, readers::hidden_program_on, rows::HEADINGS},
    process::run_captured,
    report::{Report, Table, format_number},
};

pub(crate) const PROGRAM_NAME: &str = "session";

const FILTER_BY_TEXT: &str = "filter by text";
/// The page size of the grid.
const ROWS_PER_PAGE: u32 = 100;
const RANDOM_JUMPS: usize = 30;
const SEARCH_TEXTS: [&str; 6] = ["customer 123", "WO-1999", "ASSEMBLY 00", "13.75", "2036-03", "nowhere to be found"];

/// Response times of one kind of query.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct QueryTimes {
    pub(crate) what: String,
    count: usize,
    /// The longest time in milliseconds.
    worst: f64,
    /// The sum of all times in milliseconds.
    total: f64,
}

/// The results of one process.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct SessionMeasurement {
    pub(crate) rows: u32,
    pub(crate) errors: u32,
    /// The percentage of the file that was read when the first rows were known. Absent if no progress was reported.
    first_rows: Option<f64>,
    pub(crate) answers: Vec<QueryTimes>,
}

/// Measures each round in a separate process, and reports the worst time of each kind of query.
pub(crate) fn measure(files: &Files, rounds: usize, report: &mut Report) -> Result<(), BenchError> {
    let mut worst: Vec<QueryTimes> = Vec::new();
    let mut first_rows = None;
    for _ in 0..rounds.div_ceil(2) {
        let printed = run_captured(hidden_program_on(PROGRAM_NAME, &files.xlsx)?)?;
        let measurement: SessionMeasurement =
            serde_json::from_str(&printed).map_err(|error| unexpected_result(PROGRAM_NAME, &error.to_string()))?;
        if (measurement.rows, measurement.errors) != (files.rows, files.errors) {
            return Err(unexpected_result(PROGRAM_NAME, &format!("it read {measurement:?}")));
        }
        first_rows = measurement.first_rows.or(first_rows);
        if worst.is_empty() {
            worst = measurement.answers;
            continue;
        }
        for (sum, new) in worst.iter_mut().zip(measurement.answers) {
            sum.count += new.count;
            sum.total += new.total;
            sum.worst = sum.worst.max(new.worst);
        }
    }
    let rows = format_number(f64::from(files.rows));
    report.at_most(&format!("first 100 rows known, of {rows}: so much of the file read"), 20.0, first_rows, "%");
    let mut table =
        Table::new(&format!("A page of {ROWS_PER_PAGE} of {rows} rows"), &["", "answers", "mean ms", "worst ms"]);
    for answers in &worst {
        #[expect(clippy::cast_precision_loss, reason = "a count of answers")]
        let mean = answers.total / answers.count.max(1) as f64;
        table.add_row([
            answers.what.clone(),
            answers.count.to_string(),
            format_number(mean),
            format_number(answers.worst),
        ]);
        // A filter by text reads every cell.
        let most = if answers.what == FILTER_BY_TEXT { 500.0 } else { 50.0 };
        report.at_most(&format!("{}, {rows} rows, at worst", answers.what), most, Some(answers.worst), "ms");
    }
    report.tables.push(table);
    Ok(())
}

/// Opens the file in an engine with the given home and measures queries.
pub(crate) fn measure_queries(file: &Path, home: &Path) -> Result<SessionMeasurement, BenchError> {
    let failed = |problem: Problem| unexpected_result("the engine", &format!("{problem:?}"));
    let home = Home::open(home).map_err(failed)?;
    let config = EngineConfig {
        home,
        clock: Arc::new(Timestamp::now),
        vault: Vault::memory(),
        timeouts: Timeouts::default(),
        failpoints: Failpoints::default(),
        person: String::new(),
        team: takt_engine::team::TeamChoice::default(),
    };
    let engine = Engine::open(config).map_err(failed)?;
    let first_rows = Cell::new(None);
    let watch = |progress: ImportProgress| {
        if progress.head.is_some() && progress.of > 0 {
            first_rows.set(Some(f64::from(progress.read) * 100.0 / f64::from(progress.of)));
        }
        true
    };
    let view = engine.imports().open_with_progress(file, &watch).map_err(failed)?;
    let mut runner = QueryRunner { imports: engine.imports(), id: view.id, rows: view.counts.rows };
    let mut measurement = SessionMeasurement {
        rows: view.counts.rows,
        errors: view.counts.errors,
        first_rows: first_rows.get(),
        answers: Vec::new(),
    };
    let kinds: [(&str, Vec<Query>); 6] = [
        ("jump to any row", runner.jump_queries(&RowFilter::default())),
        ("sort by any column, first page", runner.sort_queries()),
        ("jump in a sorted sheet", runner.jump_queries(&sort_filter(5, true))),
        ("filter by finding", finding_queries()),
        ("filter by state", state_queries()),
        (FILTER_BY_TEXT, text_queries()),
    ];
    for (what, queries) in kinds {
        measurement.answers.push(runner.measure(what, &queries).map_err(failed)?);
    }
    Ok(measurement)
}

/// A filter of rows, and the offset of the page.
type Query = (RowFilter, u32);

struct QueryRunner<'a> {
    imports: &'a Imports,
    id: ImportId,
    rows: u32,
}

impl QueryRunner<'_> {
    fn measure(&mut self, what: &str, queries: &[Query]) -> Result<QueryTimes, Problem> {
        let mut answers = QueryTimes { what: what.to_owned(), ..QueryTimes::default() };
        for (filter, offset) in queries {
            let start = Instant::now();
            self.imports.rows(self.id, filter, *offset, ROWS_PER_PAGE)?;
            let took = start.elapsed().as_secs_f64() * 1000.0;
            answers.count += 1;
            answers.total += took;
            answers.worst = answers.worst.max(took);
        }
        Ok(answers)
    }

    /// Returns random offsets, the end and the start.
    fn jump_queries(&self, filter: &RowFilter) -> Vec<Query> {
        let mut dice = ChaCha8Rng::seed_from_u64(u64::from(self.rows));
        let end = self.rows.saturating_sub(ROWS_PER_PAGE);
        let anywhere = (0..RANDOM_JUMPS).map(|_| dice.random_range(0..=end));
        anywhere.chain([end, 0]).map(|offset| (filter.clone(), offset)).collect()
    }

    /// Returns each column in both directions. Each sort order is new to the session.
    fn sort_queries(&self) -> Vec<Query> {
        let columns = 0..u32::try_from(HEADINGS.len()).unwrap_or(u32::MAX);
        columns.flat_map(|column| [false, true].map(|descending| (sort_filter(column, descending), 0))).collect()
    }
}

fn sort_filter(column: u32, descending: bool) -> RowFilter {
    RowFilter { sort: Some(RowSort { column: Some(column), descending }), ..RowFilter::default() }
}

fn finding_queries() -> Vec<Query> {
    let by_code = |code| RowFilter { code: Some(code), ..RowFilter::default() };
    let by_severity = RowFilter { severity: Some(Severity::Error), ..RowFilter::default() };
    let codes = [FindingCode::DuplicateKey, FindingCode::NotADate, FindingCode::Required].map(by_code);
    [by_severity].into_iter().chain(codes).map(|filter| (filter, 0)).collect()
}

fn state_queries() -> Vec<Query> {
    let by_state = |state| (RowFilter { state: Some(state), ..RowFilter::default() }, 0);
    [RowState::Edited, RowState::Excluded].map(by_state).to_vec()
}

/// Texts that match in texts, numbers and dates, in many rows and in none.
fn text_queries() -> Vec<Query> {
    SEARCH_TEXTS.map(|text| (RowFilter { text: Some(text.to_owned()), ..RowFilter::default() }, 0)).to_vec()
}
