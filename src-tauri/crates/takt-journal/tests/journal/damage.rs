//! Damaged files: the readable content moves to a new file, the history is never silently empty, and backups exist.

use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use takt_journal::{
    Inbox, Journal, ResultCounts, RowResult, SubmissionId, SubmissionState,
    attempt::OutcomeClass,
    backup::MAX_DAILY_BACKUPS,
    history::HistoryFilter,
    inbox::{NewEvent, SignatureState},
    salvage::{RESTORED, SalvagedCounts},
};

use super::support::{
    at, attempt_end, begin_attempt, create_submission, item, new_submission, open_journal, outcome, reason,
    verified_counts,
};

const ROWS: u32 = 3_000;
const PAGE: u64 = 4096;

/// Creates and closes a file with a finished submission of many rows, another one with two accepted and one pending,
/// and a setting.
fn create_filled_file() -> tempfile::TempDir {
    let (home, journal) = open_journal();
    let run = journal.create_submission(&new_submission(), (1..=ROWS).map(|number| item(&[number + 1]))).unwrap();
    let numbers: Vec<u32> = (1..=ROWS).collect();
    let attempt = begin_attempt(&journal, &run, &numbers);
    let outcomes: Vec<_> = numbers.iter().map(|number| outcome(*number, RowResult::Accepted)).collect();
    journal.finish_attempt(&run, attempt, &outcomes, &attempt_end(OutcomeClass::Answered)).unwrap();
    journal.change_state(&run, &[SubmissionState::Running], SubmissionState::Finished, at(2), None).unwrap();
    let run = create_submission(&journal, 3);
    let attempt = begin_attempt(&journal, &run, &[1, 2]);
    let outcomes = [outcome(1, RowResult::Accepted), outcome(2, RowResult::Accepted)];
    journal.finish_attempt(&run, attempt, &outcomes, &attempt_end(OutcomeClass::Answered)).unwrap();
    journal.settings().set("chosen-site", &serde_json::json!("north")).unwrap();
    home
}

fn overwrite(path: &Path, from: u64, pages: u64) {
    let mut file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(from * PAGE)).unwrap();
    file.write_all(&vec![0xA5; usize::try_from(pages * PAGE).unwrap()]).unwrap();
}

#[test]
fn holes_in_the_middle_lose_the_rows_in_them_and_nothing_else() {
    let home = create_filled_file();
    let path = home.path().join("journal.db");
    let pages = path.metadata().unwrap().len() / PAGE;
    overwrite(&path, pages / 2, 6);
    // A process that has the file open notices the damage when it reads. The next process that opens the file replaces
    // it.
    let first = Journal::open(&path).unwrap();
    assert!(!first.check_integrity().unwrap().problems.is_empty());
    assert_eq!(
        first.rows().after(SubmissionId::new(1), None, ROWS).err().and_then(|error| error.file_fault()),
        Some(takt_journal::FileFault::Damaged)
    );
    let elsewhere = Journal::open_or_salvage(&path, at(60)).unwrap();
    assert_eq!(elsewhere.1, None, "not while somebody has it open");
    drop((first, elsewhere));
    let (second, salvage) = Journal::open_or_salvage(&path, at(60)).unwrap();
    let salvage = salvage.unwrap();
    assert!(
        salvage.damaged_file.exists() && salvage.damaged_file.starts_with(home.path().join("damaged")),
        "{salvage:?}"
    );
    assert!(salvage.backup.is_none() && !salvage.damaged_tables.is_empty(), "{salvage:?}");
    assert!(second.check_integrity().unwrap().problems.is_empty());
    assert_eq!(second.history(&HistoryFilter::default(), 0, 9).unwrap().total, 2);
    let left = verified_counts(&second, SubmissionId::new(1));
    let missing: u32 =
        salvage.missing_rows.iter().filter(|(id, _)| *id == SubmissionId::new(1)).map(|(_, rows)| rows).sum();
    assert!(left.accepted > ROWS / 2, "{left:?}");
    assert_eq!(left.accepted + missing, ROWS);
    let SalvagedCounts { recovered, lost, rows, lost_rows } = salvage.counts;
    assert_eq!((recovered, lost, rows + lost_rows), (2, Some(0), ROWS + 3), "{salvage:?}");
    let open = second.submission(SubmissionId::new(2)).unwrap();
    assert_eq!((open.state, open.counts.accepted, open.counts.pending), (SubmissionState::Interrupted, 2, 1));
    assert_eq!(second.settings().get("chosen-site").unwrap(), Some(serde_json::json!("north")));
    assert_eq!(create_submission(&second, 1).submission(), SubmissionId::new(3), "numbers go on");
    drop(second);
    assert_eq!(Journal::open_or_salvage(&path, at(61)).unwrap().1, None, "once");
}

