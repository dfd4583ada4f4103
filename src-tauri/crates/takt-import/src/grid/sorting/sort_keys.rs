//! Sorts keys only as far as they're requested. A key has the first bytes of a text. Keys with equal first bytes load
//! their next bytes together, instead of comparing whole texts.

use std::{ops::Range, panic, thread};

use super::lower_texts::{self, BlockTexts, HEAD_BYTES, LowerTexts};

/// Minimum number of keys per thread. Fewer keys aren't worth starting a thread.
const MIN_KEYS_PER_THREAD: usize = 1 << 15;

/// The sort key of a row. Smaller keys come first in both directions.
#[derive(Debug, Clone, Copy)]
pub(super) struct SortKey {
    pub(super) head: u64,
    pub(super) position: u32,
    /// The number of its text in [`LowerTexts`].
    pub(super) text: u32,
}

/// Keys in the direction of a sort. Keys with equal heads keep the sheet's order.
#[derive(Debug)]
pub(super) struct SortKeys {
    keys: Vec<SortKey>,
    /// Ascending, starting at 0. Every key of a segment comes before every key of the next one.
    segments: Vec<Segment>,
    /// `None` if the heads contain everything.
    texts: Option<LowerTexts>,
    descending: bool,
}

#[derive(Debug, Clone, Copy)]
struct Segment {
    start: usize,
    order: SegmentOrder,
}

#[derive(Debug, Clone, Copy)]
enum SegmentOrder {
    Done,
    /// Not sorted yet. The heads start at this byte of the texts. All texts are equal before it.
    Open(usize),
}

impl SortKey {
    fn order(self) -> u128 {
        u128::from(self.head) << 32 | u128::from(self.position)
    }
}

impl SortKeys {
    /// Creates keys whose heads contain the whole value.
    pub(super) fn from_values(mut keys: Vec<SortKey>, descending: bool) -> Self {
        if descending {
            keys.iter_mut().for_each(|key| key.head = !key.head);
        }
        Self { keys, segments: vec![Segment { start: 0, order: SegmentOrder::Open(0) }], texts: None, descending }
    }

