//! Mappings and views of a team: visible at every desk, with a record of changes and a way to restore.

use serde_json::{Value, json};
use takt_journal::{
    Journal, JournalError, SharedChange, SharedChanges, SharedKind, SharedView, SharedViews, Team, ViewChange,
    mapping::MappingRecord, reference::ReferenceRecord,
};

use super::store::{Home, address, home, tls};
use super::support::at;
use crate::postgres::{Cluster, query, statement_succeeds};

const LIST: (&str, &str) = ("works", "materials.list");

/// A desk with its own file and a person.
fn open_desk(team: &Home, folder: &tempfile::TempDir, person: &str) -> Journal {
    open_desk_at(&address(team.path()), folder, person)
}

fn open_desk_at(address: &str, folder: &tempfile::TempDir, person: &str) -> Journal {
    let own = Journal::open(&folder.path().join("journal.db")).unwrap();
    let joined = Team::join(own, address.parse().unwrap(), std::sync::Arc::new(|| None), tls());
    Team::with_person(joined, person.to_owned())
}

fn open_two_desks(team: &Home) -> ((Journal, Journal), [tempfile::TempDir; 2]) {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    ((open_desk(team, &folders[0], "anna@pc1"), open_desk(team, &folders[1], "bert@pc2")), folders)
}

fn mapping(column: &str, second: i64) -> MappingRecord {
    let body = json!({ "mapping": { "code": column }, "headings": ["Material", "Plant"] });
    MappingRecord { operation: "materials.sync".to_owned(), headings: "f00d".to_owned(), body, at: at(second) }
}

fn mapped_column(journal: &Journal) -> Option<Value> {
    let found = journal.mappings().find("materials.sync", "f00d").unwrap();
    found.map(|found| found.body["mapping"]["code"].clone())
}

fn save_view(journal: &Journal, name: &str, view: Option<Value>, second: i64) -> bool {
    let change = ViewChange { name: name.to_owned(), view };
    SharedViews::from_journal(journal).unwrap().apply(LIST.0, LIST.1, &[change], at(second)).unwrap()
}

fn list_views(journal: &Journal) -> Option<Vec<(String, Value)>> {
    let listed = SharedViews::from_journal(journal).unwrap().list(LIST.0, LIST.1).unwrap();
    listed.map(|listed| listed.into_iter().map(|SharedView { name, view }| (name, view)).collect())
}

fn list_changes(journal: &Journal) -> Vec<SharedChange> {
    SharedChanges::from_journal(journal).unwrap().list(None, 99).unwrap()
}

fn restore_change(journal: &Journal, number: u32) -> Result<(), JournalError> {
    SharedChanges::from_journal(journal).unwrap().restore(number, at(50))
}

