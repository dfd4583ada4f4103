//! Keys that are put in order only as far as they are looked at. A key has the first bytes of a text; where many begin alike,
//! they get their next bytes, all at once, instead of being compared as texts again and again.

use std::{ops::Range, panic, thread};

use super::texts::{self, GOES_ON, LowerTexts, PartTexts};

/// With fewer keys for each core than this, another core isn't worth its start.
const MIN_KEYS: usize = 1 << 15;

/// What a row is sorted by, smaller first, whatever the direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    pub(super) head: u64,
    pub(super) position: u32,
    /// The number of its text among [`LowerTexts`].
    pub(super) text: u32,
}

/// Keys in the direction of a sort. Those of one head keep the sheet's order.
#[derive(Debug)]
pub(super) struct Keys {
    keys: Vec<Key>,
    /// Ascending, the first one from the beginning on: whatever lies in one comes before what lies in the next.
    segments: Vec<Segment>,
    /// Absent where heads are all there is to compare.
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
    /// None yet. The heads begin at this byte of the texts, and what lies before is the same in all of them.
    Open(usize),
}

impl Key {
    fn order(self) -> u128 {
        u128::from(self.head) << 32 | u128::from(self.position)
    }
}

impl Keys {
    /// Of heads that say everything.
    pub(super) fn of_values(mut keys: Vec<Key>, descending: bool) -> Self {
        if descending {
            keys.iter_mut().for_each(|key| key.head = !key.head);
        }
        Self { keys, segments: vec![Segment { start: 0, order: SegmentOrder::Open(0) }], texts: None, descending }
    }