    /// Creates keys of texts. `positions` are the positions of their rows, by block.
    pub(super) fn from_texts(mut texts: LowerTexts, positions: &[Vec<u32>], descending: bool) -> Self {
        let (depth, mask) = (texts.common_prefix_len(), direction_mask(descending));
        let count: usize = positions.iter().map(Vec::len).sum();
        let threads = thread_count(count);
        let read = |blocks: &mut [((u32, &mut BlockTexts), &Vec<u32>)], capacity: usize| {
            let mut keys = Vec::with_capacity(capacity);
            for ((first, texts), positions) in blocks {
                let numbered = (*first..).zip(texts.take_heads(depth)).zip(positions.iter());
                keys.extend(numbered.map(|((text, head), &position)| SortKey { head: head ^ mask, position, text }));
            }
            keys
        };
        let mut blocks: Vec<_> = texts.blocks_mut().zip(positions).collect();
        let share = blocks.len().div_ceil(threads).max(1);
        let keys = thread::scope(|scope| {
            let mut shares = blocks.chunks_mut(share);
            let own = shares.next().unwrap_or_default();
            let others: Vec<_> = shares
                .map(|blocks| {
                    let capacity = blocks.iter().map(|(_, positions)| positions.len()).sum();
                    scope.spawn(move || read(blocks, capacity))
                })
                .collect();
            let mut keys = read(own, count);
            for other in others {
                keys.extend(other.join().unwrap_or_else(|reason| panic::resume_unwind(reason)));
            }
            keys
        });
        let segments = vec![Segment { start: 0, order: SegmentOrder::Open(depth) }];
        let continues = texts.has_continuation();
        Self { keys, segments, texts: continues.then_some(texts), descending }
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns the row positions of the sorted keys `start..end`. Sorts no more than these need.
    pub(super) fn page(&mut self, start: usize, end: usize) -> impl Iterator<Item = u32> {
        self.partition_at(start);
        self.partition_at(end);
        let first = self.segments.partition_point(|segment| segment.start < start);
        for index in first..self.segments.len() {
            let Some(&Segment { start: from, order }) = self.segments.get(index) else { break };
            if from >= end {
                break;
            }
            if let SegmentOrder::Open(depth) = order {
                self.sort_segment(from..self.segment_end(index), depth);
            }
            if let Some(segment) = self.segments.get_mut(index) {
                segment.order = SegmentOrder::Done;
            }
        }
        self.keys.get(start..end).unwrap_or_default().iter().map(|key| key.position)
    }

    fn segment_end(&self, segment: usize) -> usize {
        self.segments.get(segment + 1).map_or(self.keys.len(), |next| next.start)
    }

    /// Partitions the keys at an index of the order, so that smaller keys are before it.
    fn partition_at(&mut self, at: usize) {
        let (mask, has_texts) = (direction_mask(self.descending), self.texts.is_some());
        while at < self.keys.len() {
            let Some(index) = self.segments.partition_point(|segment| segment.start <= at).checked_sub(1) else {
                return;
            };
            let (Some(&segment), end) = (self.segments.get(index), self.segment_end(index)) else { return };
            let SegmentOrder::Open(depth) = segment.order else { return };
            if segment.start == at {
                return;
            }
            let Some(keys) = self.keys.get_mut(segment.start..end) else { return };
            let (before, key, after) = select_nth(keys, at - segment.start);
            let head = key.head;
            let mut parts = vec![segment, Segment { start: at, ..segment }];
            if has_texts && lower_texts::is_continued(head ^ mask) {
                // Keys with the same head become adjacent and load their next bytes.
                let from = segment.start + move_to_end(before, |key| key.head == head);
                let to = at + 1 + move_to_front(after, |key| key.head == head);
                let deeper = SegmentOrder::Open(self.read_heads(from..to, depth + HEAD_BYTES));
                parts = vec![segment, Segment { start: from, order: deeper }, Segment { start: to, ..segment }];
                parts.retain(|part| part.start < end);
                if from == segment.start {
                    parts.remove(0);
                }
            }
            self.segments.splice(index..=index, parts);
        }
    }

    /// Sorts the keys of one segment completely.
    fn sort_segment(&mut self, range: Range<usize>, depth: usize) {
        let mask = direction_mask(self.descending);
        let mut open = vec![(range, depth)];
        while let Some((range, depth)) = open.pop() {
            let Some(keys) = self.keys.get_mut(range.clone()) else { continue };
            keys.sort_unstable_by_key(|key| key.order());
            if self.texts.is_none() {
                continue;
            }
            let mut end = range.start;
            let runs = keys.chunk_by(|a, b| a.head == b.head).filter_map(|run| {
                end += run.len();
                let continues = run.first().is_some_and(|key| lower_texts::is_continued(key.head ^ mask));
                (run.len() > 1 && continues).then_some(end - run.len()..end)
            });
            for run in runs.collect::<Vec<_>>() {
                let depth = self.read_heads(run.clone(), depth + HEAD_BYTES);
                open.push((run, depth));
            }
        }
    }

    /// Loads the next heads of keys whose texts are equal up to a byte. Returns where these heads start, after all
    /// bytes that the texts have in common.
    fn read_heads(&mut self, range: Range<usize>, depth: usize) -> usize {
        let mask = direction_mask(self.descending);
        let Self { keys, texts: Some(texts), .. } = self else { return depth };
        let Some(keys) = keys.get_mut(range) else { return depth };
        let texts = &*texts;
        let Some(&first) = keys.first() else { return depth };
        let share = keys.len().div_ceil(thread_count(keys.len()));
        let common = |keys: &[SortKey]| {
            let first = texts.suffix(first.text, depth);
            keys.iter().fold(first.len(), |limit, key| {
                lower_texts::common_prefix_len(first, limit, texts.suffix(key.text, depth))
            })
        };
        let common = thread::scope(|scope| {
            let mut shares = keys.chunks(share);
            let own = shares.next().unwrap_or_default();
            let others: Vec<_> = shares.map(|keys| scope.spawn(move || common(keys))).collect();
            let own = common(own);
            others.into_iter().fold(own, |least, other| least.min(other.join().unwrap_or_default()))
        });
        let depth = depth + common;
        let read = |keys: &mut [SortKey]| {
            keys.iter_mut().for_each(|key| key.head = lower_texts::head(texts.suffix(key.text, depth)) ^ mask);
        };
        thread::scope(|scope| {
            let mut shares = keys.chunks_mut(share);
            let own = shares.next().unwrap_or_default();
            shares.for_each(|keys| {
                scope.spawn(move || read(keys));
            });
            read(own);
        });
        depth
    }
}

/// Moves the `nth` key in the order to its place, with the smaller keys before it, and returns the three parts. For a
/// small `nth`, each core first selects within its share of the keys.
fn select_nth(keys: &mut [SortKey], nth: usize) -> (&mut [SortKey], &mut SortKey, &mut [SortKey]) {
    let threads = thread_count(keys.len());
    let share = keys.len().div_ceil(threads);
    let wanted = nth + 1;
    // The first keys of all shares must fit into the first share.
    if threads == 1 || wanted > share / threads {
        return keys.select_nth_unstable_by_key(nth, |key| key.order());
    }
    thread::scope(|scope| {
        for keys in keys.chunks_mut(share).filter(|keys| keys.len() > wanted) {
            scope.spawn(move || keys.select_nth_unstable_by_key(nth, |key| key.order()));
        }
    });
    let mut front = wanted;
    for start in (share..keys.len()).step_by(share) {
        for at in start..(start + wanted).min(keys.len()) {
            keys.swap(front, at);
            front += 1;
        }
    }
    if let Some(found) = keys.get_mut(..front) {
        found.select_nth_unstable_by_key(nth, |key| key.order());
    }
    let (before, rest) = keys.split_at_mut(nth);
    let (key, after) = rest.split_at_mut(1);
    (before, &mut key[0], after)
}

/// Returns the mask that reverses the bits of a head for descending order.
fn direction_mask(descending: bool) -> u64 {
    if descending { u64::MAX } else { 0 }
}

/// Returns the number of threads for this number of keys.
fn thread_count(keys: usize) -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(keys / MIN_KEYS_PER_THREAD).max(1)
}

