//! Stored sites, settings, templates, mappings and recent files.

use serde_json::json;
use takt_journal::{
    Journal, JournalError, SubmissionId,
    mapping::MappingRecord,
    recent_file::{DraftRecord, DraftSummary, RecentFile, RecentFiles},
    reference::ReferenceRecord,
    site::SiteRecord,
};

use super::support::{at, create_submission, open_journal};

#[test]
fn sites_keep_their_order_and_are_replaced_in_place() {
    let (_home, journal) = open_journal();
    for name in ["practice", "north", "south"] {
        journal.sites().save(&SiteRecord { name: name.to_owned(), body: json!({ "baseUrl": name }) }).unwrap();
    }
    journal.sites().save(&SiteRecord { name: "north".to_owned(), body: json!({ "baseUrl": "new" }) }).unwrap();
    let sites: Vec<_> =
        journal.sites().list().unwrap().into_iter().map(|site| (site.name, site.body["baseUrl"].clone())).collect();
    assert_eq!(
        sites,
        [
            ("practice".to_owned(), json!("practice")),
            ("north".to_owned(), json!("new")),
            ("south".to_owned(), json!("south"))
        ]
    );
    assert!(journal.sites().remove("north").unwrap());
    assert!(!journal.sites().remove("north").unwrap());
    assert_eq!(journal.sites().list().unwrap().len(), 2);
}

#[test]
fn settings_templates_and_mappings_survive_a_restart() {
    let (home, journal) = open_journal();
    journal.settings().set("chosen-site", &json!("north")).unwrap();
    journal.settings().set("chosen-site", &json!("south")).unwrap();
    journal.templates().record_opened("south", &[7, 4, 9_000_000_000], at(0)).unwrap();
    journal.templates().record_opened("south", &[4], at(1)).unwrap();
    journal.templates().record_opened("north", &[1], at(1)).unwrap();
    let mapping = MappingRecord {
        operation: "materials.sync".to_owned(),
        headings: "f00d".to_owned(),
        body: json!({ "A": "code" }),
        at: at(3),
    };
    journal.mappings().store(&mapping).unwrap();
    drop(journal);

    let journal = Journal::open(&home.path().join("journal.db")).unwrap();
    assert_eq!(journal.settings().get("chosen-site").unwrap(), Some(json!("south")));
    assert_eq!(journal.settings().get("nothing").unwrap(), None);
    assert_eq!(journal.templates().list("south").unwrap(), [4, 7, 9_000_000_000]);
    assert!(journal.templates().forget("south", 7).unwrap());
    assert_eq!(journal.templates().list("south").unwrap(), [4, 9_000_000_000]);
    assert_eq!(journal.templates().list("north").unwrap(), [1]);
    assert_eq!(journal.mappings().find("materials.sync", "f00d").unwrap(), Some(mapping));
    assert_eq!(journal.mappings().find("stock.sync", "f00d").unwrap(), None);
    assert!(journal.mappings().forget("materials.sync", "f00d", at(5)).unwrap());
    assert!(journal.settings().remove("chosen-site").unwrap());
}

#[test]
fn a_newer_journal_is_refused_and_left_as_it_is() {
    let (home, journal) = open_journal();
    let path = home.path().join("journal.db");
    drop(journal);
    let raw = rusqlite::Connection::open(&path).unwrap();
    raw.pragma_update(None, "user_version", 99).unwrap();
    drop(raw);
    let refused = Journal::open(&path).unwrap_err();
    assert!(matches!(refused, JournalError::Newer { found: 99, known: 15 }), "{refused:?}");
    let raw = rusqlite::Connection::open(&path).unwrap();
    let version: u32 = raw.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version, 99);
}

