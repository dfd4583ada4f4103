//! The probe, which sends trivial queries over its own session as long as a caller waits or watches. It distinguishes a
//! long statement from a silent server, and detects the end of a silence.

use std::io;
use std::sync::Arc;

use tokio::sync::oneshot;
use tokio_postgres::Client;

use super::availability::{Availability, Liveness};
use super::connect::{ConnectionCallbacks, connect};
use super::{PostgresError, Server};

/// The running probe of a store, which ends when it is dropped.
#[derive(Debug)]
pub(crate) struct AvailabilityProbe(#[expect(dead_code, reason = "the thread ends with it")] oneshot::Sender<()>);

enum ProbeResult {
    Answered,
    /// The server refused the connection, or ended it.
    Refused,
    Silent,
}

impl AvailabilityProbe {
    pub(crate) fn start(server: &Arc<Server>) -> io::Result<Self> {
        let (probe, ended) = oneshot::channel();
        let server = Arc::clone(server);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        std::thread::Builder::new().name("team-probe".to_owned()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    _ = ended => {}
                    () = detect_and_probe(&server) => {}
                }
            });
            // A name lookup may still block.
            runtime.shutdown_background();
        })?;
        Ok(Self(probe))
    }
}

/// Runs the detection of silence and the probe. Both run until they are dropped, because a later watcher needs them.
async fn detect_and_probe(server: &Server) {
    tokio::join!(detect_silence(&server.liveness), probe_repeatedly(server));
}

async fn detect_silence(liveness: &Liveness) {
    loop {
        liveness.wait_until_watched().await;
        tokio::time::sleep(liveness.tick()).await;
        let mut silence = liveness.measure_silence();
        while liveness.has_watcher() {
            if silence.is_long_after_next_tick().await && liveness.has_watcher() {
                liveness.set(Availability::Silent);
            }
        }
    }
}

async fn probe_repeatedly(server: &Server) {
    let mut client = None;
    loop {
        server.liveness.wait_until_watched().await;
        // Most queries end within a tick and need no probe.
        tokio::time::sleep(server.liveness.tick()).await;
        if server.liveness.has_watcher() {
            match probe_once(server, &mut client).await {
                ProbeResult::Answered => server.liveness.set(Availability::Available),
                ProbeResult::Refused => server.liveness.set(Availability::Unreachable),
                ProbeResult::Silent => {}
            }
        }
    }
}

async fn probe_once(server: &Server, client: &mut Option<Client>) -> ProbeResult {
    if let Some(found) = client.take_if(|client| !client.is_closed())
        && let Some(result) = query_once(server, found, client).await
    {
        return result;
    }
    let events = ConnectionCallbacks { on_notification: || {}, on_end: || {} };
    match connect(&server.address_with_password(), server.tls.clone(), &server.liveness, events).await {
        Ok(found) => query_once(server, found, client).await.unwrap_or(ProbeResult::Refused),
        Err(error) if error == Liveness::silence_error() => ProbeResult::Silent,
        Err(PostgresError::Unavailable(_)) => ProbeResult::Refused,
        // Every error of the server is a response.
        Err(_) => ProbeResult::Answered,
    }
}

/// Sends one query. Returns none if the session has ended.
async fn query_once(server: &Server, candidate: Client, client: &mut Option<Client>) -> Option<ProbeResult> {
    tokio::select! {
        biased;
        answer = candidate.simple_query("SELECT 1") => {
            answer.ok()?;
            *client = Some(candidate);
            Some(ProbeResult::Answered)
        }
        () = server.liveness.measure_silence().wait_until_long() => Some(ProbeResult::Silent),
    }
}
