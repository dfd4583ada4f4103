//! Makes a server prepare every statement that can be sent to a team's database, including those that no other test
//! runs.
//!
//! The test finds the statements in the sources, so that none can be forgotten. It fails if a statement has unknown
//! placeholders, or if the server refuses it. It excludes transaction statements without values (`BEGIN`, `COMMIT`,
//! `LISTEN`, savepoints), the schema, and statements for a desk's own files.

mod sources;

#[expect(dead_code, unreachable_pub, reason = "a test kit, of which others take the rest")]
#[path = "../../../../tests/testkit/postgres.rs"]
mod testkit;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use jiff::Timestamp;
use sources::{Literal, PlaceholderTexts, Position, Sources};
use tokio::sync::watch;
use tokio_postgres::NoTls;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::aws_lc_rs};

use crate::{
    RowResult, StoredWord, SubmissionState, Team,
    bulk_insert::{copy_statement, multi_row_insert},
    carry_over,
    database::Connection,
    history::{self, HistoryFilter},
    inbox,
    key_claim_check::{OwnItems, competing_submissions, overlap},
    postgres::{AvailabilityProbe, LockKey, Pipeline, Server, Session, translate},
    purge::purgeable_submissions,
    row::{result_condition, rows_with_result},
    submission_record::move_counts_sql,
};

/// Files whose statements are only sent to SQLite, with the reason.
const FILE_ONLY: [(&str, &str); 6] = [
    ("connection.rs", "it opens files"),
    ("salvage.rs", "a damaged file is a desk's own"),
    ("salvage/rows.rs", "a damaged file is a desk's own"),
    ("salvage/repair.rs", "a damaged file is a desk's own"),
    ("schema.rs", "a database's schema is `team_store.rs`'s"),
    ("integrity.rs", "a server looks after its own files"),
];

/// Statements that are only sent to SQLite: the file, the beginning, and the reason. `{}` is a placeholder.
const FILE_ONLY_STATEMENTS: [(&str, &str, &str); 5] = [
    ("carry_over.rs", "SELECT COALESCE(MAX(id), 0), COUNT(*)", "what comes along is read from the desk's own file"),
    ("carry_over.rs", "SELECT MAX(COALESCE(", "what comes along is read from the desk's own file"),
    ("inbox/search_text.rs", "INSERT INTO event_text (rowid, text)", "a database gets words instead of texts"),
    ("carry_over.rs", "SELECT id, plan, person, follows", "what comes along is read from the desk's own file"),
    ("carry_over.rs", "SELECT {} FROM {}{} WHERE", "what comes along is read from the desk's own file"),
];

/// Statements that aren't prepared alone: the file, the beginning, and the reason.
const STATEMENT_PARTS: [(&str, &str, &str); 6] = [
    ("bulk_insert.rs", "INSERT INTO", "the beginning of every insert"),
    ("bulk_insert.rs", "VALUES (", "the middle of every insert"),
    ("row.rs", "SELECT row.* FROM item JOIN row", "a page is made of it, which uses all of its places"),
    ("row.rs", "SELECT row.* {} ORDER BY", "a page is made of it, which uses all of its places"),
    ("row.rs", "SELECT row.sheet, row.row, item.number", "the columns of a page, without a table"),
    ("team_store.rs", "UPDATE version SET number", "it is sent with its commit, and setting up runs it"),
];

/// Tables that a desk has in its own file, even in a team.
const OWN_TABLES: [&str; 6] = ["item_body", "known", "known_until", "recent_file", "setting", "site"];

fn texts(values: impl IntoIterator<Item = impl Into<String>>) -> Vec<String> {
    values.into_iter().map(Into::into).collect()
}

