//! Rows, previous values, items and submissions of a team's database stay consistent: across single statements,
//! concurrent ones, schema updates and restores.

use std::thread;

use serde_json::json;
use takt_journal::{Journal, Run, SubmissionState, Team, item::NewItem};

use super::sending::STEPS;
use super::store::{Home, address, open, tls};
use super::support::{at, create, draft, item, journal, wait_for};
use crate::postgres::{Console, answer, database, impatient, remove, restore, state, statement_runs};

/// The SQLSTATEs that the tests expect.
const DONE: &str = "00000";
const NO_PARENT: &str = "23503";
const REFUSED: &str = "23000";
const NO_RIGHT: &str = "42501";

/// Counts rows and previous values, and how many of them have no item.
const PARTS: &str = "SELECT count(*) || ' ' || count(*) FILTER (WHERE NOT EXISTS
        (SELECT 1 FROM item WHERE item.submission = part.submission AND item.number = part.item))
    FROM (SELECT submission, item FROM row UNION ALL SELECT submission, item FROM before) AS part";

/// Creates a submission with items of one row each, and with previous values.
fn with_before(journal: &Journal, items: u32) -> Run {
    let items = (1..=items).map(|number| NewItem { before: Some(json!({ "code": number })), ..item(&[number + 1]) });
    journal.create_submission(&draft(), items).unwrap()
}

/// Creates a team's database with one submission of three items.
fn team() -> (Home, String, Run) {
    let (home, journal) = journal();
    let run = with_before(&journal, 3);
    assert_eq!(run.submission().get(), 1);
    let address = address(home.path());
    (home, address, run)
}

#[test]
fn no_statement_leaves_a_part_without_what_it_belongs_to() {
    let (_home, team, _run) = team();
    for (sql, expected) in [
        (
            "INSERT INTO item (submission, number, key, body, rows, result) VALUES (9, 1, '', '{}', 1, 'pending')",
            NO_PARENT,
        ),
        ("INSERT INTO row (submission, item, sheet, row) VALUES (1, 1, 'Sheet1', 9), (1, 4, 'Sheet1', 10)", NO_PARENT),
        ("INSERT INTO row (submission, item, sheet, row) VALUES (9, 1, 'Sheet1', 9)", NO_PARENT),
        ("INSERT INTO before (submission, item, body) VALUES (1, 4, '{}')", NO_PARENT),
        ("INSERT INTO before (submission, item, body) VALUES (9, 1, '{}')", NO_PARENT),
        ("DELETE FROM submission", NO_PARENT),
        ("DELETE FROM row; DELETE FROM item WHERE number = 2", NO_PARENT),
        ("DELETE FROM before; DELETE FROM item WHERE number = 2", NO_PARENT),
        (
            "INSERT INTO item (submission, number, key, body, rows, result)
                VALUES (1, 8, '', '{}', 1, 'pending'), (9, 1, '', '{}', 1, 'pending')",
            NO_PARENT,
        ),
        ("UPDATE submission SET id = 9", REFUSED),
        ("UPDATE item SET submission = 9", REFUSED),
        ("UPDATE item SET number = 9 WHERE number = 1", REFUSED),
        ("UPDATE row SET item = 9 WHERE item = 1", REFUSED),
        ("UPDATE row SET submission = 9", REFUSED),
        ("UPDATE before SET item = 9 WHERE item = 1", REFUSED),
        ("UPDATE before SET submission = 9", REFUSED),
        ("TRUNCATE submission CASCADE", REFUSED),
        ("TRUNCATE item CASCADE", REFUSED),
    ] {
        // The session ends, so any change is rolled back.
        assert_eq!(state(&team, &format!("BEGIN; {sql}")), expected, "{sql}");
    }
    assert_eq!(answer(&team, PARTS), "6 0");
    for sql in [
        "INSERT INTO row (submission, item, sheet, row) VALUES (1, 1, 'Sheet1', 9), (1, 2, 'Sheet1', 10)",
        "UPDATE row SET row = 11 WHERE row = 10",
        "UPDATE item SET result = 'skipped'",
        "DELETE FROM before WHERE item = 1; DELETE FROM row WHERE item = 1; DELETE FROM item WHERE number = 1",
        "DELETE FROM before; DELETE FROM row; DELETE FROM item; DELETE FROM submission",
        "DELETE FROM item; INSERT INTO row (submission, item, sheet, row) SELECT 9, 1, '', 1 WHERE FALSE",
    ] {
        assert_eq!(state(&team, sql), DONE, "{sql}");
    }
    assert_eq!(answer(&team, PARTS), "0 0");
}

