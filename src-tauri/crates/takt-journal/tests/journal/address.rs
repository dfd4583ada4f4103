//! The stored address of a submission's site.

use rusqlite::Connection;
use serde_json::json;
use takt_journal::{
    Inbox, Journal, NewSubmission, PlanId, RowResult, SiteAddress, SubmissionId, attempt::OutcomeClass,
    site::SiteRecord,
};

use super::support::{at, attempt_end, begin_attempt, item, new_submission, open_journal, outcome};

fn address(base: &str) -> SiteAddress {
    SiteAddress { base_url: format!("https://{base}.example"), auth_url: format!("https://auth.{base}.example") }
}

#[test]
fn a_submission_keeps_where_its_site_was() {
    let (home, journal) = open_journal();
    let new = NewSubmission { site: "works".to_owned(), address: address("north"), ..new_submission() };
    let id = journal.create_submission(&new, [item(&[2])]).unwrap().submission();
    drop(journal);
    let journal = Journal::open(&home.path().join("journal.db")).unwrap();
    assert_eq!(journal.submission(id).unwrap().address, address("north"));
}

/// A file with the first versions of the schema. One site still exists, one is gone, and one is the practice plant.
#[test]
fn older_submissions_take_the_address_that_their_site_has_now() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("journal.db");
    let old = Connection::open(&path).unwrap();
    for step in [
        include_str!("../../src/schema/1.sql"),
        include_str!("../../src/schema/2.sql"),
        include_str!("../../src/schema/3.sql"),
        include_str!("../../src/schema/4.sql"),
    ] {
        old.execute_batch(step).unwrap();
    }
    let body = json!({ "name": "works", "baseUrl": "https://north.example", "authUrl": "https://auth.north.example" });
    old.execute("INSERT INTO site (name, body, position) VALUES ('works', ?1, 1)", [body.to_string()]).unwrap();
    for site in ["works", "gone", "practice"] {
        let sql = "INSERT INTO submission (operation, site, file, hash, sheet, started, state, batch_size)
                   VALUES ('materials.sync', ?1, '', '', '', '2026-11-22T08:00:00Z', 'finished', 100)";
        old.execute(sql, [site]).unwrap();
    }
    old.execute_batch("PRAGMA application_id = 0x54414B54; PRAGMA user_version = 4;").unwrap();
    drop(old);

    let journal = Journal::open(&path).unwrap();
    let address_of = |id| journal.submission(id).unwrap().address;
    assert_eq!(
        [address_of(SubmissionId::new(1)), address_of(SubmissionId::new(2)), address_of(SubmissionId::new(3))],
        [address("north"), SiteAddress::default(), SiteAddress::default()]
    );
    // A submission without a plan becomes a plan.
    assert_eq!(
        (journal.submission(SubmissionId::new(2)).unwrap().plan, journal.plans().steps(PlanId::new(2)).unwrap()),
        (PlanId::new(2), vec![SubmissionId::new(2)])
    );
}

#[test]
fn what_was_accepted_elsewhere_settles_nothing_here() {
    let (_home, journal) = open_journal();
    let at_first = NewSubmission { address: address("north"), ..new_submission() };
    let first = journal.create_submission(&at_first, [item(&[2])]).unwrap().submission();
    for (place, settled) in [("south", 0), ("north", 1)] {
        let new = NewSubmission { address: address(place), at: at(5), ..new_submission() };
        let run = journal.create_submission(&new, [item(&[2])]).unwrap();
        let attempt = begin_attempt(&journal, &run, &[1]);
        journal
            .finish_attempt(&run, attempt, &[outcome(1, RowResult::Accepted)], &attempt_end(OutcomeClass::Answered))
            .unwrap();
        assert_eq!(journal.rows().keys_accepted_later(first).unwrap().len(), settled, "{place}");
    }
}

#[test]
fn what_was_overwritten_is_in_no_file_any_more() {
    let (home, journal) = open_journal();
    let site = |proxy: &str| SiteRecord {
        name: "works".to_owned(),
        body: json!({ "proxy": proxy, "more": "x".repeat(9_000) }),
    };
    journal.sites().save(&site("http://anna:geheim-4711@proxy.example")).unwrap();
    journal.sites().save(&site("http://anna@proxy.example")).unwrap();
    assert!(journal.erase_deleted_content().unwrap());
    for entry in std::fs::read_dir(home.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            assert!(!bytes.windows(11).any(|window| window == b"geheim-4711"), "{}", path.display());
        }
    }
}

