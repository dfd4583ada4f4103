//! Many submissions and many rows in one file.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::json;
use takt_journal::{NewSubmission, RowResult, SubmissionId, history::HistoryFilter, item::NewItem};

use super::support::{NewStep, at, create_plan, item, new_submission, open_journal};

fn text_filter(text: &str) -> HistoryFilter {
    HistoryFilter { text: Some(text.to_owned()), ..HistoryFilter::default() }
}

/// Tests 10,000 submissions, one of them with 200,000 rows. Paging and searching must be fast enough for interactive
/// use. The limit is far above the time of an unoptimized build.
#[test]
fn many_submissions_and_many_rows_stay_quick() {
    let (_home, journal) = open_journal();
    let many = (1..=200_000).map(|number| NewItem {
        key: format!("WO-{number:06} · 010"),
        body: json!({ "code": format!("WO-{number:06}"), "operationCode": "010", "requestedQuantity": 12 }),
        ..item(&[number + 1])
    });
    drop(journal.create_submission(&NewSubmission { person: "anna".to_owned(), ..new_submission() }, many).unwrap());
    let steps = |first: u32| {
        (first..first + 1_000).map(|number| {
            let submission = NewSubmission { file: format!("week {number}.xlsx"), ..new_submission() };
            NewStep::new(submission, [NewItem { key: format!("MAT-{number}"), ..item(&[2]) }])
        })
    };
    for first in (1..10_000).step_by(1_000) {
        create_plan(&journal, steps(first).collect()).unwrap();
    }
    let timed = |what: &str, work: &dyn Fn() -> u32, wanted: u32| {
        let began = Instant::now();
        assert_eq!(work(), wanted, "{what}");
        println!("{what}: {:?}", began.elapsed());
        assert!(began.elapsed() < Duration::from_secs(3), "{what} took {:?}", began.elapsed());
    };
    let history = |filter: &HistoryFilter, offset| journal.history(filter, offset, 100).unwrap();
    timed("all", &|| history(&HistoryFilter::default(), 9_950).total, 10_001);
    timed("by file", &|| history(&text_filter("week 7777"), 0).total, 1);
    timed("by key", &|| history(&text_filter("WO-199999"), 0).total, 1);
    timed("by nothing", &|| history(&text_filter("nobody"), 0).total, 0);
    let far: Timestamp = at(10);
    timed("by time", &|| history(&HistoryFilter { since: Some(far), ..HistoryFilter::default() }, 0).total, 0);
    let rows = |result, offset| {
        u32::try_from(journal.rows().page(SubmissionId::new(1), result, offset, 200).unwrap().rows.len()).unwrap()
    };
    timed("rows far down", &|| rows(None, 199_900), 100);
    timed("rows of a result far down", &|| rows(Some(RowResult::Pending), 199_900), 100);
    timed("row by key", &|| journal.rows().search(SubmissionId::new(1), None, "WO-123456", 0, 200).unwrap().total, 1);
}
