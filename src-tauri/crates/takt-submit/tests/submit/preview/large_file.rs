//! Tests that a large file, whose items are created on demand, has the same results as a small one.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Barrier,
        atomic::{AtomicUsize, Ordering},
    },
};

use takt_engine::{
    client::Failpoints,
    import::ImportId,
    item::Change,
    preview::{PreviewChoice, PreviewKind, PreviewRow},
    submission::{ImportToSend, SendOptions},
};
use takt_plant::Size;

use super::fixture::{Fixture, SITE, cells};

/// More items than are generated at once. Not a round number, so that the last part isn't full.
const NEW_ITEM_COUNT: usize = 12_345;
/// More rows than a batch has. Not a round number, so that the last batch isn't full.
const STORED_ITEM_COUNT: usize = 11_111;
const FIELDS: [&str; 2] = ["code", "description"];

#[tokio::test]
async fn previews_of_large_and_small_files_are_equal() {
    let fixture = Fixture::new(Size::Small).await;
    let stored = fixture.list("materials.list").await;
    let mut known: Vec<Vec<String>> = stored.iter().map(|row| cells(row, &FIELDS)).collect();
    assert!(known.len() > 20, "{} materials", known.len());
    for row in known.iter_mut().step_by(3) {
        row[1].push_str(", changed");
    }
    let small = fixture.open("materials.sync", &FIELDS, &known);
    fixture.preview(small).await;
    // In another order than the service's, far apart.
    let mut all: Vec<Vec<String>> =
        (0..NEW_ITEM_COUNT).map(|row| vec![format!("NEW-{row:05}"), format!("New {row}")]).collect();
    let apart = NEW_ITEM_COUNT / known.len();
    for (number, row) in known.iter().rev().enumerate() {
        all.insert(number * apart, row.clone());
    }
    let large = fixture.open("materials.sync", &FIELDS, &all);
    let view = fixture.preview(large).await;
    assert_eq!(view.counts.new as usize, NEW_ITEM_COUNT);
    assert_eq!(view.counts.changed as usize, known.len().div_ceil(3));
    assert_eq!(view.counts.same as usize, known.len() - known.len().div_ceil(3));
    for kind in [PreviewKind::Changed, PreviewKind::Same] {
        assert_eq!(rows_by_key(&fixture, large, kind), rows_by_key(&fixture, small, kind));
    }
    let new = fixture.rows(large, Some(PreviewKind::New));
    let row = |row: &PreviewRow| all[row.row.get() as usize - 2][0].clone();
    assert!(new.iter().all(|one| one.key == row(one)), "each at its row");

    let choice = PreviewChoice::default();
    let at_once = fixture.engine.previews().import_items(large, SITE, Some(choice)).unwrap().steps.remove(0).set.items;
    let trial = SendOptions { trial: Some(1), ..SendOptions::default() };
    let plan = fixture.engine.submissions().send(import_to_send(large, Some(choice), true), trial).await.unwrap();
    let submission = fixture.engine.submissions().wait(plan.id.first()).await.unwrap().submissions.remove(0);
    assert_eq!((submission.counts.accepted, submission.trial.is_some()), (1, true));
    assert_eq!(fixture.engine.imports().revision(large), None, "it was closed");
    let stored = fixture.stored_items(submission.id);
    assert_eq!((at_once.len(), stored.len()), (all.len(), all.len()));
    for (item, stored) in at_once.iter().zip(&stored) {
        let comparison = item.comparison.as_ref().unwrap();
        assert_eq!((&stored.key, &stored.body), (&item.key, &item.body));
        assert_eq!((stored.change, &stored.before), (Some(comparison.change), &comparison.before));
    }
    let skipped =
        at_once.iter().filter(|item| item.comparison.as_ref().is_some_and(|comparison| comparison.skip)).count();
    let new = stored.iter().filter(|item| item.change == Some(Change::New)).count();
    assert_eq!((skipped, new), (view.counts.same as usize, NEW_ITEM_COUNT));
    assert_eq!(submission.counts.skipped, view.counts.same);
}

#[tokio::test]
async fn items_that_changed_since_the_preview_arent_sent() {
    let fixture = Fixture::new(Size::Small).await;
    let rows: Vec<Vec<String>> = (0..3).map(|row| vec![format!("NEW-{row}"), format!("New {row}")]).collect();
    let import = fixture.open("materials.sync", &FIELDS, &rows);
    let submissions = fixture.engine.submissions();
    let send = async |choice| submissions.send(import_to_send(import, choice, false), SendOptions::default()).await;
    let choice = Some(PreviewChoice::default());
    assert_eq!(send(choice).await.unwrap_err().code, takt_engine::Code::Unknown, "there is no preview");
    fixture.preview(import).await;
    fixture.engine.imports().match_column(import, 1, None).unwrap();
    assert_eq!(send(choice).await.unwrap_err().parameters["obstacle"], "preview-stale");
    assert!(submissions.list().unwrap().is_empty(), "nothing was stored");
    assert_eq!(fixture.requests("materials.sync"), 0, "nothing was sent");

    fixture.engine.imports().match_column(import, 1, Some(FIELDS[1])).unwrap();
    let plan = send(choice).await.unwrap();
    assert_eq!(submissions.wait(plan.id.first()).await.unwrap().submissions[0].counts.accepted, 3);
}