#[test]
fn headers_that_an_earlier_takt_kept_lose_what_is_secret() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("inbox.db");
    let old = Connection::open(&path).unwrap();
    old.execute_batch(include_str!("../../src/schema/inbox-1.sql")).unwrap();
    let headers = json!([["Host", "works"], ["Authorization", "Bearer abc"], ["X-A", "\"cookie\""], ["cookie", "a=1"]]);
    let insert = "INSERT INTO event (site, received, key, headers, body, signed) VALUES ('works', 1, 1, ?1, x'7b7d', 'unchecked')";
    old.execute(insert, [headers.to_string()]).unwrap();
    old.execute("INSERT INTO copy (event, received, headers) VALUES (1, 2, ?1)", [headers.to_string()]).unwrap();
    old.execute_batch("PRAGMA application_id = 0x54414B49; PRAGMA user_version = 1;").unwrap();
    drop(old);
    let inbox = Inbox::open(&path).unwrap();
    let bare: Vec<(String, String)> =
        [("Host", "works"), ("Authorization", "[removed]"), ("X-A", "\"cookie\""), ("cookie", "[removed]")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec();
    assert_eq!(inbox.raw_event(1).unwrap().unwrap().headers, bare);
    assert_eq!(inbox.event_copies(1).unwrap()[0].headers, bare);
}

/// Responses as they were stored before secrets were redacted.
#[test]
fn earlier_answers_are_cleaned_once_in_pieces_and_nothing_else_of_an_attempt_changes() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("journal.db");
    let old = Connection::open(&path).unwrap();
    for step in [
        include_str!("../../src/schema/1.sql"),
        include_str!("../../src/schema/2.sql"),
        include_str!("../../src/schema/3.sql"),
        include_str!("../../src/schema/4.sql"),
    ] {
        old.execute_batch(step).unwrap();
    }
    old.execute_batch(
        "INSERT INTO submission (operation, site, file, hash, sheet, started, state, batch_size)
         VALUES ('materials.sync', 'works', '', '', '', '2026-11-22T08:00:00Z', 'finished', 100);
         WITH RECURSIVE n (batch) AS (SELECT 1 UNION ALL SELECT batch + 1 FROM n WHERE batch < 1201)
         INSERT INTO attempt (submission, batch, started, wire_hash, items, rows, ended, status, class, numbers, answer)
         SELECT 1, batch, '2026-11-22T08:00:00Z', '', 1, 1, '2026-11-22T08:00:01Z', 500, 'refused', '1', 'a secret, ' || batch
         FROM n;
         PRAGMA application_id = 0x54414B54; PRAGMA user_version = 4;",
    )
    .unwrap();
    drop(old);

    let journal = Journal::open(&path).unwrap();
    assert!(journal.requests().has_unredacted_responses().unwrap());
    let pieces = std::cell::Cell::new(0);
    let cleaned = journal.requests().redact_responses(|answer| {
        pieces.set(pieces.get() + 1);
        (!answer.ends_with('7')).then(|| answer.replace("secret", "-"))
    });
    assert_eq!((cleaned.unwrap(), pieces.get()), (1201 - 120, 1201));
    assert!(!journal.requests().has_unredacted_responses().unwrap());
    let answers: Vec<_> = journal
        .requests()
        .attempts(SubmissionId::new(1), 2_000)
        .unwrap()
        .into_iter()
        .filter_map(|one| one.answer)
        .collect();
    assert_eq!((answers.len(), answers[0].as_str(), answers[6].as_str()), (1201, "a -, 1", "a secret, 7"));
    let raw = Connection::open(&path).unwrap();
    for change in ["answer = 'other'", "status = 200", "numbers = '2'"] {
        let refused = raw.execute(&format!("UPDATE attempt SET {change} WHERE batch = 1"), []);
        assert!(refused.unwrap_err().to_string().contains("has ended"), "{change}");
    }
    assert_eq!(journal.requests().redact_responses(|_| panic!("once")).unwrap(), 0);
}