#[test]
fn what_is_no_journal_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let other = home.path().join("other.db");
    rusqlite::Connection::open(&other).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    assert!(matches!(Journal::open(&other), Err(JournalError::NotAJournal { .. })));

    let text = home.path().join("text.db");
    std::fs::write(&text, "not a database, but long enough to be taken for one ".repeat(40)).unwrap();
    assert!(matches!(Journal::open(&text), Err(JournalError::Sqlite(_))));
    assert!(std::fs::read_to_string(&text).unwrap().starts_with("not a database"));
}

#[test]
fn the_file_is_safe_against_power_loss() {
    let (home, journal) = open_journal();
    drop(journal);
    let raw = rusqlite::Connection::open(home.path().join("journal.db")).unwrap();
    let mode: String = raw.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal");
    assert!(rusqlite::version_number() >= 3_051_003);
}

#[test]
fn what_a_site_held_is_replaced_list_by_list_and_forgotten_as_a_whole() {
    let (home, journal) = open_journal();
    let reference = |site: &str, list: &str, code: &str, second: i64| ReferenceRecord {
        site: site.to_owned(),
        list: list.to_owned(),
        body: json!({ "rows": [[code]] }),
        at: at(second),
    };
    for record in [
        reference("north", "a.list", "1", 0),
        reference("north", "b.list", "2", 1),
        reference("south", "a.list", "3", 2),
    ] {
        journal.references().store(&record).unwrap();
    }
    journal.references().store(&reference("north", "a.list", "4", 3)).unwrap();
    drop(journal);

    let journal = Journal::open(&home.path().join("journal.db")).unwrap();
    assert_eq!(journal.references().get("north", "a.list").unwrap(), Some(reference("north", "a.list", "4", 3)));
    assert_eq!(journal.references().get("north", "c.list").unwrap(), None);
    journal.references().forget("north").unwrap();
    assert_eq!(journal.references().get("north", "b.list").unwrap(), None);
    assert_eq!(journal.references().get("south", "a.list").unwrap(), Some(reference("south", "a.list", "3", 2)));
}