#[test]
fn a_submission_takes_along_who_took_it_up_as_before() {
    let (_home, team, _run) = team();
    let sql = "INSERT INTO taken_up (submission, at, person) SELECT id, '', '' FROM submission;
        DELETE FROM before; DELETE FROM row; DELETE FROM item; DELETE FROM submission";
    assert_eq!(state(&team, sql), DONE);
    assert_eq!(answer(&team, "SELECT count(*) FROM taken_up"), "0");
}

/// Returns the result of two concurrent sessions: `first` runs and stays open, and `second` waits for it until `end`.
fn at_once(team: &str, (first, end): (&str, &str), second: &str) -> String {
    let (mut one, mut other) = (Console::open(team), Console::open(team));
    assert_eq!(one.state(&format!("BEGIN; {first}")), DONE, "{first}");
    let second = format!("BEGIN; {second}");
    let waiting = thread::spawn(move || {
        let state = other.state(&second);
        drop(other.state("COMMIT"));
        state
    });
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    wait_for(|| answer(team, waits) == "1" || waiting.is_finished());
    assert!(!waiting.is_finished(), "{first} holds nothing that the other waits for");
    assert_eq!(one.state(end), DONE);
    waiting.join().unwrap()
}

const REMOVES_PARTS: &str = "DELETE FROM before; DELETE FROM row; DELETE FROM item";
const ADDS_ROW: &str = "INSERT INTO row (submission, item, sheet, row) VALUES (1, 1, 'Sheet1', 9)";
const ADDS_BEFORE: &str = "INSERT INTO before (submission, item, body) VALUES (1, 1, '{}')";
const ADDS_ITEM: &str =
    "INSERT INTO item (submission, number, key, body, rows, result) VALUES (1, 9, '', '{}', 1, 'pending')";

#[test]
fn whoever_adds_a_part_and_whoever_removes_its_item_wait_for_each_other() {
    for adds in [ADDS_ROW, ADDS_BEFORE] {
        let (_home, team, _run) = team();
        assert!(statement_runs(&team, "DELETE FROM takt.before"));
        assert_eq!(
            at_once(&team, (adds, "COMMIT"), "DELETE FROM row WHERE row < 9; DELETE FROM item"),
            NO_PARENT,
            "{adds}"
        );
        assert!(statement_runs(&team, "DELETE FROM takt.before; DELETE FROM takt.row WHERE row = 9"));
        assert_eq!(
            at_once(&team, (adds, "ROLLBACK"), "DELETE FROM row; DELETE FROM item WHERE number > 1"),
            DONE,
            "{adds}"
        );
        assert_eq!(at_once(&team, (REMOVES_PARTS, "ROLLBACK"), adds), DONE, "{adds}");
        assert_eq!(at_once(&team, (REMOVES_PARTS, "COMMIT"), adds), NO_PARENT, "{adds}");
        assert_eq!(answer(&team, PARTS), "0 0");
    }
}

#[test]
fn whoever_adds_an_item_and_whoever_removes_its_submission_wait_for_each_other() {
    let (_home, team, _run) = team();
    assert!(statement_runs(&team, &format!("SET search_path = takt; {REMOVES_PARTS}")));
    assert_eq!(at_once(&team, (ADDS_ITEM, "COMMIT"), "DELETE FROM submission"), NO_PARENT);
    assert!(statement_runs(&team, "DELETE FROM takt.item"));
    assert_eq!(at_once(&team, ("DELETE FROM submission", "ROLLBACK"), ADDS_ITEM), DONE);
    assert!(statement_runs(&team, "DELETE FROM takt.item"));
    assert_eq!(at_once(&team, ("DELETE FROM submission", "COMMIT"), ADDS_ITEM), NO_PARENT);
    assert_eq!(answer(&team, "SELECT count(*) FROM item"), "0");
}