    /// Of texts, by part, and the positions of those.
    pub(super) fn of_texts(mut texts: LowerTexts, positions: &[Vec<u32>], descending: bool) -> Self {
        let (depth, turned) = (texts.common(), turned(descending));
        let count: usize = positions.iter().map(Vec::len).sum();
        let cores = cores(count);
        let read = |parts: &mut [((u32, &mut PartTexts), &Vec<u32>)], room: usize| {
            let mut keys = Vec::with_capacity(room);
            for ((first, texts), positions) in parts {
                let numbered = (*first..).zip(texts.take_heads(depth)).zip(positions.iter());
                keys.extend(numbered.map(|((text, head), &position)| Key { head: head ^ turned, position, text }));
            }
            keys
        };
        let mut parts: Vec<_> = texts.parts_mut().zip(positions).collect();
        let share = parts.len().div_ceil(cores).max(1);
        let keys = thread::scope(|scope| {
            let mut shares = parts.chunks_mut(share);
            let own = shares.next().unwrap_or_default();
            let others: Vec<_> = shares
                .map(|parts| {
                    let room = parts.iter().map(|(_, positions)| positions.len()).sum();
                    scope.spawn(move || read(parts, room))
                })
                .collect();
            let mut keys = read(own, count);
            for other in others {
                keys.extend(other.join().unwrap_or_else(|reason| panic::resume_unwind(reason)));
            }
            keys
        });
        let segments = vec![Segment { start: 0, order: SegmentOrder::Open(depth) }];
        let goes_on = texts.go_on();
        Self { keys, segments, texts: goes_on.then_some(texts), descending }
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The positions of the keys from one place in the order to another.
    pub(super) fn page(&mut self, start: usize, end: usize) -> impl Iterator<Item = u32> {
        self.cut(start);
        self.cut(end);
        let first = self.segments.partition_point(|segment| segment.start < start);
        for index in first..self.segments.len() {
            let Some(&Segment { start: from, order }) = self.segments.get(index) else { break };
            if from >= end {
                break;
            }
            if let SegmentOrder::Open(depth) = order {
                self.sort(from..self.end(index), depth);
            }
            if let Some(segment) = self.segments.get_mut(index) {
                segment.order = SegmentOrder::Done;
            }
        }
        self.keys.get(start..end).unwrap_or_default().iter().map(|key| key.position)
    }

    fn end(&self, segment: usize) -> usize {
        self.segments.get(segment + 1).map_or(self.keys.len(), |next| next.start)
    }

    /// Sees to it that what comes before this place lies before it.
    fn cut(&mut self, at: usize) {
        let (turned, has_texts) = (turned(self.descending), self.texts.is_some());
        while at < self.keys.len() {
            let Some(index) = self.segments.partition_point(|segment| segment.start <= at).checked_sub(1) else {
                return;
            };
            let (Some(&segment), end) = (self.segments.get(index), self.end(index)) else { return };
            let SegmentOrder::Open(depth) = segment.order else { return };
            if segment.start == at {
                return;
            }
            let Some(keys) = self.keys.get_mut(segment.start..end) else { return };
            let (before, key, after) = select(keys, at - segment.start);
            let head = key.head;
            let mut parts = vec![segment, Segment { start: at, ..segment }];
            if has_texts && texts::goes_on(head ^ turned) {
                // Those that begin alike are put beside each other, and get their next bytes.
                let from = segment.start + move_last(before, |key| key.head == head);
                let to = at + 1 + move_first(after, |key| key.head == head);
                let deeper = SegmentOrder::Open(self.read_heads(from..to, depth + GOES_ON));
                parts = vec![segment, Segment { start: from, order: deeper }, Segment { start: to, ..segment }];
                parts.retain(|part| part.start < end);
                if from == segment.start {
                    parts.remove(0);
                }
            }
            self.segments.splice(index..=index, parts);
        }
    }

    /// Keys of one segment, wholly.
    fn sort(&mut self, range: Range<usize>, depth: usize) {
        let turned = turned(self.descending);
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
                let goes_on = run.first().is_some_and(|key| texts::goes_on(key.head ^ turned));
                (run.len() > 1 && goes_on).then_some(end - run.len()..end)
            });
            for run in runs.collect::<Vec<_>>() {
                let depth = self.read_heads(run.clone(), depth + GOES_ON);
                open.push((run, depth));
            }
        }
    }

    /// Gives keys whose texts are the same up to a byte their next heads, and says where those begin: behind everything that
    /// the texts have in common.
    fn read_heads(&mut self, range: Range<usize>, depth: usize) -> usize {
        let turned = turned(self.descending);
        let Self { keys, texts: Some(texts), .. } = self else { return depth };
        let Some(keys) = keys.get_mut(range) else { return depth };
        let texts = &*texts;
        let Some(&first) = keys.first() else { return depth };
        let share = keys.len().div_ceil(cores(keys.len()));
        let common = |keys: &[Key]| {
            let first = texts.behind(first.text, depth);
            keys.iter().fold(first.len(), |most, key| texts::in_common(first, most, texts.behind(key.text, depth)))
        };
        let common = thread::scope(|scope| {
            let mut shares = keys.chunks(share);
            let own = shares.next().unwrap_or_default();
            let others: Vec<_> = shares.map(|keys| scope.spawn(move || common(keys))).collect();
            let own = common(own);
            others.into_iter().fold(own, |least, other| least.min(other.join().unwrap_or_default()))
        });
        let depth = depth + common;
        let read = |keys: &mut [Key]| {
            keys.iter_mut().for_each(|key| key.head = texts::head(texts.behind(key.text, depth)) ^ turned);
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

/// Puts the key of that place in the order there, the smaller ones before it, and gives the three parts. The first ones are found on
/// all cores: in each share of the keys, and then among what the shares have found.
fn select(keys: &mut [Key], place: usize) -> (&mut [Key], &mut Key, &mut [Key]) {
    let cores = cores(keys.len());
    let share = keys.len().div_ceil(cores);
    let wanted = place + 1;
    // So many of each share fit in front of the second one.
    if cores == 1 || wanted > share / cores {
        return keys.select_nth_unstable_by_key(place, |key| key.order());
    }
    thread::scope(|scope| {
        for keys in keys.chunks_mut(share).filter(|keys| keys.len() > wanted) {
            scope.spawn(move || keys.select_nth_unstable_by_key(place, |key| key.order()));
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
        found.select_nth_unstable_by_key(place, |key| key.order());
    }
    let (before, rest) = keys.split_at_mut(place);
    let (key, after) = rest.split_at_mut(1);
    (before, &mut key[0], after)
}

/// What turns the bits of a head round in the descending direction.
fn turned(descending: bool) -> u64 {
    if descending { u64::MAX } else { 0 }
}

/// Cores that so many keys are worth.
fn cores(keys: usize) -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(keys / MIN_KEYS).max(1)
}

/// Moves those that fit to the end, and says how many don't.
fn move_last(keys: &mut [Key], fits: impl Fn(&Key) -> bool) -> usize {
    move_first(keys, |key| !fits(key))
}

/// Moves those that fit to the front, and says how many do.
fn move_first(keys: &mut [Key], fits: impl Fn(&Key) -> bool) -> usize {
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

    /// On however many cores: the key of each place, what is smaller before it, and none lost.
    #[test]
    fn the_first_keys_are_those_of_the_whole_order() {
        let count = u32::try_from(MIN_KEYS * 4 + 7).unwrap();
        let key =
            |position: u32| Key { head: u64::from(position.wrapping_mul(2_654_435_761) >> 12), position, text: 0 };
        let mut whole: Vec<Key> = (0..count).map(key).collect();
        whole.sort_unstable_by_key(|key| key.order());
        for place in [0, 1, 99, 1_000, MIN_KEYS / 2, MIN_KEYS * 2, whole.len() - 1] {
            let mut keys: Vec<Key> = (0..count).map(key).collect();
            let (before, found, after) = select(&mut keys, place);
            assert_eq!(found.order(), whole[place].order());
            assert!(before.iter().all(|key| key.order() < found.order()));
            assert!(after.iter().all(|key| key.order() > found.order()));
            keys.sort_unstable_by_key(|key| key.order());
            assert!(keys.iter().map(|key| key.order()).eq(whole.iter().map(|key| key.order())));
        }
    }
}
