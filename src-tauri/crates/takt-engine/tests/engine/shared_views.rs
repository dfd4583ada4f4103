//! Tests of a team's named views, which are read from this computer's copy while the database is unavailable.

use std::sync::Arc;

use takt_engine::{
    Engine, EngineConfig,
    browse::{NamedView, SpanForm, TableView, TableViews},
    team::{self, TeamChoice},
};
use takt_test_support::{plant_fixture::PRACTICE, postgres::Cluster, setup::engine_config};
use tempfile::TempDir;

const LIST: (&str, &str) = (PRACTICE, "materials.list");

fn open_desk(home: &TempDir, address: &str, person: &str) -> Arc<Engine> {
    open_engine(home, person, TeamChoice::Given { address: address.to_owned(), password: None })
}

fn open_engine(home: &TempDir, person: &str, team: TeamChoice) -> Arc<Engine> {
    Engine::open(EngineConfig { person: person.to_owned(), team, ..engine_config(home.path()) }).unwrap()
}

fn named_view(name: &str, spans: SpanForm) -> NamedView {
    NamedView { name: name.to_owned(), view: TableView { spans, ..TableView::default() } }
}

fn table_views(engine: &Engine) -> TableViews {
    engine.browse().table_views(LIST.0, LIST.1).unwrap()
}

fn view_names(engine: &Engine) -> Vec<String> {
    table_views(engine).named.into_iter().map(|view| view.name).collect()
}

/// Stores `named` like a window that last read `known`.
fn store_named_views(engine: &Engine, known: &TableViews, named: Vec<NamedView>) {
    engine.browse().store_table_views(LIST.0, LIST.1, TableViews { named, ..known.clone() }, &known.named).unwrap();
}

#[test]
fn desks_see_each_others_views_and_keep_changes_of_others() {
    let cluster = Cluster::start();
    let address = cluster.create_database();
    team::set_up(&address, None).unwrap();
    let homes = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let alone = open_engine(&homes[0], "anna", TeamChoice::Joined);
    store_named_views(&alone, &TableViews::default(), vec![named_view("Own", SpanForm::Clock)]);
    drop(alone);
    let (anna, bert) = (open_desk(&homes[0], &address, "anna"), open_desk(&homes[1], &address, "bert"));
    let before = table_views(&bert);
    assert_eq!(before, TableViews::default());
    let left =
        TableViews { chosen: Some("Late".to_owned()), last: Some(TableView::default()), ..TableViews::default() };
    store_named_views(&anna, &left, vec![named_view("Late", SpanForm::Clock)]);
    // The window still shows the earlier list.
    store_named_views(&bert, &before, vec![named_view("Mine", SpanForm::Words)]);
    assert_eq!((view_names(&anna), view_names(&bert)), (vec!["Late".to_owned(), "Mine".to_owned()], view_names(&anna)));
    assert_eq!(
        (table_views(&anna).chosen.as_deref(), table_views(&bert).chosen),
        (Some("Late"), None),
        "that is everybody's own"
    );
    let known = table_views(&anna);
    store_named_views(&anna, &known, vec![named_view("Late", SpanForm::Ticks)]);
    assert_eq!(table_views(&bert).named, [named_view("Late", SpanForm::Ticks)]);

    cluster.stop();
    assert_eq!(view_names(&bert), ["Late"], "as they were last seen here");
    let known = table_views(&bert);
    store_named_views(&bert, &known, vec![named_view("Night", SpanForm::Clock)]);
    assert_eq!(view_names(&bert), ["Night"]);
    cluster.restart();
    // Each session notices the lost database by a query.
    for _ in 0..3 {
        view_names(&bert);
    }
    assert_eq!((view_names(&bert), view_names(&anna)), (vec!["Night".to_owned()], vec!["Night".to_owned()]));
    // The failure is reported once.
    let known = table_views(&anna);
    store_named_views(&anna, &known, Vec::new());
    assert_eq!(view_names(&bert), Vec::<String>::new());
    drop(anna);
    assert_eq!(
        view_names(&open_engine(&homes[0], "anna", TeamChoice::Joined)),
        ["Own"],
        "who isn't in the team has the own again"
    );
}
