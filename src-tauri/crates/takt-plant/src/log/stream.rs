//! The log as one JSON array, read piece by piece: it may be larger than what anybody wants in memory.

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
    log::{PIECE, RequestLog},
    log_entry::LogLine,
};

/// Which entries are wanted.
#[derive(Debug, Clone, Default)]
pub(crate) struct LogQuery {
    /// Those with higher numbers.
    pub(crate) after: u64,
    /// The first so many of them.
    pub(crate) limit: Option<u64>,
    /// Those of this operation.
    pub(crate) operation: Option<String>,
}

/// The entries that are there at this moment. The first of them are read at once, so that an error can still be answered.
pub(crate) fn body(log: &Arc<RequestLog>, wanted: LogQuery) -> Result<Body, PlantError> {
    let operation = wanted.operation.map(|id| serde_json::to_string(&id)).transpose()?;
    let mut text = Text {
        log: Arc::clone(log),
        after: wanted.after,
        until: log.until(),
        left: wanted.limit.unwrap_or(u64::MAX),
        // As it stands in an entry of the operation. In a text the quotes would be escaped.
        mark: operation.map(|id| format!(",\"operation\":{id},\"user\":")),
        ready: b"[".to_vec(),
        read: 0,
        is_first: true,
        ended: false,
    };
    text.fill()?;
    Ok(Body::from_stream(ReaderStream::with_capacity(text, PIECE / 4)))
}

struct Text {
    log: Arc<RequestLog>,
    after: u64,
    until: u64,
    left: u64,
    mark: Option<String>,
    /// What comes next, from `read` on.
    ready: Vec<u8>,
    read: usize,
    is_first: bool,
    ended: bool,
}

impl Text {
    /// Makes the next piece ready, or the end. A piece may hold nothing that is wanted.
    fn fill(&mut self) -> Result<(), PlantError> {
        self.ready.drain(..self.read);
        self.read = 0;
        if self.after < self.until && self.left > 0 {
            let (lines, next) = self.log.piece(self.after, self.until)?;
            self.after = next;
            lines.iter().for_each(|line| self.take(line));
        } else if !self.ended {
            self.ready.push(b']');
            self.ended = true;
        }
        Ok(())
    }

    fn take(&mut self, line: &LogLine) {
        let wanted = self.mark.as_ref().is_none_or(|mark| line.text.contains(mark.as_str()));
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

impl AsyncRead for Text {
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
                // Others get their turn while this looks on.
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