/// Returns texts for placeholders that the sources alone don't define. `{…}` in a text is a constant or a variable.
fn placeholder_texts(connection: &Connection<'_>) -> PlaceholderTexts {
    let words = || texts(RowResult::ALL.iter().map(|result| result.word()));
    let conditions = |placeholder: &str, results: &[Option<RowResult>]| {
        let of = |result: &Option<RowResult>| {
            [false, true].map(|abandoned| result_condition(placeholder, *result, abandoned))
        };
        results.iter().flat_map(of).collect::<Vec<_>>()
    };
    let results: Vec<_> = RowResult::ALL.iter().copied().map(Some).collect();
    let pages =
        RowResult::ALL.iter().flat_map(|result| [false, true].map(|abandoned| rows_with_result(*result, abandoned)));
    let raw = ["id", "site", "received", "headers", "body", "signed", "replay"].map(|name| format!("event.{name}"));
    let visible = || texts(["TRUE", "id NOT IN (1, 2)"]);
    PlaceholderTexts::from([
        (("*", "limit"), texts(["1"])),
        (("*", "offset"), texts(["1"])),
        (("*", "list"), texts(["1, 2"])),
        (("claim.rs", "held"), vec![LockKey::held_submissions()]),
        (("team_store.rs", "LockKey::held_submissions()"), vec![LockKey::held_submissions()]),
        (("inbox/desk_lock.rs", "held"), vec![LockKey::held_senders()]),
        (("postgres/session.rs", "key.arguments()"), texts(["1, 2"])),
        (("row.rs", "word"), words()),
        (("history.rs", "visible"), visible()),
        (("history.rs", "condition"), history_conditions()),
        (("submission.rs", "visible"), visible()),
        (("submission.rs", "condition"), history_conditions()),
        (("submission.rs", "SUBMISSION_RECORD_COLUMNS"), texts(["{submission_record.rs#SUBMISSION_RECORD_COLUMNS}"])),
        (("row.rs", "inner"), pages.chain(["{row.rs#inner}".to_owned()]).collect()),
        (("row.rs", "order"), texts(["{SENDING_ORDER}", "row.sheet, row.row"])),
        (("row.rs", "history::MATCHING_ITEMS…"), vec![history::MATCHING_ITEMS.replace("?2", "?4").replace("?3", "?5")]),
        (("row.rs", "result_condition(\"CAST(?4…"), conditions("CAST(?4 AS TEXT)", &results)),
        (
            ("row.rs", "result_condition(\"CAST(?6…"),
            conditions("CAST(?6 AS TEXT)", &[results.clone(), vec![None]].concat()),
        ),
        (("key_claim_check.rs", "competing_submissions()"), vec![competing_submissions()]),
        (
            ("key_claim_check.rs", "overlap(…"),
            [OwnItems::Next, OwnItems::Pending, OwnItems::Unconfirmed].map(overlap).to_vec(),
        ),
        (("purge.rs", "purgeable_submissions()"), vec![purgeable_submissions()]),
        (("purge.rs", "events"), texts(["{PURGEABLE_EVENTS}", "{PURGEABLE_UNVERIFIED_EVENTS}"])),
        (("inbox/deduplication.rs", "column"), texts(["key", "signed_key"])),
        (("inbox/carry_over.rs", "keys.join…"), texts(["1, 2"])),
        (("inbox/forward/queue.rs", "self.forwardable_condition()"), texts(["{FORWARDABLE_OF_TEAM}"])),
        (("inbox/forward/queue.rs", "columns"), vec![raw.join(", ")]),
        (("inbox/list.rs", "from"), inbox::selections(connection)),
        (("inbox/list.rs", "(1..=numbers.len())…"), texts(["?1, ?2"])),
    ])
}

/// Returns the conditions of a history search, for each filter alone and for all together.
fn history_conditions() -> Vec<String> {
    let moment = Some(Timestamp::UNIX_EPOCH);
    let text = || Some("one".to_owned());
    let names = || texts(["one", "two"]);
    let none = HistoryFilter::default;
    let all = HistoryFilter {
        text: text(),
        codes: names(),
        operations: names(),
        site: text(),
        states: vec![SubmissionState::Running, SubmissionState::Finished],
        since: moment,
        until: moment,
        unconfirmed: true,
        unsettled: true,
    };
    let filters = [
        none(),
        HistoryFilter { text: text(), ..none() },
        HistoryFilter { text: text(), codes: names(), ..none() },
        HistoryFilter { text: text(), operations: names(), ..none() },
        HistoryFilter { site: text(), ..none() },
        HistoryFilter { states: vec![SubmissionState::Running], ..none() },
        HistoryFilter { since: moment, ..none() },
        HistoryFilter { until: moment, ..none() },
        HistoryFilter { unconfirmed: true, ..none() },
        HistoryFilter { unsettled: true, ..none() },
        all,
    ];
    filters.iter().map(|filter| history::filter_condition(filter).0.replace("{left}", "1, 2")).collect()
}

/// Returns statements that functions build completely, by file.
fn built_statements() -> BTreeMap<&'static str, Vec<String>> {
    let others = |from: RowResult| RowResult::ALL.iter().filter(move |to| **to != from);
    let moves = RowResult::ALL.iter().flat_map(|from| others(*from).map(|to| move_counts_sql(*from, *to)));
    BTreeMap::from([
        ("carry_over.rs", carry_over::built_statements()),
        ("inbox/floor.rs", inbox::built_statements()),
        ("submission_record.rs", moves.collect()),
    ])
}

