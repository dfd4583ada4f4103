//! Rows that were read and stay at hand: what a table shows, a picture is drawn from, and a person chooses rows of.
//!
//! Owns keeping them packed and finding them again by position. Leaves their order, and which of them are shown, to others.

use std::{collections::HashSet, ops::Range, sync::Arc};

use parking_lot::{Mutex, MutexGuard, RwLock};
use serde_json::Value;
use takt_client::value_of;

use super::{arrange, members::members, read::PageWalk};

/// Rows that are packed together at most.
pub(super) const BLOCK: usize = 256;
/// Bytes of rows that are packed together, and a row more.
const MAX_BLOCK_BYTES: usize = 1024 * 1024;

/// Rows of one list of one site, in the order in which the service gave them. Clones share them; more may come while others
/// read.
#[derive(Debug, Clone)]
pub struct RowSet(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    site: String,
    operation: String,
    rows: RwLock<PackedRows>,
    /// What its tables found out.
    tables: Mutex<arrange::TableCache>,
    /// Reading them all, where that ended early.
    left: Mutex<Option<PageWalk>>,
}

#[derive(Debug, Default)]
struct PackedRows {
    blocks: Vec<Arc<Block>>,
    /// Rows in the blocks.
    packed: usize,
    /// Those that don't fill a block yet, and their bytes.
    loose: Vec<String>,
    loose_bytes: usize,
    /// Of all rows, unpacked.
    bytes: usize,
    /// Members of the contract and those that were met.
    known: HashSet<String>,
    unknown: Vec<String>,
}

/// Rows as JSON, one behind the other, packed.
#[derive(Debug)]
struct Block {
    /// The position of its first row.
    first: usize,
    ends: Vec<usize>,
    packed: Vec<u8>,
}

impl RowSet {
    /// `known` are the members that the contract knows.
    pub(super) fn new(site: &str, operation: &str, known: HashSet<String>) -> Self {
        let rows = RwLock::new(PackedRows { known, ..PackedRows::default() });
        let (site, operation) = (site.to_owned(), operation.to_owned());
        Self(Arc::new(Inner { site, operation, rows, tables: Mutex::default(), left: Mutex::default() }))
    }

    #[must_use]
    pub fn site(&self) -> &str {
        &self.0.site
    }

    #[must_use]
    pub fn operation(&self) -> &str {
        &self.0.operation
    }

    #[must_use]
    pub fn len(&self) -> usize {
        let rows = self.0.rows.read();
        rows.packed + rows.loose.len()
    }

    /// Bytes of the rows' JSON.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.rows.read().bytes
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Members that the contract doesn't know, in the order of their first appearance.
    #[must_use]
    pub fn unknown(&self) -> Vec<String> {
        self.0.rows.read().unknown.clone()
    }

    pub fn append(&self, rows: &[Value]) {
        let texts: Vec<String> = rows.iter().map(Value::to_string).collect();
        self.append_texts(texts.iter().map(String::as_str));
    }

    /// Rows as the JSON that came.
    pub fn append_texts<'a>(&self, rows: impl IntoIterator<Item = &'a str>) {
        let mut kept = self.0.rows.write();
        for row in rows {
            kept.add(row);
        }
    }

    /// Takes out where reading ended early.
    pub(super) fn walk_left(&self) -> Option<PageWalk> {
        self.0.left.lock().take()
    }

    pub(super) fn leave_walk(&self, walk: PageWalk) {
        *self.0.left.lock() = Some(walk);
    }

    /// The rows at these positions; past the end there are none.
    #[must_use]
    pub fn rows(&self, positions: Range<usize>) -> Vec<Value> {
        let mut rows = Vec::new();
        self.walk(positions, |_, text| rows.push(value_of(text)));
        rows
    }

    /// The rows at any positions, in that order; one that isn't there is null.
    #[must_use]
    pub fn pick(&self, positions: &[u32]) -> Vec<Value> {
        let mut order: Vec<(usize, usize)> =
            positions.iter().map(|position| *position as usize).enumerate().map(|(place, at)| (at, place)).collect();
        order.sort_unstable();
        let mut rows = vec![Value::Null; positions.len()];
        let mut opened: Option<(usize, String)> = None;
        for (at, place) in order {
            let text = self.text(at, &mut opened);
            if let (Some(slot), Some(text)) = (rows.get_mut(place), text) {
                *slot = value_of(&text);
            }
        }
        rows
    }

    /// Tells each row's position and JSON, in their order. Rows that come meanwhile may be told or not.
    pub fn each(&self, tell: impl FnMut(usize, &str)) {
        self.walk(0..usize::MAX, tell);
    }

    /// What its tables found out, for one of them at a time.
    pub(super) fn cache(&self) -> MutexGuard<'_, arrange::TableCache> {
        self.0.tables.lock()
    }

    /// Tells the rows at these positions.
    pub(super) fn walk(&self, positions: Range<usize>, mut tell: impl FnMut(usize, &str)) {
        let (blocks, loose) = {
            let rows = self.0.rows.read();
            (rows.blocks.clone(), rows.loose.clone())
        };
        let begin = blocks.partition_point(|block| block.end() <= positions.start);
        for block in blocks.iter().skip(begin).take_while(|block| block.first < positions.end) {
            let text = block.unpack();
            for place in 0..block.ends.len() {
                let at = block.first + place;
                if positions.contains(&at) {
                    tell(at, block.row(&text, place));
                }
            }
        }
        let packed = blocks.last().map_or(0, |block| block.end());
        for (at, text) in (packed..).zip(&loose) {
            if positions.contains(&at) {
                tell(at, text);
            }
        }
    }

    /// One row's JSON; `opened` is the block that was unpacked last.
    fn text(&self, at: usize, opened: &mut Option<(usize, String)>) -> Option<String> {
        let block = {
            let rows = self.0.rows.read();
            if let Some(place) = at.checked_sub(rows.packed) {
                return rows.loose.get(place).cloned();
            }
            Arc::clone(rows.blocks.get(rows.blocks.partition_point(|block| block.end() <= at))?)
        };
        if opened.as_ref().is_none_or(|(last, _)| *last != block.first) {
            *opened = Some((block.first, block.unpack()));
        }
        opened.as_ref().map(|(_, text)| block.row(text, at - block.first).to_owned())
    }
}

