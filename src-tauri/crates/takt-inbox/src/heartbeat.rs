//! Background tasks of a receiver: records its heartbeats, and reads the stored events.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use takt_journal::{Inbox, inbox::GapCause};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::{event_reader::BackgroundReader, health::Health};
use takt_core::Clock;

const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(20);
/// The age of the last heartbeat, in seconds, from which a gap is recorded.
pub(crate) const MAX_HEARTBEAT_AGE: i64 = 90;
/// The interval at which reading is tried again after it failed.
const READ_RETRY_INTERVAL: Duration = Duration::from_secs(3);
/// The length of the reader's pause while more events arrive, as a multiple of its last reading time.
const PAUSE_FACTOR: u32 = 4;

/// Records that the receiver is running. A time without heartbeats is recorded as a gap.
pub(crate) async fn record_heartbeats(
    inbox: Arc<Inbox>,
    site: String,
    mut health: Health,
    clock: Clock,
    closing: CancellationToken,
) {
    let mut gap_cause = GapCause::Off;
    loop {
        let (inbox, site, now, cause) = (Arc::clone(&inbox), site.clone(), clock(), gap_cause);
        let recorded =
            tokio::task::spawn_blocking(move || inbox.heartbeats().record(&site, now, MAX_HEARTBEAT_AGE, cause)).await;
        health.set_can_write(matches!(recorded, Ok(Ok(_))));
        if let Ok(Err(error)) = recorded {
            tracing::warn!(%error, "the receiver's pulse couldn't be written down");
        }
        gap_cause = GapCause::Asleep;
        tokio::select! {
            () = closing.cancelled() => return,
            () = tokio::time::sleep(HEARTBEAT_INTERVAL) => {}
            () = health.wait_for_change() => {}
        }
    }
}

/// Reads events as they arrive, until the receiver has ended and all of them are read. While many arrive, receiving has
/// priority over reading. If reading fails, for example because a site's contract can't be read, the events wait.
pub(crate) async fn read_events(background_reader: BackgroundReader, mut latest_event: watch::Receiver<i64>) {
    let mut open = true;
    loop {
        let mut began = Instant::now();
        let failed = loop {
            match background_reader.read_batch().await {
                Ok(Some(_)) => {}
                Ok(None) => break false,
                Err(_) => break true,
            }
            if open && latest_event.has_changed().unwrap_or(false) {
                latest_event.mark_unchanged();
                tokio::time::sleep(began.elapsed() * PAUSE_FACTOR).await;
            }
            began = Instant::now();
        };
        if !open {
            return;
        }
        tokio::select! {
            changed = latest_event.changed() => open = changed.is_ok(),
            () = tokio::time::sleep(READ_RETRY_INTERVAL), if failed => {}
        }
    }
}
