//! The request log: requests, responses and above all the applied items, even if a fault altered the response.
//!
//! Two rings, so that reads never push out writes. Without a data folder, both are in memory.
//! With one, applied items are saved in the transaction of their change. Reads are buffered and saved together, so a
//! kill loses the last ones.

use std::{
    collections::VecDeque,
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use axum::body::Body;
use parking_lot::Mutex;
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::io::ReaderStream;

use crate::{
    PlantError,
    log_entry::{LogEntry, LogLine, LogRing, assign_number},
    persistence::Persistence,
};

/// The maximum number of stored entries of reads.
const MAX_READS_IN_MEMORY: usize = 10_000;
/// The maximum bytes of stored writes by default.
const DEFAULT_WRITE_BYTES: u64 = 24 * 1024 * 1024;
/// Reads that are saved together.
const READS_PER_SAVE: usize = 256;
/// The longest time that entries are buffered.
const FLUSH_INTERVAL: Duration = Duration::from_secs(1);
/// Bytes of the log that are read at once.
const CHUNK_BYTES: usize = 256 * 1024;

/// The log of all requests, in two bounded rings.
#[derive(Debug)]
pub(crate) struct RequestLog {
    rings: Mutex<Rings>,
    /// The number of the latest entry. Numbers are assigned under the rings' lock, or under the file's writer lock.
    numbers: AtomicU64,
    persistence: Option<Arc<Persistence>>,
}

impl RequestLog {
    /// Creates the log. `logged` is the number of the latest saved entry, `max_write_bytes` the limit of the writes.
    pub(crate) fn new(persistence: Option<Arc<Persistence>>, logged: u64, max_write_bytes: Option<u64>) -> Self {
        Self { rings: Mutex::new(Rings::new(max_write_bytes)), numbers: AtomicU64::new(logged), persistence }
    }

    /// Numbers and stores an entry. Adds only the status to an entry that was saved with its change.
    pub(crate) fn write_entry(&self, mut entry: LogEntry, ring: LogRing) {
        if let (Some(persistence), true) = (&self.persistence, entry.number > 0) {
            let Some(status) = entry.status else { return };
            if let Err(error) = persistence.save_status(entry.number, status) {
                tracing::error!(%error, number = entry.number, "the log can't say what was answered");
            }
            return;
        }
        if let (Some(persistence), LogRing::Writes) = (&self.persistence, ring) {
            match persistence.save_write(&mut entry, &self.numbers) {
                Ok(()) => return,
                Err(error) => tracing::error!(%error, "a log entry has to wait in memory"),
            }
        }
        let mut rings = self.rings.lock();
        match assign_number(&mut entry, &self.numbers) {
            Ok(line) => rings.push(ring, line),
            Err(error) => tracing::error!(%error, "a request can't be logged"),
        }
        if rings.unsaved() >= READS_PER_SAVE || rings.is_save_due(FLUSH_INTERVAL) {
            self.save_buffered(&mut rings);
        }
    }

    /// Saves buffered entries if there is a file.
    pub(crate) fn flush(&self) {
        self.save_buffered(&mut self.rings.lock());
    }

    fn save_buffered(&self, rings: &mut Rings) {
        let Some(persistence) = &self.persistence else { return };
        rings.mark_attempt(Instant::now());
        if rings.is_empty() {
            return;
        }
        match persistence.save_log(&rings.lines()) {
            Ok(()) => rings.clear(),
            Err(error) => tracing::error!(%error, "the log has to wait in memory"),
        }
    }

    /// Returns the number of the latest entry.
    pub(crate) fn latest_number(&self) -> u64 {
        self.numbers.load(Ordering::Relaxed)
    }

    /// Returns the counter, for the change that numbers an entry.
    pub(crate) fn numbers(&self) -> &AtomicU64 {
        &self.numbers
    }

    /// Returns the last `count` entries, newest first.
    pub(crate) fn latest(&self, count: usize) -> Result<Vec<LogEntry>, PlantError> {
        let mut lines = self.rings.lock().latest(count);
        if let Some(persistence) = &self.persistence {
            lines.extend(persistence.read_latest_log(count)?);
            lines.sort_by_key(|line| std::cmp::Reverse(line.number));
            lines.dedup_by_key(|line| line.number);
            lines.truncate(count);
        }
        lines.iter().map(|line| Ok(serde_json::from_str(&line.text)?)).collect()
    }

    /// Returns every entry, oldest first.
    pub(crate) fn entries(&self) -> Result<Vec<LogEntry>, PlantError> {
        let (mut entries, mut after, until) = (Vec::new(), 0, self.readable_until());
        while after < until {
            let (lines, next) = self.read_chunk(after, until)?;
            for line in lines {
                entries.push(serde_json::from_str(&line.text)?);
            }
            after = next;
        }
        Ok(entries)
    }

    /// Returns a number up to which every entry can be read.
    fn readable_until(&self) -> u64 {
        let _rings_lock = self.rings.lock();
        match &self.persistence {
            Some(persistence) => persistence.saved_number(&self.numbers),
            None => self.latest_number(),
        }
    }

    /// Returns some entries after `after` up to `until`, in order, and the number up to which they are complete.
    fn read_chunk(&self, after: u64, until: u64) -> Result<(Vec<LogLine>, u64), PlantError> {
        let (buffered, all) = self.rings.lock().read_chunk(after, until, CHUNK_BYTES);
        let Some(persistence) = &self.persistence else {
            let last = buffered.last().map_or(until, |line| line.number);
            return Ok((buffered, if all { until } else { last }));
        };
        // An entry that moves from memory to the file between the two reads is seen twice, but never missed.
        let (mut lines, is_complete) = persistence.read_log_chunk(after, until, CHUNK_BYTES)?;
        let through = |lines: &[LogLine], is_complete: bool| {
            if is_complete { until } else { lines.last().map_or(until, |line| line.number) }
        };
        let next = through(&lines, is_complete).min(through(&buffered, all));
        lines.extend(buffered);
        lines.retain(|line| line.number <= next);
        lines.sort_by_key(|line| line.number);
        lines.dedup_by_key(|line| line.number);
        Ok((lines, next))
    }

    /// Removes the entries in memory. Numbers continue.
    pub(crate) fn clear(&self) {
        self.rings.lock().clear();
    }
}

/// The two rings in memory. Lines are serialized, because a hundred maps per request would be ten times as large.
#[derive(Debug)]
struct Rings {
    reads: VecDeque<LogLine>,
    writes: VecDeque<LogLine>,
    /// Bytes of the writes.
    bytes: u64,
    max_bytes: u64,
    /// Lines added since the last attempt to save them, and the time of that attempt.
    unsaved: usize,
    last_attempt: Instant,
}

impl Rings {
    fn new(max_bytes: Option<u64>) -> Self {
        Self {
            reads: VecDeque::new(),
            writes: VecDeque::new(),
            bytes: 0,
            max_bytes: max_bytes.unwrap_or(DEFAULT_WRITE_BYTES),
            unsaved: 0,
            last_attempt: Instant::now(),
        }
    }

    /// Adds a line with a higher number than all before. Removes the oldest lines of a full ring.
    fn push(&mut self, ring: LogRing, line: LogLine) {
        self.unsaved += 1;
        match ring {
            LogRing::Reads => {
                self.reads.push_back(line);
                if self.reads.len() > MAX_READS_IN_MEMORY {
                    self.reads.pop_front();
                }
            }
            LogRing::Writes => {
                self.bytes += line.text.len() as u64;
                self.writes.push_back(line);
                while self.bytes > self.max_bytes && self.writes.len() > 1 {
                    let oldest = self.writes.pop_front();
                    self.bytes -= oldest.map_or(0, |line| line.text.len() as u64);
                }
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty()
    }

    fn unsaved(&self) -> usize {
        self.unsaved
    }

    fn is_save_due(&self, interval: Duration) -> bool {
        self.last_attempt.elapsed() >= interval
    }

    /// Records an attempt to save the lines.
    fn mark_attempt(&mut self, now: Instant) {
        (self.unsaved, self.last_attempt) = (0, now);
    }

    /// Returns all lines, each ring in order.
    fn lines(&self) -> Vec<(LogRing, LogLine)> {
        let reads = self.reads.iter().map(|line| (LogRing::Reads, line.clone()));
        reads.chain(self.writes.iter().map(|line| (LogRing::Writes, line.clone()))).collect()
    }

    fn clear(&mut self) {
        self.reads.clear();
        self.writes.clear();
        self.bytes = 0;
    }

    /// Returns lines after `after` up to `until`, in order, until they reach `bytes`. The flag is set if these are all.
    fn read_chunk(&self, after: u64, until: u64, bytes: usize) -> (Vec<LogLine>, bool) {
        let from = |ring: &VecDeque<LogLine>| ring.partition_point(|line| line.number <= after);
        let mut reads = self.reads.range(from(&self.reads)..).peekable();
        let mut writes = self.writes.range(from(&self.writes)..).peekable();
        let (mut lines, mut read) = (Vec::new(), 0);
        loop {
            let next = match (reads.peek(), writes.peek()) {
                (Some(left), Some(right)) if left.number < right.number => reads.next(),
                (Some(_), None) => reads.next(),
                _ => writes.next(),
            };
            let Some(line) = next.filter(|line| line.number <= until) else { return (lines, true) };
            if read >= bytes {
                return (lines, false);
            }
            read += line.text.len();
            lines.push(line.clone());
        }
    }

    /// Returns the latest lines, newest first.
    fn latest(&self, count: usize) -> Vec<LogLine> {
        let ends = [&self.reads, &self.writes].map(|ring| ring.iter().rev().take(count));
        let mut lines: Vec<LogLine> = ends.into_iter().flatten().cloned().collect();
        lines.sort_by_key(|line| std::cmp::Reverse(line.number));
        lines.truncate(count);
        lines
    }
}

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
        until: log.readable_until(),
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
            let (lines, next) = self.log.read_chunk(self.after, self.until)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_never_push_out_writes() {
        let mut rings = Rings::new(None);
        let line = |number| LogLine { number, text: "{}".into() };
        let last = MAX_READS_IN_MEMORY as u64 + 401;
        rings.push(LogRing::Writes, line(1));
        (2..=last).for_each(|number| rings.push(LogRing::Reads, line(number)));
        let numbers: Vec<u64> = rings.lines().iter().map(|(_, line)| line.number).collect();
        assert_eq!(
            (numbers.len(), numbers.iter().min(), numbers.iter().max()),
            (MAX_READS_IN_MEMORY + 1, Some(&1), Some(&last))
        );
    }
}
