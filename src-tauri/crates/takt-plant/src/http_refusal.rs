//! Replaces hyper's own errors before there is a request. They have no body, so the stream writes the contract's.

use std::{
    fmt,
    io::{self, ErrorKind},
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::http::StatusCode;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Sleep, sleep},
};

use crate::answer::Answer;

const EMPTY: &str = "content-length: 0\r\n";
const HEAD_END: &str = "\r\n\r\n";
/// The time for which a refused client may still send. Closing a connection with unread bytes loses the response.
const LINGER_TIMEOUT: Duration = Duration::from_secs(1);

/// Makes the response to a request that HTTP refuses with this status.
#[derive(Clone)]
pub(crate) struct Refusals(pub(crate) Arc<dyn Fn(StatusCode) -> Answer + Send + Sync>);

impl fmt::Debug for Refusals {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Refusals")
    }
}

/// A response in place of hyper's. It's the last of its connection.
#[derive(Debug)]
pub(crate) struct Refusal {
    bytes: Vec<u8>,
    written: usize,
    is_shut: bool,
    linger: Pin<Box<Sleep>>,
}

impl Answer {
    /// Returns the response to a request that HTTP refuses with this status. The body is the contract's error.
    pub(crate) fn refused_by_http(status: StatusCode) -> Self {
        match status {
            StatusCode::URI_TOO_LONG => Self::error(status, "The address is too long."),
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => Self::error(status, "The request's head is too large."),
            _ => Self::bad_request("The request is not valid HTTP."),
        }
    }
}

impl Refusal {
    /// Returns the replacement if `bytes` are one of hyper's own errors. All other responses have a body.
    pub(crate) fn from_hyper_error(bytes: &[u8], refusals: &Refusals) -> Option<Self> {
        let head = std::str::from_utf8(bytes).ok()?.strip_suffix(HEAD_END)?;
        let status = head.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse::<StatusCode>().ok()?;
        let is_hyper_error = status.is_client_error() && head.contains(EMPTY.trim_end()) && !head.contains(HEAD_END);
        if !is_hyper_error {
            return None;
        }
        let answer = (refusals.0)(status);
        let mut members = format!("content-length: {}\r\ncache-control: no-store\r\n", answer.body.len());
        for (name, value) in &answer.headers {
            members.push_str(&format!("{name}: {}\r\n", value.to_str().unwrap_or_default()));
        }
        let head = format!("{head}\r\n").replacen(EMPTY, &members, 1);
        let bytes = [head.as_bytes(), b"\r\n", &answer.body].concat();
        Some(Self { bytes, written: 0, is_shut: false, linger: Box::pin(sleep(LINGER_TIMEOUT)) })
    }

    pub(crate) fn poll_write(&mut self, stream: &mut TcpStream, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(rest) = self.bytes.get(self.written..).filter(|rest| !rest.is_empty()) {
            let count = ready!(Pin::new(&mut *stream).poll_write(context, rest))?;
            if count == 0 {
                return Poll::Ready(Err(ErrorKind::WriteZero.into()));
            }
            self.written += count;
        }
        Poll::Ready(Ok(()))
    }

    /// Ends the response and discards the rest of the request.
    pub(crate) fn poll_shutdown(&mut self, stream: &mut TcpStream, context: &mut Context<'_>) -> Poll<io::Result<()>> {
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
