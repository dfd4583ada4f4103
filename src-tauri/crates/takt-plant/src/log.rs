//! The request log: requests, responses and above all the applied items, even if a fault altered the response.
//!
//! Two rings, so that reads never push out writes. Without a data folder, both are in memory.
//! With one, applied items are saved in the transaction of their change. Reads are buffered and saved together, so a
//! kill loses the last ones.

mod ring;
mod stream;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use parking_lot::Mutex;

use crate::{
    PlantError,
    log_entry::{LogEntry, LogLine, LogRing, assign_number},
    persistence::Persistence,
};

pub(crate) use stream::{LogQuery, stream_body};

use ring::Rings;

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
    pub(crate) fn write(&self, mut entry: LogEntry, ring: LogRing) {
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
            lines.extend(persistence.log_latest(count)?);
            lines.sort_by_key(|line| std::cmp::Reverse(line.number));
            lines.dedup_by_key(|line| line.number);
            lines.truncate(count);
        }
        lines.iter().map(|line| Ok(serde_json::from_str(&line.text)?)).collect()
    }

    /// Returns every entry, oldest first.
    pub(crate) fn entries(&self) -> Result<Vec<LogEntry>, PlantError> {
        let (mut entries, mut after, until) = (Vec::new(), 0, self.until());
        while after < until {
            let (lines, next) = self.chunk(after, until)?;
            for line in lines {
                entries.push(serde_json::from_str(&line.text)?);
            }
            after = next;
        }
        Ok(entries)
    }

    /// Returns a number up to which every entry can be read.
    fn until(&self) -> u64 {
        let _rings_lock = self.rings.lock();
        match &self.persistence {
            Some(persistence) => persistence.saved_number(&self.numbers),
            None => self.latest_number(),
        }
    }

    /// Returns some entries after `after` up to `until`, in order, and the number up to which they are complete.
    fn chunk(&self, after: u64, until: u64) -> Result<(Vec<LogLine>, u64), PlantError> {
        let (buffered, all) = self.rings.lock().chunk(after, until, CHUNK_BYTES);
        let Some(persistence) = &self.persistence else {
            let last = buffered.last().map_or(until, |line| line.number);
            return Ok((buffered, if all { until } else { last }));
        };
        // An entry that moves from memory to the file between the two reads is seen twice, but never missed.
        let (mut lines, is_complete) = persistence.log_chunk(after, until, CHUNK_BYTES)?;
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