/// Returns whether the statement contains the pieces in this order.
fn contains_in_order(statement: &str, pieces: &[String]) -> bool {
    let mut rest = statement;
    pieces.iter().all(|piece| {
        let found = rest.find(piece.as_str());
        rest = found.and_then(|at| rest.get(at + piece.len()..)).unwrap_or_default();
        found.is_some()
    })
}

/// Splits a batch without values into its statements.
fn single_statements(sql: &str) -> impl Iterator<Item = String> {
    sql.split(';').map(str::trim).filter(|one| !one.is_empty()).map(str::to_owned)
}

/// Returns the bulk forms of an insert that exist: an `INSERT` of two rows and a `COPY`. Empty for other statements.
fn bulk_insert_forms(sql: &str) -> Vec<String> {
    let values = sql.split_once("VALUES (").and_then(|(_, rest)| rest.split_once(')'));
    let columns = values.map_or(0, |(values, _)| values.split(", ").count());
    multi_row_insert(sql, columns, 2).into_iter().chain(copy_statement(sql, columns)).collect()
}

fn tls() -> ClientConfig {
    ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth()
}

/// Returns every statement with its position in the sources.
fn collect_statements(connection: &Connection<'_>) -> BTreeMap<String, Position> {
    let (built, mut left_out) = (built_statements(), BTreeSet::new());
    let (mut all, mut unknown) = (BTreeMap::new(), Vec::new());
    for Literal { position, pieces, statements } in Sources::read().statements(&placeholder_texts(connection)) {
        let shape = pieces.join("{}");
        let begins = |(file, begin, _): &&(&str, &str, &str)| *file == position.file && shape.starts_with(begin);
        if let Some((file, _)) = FILE_ONLY.iter().find(|(file, _)| *file == position.file) {
            left_out.insert((*file, ""));
        } else if let Some((file, begin, _)) = FILE_ONLY_STATEMENTS.iter().chain(&STATEMENT_PARTS).find(begins) {
            left_out.insert((*file, *begin));
        } else if let Ok(statements) = statements {
            all.extend(statements.into_iter().map(|statement| (statement, position.clone())));
        } else if let Some(own) =
            built.get(position.file.as_str()).filter(|own| own.iter().any(|one| contains_in_order(one, &pieces)))
        {
            all.extend(own.iter().map(|statement| (statement.clone(), position.clone())));
        } else {
            unknown.push((position, statements.unwrap_err()));
        }
    }
    assert!(unknown.is_empty(), "nobody says what stands in these places: {unknown:#?}");
    let listed = FILE_ONLY.iter().map(|(file, _)| (*file, ""));
    let listed =
        listed.chain(FILE_ONLY_STATEMENTS.iter().chain(&STATEMENT_PARTS).map(|(file, begin, _)| (*file, *begin)));
    let stale: Vec<_> = listed.filter(|entry| !left_out.contains(entry)).collect();
    assert!(stale.is_empty(), "these are left out and aren't there: {stale:?}");
    all
}

#[test]
fn every_statement_can_be_prepared() {
    let address = testkit::create_database();
    Team::set_up(&address.parse().unwrap(), &tls()).unwrap();
    let server = Arc::new(Server::new(address.parse().unwrap(), Arc::new(|| None), tls()));
    let _probe = AvailabilityProbe::start(&server).unwrap();
    let session = Session::open(&server, 0, Arc::new(watch::Sender::new(0))).unwrap();
    let all = collect_statements(&Connection::Postgres(&Pipeline::new(&session)));
    drop(session);
    assert!(all.len() > 300, "{}", all.len());

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (mut refused, mut own) = (Vec::new(), BTreeSet::new());
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(&address, NoTls).await.unwrap();
        let driving = tokio::spawn(connection);
        client.batch_execute("SET search_path = takt, pg_temp").await.unwrap();
        for (sql, position) in &all {
            for statement in single_statements(sql).chain(bulk_insert_forms(sql)) {
                let Err(error) = client.prepare(&translate(&statement)).await else { continue };
                let cause = error.as_db_error().unwrap();
                match OWN_TABLES.iter().find(|table| cause.message() == format!("relation \"{table}\" does not exist"))
                {
                    Some(table) => drop(own.insert(*table)),
                    None => refused.push(format!("{position:?}: {}\n    {statement}", cause.message())),
                }
            }
        }
        drop(client);
        driving.await.unwrap().unwrap();
    });
    assert!(refused.is_empty(), "{} are refused:\n{}", refused.len(), refused.join("\n"));
    assert_eq!(own, BTreeSet::from(OWN_TABLES), "these are a desk's own");
    testkit::drop_database(&address);
}
