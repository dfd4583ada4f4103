//! The two rings in memory. Lines are serialized, because a hundred maps per request would be ten times as large.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use crate::log_entry::{LogLine, LogRing};

/// The maximum number of stored entries of reads.
const MAX_READS: usize = 10_000;
/// The maximum bytes of stored writes by default.
const DEFAULT_WRITE_BYTES: u64 = 24 * 1024 * 1024;
#[derive(Debug)]
pub(super) struct Rings {
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
    pub(super) fn new(max_bytes: Option<u64>) -> Self {
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
    pub(super) fn push(&mut self, ring: LogRing, line: LogLine) {
        self.unsaved += 1;
        match ring {
            LogRing::Reads => {
                self.reads.push_back(line);
                if self.reads.len() > MAX_READS {
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

    pub(super) fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty()
    }

    pub(super) fn unsaved(&self) -> usize {
        self.unsaved
    }

    pub(super) fn is_save_due(&self, interval: Duration) -> bool {
        self.last_attempt.elapsed() >= interval
    }

    /// Records an attempt to save the lines.
    pub(super) fn mark_attempt(&mut self, now: Instant) {
        (self.unsaved, self.last_attempt) = (0, now);
    }

    /// Returns all lines, each ring in order.
    pub(super) fn lines(&self) -> Vec<(LogRing, LogLine)> {
        let reads = self.reads.iter().map(|line| (LogRing::Reads, line.clone()));
        reads.chain(self.writes.iter().map(|line| (LogRing::Writes, line.clone()))).collect()
    }

    pub(super) fn clear(&mut self) {
        self.reads.clear();
        self.writes.clear();
        self.bytes = 0;
    }

    /// Returns lines after `after` up to `until`, in order, until they reach `bytes`. The flag is set if these are all.
    pub(super) fn chunk(&self, after: u64, until: u64, bytes: usize) -> (Vec<LogLine>, bool) {
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
    pub(super) fn latest(&self, count: usize) -> Vec<LogLine> {
        let ends = [&self.reads, &self.writes].map(|ring| ring.iter().rev().take(count));
        let mut lines: Vec<LogLine> = ends.into_iter().flatten().cloned().collect();
        lines.sort_by_key(|line| std::cmp::Reverse(line.number));
        lines.truncate(count);
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_never_push_out_writes() {
        let mut rings = Rings::new(None);
        let line = |number| LogLine { number, text: "{}".into() };
        let last = MAX_READS as u64 + 401;
        rings.push(LogRing::Writes, line(1));
        (2..=last).for_each(|number| rings.push(LogRing::Reads, line(number)));
        let numbers: Vec<u64> = rings.lines().iter().map(|(_, line)| line.number).collect();
        assert_eq!((numbers.len(), numbers.iter().min(), numbers.iter().max()), (MAX_READS + 1, Some(&1), Some(&last)));
    }
}
