//! Serves connections to the receiver until it closes, within limits of time and number.

use std::{convert::Infallible, future::Future, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, Request, Response},
};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::connections::{ConnectionSlot, Connections};

/// The maximum time to receive a request's head, which also limits an idle connection.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// The size of the read buffer in bytes. A request's head must fit.
const READ_BUFFER_BYTES: usize = 64 * 1024;
/// The wait after a failed accept, for example without free handles.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);
/// The response if there is no slot for a connection.
const UNAVAILABLE_RESPONSE: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// Answers requests until `closing`, and returns once the last one is answered. `answer` must mark the slot once its
/// request is complete.
pub(crate) async fn serve<F, R>(listener: TcpListener, closing: CancellationToken, answer: F)
where
    F: Fn(Request<Body>, Arc<ConnectionSlot>) -> R + Clone + Send + Sync + 'static,
    R: Future<Output = Response<Body>> + Send + 'static,
{
    let connection_tasks = TaskTracker::new();
    let connections = Connections::default();
    loop {
        let accepted = tokio::select! {
            () = closing.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                if let Some(slot) = admit(&connections, &stream, peer) {
                    connection_tasks.spawn(serve_connection(stream, slot, closing.clone(), answer.clone()));
                }
            }
            Err(error) => {
                tracing::warn!(%error, "a connection couldn't be accepted");
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
            }
        }
    }
    drop(listener);
    connection_tasks.close();
    connection_tasks.wait().await;
}

fn admit(connections: &Connections, stream: &TcpStream, peer: SocketAddr) -> Option<Arc<ConnectionSlot>> {
    let slot = connections.admit(peer.ip());
    if slot.is_none() {
        tracing::warn!(%peer, "no room for another connection");
        // The response may be written only partially, because this must not block. The sender tries again.
        let _ = stream.try_write(UNAVAILABLE_RESPONSE);
    }
    slot.map(Arc::new)
}

async fn serve_connection<F, R>(stream: TcpStream, slot: Arc<ConnectionSlot>, closing: CancellationToken, answer: F)
where
    F: Fn(Request<Body>, Arc<ConnectionSlot>) -> R,
    R: Future<Output = Response<Body>>,
{
    // Responses are small and urgent. If the option can't be set, they are only slower.
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request: Request<Incoming>| {
        let response = answer(request.map(Body::new), Arc::clone(&slot));
        let slot = Arc::clone(&slot);
        async move {
            let response = response.await;
            slot.set_answered();
            Ok::<_, Infallible>(response)
        }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(READ_BUFFER_BYTES);
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = slot.wait_until_ended() => return,
        () = closing.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// Converts headers to texts in order. Invalid bytes are written as `\xNN`.
pub(crate) fn header_texts(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &HeaderValue| match value.to_str() {
        Ok(text) => text.to_owned(),
        Err(_) => value.as_bytes().escape_ascii().to_string(),
    };
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect()
}
