//! A trial run stops after its rows. Rejected rows are sent by a separate submission, and no others.

use serde_json::json;
use takt_engine::{
    Code,
    import::{ItemSet, SiteItems},
    item::{Change, Item, ItemComparison},
    submission::{Relation, SendOptions, SubmissionId, SubmissionOrigin, SubmissionRequest, SubmissionState},
};

use super::support::{
    SITE, applied, check, console, counts, ended, good, item, material, plant, request, requests, send, with_options,
};

#[tokio::test]
async fn a_trial_run_sends_its_rows_and_pauses() {
    let plant = plant(&[]).await;
    let console = console(&plant, "planner");
    // Two of the first five aren't sent, so the sixth and seventh are part of the trial.
    let mut items: Vec<Item> = (1..=9).chain(11..=31).map(good).collect();
    items[1].skipped = true;
    items[3].comparison =
        Some(Box::new(ItemComparison { change: Change::Same, before: None, neighbors: Vec::new(), skip: true }));
    let asked =
        with_options(request("materials.sync", items, 3), SendOptions { trial: Some(5), ..SendOptions::default() });
    let view = send(&console.engine, asked).await;
    assert_eq!((view.state, view.trial), (SubmissionState::Paused, Some(7)));
    assert_eq!((view.counts.accepted, view.counts.skipped, view.counts.pending), (5, 2, 23));
    let sent: Vec<String> = applied(&plant.log()).into_keys().collect();
    assert_eq!(sent, ["T-00001", "T-00003", "T-00005", "T-00006", "T-00007"]);

    console.engine.submissions().resume(view.id, None).await.unwrap();
    let view = ended(&console.engine, view.id).await;
    assert_eq!((view.state, view.trial), (SubmissionState::Finished, None));
    assert_eq!((view.counts.accepted, view.counts.skipped, view.counts.pending), (28, 2, 0));
    check(&console.engine, view.id, &plant.log());
}

#[tokio::test]
async fn a_trial_of_everything_is_none() {
    let plant = plant(&[]).await;
    let console = console(&plant, "planner");
    let asked = with_options(
        request("materials.sync", (1..=4).map(good).collect(), 3),
        SendOptions { trial: Some(4), ..SendOptions::default() },
    );
    let view = send(&console.engine, asked).await;
    assert_eq!((view.state, view.counts, view.trial), (SubmissionState::Finished, counts(0, 4, 0, 0), None));
}

#[tokio::test]
async fn rejected_rows_are_sent_again_and_accepted_ones_never() {
    let plant = plant(&[]).await;
    let console = console(&plant, "planner");
    let engine = &console.engine;
    let first = send(engine, request("materials.sync", (1..=30).map(material).collect(), 10)).await;
    assert_eq!(first.counts, counts(0, 27, 3, 0));
    let rejected: Vec<u32> =
        engine.submissions().rejected_rows(first.id).unwrap().iter().map(|row| row.row.get()).collect();
    assert_eq!(rejected, [10, 20, 30]);

    // Unchanged rows are refused again, and no others are sent.
    let before = requests(&plant.log(), "materials.sync");
    let asked = engine.submissions().retry(first.id, None).unwrap();
    assert_eq!(asked.options.follows, Some(SubmissionOrigin { submission: first.id, relation: Relation::Retry }));
    let again = send(engine, asked).await;
    assert_eq!((again.total, again.counts), (3, counts(0, 0, 3, 0)));
    assert_eq!((again.follows, requests(&plant.log(), "materials.sync") - before), (Some(first.id), 1));

    // A corrected file with all rows: two of the three are corrected, one of them is still wrong.
    let items =
        (1..=30).filter(|row| *row != 30).map(|row| if row == 20 { material(row) } else { good(row) }).collect();
    let corrected = ItemSet {
        operation: "materials.sync".to_owned(),
        file: "corrected.xlsx".to_owned(),
        hash: "01".to_owned(),
        sheet: "Materials".to_owned(),
        items,
        mapping: None,
    };
    let asked = engine
        .submissions()
        .retry(first.id, Some(SiteItems { site: SITE.to_owned(), steps: vec![corrected.into()] }))
        .unwrap();
    let fixed = send(engine, asked).await;
    assert_eq!((fixed.file.as_str(), fixed.total, fixed.counts), ("corrected.xlsx", 2, counts(0, 1, 1, 0)));
    assert_eq!(engine.submissions().view(first.id).unwrap().counts, counts(0, 27, 3, 0), "the old results stay");
    assert!(applied(&plant.log()).values().all(|times| *times == 1), "nothing was applied twice");

    // Rows that a later submission has accepted aren't listed as rejected.
    let left: Vec<u32> =
        engine.submissions().rejected_rows(first.id).unwrap().iter().map(|row| row.row.get()).collect();
    assert_eq!(left, [20, 30]);
}

#[tokio::test]
async fn impossible_retries_are_refused() {
    let plant = plant(&[]).await;
    let console = console(&plant, "planner");
    let view = send(&console.engine, request("materials.sync", vec![good(1)], 10)).await;
    let obstacle =
        |result: Result<SubmissionRequest, takt_engine::Problem>| result.unwrap_err().parameters["obstacle"].clone();
    assert_eq!(obstacle(console.engine.submissions().retry(view.id, None)), "nothing-rejected");
    let other = ItemSet {
        operation: "work-orders.sync".to_owned(),
        file: String::new(),
        hash: String::new(),
        sheet: String::new(),
        items: vec![item(1, "x", json!({}))],
        mapping: None,
    };
    assert_eq!(
        obstacle(
            console
                .engine
                .submissions()
                .retry(view.id, Some(SiteItems { site: SITE.to_owned(), steps: vec![other.clone().into()] }))
        ),
        "other-operation"
    );
    let elsewhere = SiteItems { site: "moon".to_owned(), steps: vec![other.into()] };
    assert_eq!(obstacle(console.engine.submissions().retry(view.id, Some(elsewhere))), "other-site");
    assert_eq!(console.engine.submissions().retry(SubmissionId::new(99), None).unwrap_err().code, Code::Unknown);
    assert_eq!(
        console.engine.submissions().load_mappings(view.id).unwrap_err().parameters["obstacle"],
        "no-mapping-kept"
    );
}
