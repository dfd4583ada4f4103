//! Connections to the receiver: accepted until it closes, and bounded in number, size and time.

use std::{convert::Infallible, future::Future, pin::pin, sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, Request, Response},
};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How long a request's head may take, and how long a connection stays on which nothing comes.
const PATIENCE: Duration = Duration::from_secs(60);
const CONNECTIONS: usize = 512;
/// A listener that can't accept (no more handles) is tried again after this.
const BREATH: Duration = Duration::from_millis(100);

/// Answers every request until `closing`; returns when the last one is answered.
pub(super) async fn serve<F, R>(listener: TcpListener, closing: CancellationToken, answer: F)
where
    F: Fn(Request<Body>) -> R + Clone + Send + Sync + 'static,
    R: Future<Output = Response<Body>> + Send + 'static,
{
    let conversations = TaskTracker::new();
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let accepted = tokio::select! {
            () = closing.cancelled() => break,
            accepted = async {
                let place = Arc::clone(&room).acquire_owned().await;
                (place, listener.accept().await)
            } => accepted,
        };
        match accepted {
            (Ok(place), Ok((stream, _))) => {
                let (closing, answer) = (closing.clone(), answer.clone());
                conversations.spawn(async move {
                    converse(stream, closing, answer).await;
                    drop(place);
                });
            }
            (_, Err(error)) => {
                tracing::warn!(%error, "a connection couldn't be accepted");
                tokio::time::sleep(BREATH).await;
            }
            (Err(_), _) => break,
        }
    }
    drop(listener);
    conversations.close();
    conversations.wait().await;
}

async fn converse<F, R>(stream: TcpStream, closing: CancellationToken, answer: F)
where
    F: Fn(Request<Body>) -> R,
    R: Future<Output = Response<Body>>,
{
    // Answers are small and wanted at once. Where it can't be set, they are only slower.
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request: Request<Incoming>| {
        let answering = answer(request.map(Body::new));
        async move { Ok::<_, Infallible>(answering.await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(PATIENCE);
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = closing.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// Headers as texts, in their order; bytes that are none are written `\xNN`.
pub(super) fn texts(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &HeaderValue| match value.to_str() {
        Ok(text) => text.to_owned(),
        Err(_) => value.as_bytes().escape_ascii().to_string(),
    };
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect()
}