/// The beginning of each page is damaged, so that nothing can be trusted.
#[test]
fn a_file_of_which_nothing_can_be_read_is_told_as_such() {
    let home = create_filled_file();
    let path = home.path().join("journal.db");
    let mut bytes = std::fs::read(&path).unwrap();
    for byte in bytes.iter_mut().step_by(97) {
        *byte ^= 0xFF;
    }
    std::fs::write(&path, bytes).unwrap();
    let (journal, salvage) = Journal::open_or_salvage(&path, at(60)).unwrap();
    let salvage = salvage.unwrap();
    assert_eq!(salvage.counts, SalvagedCounts::default(), "{salvage:?}");
    assert!(journal.submissions(0, 9).unwrap().is_empty() && salvage.damaged_file.exists());
}

/// The page with the submissions is lost. The rest is recovered, with the maximum number of lost submissions.
#[test]
fn submissions_that_are_lost_are_counted() {
    let home = create_filled_file();
    let path = home.path().join("journal.db");
    let journal = Journal::open(&path).unwrap();
    for _ in 0..3 {
        drop(create_submission(&journal, 2));
    }
    drop(journal);
    let raw = rusqlite::Connection::open(&path).unwrap();
    // Of three submissions, only the numbers are left.
    raw.execute_batch(
        "PRAGMA foreign_keys = OFF; DELETE FROM submission WHERE id > 2; DELETE FROM item WHERE submission > 2",
    )
    .unwrap();
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'submission'";
    let page: u32 = raw.query_row(sql, [], |row| row.get(0)).unwrap();
    drop(raw);
    overwrite(&path, u64::from(page) - 1, 1);
    drop(std::fs::File::create(home.path().join("journal.db.damaged")).unwrap());
    let (journal, salvage) = Journal::open_or_salvage(&path, at(60)).unwrap();
    let counts = salvage.unwrap().counts;
    assert_eq!((counts.recovered, counts.lost, counts.rows), (2, Some(3), ROWS + 3));
    assert_eq!(journal.submissions(0, 9).unwrap().len(), 2);
}

#[test]
fn an_item_that_lost_what_is_sent_for_it_is_lost_as_a_whole() {
    let (home, journal) = open_journal();
    let path = home.path().join("journal.db");
    let id = create_submission(&journal, 3).submission();
    drop(journal);
    let raw = rusqlite::Connection::open(&path).unwrap();
    assert_eq!(raw.execute("DELETE FROM item_body WHERE item = 2", []), Ok(1));
    drop(raw);
    let journal = Journal::open(&path).unwrap();
    assert!(journal.next_items(id, 9).is_err(), "nothing is sent in its place");
    drop(journal);
    drop(std::fs::File::create(home.path().join("journal.db.damaged")).unwrap());
    let (journal, salvage) = Journal::open_or_salvage(&path, at(60)).unwrap();
    assert_eq!(salvage.unwrap().missing_rows, [(id, 1)]);
    let left: Vec<u32> = journal.next_items(id, 9).unwrap().iter().map(|item| item.number).collect();
    assert_eq!((left, verified_counts(&journal, id).pending), (vec![1, 3], 2));
    assert!(journal.check_integrity().unwrap().problems.is_empty());
}