#[test]
fn a_mapping_that_a_colleague_changed_is_told_and_put_back() {
    let team = home();
    let ((anna, bert), _folders) = open_two_desks(&team);
    anna.mappings().store(&mapping("Material", 1)).unwrap();
    anna.mappings().store(&mapping("Material", 2)).unwrap();
    assert_eq!(bert.mappings().find("materials.sync", "f00d").unwrap().unwrap().at, at(2), "it was used again");
    bert.mappings().store(&mapping("Plant", 3)).unwrap();

    let recorded = list_changes(&anna);
    let [second, first] = recorded.as_slice() else { panic!("what changes nothing isn't recorded: {recorded:?}") };
    let expected = SharedChange {
        number: second.number,
        kind: SharedKind::Mapping,
        site: String::new(),
        operation: "materials.sync".to_owned(),
        name: "Material, Plant".to_owned(),
        at: at(3),
        person: "bert@pc2".to_owned(),
        login: "takt".to_owned(),
        added: false,
        removed: false,
        latest: true,
    };
    assert_eq!(*second, expected);
    assert_eq!((first.person.as_str(), first.added, first.latest), ("anna@pc1", true, false));
    assert_eq!(
        SharedChanges::from_journal(&anna).unwrap().list(Some(second.number), 9).unwrap(),
        std::slice::from_ref(first)
    );
    assert_eq!(SharedChanges::from_journal(&anna).unwrap().list(None, 1).unwrap(), std::slice::from_ref(second));

    let refused = restore_change(&anna, first.number);
    assert!(matches!(refused, Err(JournalError::ChangedSince(number)) if number == first.number), "{refused:?}");
    assert!(matches!(restore_change(&anna, 99), Err(JournalError::NoSuchChange(99))));
    assert_eq!(mapped_column(&bert), Some(json!("Plant")), "nothing was changed");
    restore_change(&anna, second.number).unwrap();
    assert_eq!((mapped_column(&bert), mapped_column(&anna)), (Some(json!("Material")), Some(json!("Material"))));
    let back = list_changes(&bert).remove(0);
    assert_eq!((back.person.as_str(), back.at, back.latest), ("anna@pc1", at(50), true));
    let refused = restore_change(&anna, first.number);
    assert!(
        matches!(refused, Err(JournalError::ChangedSince(_))),
        "the same as it left, by later changes: {refused:?}"
    );
    // The restore is recorded too.
    restore_change(&bert, back.number).unwrap();
    assert_eq!(mapped_column(&anna), Some(json!("Plant")));

    assert!(bert.mappings().forget("materials.sync", "f00d", at(60)).unwrap());
    assert!(
        !bert.mappings().forget("materials.sync", "f00d", at(60)).unwrap(),
        "it is gone, and that is recorded once"
    );
    let removed = list_changes(&anna).remove(0);
    assert_eq!((removed.removed, removed.name.as_str(), list_changes(&anna).len()), (true, "Material, Plant", 5));
    restore_change(&anna, removed.number).unwrap();
    assert_eq!(mapped_column(&bert), Some(json!("Plant")));
}

#[test]
fn a_view_is_seen_at_the_other_desk_and_what_was_added_goes_by_the_way_back() {
    let team = home();
    let ((anna, bert), _folders) = open_two_desks(&team);
    assert_eq!(list_views(&bert), Some(Vec::new()));
    assert!(save_view(&anna, "Late", Some(json!({ "sort": ["due"] })), 1));
    assert!(save_view(&anna, "Empty", Some(json!({ "sort": [] })), 2));
    assert!(save_view(&anna, "Late", Some(json!({ "sort": ["due"] })), 3));
    let both = vec![("Empty".to_owned(), json!({ "sort": [] })), ("Late".to_owned(), json!({ "sort": ["due"] }))];
    assert_eq!(list_views(&bert), Some(both.clone()));
    assert_eq!(SharedViews::from_journal(&bert).unwrap().list("other", LIST.1).unwrap(), Some(Vec::new()));
    assert!(save_view(&bert, "Late", None, 4));
    assert_eq!(list_views(&anna).unwrap().len(), 1);

    let recorded = list_changes(&anna);
    let names: Vec<(&str, &str, bool, bool)> =
        recorded.iter().map(|one| (one.name.as_str(), one.person.as_str(), one.added, one.removed)).collect();
    let expected =
        [("Late", "bert@pc2", false, true), ("Empty", "anna@pc1", true, false), ("Late", "anna@pc1", true, false)];
    assert_eq!(names, expected);
    assert_eq!(
        (recorded[0].kind, recorded[0].site.as_str(), recorded[0].operation.as_str()),
        (SharedKind::View, LIST.0, LIST.1)
    );
    restore_change(&anna, recorded[0].number).unwrap();
    assert_eq!(list_views(&bert), Some(both));
    restore_change(&bert, recorded[1].number).unwrap();
    assert_eq!(list_views(&anna).unwrap().len(), 1, "it wasn't there before");
    assert!(matches!(restore_change(&bert, recorded[1].number), Err(JournalError::ChangedSince(_))), "once");
}

#[test]
fn what_another_program_changed_meanwhile_is_not_overwritten() {
    let team = home();
    let ((anna, _bert), _folders) = open_two_desks(&team);
    save_view(&anna, "Late", Some(json!({ "sort": ["due"] })), 1);
    assert!(statement_succeeds(&address(team.path()), "UPDATE takt.shared_view SET body = '{}'"));
    assert!(matches!(restore_change(&anna, list_changes(&anna)[0].number), Err(JournalError::ChangedSince(_))));
    assert_eq!(list_views(&anna).unwrap()[0].1, json!({}));
}

