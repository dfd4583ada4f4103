//! A large file: its items are generated on demand, and their results are the same.

use std::collections::BTreeMap;

use takt_engine::{
    import::ImportId,
    item::Change,
    preview::{PreviewChoice, PreviewKind, PreviewRow},
    submission::SubmissionRequest,
};
use takt_plant::Size;

use super::stage::{Fixture, SITE, cells};

/// More than are generated at once, and not a round number.
const NEW: usize = 12_345;
/// More than one batch of rows, and not a round number.
const HELD: usize = 11_111;
const FIELDS: [&str; 2] = ["code", "description"];

#[tokio::test]
async fn what_is_said_of_a_large_files_items_is_what_is_said_of_a_small_ones() {
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
    let mut all: Vec<Vec<String>> = (0..NEW).map(|row| vec![format!("NEW-{row:05}"), format!("New {row}")]).collect();
    let apart = NEW / known.len();
    for (number, row) in known.iter().rev().enumerate() {
        all.insert(number * apart, row.clone());
    }
    let large = fixture.open("materials.sync", &FIELDS, &all);
    let view = fixture.preview(large).await;
    assert_eq!(view.counts.new as usize, NEW);
    assert_eq!(view.counts.changed as usize, known.len().div_ceil(3));
    assert_eq!(view.counts.same as usize, known.len() - known.len().div_ceil(3));
    for kind in [PreviewKind::Changed, PreviewKind::Same] {
        assert_eq!(by_key(&fixture, large, kind), by_key(&fixture, small, kind));
    }
    let new = fixture.rows(large, Some(PreviewKind::New));
    let row = |row: &PreviewRow| all[row.row.get() as usize - 2][0].clone();
    assert!(new.iter().all(|one| one.key == row(one)), "each at its row");

    let choice = PreviewChoice::default();
    let at_once = fixture.engine.previews().items_for(large, SITE, Some(choice)).unwrap().steps.remove(0).set.items;
    let stream = fixture.engine.previews().prepare(large, SITE, Some(choice), false).unwrap().further.unwrap();
    fixture.engine.previews().forget(large);
    fixture.engine.imports().close(large);
    let streamed: Vec<_> = stream.collect();
    assert_eq!(streamed.len(), all.len());
    assert!(streamed == at_once, "one after the other they are the same");
    let skipped = streamed.iter().filter(|item| item.looked.as_ref().is_some_and(|looked| looked.skip)).count();
    let changed = |change: Change| {
        streamed.iter().filter(|item| item.looked.as_ref().is_some_and(|looked| looked.change == change)).count()
    };
    assert_eq!((skipped, changed(Change::New)), (view.counts.same as usize, NEW));
}

#[tokio::test]
async fn items_that_changed_since_the_preview_arent_sent() {
    let fixture = Fixture::new(Size::Small).await;
    let rows: Vec<Vec<String>> = (0..3).map(|row| vec![format!("NEW-{row}"), format!("New {row}")]).collect();
    let import = fixture.open("materials.sync", &FIELDS, &rows);
    let prepare = |choice, is_trial| fixture.engine.previews().prepare(import, SITE, choice, is_trial);
    let choice = Some(PreviewChoice::default());
    assert_eq!(prepare(choice, false).unwrap_err().code, takt_engine::Code::Unknown, "there is no preview");
    fixture.preview(import).await;
    let prepared = prepare(choice, false).unwrap();
    assert!(prepared.further.is_some() && prepared.items.steps[0].set.items.is_empty());
    let trial = prepare(choice, true).unwrap();
    assert_eq!((trial.further.is_none(), trial.items.steps[0].set.items.len()), (true, rows.len()));

    // A change to the import while its items are written prevents sending them.
    fixture.engine.imports().match_column(import, 1, None).unwrap();
    assert_eq!(prepare(choice, false).unwrap_err().parameters["obstacle"], "preview-stale");
    let before = fixture.requests("materials.sync");
    let request = SubmissionRequest::from(prepared.items);
    let refused = fixture.engine.submissions().submit_prepared(request, prepared.further).await.unwrap_err();
    assert_eq!(refused.parameters["obstacle"], "import-changed");
    assert!(fixture.engine.submissions().list().unwrap().is_empty(), "nothing is left of it");
    assert_eq!(fixture.requests("materials.sync"), before, "nothing was sent");

    fixture.engine.imports().match_column(import, 1, Some(FIELDS[1])).unwrap();
    let prepared = prepare(None, false).unwrap();
    let request = SubmissionRequest::from(prepared.items);
    fixture.engine.imports().close(import);
    fixture.engine.submissions().submit_prepared(request, prepared.further).await.unwrap();
}

/// More rows than are compared to their items at once, in the order farthest from the service's.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_held_of_many_is_told_of_each() {
    let fixture = Fixture::new(Size::Small).await;
    let row = |number: usize| vec![format!("MANY-{number:05}"), format!("Many {number}")];
    let mut rows: Vec<Vec<String>> = (0..HELD).map(row).collect();
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
    let changed = HELD.div_ceil(7);
    let counts = (view.counts.new as usize, view.counts.changed as usize, view.counts.same as usize);
    assert_eq!(counts, (10, changed, HELD - changed));
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

fn by_key(fixture: &Fixture, import: ImportId, kind: PreviewKind) -> BTreeMap<String, String> {
    let rows = fixture.rows(import, Some(kind)).into_iter();
    rows.map(|row| (row.key, format!("{:?} {:?} {:?}", row.kind, row.fields, row.errors))).collect()
}
