//! The request log: requests, response statuses, and the items that were applied even if a fault altered the response.
//!
//! Reads and writes have separate rings, so that reads never remove writes. Without a data folder, both rings are in
//! memory. With a data folder, applied items are saved in the transaction of their change. Reads are buffered and saved
//! in groups, so a killed process loses the latest reads.

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

/// The maximum number of entries of reads in memory.
const MAX_READS_IN_MEMORY: usize = 10_000;
/// The default limit for entries of writes in memory, in bytes.
const DEFAULT_WRITE_BYTES: u64 = 24 * 1024 * 1024;
/// The number of buffered entries at which they are saved.
const READS_PER_SAVE: usize = 256;
/// The maximum time for which entries are buffered.
const FLUSH_INTERVAL: Duration = Duration::from_secs(1);
/// The size of the chunks in which the log is read, in bytes.
const CHUNK_BYTES: usize = 256 * 1024;

/// The log of all requests, in two rings of limited size.
#[derive(Debug)]
pub(crate) struct RequestLog {
    rings: Mutex<Rings>,
    /// The number of the latest entry. It is incremented under the lock of the rings or of the file's writer.
    number_counter: AtomicU64,
    persistence: Option<Arc<Persistence>>,
}

impl RequestLog {
    /// Creates the log. `logged` is the number of the latest saved entry. `max_write_bytes` limits the entries of
    /// writes.
    pub(crate) fn new(persistence: Option<Arc<Persistence>>, logged: u64, max_write_bytes: Option<u64>) -> Self {
        Self { rings: Mutex::new(Rings::new(max_write_bytes)), number_counter: AtomicU64::new(logged), persistence }
    }

    /// Numbers and stores an entry. If the entry was saved with its change, only adds the response status.
    pub(crate) fn write_entry(&self, mut entry: LogEntry, ring: LogRing) {
        if let (Some(persistence), true) = (&self.persistence, entry.number > 0) {
            let Some(status) = entry.status else { return };
            if let Err(error) = persistence.save_response_status(entry.number, status) {
                tracing::error!(%error, number = entry.number, "the log can't say what was answered");
            }
            return;
        }
        if let (Some(persistence), LogRing::Writes) = (&self.persistence, ring) {
            match persistence.save_log_entry(&mut entry, &self.number_counter) {
                Ok(()) => return,
                Err(error) => tracing::error!(%error, "a log entry has to wait in memory"),
            }
        }
        let mut rings = self.rings.lock();
        match assign_number(&mut entry, &self.number_counter) {
            Ok(line) => rings.push(ring, line),
            Err(error) => tracing::error!(%error, "a request can't be logged"),
        }
        if rings.count_unsaved() >= READS_PER_SAVE || rings.is_save_due(FLUSH_INTERVAL) {
            self.save_buffered(&mut rings);
        }
    }

    /// Saves buffered entries if there is a data folder.
    pub(crate) fn flush(&self) {
        self.save_buffered(&mut self.rings.lock());
    }

    fn save_buffered(&self, rings: &mut Rings) {
        let Some(persistence) = &self.persistence else { return };
        rings.mark_attempt(Instant::now());
        if rings.is_empty() {
            return;
        }
        match persistence.save_log_lines(&rings.lines()) {
            Ok(()) => rings.clear(),
            Err(error) => tracing::error!(%error, "the log has to wait in memory"),
        }
    }

    pub(crate) fn latest_number(&self) -> u64 {
        self.number_counter.load(Ordering::Relaxed)
    }

    /// Returns the counter that assigns numbers to entries.
    pub(crate) fn number_counter(&self) -> &AtomicU64 {
        &self.number_counter
    }

    /// Returns the latest `count` entries, newest first.
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

    /// Returns all entries, oldest first.
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

    /// Returns the number up to which all entries can be read.
    fn readable_until(&self) -> u64 {
        let _rings_lock = self.rings.lock();
        match &self.persistence {
            Some(persistence) => persistence.saved_number(&self.number_counter),
            None => self.latest_number(),
        }
    }

    /// Returns entries with numbers above `after` up to `until`, in order, and the number up to which they are
    /// complete.
    fn read_chunk(&self, after: u64, until: u64) -> Result<(Vec<LogLine>, u64), PlantError> {
        let (buffered, all) = self.rings.lock().read_chunk(after, until, CHUNK_BYTES);
        let Some(persistence) = &self.persistence else {
            let last = buffered.last().map_or(until, |line| line.number);
            return Ok((buffered, if all { until } else { last }));
        };
        // An entry that is moved from memory to the file between both reads is returned twice, but never missed.
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

    /// Removes the entries in memory. The numbering continues.
    pub(crate) fn clear(&self) {
        self.rings.lock().clear();
    }
}

/// The rings in memory. Entries are serialized, since maps would need ten times the memory.
#[derive(Debug)]
struct Rings {
    reads: VecDeque<LogLine>,
    writes: VecDeque<LogLine>,
    /// The total size of the entries of writes.
    bytes: u64,
    max_bytes: u64,
    /// The number of lines added since the last attempt to save, and the time of that attempt.
    unsaved_count: usize,
    last_attempt: Instant,
}

impl Rings {
    fn new(max_bytes: Option<u64>) -> Self {
        Self {
            reads: VecDeque::new(),
            writes: VecDeque::new(),
            bytes: 0,
            max_bytes: max_bytes.unwrap_or(DEFAULT_WRITE_BYTES),
            unsaved_count: 0,
            last_attempt: Instant::now(),
        }
    }