#[test]
fn who_doesnt_see_what_was_committed_meanwhile_changes_no_parts() {
    let (home, team, _run) = team();
    let (removes_item, removes_submission) =
        ("DELETE FROM item WHERE number = 9", "DELETE FROM submission WHERE id = 9");
    for isolation in ["REPEATABLE READ", "SERIALIZABLE"] {
        for sql in [ADDS_ROW, ADDS_BEFORE, removes_item, removes_submission] {
            assert_eq!(
                state(&team, &format!("BEGIN ISOLATION LEVEL {isolation}; {sql}")),
                REFUSED,
                "{isolation} {sql}"
            );
        }
    }
    // A desk sets the isolation level that it needs.
    let sql = "ALTER ROLE takt IN DATABASE {} SET default_transaction_isolation = 'serializable'";
    let (_, name) = impatient(&team).rsplit_once('/').unwrap();
    assert!(statement_runs(&team, &sql.replace("{}", name)));
    drop(with_before(&open(home.path()), 2));
}

#[test]
fn parts_are_looked_up_one_by_one_also_where_the_planner_knows_nothing_of_their_submission() {
    const ITEMS: u32 = 2_000;
    let (home, journal) = journal();
    let team = address(home.path());
    drop(with_before(&journal, 1));
    // From here on, the planner expects one item per submission. A session keeps the plans for a small table.
    assert!(statement_runs(&team, "ANALYZE takt.item, takt.row, takt.before"));
    drop(with_before(&journal, 1));
    let run = with_before(&journal, ITEMS);
    journal.change_state(&run, &[SubmissionState::Running], SubmissionState::Stopped, at(2), None).unwrap();
    drop((run, journal));
    assert_eq!(state(&team, "DELETE FROM before; DELETE FROM row; DELETE FROM item"), DONE);
    // PostgreSQL publishes a session's statistics when the session ends, so the test waits for them.
    let read = |what: &str| {
        let sql = format!("SELECT sum({what}) FROM pg_stat_user_tables WHERE relname IN ('item', 'row', 'before')");
        answer(&team, &sql).parse::<u32>().unwrap()
    };
    wait_for(|| read("n_tup_ins") == 6 + 3 * ITEMS && read("n_tup_del") == 6 + 3 * ITEMS);
    let all = read("seq_tup_read + idx_tup_fetch");
    // Each added part, each removed row and each changed item is read a few times. A scan per part would read far more.
    assert!((5 * ITEMS..12 * ITEMS).contains(&all), "{all}");
}

#[test]
fn a_name_with_few_rights_adds_what_belongs_together_and_no_schema_of_its_own_misleads_it() {
    let (home, team, _run) = team();
    let sql = "DROP ROLE IF EXISTS parts_desk, parts_only; CREATE ROLE parts_desk LOGIN; GRANT takt_desk TO parts_desk;
        CREATE ROLE parts_only LOGIN; GRANT USAGE ON SCHEMA takt TO parts_only; GRANT INSERT ON takt.row, takt.before TO parts_only";
    assert!(statement_runs(&team, sql));
    let of = |name: &str| team.replacen("takt@", &format!("{name}@"), 1);
    // A desk's login, with single rows and with many.
    let desk = Journal::open(&home.path().join("desk.db")).unwrap();
    let desk = Team::join(desk, of("parts_desk").parse().unwrap(), std::sync::Arc::new(|| None), tls());
    drop((with_before(&desk, 2), with_before(&desk, 400)));
    // As with a foreign key, inserting into one table needs no rights on the others.
    assert_eq!(state(&of("parts_only"), ADDS_ROW), DONE);
    for name in ["parts_desk", "parts_only"] {
        let mut session = Console::open(&of(name));
        let tables = "SET search_path = pg_temp, takt; CREATE TEMP TABLE item AS SELECT 1 AS submission, 4 AS number;
            CREATE TEMP TABLE submission AS SELECT 1 AS id";
        assert_eq!(session.state(tables), DONE);
        assert_eq!(
            session.state("INSERT INTO row (submission, item, sheet, row) VALUES (1, 4, 'Sheet1', 10)"),
            NO_PARENT
        );
        // With a table of its own, a login could probe the data of others.
        let asks = "CREATE TEMP TABLE own (submission BIGINT, item BIGINT); CREATE TRIGGER own AFTER INSERT ON own
            REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION takt.part_has_item()";
        assert_eq!(session.state(asks), NO_RIGHT);
    }
    assert_eq!(state(&of("parts_desk"), "DROP TRIGGER row_has_item ON row"), NO_RIGHT);
    drop(desk);
    assert!(statement_runs(&team, "DROP OWNED BY parts_desk, parts_only; DROP ROLE parts_desk, parts_only"));
}