impl PackedRows {
    fn add(&mut self, row: &str) {
        let Self { known, unknown, .. } = self;
        members(row, |name| {
            if !known.contains(name) {
                known.insert(name.to_owned());
                unknown.push(name.to_owned());
            }
        });
        self.loose_bytes += row.len();
        self.bytes += row.len();
        self.loose.push(row.to_owned());
        if self.loose.len() == BLOCK || self.loose_bytes >= MAX_BLOCK_BYTES {
            self.blocks.push(Arc::new(Block::pack(self.packed, &self.loose)));
            self.packed += self.loose.len();
            self.loose.clear();
            self.loose_bytes = 0;
        }
    }
}

impl Block {
    fn end(&self) -> usize {
        self.first + self.ends.len()
    }

    fn pack(first: usize, rows: &[String]) -> Self {
        let mut whole = String::new();
        let ends = rows.iter().map(|row| {
            whole.push_str(row);
            whole.len()
        });
        let ends = ends.collect();
        Self { first, ends, packed: lz4_flex::block::compress_prepend_size(whole.as_bytes()) }
    }

    fn unpack(&self) -> String {
        let raw = lz4_flex::block::decompress_size_prepended(&self.packed).unwrap_or_default();
        String::from_utf8(raw).unwrap_or_default()
    }

    fn row<'a>(&self, text: &'a str, place: usize) -> &'a str {
        let begin = place.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or_default();
        self.ends.get(place).and_then(|end| text.get(begin..*end)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn set() -> RowSet {
        RowSet::new("Practice", "materials.list", HashSet::from(["code".to_owned()]))
    }

    #[test]
    fn rows_are_found_again_by_their_position() {
        let set = set();
        let row = |number: usize| json!({ "code": format!("M-{number}"), "extra": number });
        let all: Vec<Value> = (0..700).map(row).collect();
        all.chunks(100).for_each(|page| set.append(page));
        assert_eq!((set.len(), set.unknown()), (700, vec!["extra".to_owned()]));
        assert_eq!(set.rows(250..260), all[250..260]);
        assert_eq!(set.rows(695..900), all[695..]);
        assert_eq!(set.pick(&[699, 3, 512, 700, 3]), [row(699), row(3), row(512), Value::Null, row(3)]);
        let mut told = Vec::new();
        set.each(|at, text| told.push((at, serde_json::from_str::<Value>(text).unwrap())));
        assert_eq!(told, all.into_iter().enumerate().collect::<Vec<_>>());
    }

    #[test]
    fn large_rows_are_packed_by_themselves() {
        let set = set();
        let row = |number: usize| json!({ "code": number, "note": "x".repeat(if number.is_multiple_of(3) { 900_000 } else { 20 }) });
        let all: Vec<Value> = (0..40).map(row).collect();
        set.append(&all);
        let kept = set.0.rows.read();
        assert!(kept.blocks.len() > 5 && kept.loose_bytes < MAX_BLOCK_BYTES, "{}", kept.blocks.len());
        drop(kept);
        assert_eq!(set.len(), 40);
        assert_eq!(set.rows(0..99), all);
        for at in [0_u32, 1, 17, 38, 39] {
            assert_eq!(set.rows(at as usize..at as usize + 1), [row(at as usize)]);
            assert_eq!(set.pick(&[at]), [row(at as usize)]);
        }
    }
}
