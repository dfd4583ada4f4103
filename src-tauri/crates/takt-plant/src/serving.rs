//! Connections: each is served by its own task, and closed when idle or when the plant closes.
//!
//! Owns how long a client may take to send a request's head. Leaves responses to the router, and the time for a body to
//! `request_body`.

use std::{pin::pin, time::Duration};

use axum::{Router, extract::ConnectInfo, serve::Listener};
use hyper::{
    Request,
    body::Incoming,
    server::conn::http1,
    service::{Service, service_fn},
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::connection::{CuttableListener, CuttableStream};

/// The time that a client may take to send a request's head, and that a connection may be idle. It is long, so that
/// clients close idle connections first and don't use one that the plant is closing.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(120);

/// Serves until `closing` is canceled. Returns when the last request in flight is answered.
pub(crate) async fn serve(
    mut listener: CuttableListener,
    router: Router,
    closing: CancellationToken,
    idle_timeout: Duration,
) {
    let connections = TaskTracker::new();
    loop {
        let stream = tokio::select! {
            (stream, _) = listener.accept() => stream,
            () = closing.cancelled() => break,
        };
        connections.spawn(serve_connection(stream, router.clone(), closing.clone(), idle_timeout));
    }
    drop(listener);
    connections.close();
    connections.wait().await;
}

async fn serve_connection(stream: CuttableStream, router: Router, closing: CancellationToken, idle_timeout: Duration) {
    let cut = stream.cut();
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(cut.clone()));
        router.call(request)
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(idle_timeout);
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

#[cfg(test)]
mod tests {
    use std::{
        net::{Ipv4Addr, SocketAddr},
        sync::Arc,
    };

    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::{TcpListener, TcpStream},
        time::timeout,
    };

    use super::*;
    use crate::{answer::Answer, http_refusal::Refusals};

    const SHORT: Duration = Duration::from_millis(300);
    const LONG: Duration = Duration::from_secs(20);

    async fn serving() -> Result<(SocketAddr, CancellationToken), std::io::Error> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let closing = CancellationToken::new();
        let refusals = Refusals(Arc::new(Answer::refused_by_http));
        let router = Router::new().route("/", axum::routing::get(|| async { "here" }));
        tokio::spawn(serve(CuttableListener { listener, refusals }, router, closing.clone(), SHORT));
        Ok((address, closing))
    }

    #[tokio::test]
    async fn who_takes_too_long_to_ask_is_not_waited_for() -> Result<(), std::io::Error> {
        let (address, _closing) = serving().await?;
        for begun in ["", "GET / HTTP/1.1\r\nHost: pl", "GET / HTTP/1.1\r\nHost: plant\r\n\r\n"] {
            let mut stream = TcpStream::connect(address).await?;
            stream.write_all(begun.as_bytes()).await?;
            let mut answer = Vec::new();
            let ended = timeout(LONG, stream.read_to_end(&mut answer)).await;
            assert!(ended.is_ok(), "{begun:?} is waited for");
            assert_eq!(String::from_utf8_lossy(&answer).ends_with("here"), begun.ends_with("\r\n\r\n"));
        }
        Ok(())
    }

    #[tokio::test]
    async fn what_closes_accepts_nobody_and_ends() -> Result<(), std::io::Error> {
        let (address, closing) = serving().await?;
        let mut idle = TcpStream::connect(address).await?;
        idle.write_all(b"GET / HTTP/1.1\r\nHost: plant\r\n\r\n").await?;
        let mut head = [0; 12];
        idle.read_exact(&mut head).await?;
        assert_eq!(&head, b"HTTP/1.1 200");
        closing.cancel();
        let ended = timeout(LONG, idle.read_to_end(&mut Vec::new())).await;
        assert!(ended.is_ok(), "a connection on which nothing is asked doesn't keep the plant");
        assert!(TcpStream::connect(address).await.is_err());
        Ok(())
    }
}