/// Moves matching keys to the end and returns the number of the others.
fn move_to_end(keys: &mut [SortKey], fits: impl Fn(&SortKey) -> bool) -> usize {
    move_to_front(keys, |key| !fits(key))
}

/// Moves matching keys to the front and returns their number.
fn move_to_front(keys: &mut [SortKey], fits: impl Fn(&SortKey) -> bool) -> usize {
    let mut count = 0;
    for at in 0..keys.len() {
        if keys.get(at).is_some_and(&fits) {
            keys.swap(at, count);
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the selected key and both parts, on any number of cores.
    #[test]
    fn the_first_keys_are_those_of_the_whole_order() {
        let count = u32::try_from(MIN_KEYS_PER_THREAD * 4 + 7).unwrap();
        let key =
            |position: u32| SortKey { head: u64::from(position.wrapping_mul(2_654_435_761) >> 12), position, text: 0 };
        let mut sorted: Vec<SortKey> = (0..count).map(key).collect();
        sorted.sort_unstable_by_key(|key| key.order());
        for nth in [0, 1, 99, 1_000, MIN_KEYS_PER_THREAD / 2, MIN_KEYS_PER_THREAD * 2, sorted.len() - 1] {
            let mut keys: Vec<SortKey> = (0..count).map(key).collect();
            let (before, found, after) = select_nth(&mut keys, nth);
            assert_eq!(found.order(), sorted[nth].order());
            assert!(before.iter().all(|key| key.order() < found.order()));
            assert!(after.iter().all(|key| key.order() > found.order()));
            keys.sort_unstable_by_key(|key| key.order());
            assert!(keys.iter().map(|key| key.order()).eq(sorted.iter().map(|key| key.order())));
        }
    }
}
