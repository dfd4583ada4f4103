//! `takt listen`: receives a site's events, keeps each, and tells them as they come, until it is interrupted.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;
use takt_engine::inbox::{Availability, EventLine, EventQuery, Receiver, Receiving};
use tokio::sync::watch;

use super::events;
use crate::{
    arguments::ListenArguments,
    console::{Console, plain},
    ending::{ExitStatus, Failure},
    secret_file,
    session::{Interruption, Session},
};

/// Events that are told in one go.
const TOGETHER: u32 = 500;
/// Between two tries to read events that couldn't be read.
const RETRY_INTERVAL: Duration = Duration::from_secs(3);

pub(super) async fn run(
    arguments: ListenArguments,
    site: Option<&str>,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let secrets = arguments.secret_file.as_deref().map(secret_file::read).transpose()?;
    // The practice plant's day plays, so that there is something to receive.
    let session = Session::open_playing(site, console).await?;
    let mut interruption = Interruption::listen()?;
    let before = session.engine.inbox().list(&of(&session), 0, 1).await?.rows.first().map_or(0, |row| row.id);
    let mut newest = session.engine.inbox().watch(Some(&session.site))?;
    let receiver =
        session.engine.inbox().receive(&session.site, Receiving { listen: arguments.listen, secrets }).await?;
    session.send_events_to(&receiver.url())?;
    greet(&session, &receiver, &arguments, console)?;
    let (mut availability, mut was_available) = (session.engine.inbox().availability(&session.site), true);
    let (mut told, mut is_behind, since) = (before, false, (session.engine.inbox().clock)());
    let mut unverified = 0;
    loop {
        tokio::select! {
            changed = newest.changed() => if changed.is_err() { break },
            () = tokio::time::sleep(RETRY_INTERVAL) => {
                remark_unverified(&receiver, &mut unverified, console);
                if !is_behind {
                    continue;
                }
            }
            is_available = changed(&mut availability) => {
                if is_available != was_available {
                    console.remark(if is_available { "listen.database-back" } else { "listen.database-away" }, &[]);
                }
                was_available = is_available;
                continue;
            }
            () = interruption.next() => break,
        }
        // What can't be read now, in a database that is away, is told later: the receiver goes on.
        let printed = print_new(&session, (&mut told, since), arguments.json, console).await;
        is_behind = printed.is_err();
        if let Err(failure) = printed {
            tracing::warn!(?failure, "events can't be told now");
        }
    }
    remark_unverified(&receiver, &mut unverified, console);
    receiver.stop().await;
    print_new(&session, (&mut told, since), arguments.json, console).await?;
    Ok(ExitStatus::Done)
}

fn greet(
    session: &Session,
    receiver: &Receiver,
    arguments: &ListenArguments,
    console: &Console,
) -> Result<(), Failure> {
    if arguments.json {
        console.json(&json!({ "site": session.site, "url": receiver.url() }));
    } else if session.is_practice() {
        // It was told by itself where to send them.
        console.status("listen.practice", &[("address", receiver.url())]);
    } else {
        console.status("listen.address", &[("site", plain(&session.site)), ("address", receiver.url())]);
    }
    for name in session.engine.inbox().targets().without_keys(&session.site)? {
        console.remark("listen.without-keys", &[("name", plain(&name))]);
    }
    if !arguments.listen.ip().is_loopback() {
        console.remark("listen.open", &[("address", arguments.listen.to_string())]);
    }
    Ok(())
}

/// Whether a team's database can be asked, once that changes; never where events are the desk's own.
async fn changed(availability: &mut Option<watch::Receiver<Availability>>) -> bool {
    let Some(known) = availability else { return std::future::pending().await };
    if known.changed().await.is_err() {
        return std::future::pending().await;
    }
    known.borrow_and_update().is_available()
}

/// Tells how many events weren't stored so far, whenever it is more than was told.
fn remark_unverified(receiver: &Receiver, told: &mut u32, console: &Console) {
    let count = receiver.refused().unverified;
    if count > *told {
        console.remark("listen.unverified", &[("count", count.to_string())]);
        *told = count;
    }
}

/// Others may receive for other sites, into the same file.
fn of(session: &Session) -> EventQuery {
    EventQuery { site: Some(session.site.clone()), ..EventQuery::default() }
}

/// Tells what came after the event that was told last, in its order; not what came along with a desk that joined the team.
async fn print_new(
    session: &Session,
    (told, since): (&mut i32, Timestamp),
    as_json: bool,
    console: &Console,
) -> Result<(), Failure> {
    let mut came: Vec<EventLine> = Vec::new();
    loop {
        let offset = u32::try_from(came.len()).unwrap_or(u32::MAX);
        let page = session.engine.inbox().list(&of(session), offset, TOGETHER).await?.rows;
        let all = page.len();
        came.extend(page.into_iter().filter(|row| row.id > *told));
        if came.len() < offset as usize + all || all == 0 {
            break;
        }
    }
    // More may have come between two pages: each is told once.
    came.sort_by_key(|row| row.id);
    came.dedup_by_key(|row| row.id);
    for row in &came {
        if !row.is_old(since) {
            events::print_event(session, row, as_json, console).await?;
        }
        *told = row.id;
    }
    Ok(())
}
