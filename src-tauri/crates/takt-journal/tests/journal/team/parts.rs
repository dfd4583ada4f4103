//! Rows, previous values, items and submissions of a team's database stay consistent: across single statements,
//! concurrent ones, schema updates and restores.

use std::thread;

use serde_json::json;
use takt_journal::{Journal, Run, SubmissionState, Team, item::NewItem};

use super::sending::FIRST_SCHEMA_UPDATES;
use super::store::{Home, address, open, tls};
use super::support::{at, create_submission, item, new_submission, open_journal, wait_for};
use crate::postgres::{
    PsqlSession, create_database, drop_database, query, restore, sqlstate, statement_succeeds, without_connect_timeout,
};

/// The SQLSTATEs that the tests expect.
const SUCCESS: &str = "00000";
const FOREIGN_KEY_VIOLATION: &str = "23503";
const CONSTRAINT_VIOLATION: &str = "23000";
const INSUFFICIENT_PRIVILEGE: &str = "42501";

/// Counts rows and previous values, and how many of them have no item.
const COUNT_PARTS: &str = "SELECT count(*) || ' ' || count(*) FILTER (WHERE NOT EXISTS
        (SELECT 1 FROM item WHERE item.submission = part.submission AND item.number = part.item))
    FROM (SELECT submission, item FROM row UNION ALL SELECT submission, item FROM before) AS part";

/// Creates a submission with items of one row each, and with previous values.
fn create_with_previous_values(journal: &Journal, items: u32) -> Run {
    let items = (1..=items).map(|number| NewItem { before: Some(json!({ "code": number })), ..item(&[number + 1]) });
    journal.create_submission(&new_submission(), items).unwrap()
}

/// Creates a team's database with one submission of three items.
fn create_team() -> (Home, String, Run) {
    let (home, journal) = open_journal();
    let run = create_with_previous_values(&journal, 3);
    assert_eq!(run.submission().get(), 1);
    let address = address(home.path());
    (home, address, run)
}

#[test]
fn no_statement_leaves_a_part_without_what_it_belongs_to() {
    let (_home, team, _run) = create_team();
    for (sql, expected) in [
        (
            "INSERT INTO item (submission, number, key, body, rows, result) VALUES (9, 1, '', '{}', 1, 'pending')",
            FOREIGN_KEY_VIOLATION,
        ),
        (
            "INSERT INTO row (submission, item, sheet, row) VALUES (1, 1, 'Sheet1', 9), (1, 4, 'Sheet1', 10)",
            FOREIGN_KEY_VIOLATION,
        ),
        ("INSERT INTO row (submission, item, sheet, row) VALUES (9, 1, 'Sheet1', 9)", FOREIGN_KEY_VIOLATION),
        ("INSERT INTO before (submission, item, body) VALUES (1, 4, '{}')", FOREIGN_KEY_VIOLATION),
        ("INSERT INTO before (submission, item, body) VALUES (9, 1, '{}')", FOREIGN_KEY_VIOLATION),
        ("DELETE FROM submission", FOREIGN_KEY_VIOLATION),
        ("DELETE FROM row; DELETE FROM item WHERE number = 2", FOREIGN_KEY_VIOLATION),
        ("DELETE FROM before; DELETE FROM item WHERE number = 2", FOREIGN_KEY_VIOLATION),
        (
            "INSERT INTO item (submission, number, key, body, rows, result)
                VALUES (1, 8, '', '{}', 1, 'pending'), (9, 1, '', '{}', 1, 'pending')",
            FOREIGN_KEY_VIOLATION,
        ),
        ("UPDATE submission SET id = 9", CONSTRAINT_VIOLATION),
        ("UPDATE item SET submission = 9", CONSTRAINT_VIOLATION),
        ("UPDATE item SET number = 9 WHERE number = 1", CONSTRAINT_VIOLATION),
        ("UPDATE row SET item = 9 WHERE item = 1", CONSTRAINT_VIOLATION),
        ("UPDATE row SET submission = 9", CONSTRAINT_VIOLATION),
        ("UPDATE before SET item = 9 WHERE item = 1", CONSTRAINT_VIOLATION),
        ("UPDATE before SET submission = 9", CONSTRAINT_VIOLATION),
        ("TRUNCATE submission CASCADE", CONSTRAINT_VIOLATION),
        ("TRUNCATE item CASCADE", CONSTRAINT_VIOLATION),
    ] {
        // The session ends, so any change is rolled back.
        assert_eq!(sqlstate(&team, &format!("BEGIN; {sql}")), expected, "{sql}");
    }
    assert_eq!(query(&team, COUNT_PARTS), "6 0");
    for sql in [
        "INSERT INTO row (submission, item, sheet, row) VALUES (1, 1, 'Sheet1', 9), (1, 2, 'Sheet1', 10)",
        "UPDATE row SET row = 11 WHERE row = 10",
        "UPDATE item SET result = 'skipped'",
        "DELETE FROM before WHERE item = 1; DELETE FROM row WHERE item = 1; DELETE FROM item WHERE number = 1",
        "DELETE FROM before; DELETE FROM row; DELETE FROM item; DELETE FROM submission",
        "DELETE FROM item; INSERT INTO row (submission, item, sheet, row) SELECT 9, 1, '', 1 WHERE FALSE",
    ] {
        assert_eq!(sqlstate(&team, sql), SUCCESS, "{sql}");
    }
    assert_eq!(query(&team, COUNT_PARTS), "0 0");
}