#[test]
fn without_a_team_nothing_is_recorded_and_while_its_database_is_away_work_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let alone = Journal::open(&folder.path().join("journal.db")).unwrap();
    alone.mappings().store(&mapping("Material", 1)).unwrap();
    assert!(SharedChanges::from_journal(&alone).is_none() && SharedViews::from_journal(&alone).is_none());
    drop(alone);

    // No server listens at this address.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let away = open_desk_at(&format!("postgres://takt@127.0.0.1:{port}/takt"), &folder, "anna@pc1");
    assert_eq!(mapped_column(&away), Some(json!("Material")));
    away.mappings().store(&mapping("Plant", 2)).unwrap();
    assert_eq!(mapped_column(&away), Some(json!("Plant")));
    assert!(!save_view(&away, "Late", Some(json!({})), 3), "it can't be shared now");
    assert_eq!(list_views(&away), None, "the desk's own are used");
    let changes = SharedChanges::from_journal(&away).unwrap();
    assert!(matches!(changes.list(None, 9), Err(JournalError::Team(_))));
    assert!(matches!(changes.restore(1, at(4)), Err(JournalError::Team(_))));
    assert_eq!(mapped_column(&away), Some(json!("Plant")));
}

#[test]
fn a_desks_own_views_and_mappings_come_along_once_and_are_told() {
    let team = home();
    let ((anna, _bert), _folders) = open_two_desks(&team);
    save_view(&anna, "Late", Some(json!({ "sort": ["due"] })), 1);
    let folder = tempfile::tempdir().unwrap();
    let own = Journal::open(&folder.path().join("journal.db")).unwrap();
    let named = json!([{ "name": "Late", "view": {} }, { "name": "Mine", "view": { "sort": ["code"] } }]);
    let setting = json!({ "last": null, "named": named, "chosen": "Mine" });
    own.settings().set(&SharedViews::own_setting(LIST.0, LIST.1), &setting).unwrap();
    own.settings().set("table/broken", &json!(1)).unwrap();
    own.mappings().store(&mapping("Material", 2)).unwrap();
    drop(own);

    let carl = open_desk(&team, &folder, "carl@pc3");
    for _ in 0..2 {
        Team::carry_over(&carl, "pc3", at(8), |_, _| std::ops::ControlFlow::Continue(())).unwrap();
        let expected =
            [("Late".to_owned(), json!({ "sort": ["due"] })), ("Mine".to_owned(), json!({ "sort": ["code"] }))];
        assert_eq!(list_views(&anna).unwrap(), expected, "the team's own stands");
        assert_eq!(mapped_column(&anna), Some(json!("Material")));
    }
    let recorded = list_changes(&anna);
    let change_of = |name: &str| recorded.iter().find(|one| one.name == name).unwrap();
    assert_eq!(recorded.len(), 3, "nothing twice: {recorded:?}");
    for name in ["Mine", "Material, Plant"] {
        assert_eq!(
            (change_of(name).person.as_str(), change_of(name).at, change_of(name).added),
            ("carl@pc3", at(8), true)
        );
    }
    assert_eq!(
        carl.settings().get(&SharedViews::own_setting(LIST.0, LIST.1)).unwrap(),
        Some(setting),
        "the file stays"
    );
}

#[test]
fn a_desk_adds_to_the_record_and_can_neither_alter_it_nor_sign_as_another() {
    let team = home();
    let owner = address(team.path());
    assert!(statement_succeeds(&owner, "CREATE ROLE desk_of_changes LOGIN; GRANT takt_desk TO desk_of_changes"));
    let login = owner.replacen("takt@", "desk_of_changes@", 1);
    let folder = tempfile::tempdir().unwrap();
    let anna = open_desk_at(&login, &folder, "anna@pc1");
    save_view(&anna, "Late", Some(json!({ "sort": ["due"] })), 1);
    anna.mappings().store(&mapping("Material", 10)).unwrap();
    anna.mappings().store(&mapping("Plant", 20)).unwrap();
    restore_change(&anna, list_changes(&anna)[0].number).unwrap();
    assert!(list_changes(&anna).iter().all(|one| one.login == "desk_of_changes"));
    for sql in [
        "UPDATE takt.shared_change SET person = 'bert'",
        "DELETE FROM takt.shared_change",
        "INSERT INTO takt.shared_change (kind, site, operation, key, name, at, person, body, login)
            VALUES ('view', '', '', '', '', '', '', '', 'bert')",
    ] {
        assert!(!statement_succeeds(&login, sql), "{sql}");
    }
    // Purging rows also removes older recorded changes.
    let shared = SharedChanges::from_journal(&anna).unwrap();
    assert_eq!((shared.purgeable(at(15)).unwrap(), list_changes(&anna).len()), (2, 4), "counted, and nothing goes");
    let purged = shared.purge(at(15)).unwrap();
    assert_eq!((purged, list_changes(&anna).len()), (2, 2));
    assert_eq!(query(&owner, "SELECT count(*) FROM takt.shared_view"), "1", "what is shared stays");
    restore_change(&anna, list_changes(&anna)[0].number).unwrap();
}

