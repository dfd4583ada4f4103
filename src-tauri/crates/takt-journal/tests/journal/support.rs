//! A journal in a temporary folder, and sample submissions.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::json;
use takt_journal::{
    Attempt, Journal, JournalError, NewPlan, NewSubmission, NewWait, Outcome, PlanWriter, Reason, ResultCounts,
    RowResult, Run, SubmissionId,
    attempt::{AttemptEnd, OutcomeClass},
    item::NewItem,
};

pub(crate) use super::store::{Home, filled_tables, open, sql_succeeds};

pub(crate) fn open_journal() -> (Home, Journal) {
    let home = super::store::home();
    let journal = open(home.path());
    (home, journal)
}

pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_790_000_000 + second).unwrap()
}

pub(crate) fn new_submission() -> NewSubmission {
    NewSubmission {
        operation: "materials.sync".to_owned(),
        site: "practice".to_owned(),
        file: "materials.xlsx".to_owned(),
        hash: "00ff".to_owned(),
        sheet: "Sheet1".to_owned(),
        batch_size: 2,
        at: at(0),
        ..NewSubmission::default()
    }
}

/// Returns an item with these row numbers.
pub(crate) fn item(rows: &[u32]) -> NewItem {
    NewItem {
        rows: rows.iter().map(|row| ("Sheet1".to_owned(), *row)).collect(),
        key: format!("MAT-{:04}", rows[0]),
        body: json!({ "code": format!("MAT-{:04}", rows[0]), "description": "<b>bold</b>" }),
        ..NewItem::default()
    }
}

/// A step of a plan to store.
pub(crate) struct NewStep {
    pub(crate) submission: NewSubmission,
    pub(crate) items: Vec<NewItem>,
    pub(crate) waits: Vec<NewWait>,
}

impl NewStep {
    pub(crate) fn new(submission: NewSubmission, items: impl IntoIterator<Item = NewItem>) -> Self {
        Self { submission, items: items.into_iter().collect(), waits: Vec::new() }
    }
}

/// Writes the steps, but doesn't complete the plan.
pub(crate) fn write_plan(journal: &Journal, steps: Vec<NewStep>) -> Result<PlanWriter<'_>, JournalError> {
    let mut writer = journal.plans().writer();
    for step in steps {
        writer.begin_step(step.submission);
        for item in step.items {
            writer.add_item(item.encode()?)?;
        }
        writer.add_waits(step.waits)?;
    }
    Ok(writer)
}

pub(crate) fn create_plan(journal: &Journal, steps: Vec<NewStep>) -> Result<NewPlan, JournalError> {
    write_plan(journal, steps)?.complete()
}

pub(crate) fn create_submission(journal: &Journal, items: u32) -> Run {
    journal.create_submission(&new_submission(), (1..=items).map(|number| item(&[number + 1]))).unwrap()
}

pub(crate) fn begin_attempt(journal: &Journal, run: &Run, items: &[u32]) -> Attempt {
    journal.begin_attempt(run, items, at(1), "abcd").unwrap()
}

pub(crate) fn attempt_end(class: OutcomeClass) -> AttemptEnd {
    AttemptEnd {
        at: at(2),
        class,
        status: Some(200),
        milliseconds: 7,
        active_milliseconds: 9,
        log_id: None,
        answer: None,
    }
}

pub(crate) fn outcome(item: u32, result: RowResult) -> Outcome {
    Outcome { item, result, reasons: Vec::new() }
}

pub(crate) fn reason(code: &str) -> Reason {
    Reason::Because { code: code.to_owned(), parameters: BTreeMap::new() }
}

/// Waits until the condition is true.
pub(crate) fn wait_for(mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !condition() {
        assert!(Instant::now() < deadline, "it never came");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Returns the stored counters, after comparing them with the rows.
pub(crate) fn verified_counts(journal: &Journal, submission: SubmissionId) -> ResultCounts {
    let record = journal.submission(submission).unwrap();
    let mut counted = ResultCounts::default();
    for row in journal.rows().page(submission, None, 0, u32::MAX).unwrap().rows {
        counted.add(row.result, 1);
    }
    assert_eq!(record.counts, counted, "counters and rows disagree");
    assert_eq!(record.counts.total(), record.total);
    record.counts
}