#[test]
fn a_file_of_an_earlier_version_is_brought_on_with_what_it_holds() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("journal.db");
    let raw = rusqlite::Connection::open(&path).unwrap();
    raw.execute_batch(include_str!("../../src/schema/1.sql")).unwrap();
    raw.execute_batch(
        "PRAGMA application_id = 0x54414B54; PRAGMA user_version = 1;
         INSERT INTO setting VALUES ('chosen-site', '\"north\"');
         INSERT INTO submission (operation, site, file, hash, sheet, started, state, batch_size, items, total, accepted)
         VALUES ('materials.sync', 'north', 'm.xlsx', '00', 'S', '2026-11-02T06:00:00Z', 'finished', 100, 1, 1, 1);
         INSERT INTO item (submission, number, key, body, rows, fate) VALUES (1, 1, 'A', '{}', 1, 'accepted');
         INSERT INTO row VALUES (1, 1, 'S', 2);
         INSERT INTO submission (operation, site, file, hash, sheet, started, state, batch_size, items, pending_items, total, pending)
         VALUES ('materials.sync', 'north', 'n.xlsx', '00', 'S', '2026-11-02T06:00:00Z', 'running', 100, 1, 1, 1, 1);
         INSERT INTO item (submission, number, key, body, rows, fate) VALUES (2, 1, 'B', '{\"code\":\"B\"}', 1, 'pending');
         INSERT INTO row VALUES (2, 1, 'S', 2);",
    )
    .unwrap();
    drop(raw);
    let journal = Journal::open(&path).unwrap();
    let pending = journal.next_items(SubmissionId::new(2), 9).unwrap();
    assert_eq!(pending.iter().map(|item| item.body.as_str()).collect::<Vec<_>>(), [r#"{"code":"B"}"#]);
    let rows = journal.rows().after(SubmissionId::new(2), None, 9).unwrap();
    assert_eq!(rows[0].body, Some(json!({ "code": "B" })));
    assert_eq!(journal.settings().get("chosen-site").unwrap(), Some(json!("north")));
    let record = journal.submission(SubmissionId::new(1)).unwrap();
    assert_eq!((record.counts.accepted, record.person.as_str(), record.follows, record.trial), (1, "", None, None));
    assert_eq!(journal.rows().page(SubmissionId::new(1), None, 0, 9).unwrap().rows[0].change, None);
    assert_eq!(journal.references().get("north", "a.list").unwrap(), None);
}

#[test]
fn what_an_item_may_say_is_compared_word_by_word() {
    let (home, journal) = open_journal();
    drop(create_submission(&journal, 1));
    drop(journal);
    let raw = rusqlite::Connection::open(home.path().join("journal.db")).unwrap();
    let sql = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = 'item'";
    let table: String = raw.query_row(sql, [], |row| row.get(0)).unwrap();
    assert!(!table.contains(" IN ("), "{table}");
    let change = |column: &str, word: &str| raw.execute(&format!("UPDATE item SET {column} = ?1"), [word]);
    for word in ["pending", "sending", "accepted", "rejected", "unconfirmed", "skipped"] {
        assert_eq!(change("result", word), Ok(1));
    }
    for word in ["new", "changed", "same", "conflict", "unknown"] {
        assert_eq!(change("change", word), Ok(1));
    }
    assert!(change("result", "in_doubt").is_err() && change("change", "").is_err());
    assert_eq!(raw.execute("UPDATE item SET change = NULL", []), Ok(1));
}

#[test]
fn files_that_were_opened_and_their_drafts_survive_a_restart() {
    let (home, journal) = open_journal();
    let file = |hash: &str, path: &str, second: i64| RecentFile {
        hash: hash.to_owned(),
        path: path.to_owned(),
        file: path.to_owned(),
        size: 5,
        modified: at(0),
        opened: at(second),
    };
    let draft = DraftRecord {
        summary: DraftSummary { changed: at(9), site: Some("works".to_owned()), edited: 2, excluded: 1 },
        body: json!({ "sheets": [] }),
    };
    RecentFiles::new(&journal).record_opened(&file("a", "plan.xlsx", 1)).unwrap();
    assert!(RecentFiles::new(&journal).store_draft("a", &draft).unwrap());
    assert!(!RecentFiles::new(&journal).store_draft("b", &draft).unwrap(), "nobody opened it");
    // The same file with other content. The second version has no draft, so the third one replaces it.
    RecentFiles::new(&journal).record_opened(&file("b", "plan.xlsx", 2)).unwrap();
    RecentFiles::new(&journal).record_opened(&file("00ff", "plan.xlsx", 3)).unwrap();
    let sent = create_submission(&journal, 2).submission();
    drop(journal);

    let journal = Journal::open(&home.path().join("journal.db")).unwrap();
    let listed = RecentFiles::new(&journal).list().unwrap();
    let hashes: Vec<_> = listed.iter().map(|listed| listed.file.hash.as_str()).collect();
    assert_eq!(hashes, ["a", "00ff"], "drafts come first");
    assert_eq!((listed[0].draft.as_ref(), listed[0].sent.as_ref()), (Some(&draft.summary), None));
    assert_eq!(listed[1].sent, Some(sent));
    assert_eq!(RecentFiles::new(&journal).draft("a").unwrap(), Some(draft));
    RecentFiles::new(&journal).record_opened(&file("a", "elsewhere.xlsx", 4)).unwrap();
    assert!(RecentFiles::new(&journal).draft("a").unwrap().is_some(), "a file that is opened again keeps its draft");
    assert!(RecentFiles::new(&journal).discard_draft("a").unwrap());
    assert!(!RecentFiles::new(&journal).discard_draft("a").unwrap());
    assert!(RecentFiles::new(&journal).forget("a").unwrap());
    for number in 0..60 {
        RecentFiles::new(&journal)
            .record_opened(&file(&format!("hash {number}"), &format!("{number}.csv"), number))
            .unwrap();
    }
    assert_eq!(RecentFiles::new(&journal).list().unwrap().len(), 40, "the oldest go");
}