    /// Adds a line, whose number must be the highest. Removes the oldest lines if the ring is full.
    fn push(&mut self, ring: LogRing, line: LogLine) {
        self.unsaved_count += 1;
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

    fn count_unsaved(&self) -> usize {
        self.unsaved_count
    }

    fn is_save_due(&self, interval: Duration) -> bool {
        self.last_attempt.elapsed() >= interval
    }

    /// Records that saving was attempted, whether or not it succeeded.
    fn mark_attempt(&mut self, now: Instant) {
        (self.unsaved_count, self.last_attempt) = (0, now);
    }

    /// Returns all lines of both rings, each ring in order.
    fn lines(&self) -> Vec<(LogRing, LogLine)> {
        let reads = self.reads.iter().map(|line| (LogRing::Reads, line.clone()));
        reads.chain(self.writes.iter().map(|line| (LogRing::Writes, line.clone()))).collect()
    }

    fn clear(&mut self) {
        self.reads.clear();
        self.writes.clear();
        self.bytes = 0;
    }

    /// Returns lines with numbers above `after` up to `until`, in order, up to about `bytes` bytes. The flag is true if
    /// these are all.
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

    /// Returns the latest lines of both rings, newest first.
    fn latest(&self, count: usize) -> Vec<LogLine> {
        let ends = [&self.reads, &self.writes].map(|ring| ring.iter().rev().take(count));
        let mut lines: Vec<LogLine> = ends.into_iter().flatten().cloned().collect();
        lines.sort_by_key(|line| std::cmp::Reverse(line.number));
        lines.truncate(count);
        lines
    }
}

/// Filters for log entries.
#[derive(Debug, Clone, Default)]
pub(crate) struct LogQuery {
    /// Returns only entries with higher numbers.
    pub(crate) after: u64,
    /// The maximum number of entries.
    pub(crate) limit: Option<u64>,
    /// Returns only entries of this operation.
    pub(crate) operation: Option<String>,
}

/// Streams the current entries. The first chunk is read at once, so that an error can be returned as a response.
pub(crate) fn stream_body(log: &Arc<RequestLog>, wanted: LogQuery) -> Result<Body, PlantError> {
    let operation = wanted.operation.map(|id| serde_json::to_string(&id)).transpose()?;
    let mut text = LogStream {
        log: Arc::clone(log),
        after: wanted.after,
        until: log.readable_until(),
        entries_left: wanted.limit.unwrap_or(u64::MAX),
        // The text of the operation in an entry. Quotes in values are escaped, so other entries don't contain it.
        needle: operation.map(|id| format!(",\"operation\":{id},\"user\":")),
        buffer: b"[".to_vec(),
        returned_bytes: 0,
        is_first: true,
        is_ended: false,
    };
    text.fill_buffer()?;
    Ok(Body::from_stream(ReaderStream::with_capacity(text, CHUNK_BYTES / 4)))
}

struct LogStream {
    log: Arc<RequestLog>,
    after: u64,
    until: u64,
    entries_left: u64,
    needle: Option<String>,
    /// The bytes to return, including those already returned.
    buffer: Vec<u8>,
    returned_bytes: usize,
    is_first: bool,
    is_ended: bool,
}

impl LogStream {
    /// Appends the next chunk or the closing bracket. A chunk may contain no matching entry.
    fn fill_buffer(&mut self) -> Result<(), PlantError> {
        self.buffer.drain(..self.returned_bytes);
        self.returned_bytes = 0;
        if self.after < self.until && self.entries_left > 0 {
            let (lines, next) = self.log.read_chunk(self.after, self.until)?;
            self.after = next;
            lines.iter().for_each(|line| self.append_matching_line(line));
        } else if !self.is_ended {
            self.buffer.push(b']');
            self.is_ended = true;
        }
        Ok(())
    }

    fn append_matching_line(&mut self, line: &LogLine) {
        let wanted = self.needle.as_ref().is_none_or(|needle| line.text.contains(needle.as_str()));
        if !wanted || self.entries_left == 0 {
            return;
        }
        if !std::mem::take(&mut self.is_first) {
            self.buffer.push(b',');
        }
        self.buffer.extend_from_slice(line.text.as_bytes());
        self.entries_left -= 1;
    }
}

impl AsyncRead for LogStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.returned_bytes == self.buffer.len() && !self.is_ended {
            if let Err(error) = self.fill_buffer() {
                return Poll::Ready(Err(io::Error::other(error)));
            }
            if self.buffer.is_empty() {
                // Yields, so that other tasks run during a long search.
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
        }
        let count = buffer.remaining().min(self.buffer.len() - self.returned_bytes);
        buffer.put_slice(&self.buffer[self.returned_bytes..self.returned_bytes + count]);
        self.returned_bytes += count;
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
