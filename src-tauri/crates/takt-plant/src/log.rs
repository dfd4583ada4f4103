//! The request log: what was asked, what was answered, and above all what was applied, item by item.
//! It is the record against which a client's own belief is checked, so it says the truth even where a fault lied.
//!
//! Two rings, so that reads never push out writes. Without a folder to keep anything in, both are in memory. With one, what is
//! applied is kept in the same step as the change itself, and memory only buffers reads until there are enough to be
//! written together; a kill loses the last of those.

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
    log_entry::{LogEntry, LogLine, LogRing, numbered},
    persistence::Persistence,
};

pub(crate) use stream::{LogQuery, body};

use ring::Rings;

/// Reads that are written to disk at once.
const GROUP: usize = 256;
/// Lines are written after this time at the latest.
const FLUSH_INTERVAL: Duration = Duration::from_secs(1);
/// Text that is read at once where all of it would be too much.
const PIECE: usize = 256 * 1024;

/// Every request, in two bounded rings.
#[derive(Debug)]
pub(crate) struct RequestLog {
    rings: Mutex<Rings>,
    /// The number of the latest entry. In memory it goes on under the rings' lock, in the file under the file's.
    numbers: AtomicU64,
    persistence: Option<Arc<Persistence>>,
}

impl RequestLog {
    /// `logged` entries were written before. `most` bytes are held of writes.
    pub(crate) fn new(persistence: Option<Arc<Persistence>>, logged: u64, most: Option<u64>) -> Self {
        Self { rings: Mutex::new(Rings::new(most)), numbers: AtomicU64::new(logged), persistence }
    }

    /// Numbers the entry and keeps it. One that was kept together with what it applied is completed by its status.
    pub(crate) fn write(&self, mut entry: LogEntry, ring: LogRing) {
        if let (Some(persistence), true) = (&self.persistence, entry.number > 0) {
            let Some(status) = entry.status else { return };
            if let Err(error) = persistence.answer(entry.number, status) {
                tracing::error!(%error, number = entry.number, "the log can't say what was answered");
            }
            return;
        }
        if let (Some(persistence), LogRing::Writes) = (&self.persistence, ring) {
            match persistence.log_write(&mut entry, &self.numbers) {
                Ok(()) => return,
                Err(error) => tracing::error!(%error, "a log entry has to wait in memory"),
            }
        }
        let mut rings = self.rings.lock();
        match numbered(&mut entry, &self.numbers) {
            Ok(line) => rings.push(ring, line),
            Err(error) => tracing::error!(%error, "a request can't be logged"),
        }
        if rings.waiting() >= GROUP || rings.waited(FLUSH_INTERVAL) {
            self.empty(&mut rings);
        }
    }

    /// Writes what is buffered, where there is a file to write to.
    pub(crate) fn flush(&self) {
        self.empty(&mut self.rings.lock());
    }

    fn empty(&self, rings: &mut Rings) {
        let Some(persistence) = &self.persistence else { return };
        rings.tried(Instant::now());
        if rings.is_empty() {
            return;
        }
        match persistence.log(&rings.lines()) {
            Ok(()) => rings.clear(),
            Err(error) => tracing::error!(%error, "the log has to wait in memory"),
        }
    }

    /// How many entries were ever written.
    pub(crate) fn written(&self) -> u64 {
        self.numbers.load(Ordering::Relaxed)
    }

    /// The counter, for the change that gives an entry its number.
    pub(crate) fn numbers(&self) -> &AtomicU64 {
        &self.numbers
    }

    /// The last `count` entries, newest first.
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

    /// Every entry, oldest first.
    pub(crate) fn entries(&self) -> Result<Vec<LogEntry>, PlantError> {
        let (mut entries, mut after, until) = (Vec::new(), 0, self.until());
        while after < until {
            let (lines, next) = self.piece(after, until)?;
            for line in lines {
                entries.push(serde_json::from_str(&line.text)?);
            }
            after = next;
        }
        Ok(entries)
    }

    /// A number up to which every entry can be read.
    fn until(&self) -> u64 {
        let _nobody_buffers = self.rings.lock();
        match &self.persistence {
            Some(persistence) => persistence.settled(&self.numbers),
            None => self.written(),
        }
    }

    /// Some of the entries after `after` up to `until`, in order, and the number up to which these are all.
    fn piece(&self, after: u64, until: u64) -> Result<(Vec<LogLine>, u64), PlantError> {
        let (buffered, all) = self.rings.lock().piece(after, until, PIECE);
        let Some(persistence) = &self.persistence else {
            let last = buffered.last().map_or(until, |line| line.number);
            return Ok((buffered, if all { until } else { last }));
        };
        // What moves from memory to disk between the two looks is seen twice, never not at all.
        let (mut lines, whole) = persistence.log_piece(after, until, PIECE)?;
        let through =
            |lines: &[LogLine], whole: bool| if whole { until } else { lines.last().map_or(until, |line| line.number) };
        let next = through(&lines, whole).min(through(&buffered, all));
        lines.extend(buffered);
        lines.retain(|line| line.number <= next);
        lines.sort_by_key(|line| line.number);
        lines.dedup_by_key(|line| line.number);
        Ok((lines, next))
    }

    /// Forgets what is in memory. The numbers go on.
    pub(crate) fn clear(&self) {
        self.rings.lock().clear();
    }
}