#[test]
fn a_submission_takes_along_who_took_it_up_as_before() {
    let (_home, team, _run) = create_team();
    let sql = "INSERT INTO taken_up (submission, at, person) SELECT id, '', '' FROM submission;
        DELETE FROM before; DELETE FROM row; DELETE FROM item; DELETE FROM submission";
    assert_eq!(sqlstate(&team, sql), SUCCESS);
    assert_eq!(query(&team, "SELECT count(*) FROM taken_up"), "0");
}

/// Runs statements in two concurrent sessions, and returns the SQLSTATE of `second`. `second` waits for the transaction
/// of `first` until `end` runs.
fn run_concurrently(team: &str, (first, end): (&str, &str), second: &str) -> String {
    let (mut one, mut other) = (PsqlSession::open(team), PsqlSession::open(team));
    assert_eq!(one.sqlstate(&format!("BEGIN; {first}")), SUCCESS, "{first}");
    let second = format!("BEGIN; {second}");
    let waiting = thread::spawn(move || {
        let state = other.sqlstate(&second);
        drop(other.sqlstate("COMMIT"));
        state
    });
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    wait_for(|| query(team, waits) == "1" || waiting.is_finished());
    assert!(!waiting.is_finished(), "{first} holds nothing that the other waits for");
    assert_eq!(one.sqlstate(end), SUCCESS);
    waiting.join().unwrap()
}

const REMOVE_PARTS: &str = "DELETE FROM before; DELETE FROM row; DELETE FROM item";
const ADD_ROW: &str = "INSERT INTO row (submission, item, sheet, row) VALUES (1, 1, 'Sheet1', 9)";
const ADD_BEFORE: &str = "INSERT INTO before (submission, item, body) VALUES (1, 1, '{}')";
const ADD_ITEM: &str =
    "INSERT INTO item (submission, number, key, body, rows, result) VALUES (1, 9, '', '{}', 1, 'pending')";

