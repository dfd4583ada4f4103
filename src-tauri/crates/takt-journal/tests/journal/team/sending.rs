//! A team's items in the database: changes update no index, the items that people view have one, and many rows are
//! inserted with `COPY`.

use takt_journal::{JournalError, Outcome, RowResult, Team, attempt::OutcomeClass};

use super::store::{address, open, tls};
use super::support::{attempt_end, begin_attempt, create_submission, item, new_submission, open_journal, outcome};
use crate::postgres::{create_database, drop_database, query, statement_succeeds};

/// The first versions of the schema.
pub(crate) const FIRST_SCHEMA_UPDATES: [&str; 8] = [
    include_str!("../../../src/schema/postgres-1.sql"),
    include_str!("../../../src/schema/postgres-2.sql"),
    include_str!("../../../src/schema/postgres-3.sql"),
    include_str!("../../../src/schema/postgres-4.sql"),
    include_str!("../../../src/schema/postgres-5.sql"),
    include_str!("../../../src/schema/postgres-6.sql"),
    include_str!("../../../src/schema/postgres-7.sql"),
    include_str!("../../../src/schema/postgres-8.sql"),
];

/// The number of items whose `noted` doesn't match their result, and the number of items with `noted`.
const COUNT_NOTED: &str =
    "SELECT count(*) FILTER (WHERE noted IS DISTINCT FROM CASE WHEN result IN ('rejected', 'unconfirmed')
    THEN result END) || ' ' || count(noted) FROM takt.item";

#[test]
fn no_index_depends_on_what_becomes_of_an_item() {
    let (home, _journal) = open_journal();
    // Includes dependencies of columns, expressions and conditions.
    let depends = "SELECT string_agg(DISTINCT attname, ' ') FROM pg_depend
         JOIN pg_index ON pg_depend.objid = indexrelid AND indrelid = 'takt.item'::regclass
         JOIN pg_attribute ON attrelid = refobjid AND attnum = refobjsubid
         WHERE classid = 'pg_class'::regclass AND refobjid = 'takt.item'::regclass
           AND attname IN ('result', 'reasons', 'batch', 'noted')";
    assert_eq!(query(&address(home.path()), depends), "noted");
}

#[test]
fn what_people_look_at_is_noted_as_long_as_it_is_so() {
    let (home, journal) = open_journal();
    let run = create_submission(&journal, 6);
    let submission = run.submission();
    let noted = || query(&address(home.path()), COUNT_NOTED);
    assert_eq!(noted(), "0 0");
    let outcomes: Vec<Outcome> = (1..=6)
        .map(|number| {
            outcome(number, [RowResult::Accepted, RowResult::Rejected, RowResult::Unconfirmed][number as usize % 3])
        })
        .collect();
    let attempt = begin_attempt(&journal, &run, &[1, 2, 3, 4, 5, 6]);
    journal.finish_attempt(&run, attempt, &outcomes, &attempt_end(OutcomeClass::Answered)).unwrap();
    assert_eq!(noted(), "0 4");
    let of = |result| {
        let rows = journal.rows().page(submission, Some(result), 0, 9).unwrap().rows;
        let details = journal.rows().item_details(submission, result, 0, 9).unwrap();
        assert_eq!(
            rows.iter().map(|row| row.item).collect::<Vec<_>>(),
            details.iter().map(|item| item.number).collect::<Vec<_>>()
        );
        rows.iter().map(|row| row.item).collect::<Vec<_>>()
    };
    let all = [RowResult::Accepted, RowResult::Rejected, RowResult::Unconfirmed];
    assert_eq!(all.map(of), [vec![3, 6], vec![1, 4], vec![2, 5]]);
    journal.decisions().resolve(&run, &[outcome(2, RowResult::Accepted), outcome(5, RowResult::Rejected)]).unwrap();
    assert_eq!(all.map(of), [vec![2, 3, 6], vec![1, 4, 5], vec![]]);
    assert_eq!(noted(), "0 3");
}

#[test]
fn a_team_of_the_sixth_version_finds_what_it_had_noted() {
    let owner = create_database();
    let rows = "INSERT INTO submission (operation, site, file, hash, sheet, started, state, batch_size, items, total, accepted, rejected,
            unconfirmed) VALUES ('materials.sync', 'works', '', '', 'Sheet1', '2026-01-01T00:00:00Z', 'interrupted', 2, 3, 3, 1, 1, 1);
        UPDATE submission SET plan = id;
        INSERT INTO item (submission, number, key, body, rows, result) SELECT id, number, 'MAT', '{}', 1, result FROM submission,
            (VALUES (1, 'accepted'), (2, 'rejected'), (3, 'unconfirmed')) AS item (number, result);
        INSERT INTO row (submission, item, sheet, row) SELECT submission, number, 'Sheet1', number + 1 FROM item";
    let steps = FIRST_SCHEMA_UPDATES[..6].concat();
    let sql = format!("CREATE SCHEMA takt; SET search_path = takt; {steps}; UPDATE version SET number = 6; {rows}");
    assert!(statement_succeeds(&owner, &sql));
    assert_eq!(Team::set_up(&owner.parse().unwrap(), &tls()).unwrap(), 6);
    assert_eq!(query(&owner, COUNT_NOTED), "0 2");
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("team"), &owner).unwrap();
    let desk = open(home.path());
    let id = desk.submissions(0, 1).unwrap()[0].id;
    let found = [RowResult::Rejected, RowResult::Unconfirmed].map(|result| {
        desk.rows().page(id, Some(result), 0, 9).unwrap().rows.iter().map(|row| row.row).collect::<Vec<_>>()
    });
    assert_eq!(found, [vec![3], vec![4]]);
    drop(desk);
    drop_database(&owner);
}

#[test]
fn many_rows_are_there_once_or_not_at_all() {
    let (_home, journal) = open_journal();
    let twice = (1..=400).map(|number| item(&[if number == 399 { 7 } else { number + 1 }]));
    let refused = journal.create_submission(&new_submission(), twice).unwrap_err();
    assert!(matches!(refused, JournalError::RowsDiffer), "{refused:?}");
    assert!(journal.submissions(0, 9).unwrap().is_empty());
    let run = create_submission(&journal, 400);
    let rows = journal.rows().page(run.submission(), None, 0, 999).unwrap().rows;
    assert_eq!(
        rows.iter().map(|row| (row.item, row.row)).collect::<Vec<_>>(),
        (1..=400).map(|item| (item, item + 1)).collect::<Vec<_>>()
    );
    let next = journal.next_items(run.submission(), 400).unwrap();
    assert_eq!(next[398].body, r#"{"code":"MAT-0400","description":"<b>bold</b>"}"#);
}
