//! Asks the server for something that takes no time, over a session of its own, for as long as somebody waits or watches: so a long statement
//! is told from a server that doesn't answer, and a silence ends.

use std::io;
use std::sync::Arc;

use tokio::sync::oneshot;
use tokio_postgres::Client;

use super::connect::{Events, connect};
use super::liveness::{Availability, Liveness};
use super::{PostgresError, Server};

/// The probe of a store. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct Probe(#[expect(dead_code, reason = "the thread ends with it")] oneshot::Sender<()>);

/// What the server said.
enum ProbeAnswer {
    Answered,
    /// It refused the connection, or ended it.
    Refused,
    Silent,
}

impl Probe {
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
            // A name that is looked up may take long.
            runtime.shutdown_background();
        })?;
        Ok(Self(probe))
    }
}

/// Both run until the connection ends, because a later watcher needs both.
async fn watch(server: &Server) {
    tokio::join!(notice_silence(&server.liveness), keep_asking(server));
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

async fn keep_asking(server: &Server) {
    let mut client = None;
    loop {
        server.liveness.until_watched().await;
        // Most questions are answered by then.
        tokio::time::sleep(server.liveness.tick()).await;
        if server.liveness.is_watched() {
            match ask(server, &mut client).await {
                ProbeAnswer::Answered => server.liveness.set(Availability::Available),
                ProbeAnswer::Refused => server.liveness.set(Availability::Unreachable),
                ProbeAnswer::Silent => {}
            }
        }
    }
}

async fn ask(server: &Server, client: &mut Option<Client>) -> ProbeAnswer {
    if let Some(found) = client.take_if(|client| !client.is_closed())
        && let Some(answer) = answered(server, found, client).await
    {
        return answer;
    }
    let events = Events { notified: || {}, ended: || {} };
    match connect(&server.sign_in(), server.tls.clone(), (&server.liveness, events)).await {
        Ok(found) => answered(server, found, client).await.unwrap_or(ProbeAnswer::Refused),
        Err(error) if error == Liveness::silent() => ProbeAnswer::Silent,
        Err(PostgresError::Away(_)) => ProbeAnswer::Refused,
        // Whatever it says, it answers.
        Err(_) => ProbeAnswer::Answered,
    }
}

/// Nothing where the session had ended.
async fn answered(server: &Server, asked: Client, client: &mut Option<Client>) -> Option<ProbeAnswer> {
    tokio::select! {
        biased;
        answer = asked.simple_query("SELECT 1") => {
            answer.ok()?;
            *client = Some(asked);
            Some(ProbeAnswer::Answered)
        }
        () = server.liveness.silence().long() => Some(ProbeAnswer::Silent),
    }
}
