//! What goes on beside a receiver: its pulse, by which times are known in which nothing could come, and the reading of what came.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use takt_journal::{Inbox, inbox::GapCause};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{background_reader::BackgroundReader, health::Health};
use takt_core::Clock;

const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(20);
/// Seconds without a pulse that are a gap.
pub(super) const MAX_PULSE: i64 = 90;
/// How much longer than it has read the reader rests while more events come.
const REST: u32 = 4;

/// Says that the receiver is alive; the time in which it couldn't is a gap.
pub(super) async fn beat(
    inbox: Arc<Inbox>,
    (site, mut health): (String, Health),
    clock: Clock,
    closing: CancellationToken,
) {
    let mut why = GapCause::Off;
    loop {
        let (inbox, site, now, cause) = (Arc::clone(&inbox), site.clone(), clock(), why);
        let beaten = tokio::task::spawn_blocking(move || inbox.pulses().record(&site, now, MAX_PULSE, cause)).await;
        health.set(matches!(beaten, Ok(Ok(_))));
        if let Ok(Err(error)) = beaten {
            tracing::warn!(%error, "the receiver's pulse couldn't be written down");
        }
        why = GapCause::Asleep;
        tokio::select! {
            () = closing.cancelled() => return,
            () = tokio::time::sleep(HEARTBEAT_INTERVAL) => {}
            () = health.changed() => {}
        }
    }
}

/// Has events read as they come; ends when the last one that came is read. While many come, who sends goes first: what came
/// is on disk, and is read a moment later.
pub(super) async fn follow(reading: BackgroundReader, mut latest_event: watch::Receiver<i64>) {
    let mut open = true;
    loop {
        let mut began = Instant::now();
        while reading.some().await.is_some() {
            if open && latest_event.has_changed().unwrap_or(false) {
                latest_event.mark_unchanged();
                tokio::time::sleep(began.elapsed() * REST).await;
            }
            began = Instant::now();
        }
        if !open {
            return;
        }
        open = latest_event.changed().await.is_ok();
    }
}
