//! Serving connections to the receiver until it closes: how long each may take, and who makes room.

use std::{convert::Infallible, future::Future, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, Request, Response},
};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::connections::{ConnectionSlot, Connections};

/// How long a request's head may take, and how long an idle connection stays open.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// The most of a connection that is read ahead, in bytes; a head has to fit.
const AHEAD: usize = 64 * 1024;
/// A listener that can't accept (no more handles) is tried again after this.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);
/// For whom there is no room.
const NO_ROOM: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// Answers every request until `closing`; returns when the last one is answered. `answer` tells the place once its request is
/// complete.
pub(super) async fn serve<F, R>(listener: TcpListener, closing: CancellationToken, answer: F)
where
    F: Fn(Request<Body>, Arc<ConnectionSlot>) -> R + Clone + Send + Sync + 'static,
    R: Future<Output = Response<Body>> + Send + 'static,
{
    let conversations = TaskTracker::new();
    let connections = Connections::default();
    loop {
        let accepted = tokio::select! {
            () = closing.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                if let Some(place) = placed(&connections, &stream, peer) {
                    conversations.spawn(converse(stream, place, closing.clone(), answer.clone()));
                }
            }
            Err(error) => {
                tracing::warn!(%error, "a connection couldn't be accepted");
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
            }
        }
    }
    drop(listener);
    conversations.close();
    conversations.wait().await;
}

fn placed(connections: &Connections, stream: &TcpStream, peer: SocketAddr) -> Option<Arc<ConnectionSlot>> {
    let place = connections.admit(peer.ip());
    if place.is_none() {
        tracing::warn!(%peer, "no room for another connection");
        // As much as possible. The sender tries again.
        let _ = stream.try_write(NO_ROOM);
    }
    place.map(Arc::new)
}

async fn converse<F, R>(stream: TcpStream, place: Arc<ConnectionSlot>, closing: CancellationToken, answer: F)
where
    F: Fn(Request<Body>, Arc<ConnectionSlot>) -> R,
    R: Future<Output = Response<Body>>,
{
    // Answers are small and wanted at once. Where it can't be set, they are only slower.
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request: Request<Incoming>| {
        let answering = answer(request.map(Body::new), Arc::clone(&place));
        let place = Arc::clone(&place);
        async move {
            let answered = answering.await;
            place.is_answered();
            Ok::<_, Infallible>(answered)
        }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(AHEAD);
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = place.taken() => return,
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
