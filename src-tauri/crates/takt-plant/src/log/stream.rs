//! The log as a JSON array, read in parts because it may be larger than memory allows.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use axum::body::Body;
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::io::ReaderStream;

use crate::{
    PlantError,
    log::{CHUNK_BYTES, RequestLog},
    log_entry::LogLine,
};

/// Selects entries.
#[derive(Debug, Clone, Default)]
pub(crate) struct LogQuery {
    /// Only entries with higher numbers.
    pub(crate) after: u64,
    /// At most this many entries.
    pub(crate) limit: Option<u64>,
    /// Only entries of this operation.
    pub(crate) operation: Option<String>,
}

/// Streams the present entries. The first part is read before this returns, so that an error can still be answered.
pub(crate) fn stream_body(log: &Arc<RequestLog>, wanted: LogQuery) -> Result<Body, PlantError> {
    let operation = wanted.operation.map(|id| serde_json::to_string(&id)).transpose()?;
    let mut text = LogStream {
        log: Arc::clone(log),
        after: wanted.after,
        until: log.until(),
        left: wanted.limit.unwrap_or(u64::MAX),
        // The text that entries of the operation contain. Quotes inside a member's text are escaped, so no other
        // entries contain it.
        needle: operation.map(|id| format!(",\"operation\":{id},\"user\":")),
        ready: b"[".to_vec(),
        read: 0,
        is_first: true,
        ended: false,
    };
    text.fill()?;
    Ok(Body::from_stream(ReaderStream::with_capacity(text, CHUNK_BYTES / 4)))
}

struct LogStream {
    log: Arc<RequestLog>,
    after: u64,
    until: u64,
    left: u64,
    needle: Option<String>,
    /// The next bytes, of which `read` were already returned.
    ready: Vec<u8>,
    read: usize,
    is_first: bool,
    ended: bool,
}

impl LogStream {
    /// Appends the next part or the end. A part may contain no matching entry.
    fn fill(&mut self) -> Result<(), PlantError> {
        self.ready.drain(..self.read);
        self.read = 0;
        if self.after < self.until && self.left > 0 {
            let (lines, next) = self.log.chunk(self.after, self.until)?;
            self.after = next;
            lines.iter().for_each(|line| self.append_line(line));
        } else if !self.ended {
            self.ready.push(b']');
            self.ended = true;
        }
        Ok(())
    }

    fn append_line(&mut self, line: &LogLine) {
        let wanted = self.needle.as_ref().is_none_or(|needle| line.text.contains(needle.as_str()));
        if !wanted || self.left == 0 {
            return;
        }
        if !std::mem::take(&mut self.is_first) {
            self.ready.push(b',');
        }
        self.ready.extend_from_slice(line.text.as_bytes());
        self.left -= 1;
    }
}

impl AsyncRead for LogStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.read == self.ready.len() && !self.ended {
            if let Err(error) = self.fill() {
                return Poll::Ready(Err(io::Error::other(error)));
            }
            if self.ready.is_empty() {
                // Lets other tasks run during a long search.
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
        }
        let count = buffer.remaining().min(self.ready.len() - self.read);
        buffer.put_slice(&self.ready[self.read..self.read + count]);
        self.read += count;
        Poll::Ready(Ok(()))
    }
}