/// The import of a large file is changed after some of its items were stored.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_import_that_changes_while_its_items_are_stored_isnt_sent() {
    let passed = Arc::new(Barrier::new(2));
    let failpoint = Arc::clone(&passed);
    let count = AtomicUsize::new(0);
    let failpoints = Failpoints::with_callback(move |name| {
        if name == "submission-being-written" && count.fetch_add(1, Ordering::SeqCst) % 3 == 2 {
            failpoint.wait();
            failpoint.wait();
        }
    });
    let fixture = Fixture::with_failpoints(Size::Small, failpoints).await;
    let rows: Vec<Vec<String>> =
        (0..NEW_ITEM_COUNT).map(|row| vec![format!("NEW-{row}"), format!("New {row}")]).collect();
    let import = fixture.open("materials.sync", &FIELDS, &rows);
    fixture.preview(import).await;
    for (choice, obstacle) in [(None, "import-changed"), (Some(PreviewChoice::default()), "preview-stale")] {
        let engine = Arc::clone(&fixture.engine);
        let sent = tokio::spawn(async move {
            engine.submissions().send(import_to_send(import, choice, false), SendOptions::default()).await
        });
        let (engine, passed) = (Arc::clone(&fixture.engine), Arc::clone(&passed));
        let change = move || {
            passed.wait();
            engine.imports().match_column(import, 1, None).unwrap();
            passed.wait();
        };
        tokio::task::spawn_blocking(change).await.unwrap();
        assert_eq!(sent.await.unwrap().unwrap_err().parameters["obstacle"], obstacle);
        assert!(fixture.engine.submissions().list().unwrap().is_empty(), "nothing is left of it");
        fixture.engine.imports().match_column(import, 1, Some(FIELDS[1])).unwrap();
    }
    assert_eq!(fixture.requests("materials.sync"), 0, "nothing was sent");
}

fn import_to_send(import: ImportId, preview: Option<PreviewChoice>, close: bool) -> ImportToSend {
    ImportToSend { import, site: SITE.to_owned(), preview, close }
}

/// The rows exceed the number that is compared at once, and their order is the reverse of the service's.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_unconfirmed_rows_are_each_resolved() {
    let fixture = Fixture::new(Size::Small).await;
    let row = |number: usize| vec![format!("MANY-{number:05}"), format!("Many {number}")];
    let mut rows: Vec<Vec<String>> = (0..STORED_ITEM_COUNT).map(row).collect();
    fixture.send("materials.sync", &FIELDS, &rows).await;
    rows.reverse();
    for row in rows.iter_mut().step_by(7) {
        row[1].push_str(", changed");
    }
    // Items that don't exist on the service, so that every page is read.
    rows.extend((0..10).map(|number| vec![format!("NEW-{number}"), "New".to_owned()]));
    let before = fixture.requests("materials.list");
    let import = fixture.open("materials.sync", &FIELDS, &rows);
    let view = fixture.preview(import).await;
    let changed = STORED_ITEM_COUNT.div_ceil(7);
    let counts = (view.counts.new as usize, view.counts.changed as usize, view.counts.same as usize);
    assert_eq!(counts, (10, changed, STORED_ITEM_COUNT - changed));
    let all = fixture.list("materials.list").await.len();
    assert_eq!(view.steps[0].requests as usize, all.div_ceil(100), "each page once");
    assert_eq!(fixture.requests("materials.list") - before, 2 * all.div_ceil(100));
    for row in fixture.rows(import, Some(PreviewKind::Changed)) {
        let (old, new) = (&row.fields[0].old, &row.fields[0].new);
        let number: usize = row.key["MANY-".len()..].parse().unwrap();
        assert_eq!((row.fields.len(), row.fields[0].field.as_str()), (1, "description"));
        assert_eq!((old, new), (&format!("Many {number}").into(), &format!("Many {number}, changed").into()));
    }
}

fn rows_by_key(fixture: &Fixture, import: ImportId, kind: PreviewKind) -> BTreeMap<String, String> {
    let rows = fixture.rows(import, Some(kind)).into_iter();
    rows.map(|row| (row.key, format!("{:?} {:?} {:?}", row.kind, row.fields, row.errors))).collect()
}