#[test]
fn where_nothing_can_be_read_the_newest_backup_takes_its_place_and_resends_nothing() {
    let home = create_filled_file();
    let path = home.path().join("journal.db");
    let journal = Journal::open(&path).unwrap();
    assert!(journal.back_up_daily(at(3)).unwrap().is_some());
    assert_eq!(journal.back_up_daily(at(4)).unwrap(), None, "one a day");
    drop(journal);
    std::fs::write(&path, "nothing of it is left, not even how it began ".repeat(400)).unwrap();
    let (second, salvage) = Journal::open_or_salvage(&path, at(60)).unwrap();
    let salvage = salvage.unwrap();
    assert!(salvage.backup.is_some() && salvage.backup_at.is_some() && salvage.damaged_file.exists());
    assert_eq!(verified_counts(&second, SubmissionId::new(1)).accepted, ROWS);
    // The pending row may have been sent after the backup was made.
    let open = verified_counts(&second, SubmissionId::new(2));
    assert_eq!((open.accepted, open.pending, open.unconfirmed), (2, 0, 1));
    assert_eq!(
        second.rows().page(SubmissionId::new(2), Some(RowResult::Unconfirmed), 0, 9).unwrap().rows[0].reasons,
        [reason(RESTORED)]
    );
}

#[test]
fn what_was_ended_between_the_damaged_file_and_the_new_one_is_completed() {
    let home = create_filled_file();
    let path = home.path().join("journal.db");
    std::fs::rename(&path, home.path().join("journal.db.salvaged")).unwrap();
    let journal = Journal::open(&path).unwrap();
    assert_eq!(journal.history(&HistoryFilter::default(), 0, 9).unwrap().total, 2);
}

#[test]
fn a_backup_is_made_before_the_schema_is_changed_and_old_ones_go() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("journal.db");
    let raw = rusqlite::Connection::open(&path).unwrap();
    raw.execute_batch(include_str!("../../src/schema/1.sql")).unwrap();
    raw.execute_batch(
        "PRAGMA application_id = 0x54414B54; PRAGMA user_version = 1; INSERT INTO setting VALUES ('a', '1');",
    )
    .unwrap();
    drop(raw);
    let journal = Journal::open(&path).unwrap();
    let backups = journal.backups();
    assert!(backups.len() == 1 && backups[0].before_update, "{backups:?}");
    let old = rusqlite::Connection::open(&backups[0].path).unwrap();
    let version: u32 = old.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    let value: String = old.query_row("SELECT value FROM setting", [], |row| row.get(0)).unwrap();
    assert_eq!((version, value.as_str()), (1, "1"));
    drop(old);

    for day in 0..6 {
        journal.settings().set("day", &serde_json::json!(day)).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(journal.back_up_daily(at(day * 86_400)).unwrap().is_some(), "day {day}");
    }
    assert_eq!(journal.back_up_daily(at(7 * 86_400)).unwrap(), None, "nothing was changed since");
    let backups = journal.backups();
    let (updates, daily): (Vec<_>, Vec<_>) = backups.iter().partition(|backup| backup.before_update);
    // The backup of a version with secrets is removed once there is a newer backup.
    assert_eq!((updates.len(), daily.len()), (0, MAX_DAILY_BACKUPS as usize));
}

#[test]
fn a_damaged_file_never_pushes_out_a_good_backup() {
    let home = create_filled_file();
    let path = home.path().join("journal.db");
    let pages = path.metadata().unwrap().len() / PAGE;
    overwrite(&path, pages / 2, 6);
    let journal = Journal::open(&path).unwrap();
    let refused = journal.back_up_daily(at(3)).unwrap_err();
    assert_eq!(refused.file_fault(), Some(takt_journal::FileFault::Damaged), "{refused:?}");
    assert_eq!(journal.backups(), []);
    assert_eq!(std::fs::read_dir(home.path().join("backups")).unwrap().count(), 0);
}

