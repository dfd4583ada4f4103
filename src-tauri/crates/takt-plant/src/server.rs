//! Serves each connection in its own task. Closes idle connections, and all connections when the plant closes.
//!
//! Faults can cut a connection (`drop-before-apply`, `apply-then-drop`). Since hyper can't close a connection instead
//! of responding, the stream fails at the first byte of the response. The stream also replaces hyper's own errors,
//! which have no body. Requests are answered by the router.

use std::{
    fmt,
    io::{self, ErrorKind},
    net::SocketAddr,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::{Router, extract::ConnectInfo, http::StatusCode, serve::Listener};
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
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
    time::{Sleep, sleep},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::answer::{Answer, ConnectionCutter};

/// The maximum time for which a connection may be idle, or may take to send the head of a request. It is long, so that
/// clients close idle connections first and don't reuse a connection that the plant is closing.
pub(crate) const IDLE_TIMEOUT: Duration = Duration::from_secs(120);

const EMPTY_BODY_HEADER: &str = "content-length: 0\r\n";
const HEAD_END: &str = "\r\n\r\n";
/// The time for which a rejected client may continue to send. Closing a connection with unread data would lose the
/// response.
const LINGER_TIMEOUT: Duration = Duration::from_secs(1);

/// Serves connections until `shutdown_token` is canceled. Returns when all requests in flight are answered.
pub(crate) async fn serve_connections(
    mut listener: CuttableListener,
    router: Router,
    shutdown_token: CancellationToken,
    idle_timeout: Duration,
) {
    let connections = TaskTracker::new();
    loop {
        let stream = tokio::select! {
            (stream, _) = listener.accept() => stream,
            () = shutdown_token.cancelled() => break,
        };
        connections.spawn(serve_connection(stream, router.clone(), shutdown_token.clone(), idle_timeout));
    }
    drop(listener);
    connections.close();
    connections.wait().await;
}

async fn serve_connection(
    stream: CuttableStream,
    router: Router,
    shutdown_token: CancellationToken,
    idle_timeout: Duration,
) {
    let cutter = stream.cutter();
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(cutter.clone()));
        router.call(request)
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(idle_timeout);
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shutdown_token.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// A TCP listener whose connections can be cut by faults.
#[derive(Debug)]
pub(crate) struct CuttableListener {
    pub(crate) listener: TcpListener,
    pub(crate) refusals: RefusalBuilder,
}

impl Listener for CuttableListener {
    type Io = CuttableStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (stream, address) = Listener::accept(&mut self.listener).await;
        // Sends small responses at once. If the option can't be set, they are only slower.
        let _ = stream.set_nodelay(true);
        (
            CuttableStream {
                stream,
                cutter: ConnectionCutter::default(),
                refusals: self.refusals.clone(),
                refusal: None,
            },
            address,
        )
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

#[derive(Debug)]
pub(crate) struct CuttableStream {
    stream: TcpStream,
    cutter: ConnectionCutter,
    refusals: RefusalBuilder,
    refusal: Option<HttpRefusal>,
}

impl CuttableStream {
    /// Returns a handle that cuts the connection.
    fn cutter(&self) -> ConnectionCutter {
        self.cutter.clone()
    }

    /// Writes a response that replaces hyper's own error in `bytes`. Returns None if `bytes` aren't such an error.
    fn poll_refuse(&mut self, bytes: &[u8], context: &mut Context<'_>) -> Option<Poll<io::Result<()>>> {
        if self.refusal.is_none() {
            self.refusal = HttpRefusal::from_hyper_error(bytes, &self.refusals);
        }
        let Self { stream, refusal, .. } = self;
        refusal.as_mut().map(|refusal| refusal.poll_write(stream, context))
    }
}

impl AsyncRead for CuttableStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for CuttableStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.cutter.is_cut() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        match self.poll_refuse(bytes, context) {
            Some(written) => written.map_ok(|()| bytes.len()),
            None => Pin::new(&mut self.stream).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.cutter.is_cut() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        let total_length = || slices.iter().map(|slice| slice.len()).sum();
        let first = slices.iter().find(|slice| !slice.is_empty()).map(|slice| &**slice).unwrap_or_default();
        match self.poll_refuse(first, context) {
            Some(written) => written.map_ok(|()| total_length()),
            None => Pin::new(&mut self.stream).poll_write_vectored(context, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { stream, refusal, .. } = &mut *self;
        match refusal {
            Some(refusal) => refusal.poll_shutdown(stream, context),
            None => Pin::new(stream).poll_shutdown(context),
        }
    }
}

/// Builds the response to a request that isn't valid HTTP.
#[derive(Clone)]
pub(crate) struct RefusalBuilder(pub(crate) Arc<dyn Fn(StatusCode) -> Answer + Send + Sync>);

impl fmt::Debug for RefusalBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("RefusalBuilder")
    }
}

/// The response that replaces hyper's own error, and closes the connection.
#[derive(Debug)]
struct HttpRefusal {
    bytes: Vec<u8>,
    written_bytes: usize,
    is_shut: bool,
    linger: Pin<Box<Sleep>>,
}

impl Answer {
    /// Builds the response with this status to a request that isn't valid HTTP. The body is the contract's error.
    pub(crate) fn for_invalid_http(status: StatusCode) -> Self {
        match status {
            StatusCode::URI_TOO_LONG => Self::error(status, "The address is too long."),
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => Self::error(status, "The request's head is too large."),
            _ => Self::bad_request("The request is not valid HTTP."),
        }
    }
}

impl HttpRefusal {
    /// Returns a replacement if `bytes` are hyper's own error, which is recognized by its empty body.
    fn from_hyper_error(bytes: &[u8], refusals: &RefusalBuilder) -> Option<Self> {
        let head = std::str::from_utf8(bytes).ok()?.strip_suffix(HEAD_END)?;
        let status = head.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse::<StatusCode>().ok()?;
        let is_hyper_error =
            status.is_client_error() && head.contains(EMPTY_BODY_HEADER.trim_end()) && !head.contains(HEAD_END);
        if !is_hyper_error {
            return None;
        }
        let answer = (refusals.0)(status);
        let mut members = format!("content-length: {}\r\ncache-control: no-store\r\n", answer.body.len());
        for (name, value) in &answer.headers {
            members.push_str(&format!("{name}: {}\r\n", value.to_str().unwrap_or_default()));
        }
        let head = format!("{head}\r\n").replacen(EMPTY_BODY_HEADER, &members, 1);
        let bytes = [head.as_bytes(), b"\r\n", &answer.body].concat();
        Some(Self { bytes, written_bytes: 0, is_shut: false, linger: Box::pin(sleep(LINGER_TIMEOUT)) })
    }

    fn poll_write(&mut self, stream: &mut TcpStream, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(rest) = self.bytes.get(self.written_bytes..).filter(|rest| !rest.is_empty()) {
            let count = ready!(Pin::new(&mut *stream).poll_write(context, rest))?;
            if count == 0 {
                return Poll::Ready(Err(ErrorKind::WriteZero.into()));
            }
            self.written_bytes += count;
        }
        Poll::Ready(Ok(()))
    }

    /// Ends the response and discards the rest of the request.
    fn poll_shutdown(&mut self, stream: &mut TcpStream, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.is_shut {
            ready!(Pin::new(&mut *stream).poll_shutdown(context))?;
            self.is_shut = true;
        }
        let mut space = [0; 8192];
        loop {
            if pin!(&mut self.linger).poll(context).is_ready() {
                return Poll::Ready(Ok(()));
            }
            let mut buffer = ReadBuf::new(&mut space);
            let read = ready!(Pin::new(&mut *stream).poll_read(context, &mut buffer));
            if read.is_err() || buffer.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
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
    use crate::answer::Answer;

    const SHORT_IDLE_TIMEOUT: Duration = Duration::from_millis(300);
    const TEST_TIMEOUT: Duration = Duration::from_secs(20);

    async fn start_server() -> Result<(SocketAddr, CancellationToken), std::io::Error> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let shutdown_token = CancellationToken::new();
        let refusals = RefusalBuilder(Arc::new(Answer::for_invalid_http));
        let router = Router::new().route("/", axum::routing::get(|| async { "here" }));
        tokio::spawn(serve_connections(
            CuttableListener { listener, refusals },
            router,
            shutdown_token.clone(),
            SHORT_IDLE_TIMEOUT,
        ));
        Ok((address, shutdown_token))
    }

    #[tokio::test]
    async fn who_takes_too_long_to_ask_is_not_waited_for() -> Result<(), std::io::Error> {
        let (address, _closing) = start_server().await?;
        for begun in ["", "GET / HTTP/1.1\r\nHost: pl", "GET / HTTP/1.1\r\nHost: plant\r\n\r\n"] {
            let mut stream = TcpStream::connect(address).await?;
            stream.write_all(begun.as_bytes()).await?;
            let mut answer = Vec::new();
            let ended = timeout(TEST_TIMEOUT, stream.read_to_end(&mut answer)).await;
            assert!(ended.is_ok(), "{begun:?} is waited for");
            assert_eq!(String::from_utf8_lossy(&answer).ends_with("here"), begun.ends_with("\r\n\r\n"));
        }
        Ok(())
    }

    #[tokio::test]
    async fn what_closes_accepts_nobody_and_ends() -> Result<(), std::io::Error> {
        let (address, shutdown_token) = start_server().await?;
        let mut idle = TcpStream::connect(address).await?;
        idle.write_all(b"GET / HTTP/1.1\r\nHost: plant\r\n\r\n").await?;
        let mut head = [0; 12];
        idle.read_exact(&mut head).await?;
        assert_eq!(&head, b"HTTP/1.1 200");
        shutdown_token.cancel();
        let ended = timeout(TEST_TIMEOUT, idle.read_to_end(&mut Vec::new())).await;
        assert!(ended.is_ok(), "a connection on which nothing is asked doesn't keep the plant");
        assert!(TcpStream::connect(address).await.is_err());
        Ok(())
    }
}
