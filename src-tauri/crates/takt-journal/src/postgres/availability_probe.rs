//! The probe: sends trivial queries over its own session as long as a caller waits or watches. So a long statement can
//! be distinguished from a silent server, and the end of a silence is noticed.

use std::io;
use std::sync::Arc;

use tokio::sync::oneshot;
use tokio_postgres::Client;

use super::availability::{Availability, Liveness};
use super::connect::{Events, connect};
use super::{PostgresError, Server};

/// The probe of a store, which ends when it is dropped.
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
                    () = watch(&server) => {}
                }
            });
            // A name lookup may still block.
            runtime.shutdown_background();
        })?;
        Ok(Self(probe))
    }
}

/// Runs the detection of silence and the probe. Neither ends, because a later watcher needs both.
async fn watch(server: &Server) {
    tokio::join!(notice_silence(&server.liveness), probe_repeatedly(server));
}

async fn notice_silence(liveness: &Liveness) {
    loop {
        liveness.until_watched().await;
        tokio::time::sleep(liveness.tick()).await;
        let mut silence = liveness.silence();
        while liveness.is_watched() {
            if silence.is_long().await && liveness.is_watched() {
                liveness.set(Availability::Silent);
            }
        }
    }
}

async fn probe_repeatedly(server: &Server) {
    let mut client = None;
    loop {
        server.liveness.until_watched().await;
        // Most queries have ended by then and need no probe.
        tokio::time::sleep(server.liveness.tick()).await;
        if server.liveness.is_watched() {
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
    let events = Events { notified: || {}, ended: || {} };
    match connect(&server.address_with_password(), server.tls.clone(), &server.liveness, events).await {
        Ok(found) => query_once(server, found, client).await.unwrap_or(ProbeResult::Refused),
        Err(error) if error == Liveness::silence_error() => ProbeResult::Silent,
        Err(PostgresError::Unavailable(_)) => ProbeResult::Refused,
        // Every error of the server is a response.
        Err(_) => ProbeResult::Answered,
    }
}

/// Returns none if the session has ended.
async fn query_once(server: &Server, candidate: Client, client: &mut Option<Client>) -> Option<ProbeResult> {
    tokio::select! {
        biased;
        answer = candidate.simple_query("SELECT 1") => {
            answer.ok()?;
            *client = Some(candidate);
            Some(ProbeResult::Answered)
        }
        () = server.liveness.silence().until_long() => Some(ProbeResult::Silent),
    }
}
