//! `takt listen`: receives a site's events, stores each, and prints them until it is interrupted.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;
use takt_engine::inbox::{Availability, EventLine, EventQuery, Receiver, ReceiverOptions};
use tokio::sync::watch;

use super::events;
use crate::{
    arguments::ListenArguments,
    console::{Console, sanitize},
    exit_codes::{ExitStatus, Failure},
    secret_file,
    session::{Interruption, Session},
};

/// The number of events per read.
const PAGE_SIZE: u32 = 500;
/// The time until reading events is retried after a failure.
const RETRY_INTERVAL: Duration = Duration::from_secs(3);

pub(super) async fn run(
    arguments: ListenArguments,
    site: Option<&str>,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let secrets = arguments.secret_file.as_deref().map(secret_file::read).transpose()?;
    // The practice plant simulates a day, so that it sends events.
    let session = Session::open_simulated(site, console).await?;
    let mut interruption = Interruption::listen()?;
    let last_stored =
        session.engine.inbox().list(&event_query(&session), 0, 1).await?.rows.first().map_or(0, |row| row.id);
    let mut newest = session.engine.inbox().watch(Some(&session.site))?;
    let receiver =
        session.engine.inbox().receive(&session.site, ReceiverOptions { listen: arguments.listen, secrets }).await?;
    session.send_events_to(&receiver.url())?;
    print_start(&session, &receiver, &arguments, console)?;
    let (mut availability, mut was_available) = (session.engine.inbox().availability(&session.site), true);
    let (mut last_printed, mut is_behind, since) = (last_stored, false, (session.engine.inbox().clock)());
    let mut unverified = 0;
    loop {
        tokio::select! {
            changed = newest.changed() => if changed.is_err() { break },
            () = tokio::time::sleep(RETRY_INTERVAL) => {
                print_unverified_count(&receiver, &mut unverified, console);
                if !is_behind {
                    continue;
                }
            }
            is_available = availability_change(&mut availability) => {
                if is_available != was_available {
                    console.print_remark(if is_available { "listen.database-back" } else { "listen.database-away" }, &[]);
                }
                was_available = is_available;
                continue;
            }
            () = interruption.next() => break,
        }
        // If the team's database is unreachable, events are printed later. The receiver continues to accept them.
        let printed = print_new_events(&session, &mut last_printed, since, arguments.json, console).await;
        is_behind = printed.is_err();
        if let Err(failure) = printed {
            tracing::warn!(?failure, "events can't be told now");
        }
    }
    print_unverified_count(&receiver, &mut unverified, console);
    receiver.stop().await;
    print_new_events(&session, &mut last_printed, since, arguments.json, console).await?;
    Ok(ExitStatus::Done)
}

fn print_start(
    session: &Session,
    receiver: &Receiver,
    arguments: &ListenArguments,
    console: &Console,
) -> Result<(), Failure> {
    if arguments.json {
        console.print_json(&json!({ "site": session.site, "url": receiver.url() }));
    } else if session.is_practice() {
        // The practice plant is registered automatically, so the user needn't configure the address.
        console.print_text("listen.practice", &[("address", receiver.url())]);
    } else {
        console.print_text("listen.address", &[("site", sanitize(&session.site)), ("address", receiver.url())]);
    }
    for name in session.engine.inbox().targets().targets_without_secrets(&session.site)? {
        console.print_remark("listen.without-keys", &[("name", sanitize(&name))]);
    }
    if !arguments.listen.ip().is_loopback() {
        console.print_remark("listen.open", &[("address", arguments.listen.to_string())]);
    }
    Ok(())
}

/// Waits until the team's database becomes reachable or unreachable. Never returns without a team.
async fn availability_change(availability: &mut Option<watch::Receiver<Availability>>) -> bool {
    let Some(availability) = availability else { return std::future::pending().await };
    if availability.changed().await.is_err() {
        return std::future::pending().await;
    }
    availability.borrow_and_update().is_available()
}

/// Prints the number of refused events that couldn't be verified, if it has increased since the last call.
fn print_unverified_count(receiver: &Receiver, reported: &mut u32, console: &Console) {
    let count = receiver.refused_counts().unverified;
    if count > *reported {
        console.print_remark("listen.unverified", &[("count", count.to_string())]);
        *reported = count;
    }
}

/// Returns the query for this site's events, since other processes may store events of other sites.
fn event_query(session: &Session) -> EventQuery {
    EventQuery { site: Some(session.site.clone()), ..EventQuery::default() }
}

/// Prints events newer than the last printed one, oldest first. Skips old events that a desk added when it joined the
/// team.
async fn print_new_events(
    session: &Session,
    last_printed: &mut i32,
    since: Timestamp,
    as_json: bool,
    console: &Console,
) -> Result<(), Failure> {
    let mut new_events: Vec<EventLine> = Vec::new();
    loop {
        let offset = u32::try_from(new_events.len()).unwrap_or(u32::MAX);
        let page = session.engine.inbox().list(&event_query(session), offset, PAGE_SIZE).await?.rows;
        let page_length = page.len();
        new_events.extend(page.into_iter().filter(|row| row.id > *last_printed));
        if new_events.len() < offset as usize + page_length || page_length == 0 {
            break;
        }
    }
    // More events may have been stored between two pages, so duplicates are removed.
    new_events.sort_by_key(|row| row.id);
    new_events.dedup_by_key(|row| row.id);
    for row in &new_events {
        if !row.is_old(since) {
            events::print_event(session, row, as_json, console).await?;
        }
        *last_printed = row.id;
    }
    Ok(())
}
