//! Named views of a team: shared, and from this computer's copy without the database.

use std::sync::Arc;

use takt_engine::{
    Engine, EngineConfig,
    browse::{NamedView, SpanForm, TableView, TableViews},
    team::{self, TeamChoice},
};
use takt_test_support::{plant_fixture::PRACTICE, postgres::Cluster, setup::engine_config};
use tempfile::TempDir;

const LIST: (&str, &str) = (PRACTICE, "materials.list");

fn desk(home: &TempDir, address: &str, person: &str) -> Arc<Engine> {
    open(home, person, TeamChoice::Given { address: address.to_owned(), password: None })
}

fn open(home: &TempDir, person: &str, team: TeamChoice) -> Arc<Engine> {
    Engine::open(EngineConfig { person: person.to_owned(), team, ..engine_config(home.path()) }).unwrap()
}

fn named_view(name: &str, spans: SpanForm) -> NamedView {
    NamedView { name: name.to_owned(), view: TableView { spans, ..TableView::default() } }
}

fn seen(engine: &Engine) -> TableViews {
    engine.browse().table_views(LIST.0, LIST.1).unwrap()
}

fn names(engine: &Engine) -> Vec<String> {
    seen(engine).named.into_iter().map(|view| view.name).collect()
}

/// Stores `named` like a window that last read `known`.
fn store(engine: &Engine, known: &TableViews, named: Vec<NamedView>) {
    engine.browse().store_table_views(LIST.0, LIST.1, TableViews { named, ..known.clone() }, &known.named).unwrap();
}

#[test]
fn desks_see_each_others_views_and_keep_changes_of_others() {
    let cluster = Cluster::start();
    let address = cluster.database();
    team::set_up(&address, None).unwrap();
    let homes = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let alone = open(&homes[0], "anna", TeamChoice::Joined);
    store(&alone, &TableViews::default(), vec![named_view("Own", SpanForm::Clock)]);
    drop(alone);
    let (anna, bert) = (desk(&homes[0], &address, "anna"), desk(&homes[1], &address, "bert"));
    let before = seen(&bert);
    assert_eq!(before, TableViews::default());
    let left =
        TableViews { chosen: Some("Late".to_owned()), last: Some(TableView::default()), ..TableViews::default() };
    store(&anna, &left, vec![named_view("Late", SpanForm::Clock)]);
    // The window still shows the earlier list.
    store(&bert, &before, vec![named_view("Mine", SpanForm::Words)]);
    assert_eq!((names(&anna), names(&bert)), (vec!["Late".to_owned(), "Mine".to_owned()], names(&anna)));
    assert_eq!((seen(&anna).chosen.as_deref(), seen(&bert).chosen), (Some("Late"), None), "that is everybody's own");
    let known = seen(&anna);
    store(&anna, &known, vec![named_view("Late", SpanForm::Ticks)]);
    assert_eq!(seen(&bert).named, [named_view("Late", SpanForm::Ticks)]);

    cluster.stop();
    assert_eq!(names(&bert), ["Late"], "as they were last seen here");
    let known = seen(&bert);
    store(&bert, &known, vec![named_view("Night", SpanForm::Clock)]);
    assert_eq!(names(&bert), ["Night"]);
    cluster.restart();
    // Each session notices the lost database by a query.
    for _ in 0..3 {
        names(&bert);
    }
    assert_eq!((names(&bert), names(&anna)), (vec!["Night".to_owned()], vec!["Night".to_owned()]));
    // The failure is reported once.
    let known = seen(&anna);
    store(&anna, &known, Vec::new());
    assert_eq!(names(&bert), Vec::<String>::new());
    drop(anna);
    assert_eq!(names(&open(&homes[0], "anna", TeamChoice::Joined)), ["Own"], "who isn't in the team has the own again");
}