#[test]
fn whoever_adds_a_part_and_whoever_removes_its_item_wait_for_each_other() {
    for adds in [ADD_ROW, ADD_BEFORE] {
        let (_home, team, _run) = create_team();
        assert!(statement_succeeds(&team, "DELETE FROM takt.before"));
        assert_eq!(
            run_concurrently(&team, (adds, "COMMIT"), "DELETE FROM row WHERE row < 9; DELETE FROM item"),
            FOREIGN_KEY_VIOLATION,
            "{adds}"
        );
        assert!(statement_succeeds(&team, "DELETE FROM takt.before; DELETE FROM takt.row WHERE row = 9"));
        assert_eq!(
            run_concurrently(&team, (adds, "ROLLBACK"), "DELETE FROM row; DELETE FROM item WHERE number > 1"),
            SUCCESS,
            "{adds}"
        );
        assert_eq!(run_concurrently(&team, (REMOVE_PARTS, "ROLLBACK"), adds), SUCCESS, "{adds}");
        assert_eq!(run_concurrently(&team, (REMOVE_PARTS, "COMMIT"), adds), FOREIGN_KEY_VIOLATION, "{adds}");
        assert_eq!(query(&team, COUNT_PARTS), "0 0");
    }
}

#[test]
fn whoever_adds_an_item_and_whoever_removes_its_submission_wait_for_each_other() {
    let (_home, team, _run) = create_team();
    assert!(statement_succeeds(&team, &format!("SET search_path = takt; {REMOVE_PARTS}")));
    assert_eq!(run_concurrently(&team, (ADD_ITEM, "COMMIT"), "DELETE FROM submission"), FOREIGN_KEY_VIOLATION);
    assert!(statement_succeeds(&team, "DELETE FROM takt.item"));
    assert_eq!(run_concurrently(&team, ("DELETE FROM submission", "ROLLBACK"), ADD_ITEM), SUCCESS);
    assert!(statement_succeeds(&team, "DELETE FROM takt.item"));
    assert_eq!(run_concurrently(&team, ("DELETE FROM submission", "COMMIT"), ADD_ITEM), FOREIGN_KEY_VIOLATION);
    assert_eq!(query(&team, "SELECT count(*) FROM item"), "0");
}

#[test]
fn who_doesnt_see_what_was_committed_meanwhile_changes_no_parts() {
    let (home, team, _run) = create_team();
    let (removes_item, removes_submission) =
        ("DELETE FROM item WHERE number = 9", "DELETE FROM submission WHERE id = 9");
    for isolation in ["REPEATABLE READ", "SERIALIZABLE"] {
        for sql in [ADD_ROW, ADD_BEFORE, removes_item, removes_submission] {
            assert_eq!(
                sqlstate(&team, &format!("BEGIN ISOLATION LEVEL {isolation}; {sql}")),
                CONSTRAINT_VIOLATION,
                "{isolation} {sql}"
            );
        }
    }
    // A desk sets the isolation level that it needs.
    let sql = "ALTER ROLE takt IN DATABASE {} SET default_transaction_isolation = 'serializable'";
    let (_, name) = without_connect_timeout(&team).rsplit_once('/').unwrap();
    assert!(statement_succeeds(&team, &sql.replace("{}", name)));
    drop(create_with_previous_values(&open(home.path()), 2));
}

#[test]
fn parts_are_looked_up_one_by_one_also_where_the_planner_knows_nothing_of_their_submission() {
    const ITEMS: u32 = 2_000;
    let (home, journal) = open_journal();
    let team = address(home.path());
    drop(create_with_previous_values(&journal, 1));
    // After ANALYZE, PostgreSQL expects one item per submission. A session reuses these query plans for large tables.
    assert!(statement_succeeds(&team, "ANALYZE takt.item, takt.row, takt.before"));
    drop(create_with_previous_values(&journal, 1));
    let run = create_with_previous_values(&journal, ITEMS);
    journal.change_state(&run, &[SubmissionState::Running], SubmissionState::Stopped, at(2), None).unwrap();
    drop((run, journal));
    assert_eq!(sqlstate(&team, "DELETE FROM before; DELETE FROM row; DELETE FROM item"), SUCCESS);
    // PostgreSQL publishes a session's statistics when the session ends, so the test waits for them.
    let read = |what: &str| {
        let sql = format!("SELECT sum({what}) FROM pg_stat_user_tables WHERE relname IN ('item', 'row', 'before')");
        query(&team, &sql).parse::<u32>().unwrap()
    };
    wait_for(|| read("n_tup_ins") == 6 + 3 * ITEMS && read("n_tup_del") == 6 + 3 * ITEMS);
    let all = read("seq_tup_read + idx_tup_fetch");
    // Each added part, removed row and changed item is read only a few times. A scan per part would read far more.
    assert!((5 * ITEMS..12 * ITEMS).contains(&all), "{all}");
}