/// Changes at a desk while the database is unavailable are shared later, and every later read finds them.
#[test]
fn what_is_changed_while_the_database_is_away_is_the_teams_once_it_is_back() {
    let cluster = Cluster::start();
    let address = cluster.create_database();
    Team::set_up(&address.parse().unwrap(), &tls()).unwrap();
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let (anna, bert) =
        (open_desk_at(&address, &folders[0], "anna@pc1"), open_desk_at(&address, &folders[1], "bert@pc2"));
    let of = |operation: &str, column: &str, second| MappingRecord {
        operation: operation.to_owned(),
        ..mapping(column, second)
    };
    let list = |list: &str, value: i64, second| ReferenceRecord {
        site: "works".to_owned(),
        list: list.to_owned(),
        body: json!(value),
        at: at(second),
    };
    anna.mappings().store(&mapping("Material", 1)).unwrap();
    anna.mappings().store(&of("stock.sync", "Material", 1)).unwrap();
    anna.templates().record_opened("works", &[1, 2], at(1)).unwrap();
    anna.references().store(&list("materials.list", 1, 1)).unwrap();
    anna.references().store(&list("work-stations.list", 1, 1)).unwrap();
    cluster.stop();

    anna.mappings().store(&mapping("Plant", 10)).unwrap();
    assert!(anna.mappings().forget("stock.sync", "f00d", at(11)).unwrap());
    anna.templates().record_opened("works", &[3], at(10)).unwrap();
    assert!(anna.templates().forget("works", 1).unwrap());
    anna.references().forget("works").unwrap();
    anna.references().store(&list("materials.list", 2, 10)).unwrap();
    assert_eq!(mapped_column(&anna), Some(json!("Plant")));
    drop(anna);

    cluster.restart();
    let anna = open_desk_at(&address, &folders[0], "anna@pc1");
    assert_eq!(mapped_column(&anna), Some(json!("Plant")), "it is there, whichever question comes first");
    assert_eq!(mapped_column(&bert).or_else(|| mapped_column(&bert)), Some(json!("Plant")));
    assert_eq!(bert.mappings().find("stock.sync", "f00d").unwrap(), None);
    assert_eq!(bert.templates().list("works").unwrap(), [2, 3]);
    assert_eq!(bert.references().get("works", "materials.list").unwrap().map(|read| read.body), Some(json!(2)));
    assert_eq!(bert.references().get("works", "work-stations.list").unwrap(), None);
    let recorded: Vec<_> =
        list_changes(&bert).into_iter().take(2).map(|one| (one.person, one.at, one.removed)).collect();
    assert_eq!(recorded, [("anna@pc1".to_owned(), at(11), true), ("anna@pc1".to_owned(), at(10), false)]);
    let recorded = list_changes(&bert).len();
    assert_eq!((mapped_column(&anna), list_changes(&bert).len()), (Some(json!("Plant")), recorded), "shared once");

    // A colleague's later change stays.
    cluster.stop();
    anna.mappings().store(&mapping("Works", 20)).unwrap();
    cluster.restart();
    drop(bert.mappings().list_by_operation("materials.sync"));
    bert.mappings().store(&mapping("Store", 30)).unwrap();
    assert_eq!((mapped_column(&anna), mapped_column(&bert)), (Some(json!("Store")), Some(json!("Store"))));
    assert_eq!(list_changes(&bert)[0].person, "bert@pc2");
}