/// Constraints and triggers that keep these tables consistent.
const CONSTRAINTS_QUERY: &str = "SELECT string_agg(name, ' ' ORDER BY name COLLATE \"C\") FROM (
    SELECT conname AS name FROM pg_constraint WHERE contype = 'f' AND conrelid IN ('item'::regclass, 'row'::regclass, 'before'::regclass)
    UNION ALL SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled = 'O'
        AND tgrelid IN ('submission'::regclass, 'item'::regclass, 'row'::regclass, 'before'::regclass)) AS held";
const EXPECTED_CONSTRAINTS: &str = "before_has_item before_reads_committed before_stays item_has_submission item_is_kept item_leaves_no_part \
    item_reads_committed item_stays note_item row_has_item row_reads_committed row_stays submission_is_kept \
    submission_leaves_no_item submission_reads_committed submission_stays";

#[test]
fn a_team_of_the_eighth_version_keeps_its_rows_and_what_holds_them_together() {
    let owner = database();
    let rows = "INSERT INTO submission (operation, site, file, hash, sheet, started, state, batch_size, items, total, accepted)
            VALUES ('materials.sync', 'works', '', '', 'Sheet1', '2026-01-01T00:00:00Z', 'interrupted', 2, 3, 3, 3);
        UPDATE submission SET plan = id;
        INSERT INTO item (submission, number, key, body, rows, result) SELECT 1, number, 'MAT', '{}', 1, 'accepted' FROM generate_series(1, 3) AS number;
        INSERT INTO row (submission, item, sheet, row) SELECT submission, number, 'Sheet1', number + 1 FROM item;
        INSERT INTO before (submission, item, body) SELECT submission, number, '{}' FROM item WHERE number < 3;
        INSERT INTO wait VALUES (1, 2, 1, 1, 1)";
    let steps = STEPS.concat();
    let sql = format!("CREATE SCHEMA takt; SET search_path = takt; {steps}; UPDATE version SET number = 8; {rows}");
    assert!(statement_runs(&owner, &sql));
    assert_eq!(Team::set_up(&owner.parse().unwrap(), &tls()).unwrap(), 8);
    assert_eq!(answer(&owner, PARTS), "5 0");
    assert_eq!(answer(&owner, CONSTRAINTS_QUERY), EXPECTED_CONSTRAINTS);
    assert_eq!(state(&owner, "INSERT INTO row (submission, item, sheet, row) VALUES (1, 4, 'Sheet1', 9)"), NO_PARENT);
    assert_eq!(state(&owner, "DELETE FROM wait; DELETE FROM before; DELETE FROM item"), NO_PARENT);
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("team"), &owner).unwrap();
    let desk = open(home.path());
    let id = desk.submissions(0, 1).unwrap()[0].id;
    let found = desk.rows().page(id, None, 0, 9).unwrap().rows;
    assert_eq!(found.iter().map(|row| (row.item, row.row)).collect::<Vec<_>>(), [(1, 2), (2, 3), (3, 4)]);
    drop(with_before(&desk, 40));
    drop(desk);
    remove(&owner);
}

#[test]
fn a_restored_team_has_what_was_dumped_and_is_held_together() {
    let (_home, team, run) = team();
    drop(run);
    let copy = database();
    // Into an empty database, and over existing data.
    for parts in ["6 0", "46 0"] {
        restore(&team, &copy);
        assert_eq!(
            (answer(&copy, PARTS).as_str(), answer(&copy, CONSTRAINTS_QUERY).as_str()),
            (parts, EXPECTED_CONSTRAINTS)
        );
        for sql in ["UPDATE row SET item = 9", "TRUNCATE item CASCADE", "UPDATE submission SET id = 9"] {
            assert_eq!(state(&copy, sql), REFUSED, "{sql}");
        }
        assert_eq!(state(&copy, "INSERT INTO before (submission, item, body) VALUES (1, 4, '{}')"), NO_PARENT);
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("team"), &copy).unwrap();
        let desk = open(home.path());
        let check = Team::of(&desk).unwrap().check(jiff::Timestamp::now).unwrap();
        assert_eq!(check.schema.0, check.schema.1);
        drop(create(&desk, 40));
        drop(desk);
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("team"), &team).unwrap();
        drop(with_before(&open(home.path()), 20));
    }
    remove(&copy);
}