#[test]
fn a_name_with_few_rights_adds_what_belongs_together_and_no_schema_of_its_own_misleads_it() {
    let (home, team, _run) = create_team();
    let sql = "DROP ROLE IF EXISTS parts_desk, parts_only; CREATE ROLE parts_desk LOGIN; GRANT takt_desk TO parts_desk;
        CREATE ROLE parts_only LOGIN; GRANT USAGE ON SCHEMA takt TO parts_only; GRANT INSERT ON takt.row, takt.before TO parts_only";
    assert!(statement_succeeds(&team, sql));
    let of = |name: &str| team.replacen("takt@", &format!("{name}@"), 1);
    // A desk's login, with single rows and with many.
    let desk = Journal::open(&home.path().join("desk.db")).unwrap();
    let desk = Team::join(desk, of("parts_desk").parse().unwrap(), std::sync::Arc::new(|| None), tls());
    drop((create_with_previous_values(&desk, 2), create_with_previous_values(&desk, 400)));
    // As with a foreign key, inserting into one table needs no rights on the others.
    assert_eq!(sqlstate(&of("parts_only"), ADD_ROW), SUCCESS);
    for name in ["parts_desk", "parts_only"] {
        let mut session = PsqlSession::open(&of(name));
        let tables = "SET search_path = pg_temp, takt; CREATE TEMP TABLE item AS SELECT 1 AS submission, 4 AS number;
            CREATE TEMP TABLE submission AS SELECT 1 AS id";
        assert_eq!(session.sqlstate(tables), SUCCESS);
        assert_eq!(
            session.sqlstate("INSERT INTO row (submission, item, sheet, row) VALUES (1, 4, 'Sheet1', 10)"),
            FOREIGN_KEY_VIOLATION
        );
        // Otherwise, a login with its own table could probe the data of other users.
        let asks = "CREATE TEMP TABLE own (submission BIGINT, item BIGINT); CREATE TRIGGER own AFTER INSERT ON own
            REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION takt.part_has_item()";
        assert_eq!(session.sqlstate(asks), INSUFFICIENT_PRIVILEGE);
    }
    assert_eq!(sqlstate(&of("parts_desk"), "DROP TRIGGER row_has_item ON row"), INSUFFICIENT_PRIVILEGE);
    drop(desk);
    assert!(statement_succeeds(&team, "DROP OWNED BY parts_desk, parts_only; DROP ROLE parts_desk, parts_only"));
}

/// Lists the constraints and triggers that keep these tables consistent.
const CONSTRAINTS_QUERY: &str = "SELECT string_agg(name, ' ' ORDER BY name COLLATE \"C\") FROM (
    SELECT conname AS name FROM pg_constraint WHERE contype = 'f' AND conrelid IN ('item'::regclass, 'row'::regclass, 'before'::regclass)
    UNION ALL SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled = 'O'
        AND tgrelid IN ('submission'::regclass, 'item'::regclass, 'row'::regclass, 'before'::regclass)) AS held";
const EXPECTED_CONSTRAINTS: &str = "before_has_item before_reads_committed before_stays item_has_submission item_is_kept item_leaves_no_part \
    item_reads_committed item_stays note_item row_has_item row_reads_committed row_stays submission_is_kept \
    submission_leaves_no_item submission_reads_committed submission_stays";