#[test]
fn events_of_a_damaged_inbox_go_on_and_are_read_again() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("inbox.sqlite");
    let inbox = Inbox::open(&path).unwrap();
    let event = |number: i64| NewEvent {
        site: "north".to_owned(),
        received: at(number),
        headers: Vec::new(),
        body: vec![b'x'; 9_000],
        key: number,
        signed_key: None,
        duplicates_since: None,
        signed: SignatureState::Unchecked,
        replay: false,
    };
    for number in 1..=200 {
        inbox.store(&event(number)).unwrap();
    }
    drop(inbox);
    let length = path.metadata().unwrap().len();
    overwrite(&path, length / PAGE / 2, 8);
    drop(std::fs::File::create(home.path().join("inbox.sqlite.damaged")).unwrap());
    let (inbox, salvage) = Inbox::open_or_salvage(&path, at(900)).unwrap();
    let salvage = salvage.unwrap();
    assert!(salvage.damaged_file.exists());
    let left = (1..=200).filter(|event| inbox.raw_event(*event).unwrap().is_some()).count();
    assert!((150..=200).contains(&left), "{left}");
    assert_eq!(inbox.unread_events(1, 500).unwrap().len(), left);
    let SalvagedCounts { recovered, lost, .. } = salvage.counts;
    assert_eq!((recovered as usize, recovered + lost.unwrap()), (left, 200), "{salvage:?}");
    assert!(inbox.store(&event(500)).unwrap().event() > Some(200), "numbers go on");
    assert_eq!(inbox.store(&event(1)).unwrap().event(), Some(1), "what comes again is known again");
}

/// Creates a file with the old names of results: one submission with one row of each kind.
fn create_old_file(path: &Path) {
    let raw = rusqlite::Connection::open(path).unwrap();
    for step in [
        include_str!("../../src/schema/1.sql"),
        include_str!("../../src/schema/2.sql"),
        include_str!("../../src/schema/3.sql"),
        include_str!("../../src/schema/4.sql"),
        include_str!("../../src/schema/5.sql"),
        include_str!("../../src/schema/6.sql"),
        include_str!("../../src/schema/7.sql"),
        include_str!("../../src/schema/8.sql"),
    ] {
        raw.execute_batch(step).unwrap();
    }
    raw.execute_batch(
        "INSERT INTO submission (id, operation, site, file, hash, sheet, started, state, batch_size, items, total, accepted,
            rejected, in_doubt, plan)
         VALUES (1, 'materials.sync', 'works', 'a.xlsx', '', 'A', '2026-11-22T08:00:00Z', 'finished', 100, 3, 3, 1, 1, 1, 1);
         INSERT INTO item (submission, number, key, body, rows, fate) VALUES
            (1, 1, 'a', '{}', 1, 'accepted'), (1, 2, 'b', '{}', 1, 'rejected'), (1, 3, 'c', '{}', 1, 'in_doubt');
         INSERT INTO row (submission, item, sheet, row) VALUES (1, 1, 'A', 2), (1, 2, 'A', 3), (1, 3, 'A', 4);
         PRAGMA application_id = 0x54414B54; PRAGMA user_version = 8;",
    )
    .unwrap();
}

#[test]
fn what_was_in_doubt_before_is_unconfirmed_in_a_sound_file_and_in_a_damaged_one() {
    const FIRST: SubmissionId = SubmissionId::new(1);
    let one_of_each = |journal: &Journal| {
        assert_eq!(
            verified_counts(journal, FIRST),
            ResultCounts { accepted: 1, rejected: 1, unconfirmed: 1, ..ResultCounts::default() }
        )
    };
    let home = tempfile::tempdir().unwrap();
    let sound = home.path().join("sound.db");
    create_old_file(&sound);
    let journal = Journal::open(&sound).unwrap();
    one_of_each(&journal);
    let page = journal.rows().page(FIRST, Some(RowResult::Unconfirmed), 0, 9).unwrap();
    assert_eq!((page.total, page.rows[0].row), (1, 4));
    assert!(journal.check_integrity().unwrap().problems.is_empty());

    let damaged = home.path().join("damaged.db");
    create_old_file(&damaged);
    // Pages after the rows that contain nothing else.
    let raw = rusqlite::Connection::open(&damaged).unwrap();
    raw.execute("INSERT INTO setting (name, value) VALUES ('long', ?1)", ["x".repeat(100_000)]).unwrap();
    drop(raw);
    overwrite(&damaged, damaged.metadata().unwrap().len() / PAGE - 3, 3);
    let (journal, salvage) = Journal::open_or_salvage(&damaged, at(60)).unwrap();
    one_of_each(&journal);
    assert!(salvage.is_some() && journal.check_integrity().unwrap().problems.is_empty());
    assert_eq!(journal.rows().page(FIRST, Some(RowResult::Unconfirmed), 0, 9).unwrap().rows[0].row, 4);
}
