//! Measures how fast deliveries to targets are recorded. In a local file many deliveries share a commit. In a team's
//! database each has its own, and targets run concurrently. No request is sent.

use std::{
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use takt_client::system_tls;
use takt_journal::{
    Inbox, Journal, JournalError, Team,
    inbox::{ForwardResult, ForwardStart, NewEvent, NewTarget, SignatureState, Target},
};

use crate::{
    error::{BenchError, unexpected_result},
    process::empty_folder,
    report::{Report, Table, format_number},
    team::cluster::Cluster,
};

/// Deliveries to each target.
const DELIVERIES: u32 = 640;
/// The maximum number of deliveries per commit in a local file, as in forwarding.
const MAX_PER_COMMIT: usize = 64;
const TARGETS: u32 = 8;
const EVENT_BYTES: usize = 2_000;

pub(crate) fn measure(cluster: &Cluster, report: &mut Report) -> Result<(), BenchError> {
    let (work_folder, team) = (empty_folder("team/deliveries")?, cluster.create_team()?);
    let file = Inbox::open(&work_folder.join("inbox.db")).map_err(journal_error)?;
    let shared = open_team_inbox(&work_folder, &team)?;
    store_events(&file).and_then(|()| store_events(&shared)).map_err(journal_error)?;
    let title = format!("{DELIVERIES} deliveries to each target written down, by where events are kept");
    let mut table = Table::new(&title, &["", "deliveries/s"]);
    let at_once = format!("a team's PostgreSQL, each by itself, {TARGETS} targets at once");
    for (name, inbox, targets, per_commit) in [
        ("a file of one's own, up to 64 in one commit", &file, 1, MAX_PER_COMMIT),
        ("a team's PostgreSQL, each by itself, one target", &shared, 1, 1),
        (&at_once, &shared, TARGETS, 1),
    ] {
        let took = deliver_to_all(inbox, name, targets, per_commit).map_err(journal_error)?;
        table.add_row([name.to_owned(), format_number(f64::from(DELIVERIES * targets) / took.as_secs_f64())]);
    }
    report.tables.push(table);
    drop((file, shared));
    cluster.drop_database(&team)?;
    std::fs::remove_dir_all(&work_folder).map_err(BenchError::file(&work_folder))
}

fn open_team_inbox(work_folder: &Path, team: &str) -> Result<Inbox, BenchError> {
    let address = team.parse().map_err(|error| unexpected_result("PostgreSQL", &format!("{error:?}")))?;
    let tls = system_tls(None).map_err(|error| unexpected_result("the certificates", &error.to_string()))?;
    let journal = Journal::open(&work_folder.join("journal.db")).map_err(journal_error)?;
    let journal = Team::join(journal, address, Arc::new(|| None), tls);
    Inbox::from_team(&journal).ok_or_else(|| unexpected_result("the team", "it keeps no events"))
}

fn store_events(inbox: &Inbox) -> Result<(), JournalError> {
    let event = |key| NewEvent {
        site: "works".to_owned(),
        received: Timestamp::now(),
        headers: Vec::new(),
        body: format!("{key:0EVENT_BYTES$}").into_bytes(),
        key: i64::from(key),
        signed_key: None,
        duplicates_since: None,
        signed: SignatureState::Unchecked,
        replay: false,
    };
    let events: Vec<_> = (0..DELIVERIES).map(event).collect();
    inbox.store_all(&events).map(drop)
}

fn deliver_to_all(inbox: &Inbox, name: &str, targets: u32, per_commit: usize) -> Result<Duration, JournalError> {
    let add = |number| {
        let wanted = NewTarget { site: "works".to_owned(), name: format!("{name} {number}"), ..NewTarget::default() };
        inbox.targets().add(&wanted, ForwardStart::Beginning)
    };
    let targets = (0..targets).map(add).collect::<Result<Vec<_>, _>>()?;
    let began = Instant::now();
    thread::scope(|scope| {
        let senders: Vec<_> = targets
            .into_iter()
            .map(|target| scope.spawn(move || record_deliveries(inbox, target, per_commit)))
            .collect();
        senders.into_iter().try_for_each(|sender| sender.join().unwrap_or(Err(JournalError::Abandoned)))
    })?;
    Ok(began.elapsed())
}

/// Records all deliveries of one target in order.
fn record_deliveries(inbox: &Inbox, mut target: Target, per_commit: usize) -> Result<(), JournalError> {
    let lock = inbox.senders().lock(target.id)?;
    let events: Vec<i64> =
        inbox.targets().due_events(&target, DELIVERIES, usize::MAX)?.iter().map(|due| due.raw.id).collect();
    for piece in events.chunks(per_commit) {
        let sent = |event: &i64| ForwardResult {
            event: *event,
            at: Timestamp::now(),
            tries: 1,
            fault: None,
            status: Some(200),
            response: String::new(),
            owed: false,
        };
        let (sent, cursor): (Vec<_>, _) = (piece.iter().map(sent).collect(), piece.last().copied().unwrap_or_default());
        if !inbox.targets().record_results(&target, &sent, cursor, lock.as_ref())? {
            return Err(JournalError::SentElsewhere(target.id));
        }
        target.cursor = cursor;
    }
    Ok(())
}

#[expect(clippy::needless_pass_by_value, reason = "what `map_err` takes")]
fn journal_error(error: JournalError) -> BenchError {
    unexpected_result("an inbox", &error.to_string())
}