#[test]
fn a_team_of_the_eighth_version_keeps_its_rows_and_what_holds_them_together() {
    let owner = create_database();
    let rows = "INSERT INTO submission (operation, site, file, hash, sheet, started, state, batch_size, items, total, accepted)
            VALUES ('materials.sync', 'works', '', '', 'Sheet1', '2026-01-01T00:00:00Z', 'interrupted', 2, 3, 3, 3);
        UPDATE submission SET plan = id;
        INSERT INTO item (submission, number, key, body, rows, result) SELECT 1, number, 'MAT', '{}', 1, 'accepted' FROM generate_series(1, 3) AS number;
        INSERT INTO row (submission, item, sheet, row) SELECT submission, number, 'Sheet1', number + 1 FROM item;
        INSERT INTO before (submission, item, body) SELECT submission, number, '{}' FROM item WHERE number < 3;
        INSERT INTO wait VALUES (1, 2, 1, 1, 1)";
    let steps = FIRST_SCHEMA_UPDATES.concat();
    let sql = format!("CREATE SCHEMA takt; SET search_path = takt; {steps}; UPDATE version SET number = 8; {rows}");
    assert!(statement_succeeds(&owner, &sql));
    assert_eq!(Team::set_up(&owner.parse().unwrap(), &tls()).unwrap(), 8);
    assert_eq!(query(&owner, COUNT_PARTS), "5 0");
    assert_eq!(query(&owner, CONSTRAINTS_QUERY), EXPECTED_CONSTRAINTS);
    assert_eq!(
        sqlstate(&owner, "INSERT INTO row (submission, item, sheet, row) VALUES (1, 4, 'Sheet1', 9)"),
        FOREIGN_KEY_VIOLATION
    );
    assert_eq!(sqlstate(&owner, "DELETE FROM wait; DELETE FROM before; DELETE FROM item"), FOREIGN_KEY_VIOLATION);
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("team"), &owner).unwrap();
    let desk = open(home.path());
    let id = desk.submissions(0, 1).unwrap()[0].id;
    let found = desk.rows().page(id, None, 0, 9).unwrap().rows;
    assert_eq!(found.iter().map(|row| (row.item, row.row)).collect::<Vec<_>>(), [(1, 2), (2, 3), (3, 4)]);
    drop(create_with_previous_values(&desk, 40));
    drop(desk);
    drop_database(&owner);
}

#[test]
fn a_restored_team_has_what_was_dumped_and_is_held_together() {
    let (_home, team, run) = create_team();
    drop(run);
    let copy = create_database();
    // Into an empty database, and over existing data.
    for parts in ["6 0", "46 0"] {
        restore(&team, &copy);
        assert_eq!(
            (query(&copy, COUNT_PARTS).as_str(), query(&copy, CONSTRAINTS_QUERY).as_str()),
            (parts, EXPECTED_CONSTRAINTS)
        );
        for sql in ["UPDATE row SET item = 9", "TRUNCATE item CASCADE", "UPDATE submission SET id = 9"] {
            assert_eq!(sqlstate(&copy, sql), CONSTRAINT_VIOLATION, "{sql}");
        }
        assert_eq!(
            sqlstate(&copy, "INSERT INTO before (submission, item, body) VALUES (1, 4, '{}')"),
            FOREIGN_KEY_VIOLATION
        );
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("team"), &copy).unwrap();
        let desk = open(home.path());
        let check = Team::from_journal(&desk).unwrap().check(jiff::Timestamp::now).unwrap();
        assert_eq!(check.schema.0, check.schema.1);
        drop(create_submission(&desk, 40));
        drop(desk);
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("team"), &team).unwrap();
        drop(create_with_previous_values(&open(home.path()), 20));
    }
    drop_database(&copy);
}
