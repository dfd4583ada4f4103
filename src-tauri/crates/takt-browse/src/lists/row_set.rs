//! Stores rows that were read, for tables, pictures and selections.
//!
//! Rows are packed in blocks and found by position. Order and filters belong to `arrange`.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard, RwLock};
use serde::Deserializer as _;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use takt_client::parse_row;

use crate::lists::arrange::TableCache;
use crate::lists::pages::PageWalk;

/// A block is packed when it has this many rows.
pub(super) const BLOCK_ROWS: usize = 256;
/// A block with fewer rows is packed when it has at least this many bytes.
const MAX_BLOCK_BYTES: usize = 1024 * 1024;

/// The rows of one list of a site, in the service's order. Clones share the rows. Rows can be added while others are
/// read.
#[derive(Debug, Clone)]
pub struct RowSet(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    site: String,
    operation: String,
    rows: RwLock<PackedRows>,
    /// Columns and arrangements cached for tables.
    tables: Mutex<TableCache>,
    /// The walk over all pages, if it ended early.
    unfinished_walk: Mutex<Option<PageWalk>>,
}

#[derive(Debug, Default)]
struct PackedRows {
    blocks: Vec<Arc<Block>>,
    /// The number of rows in the blocks.
    packed: usize,
    /// Rows that don't fill a block yet, and their size in bytes.
    unpacked_rows: Vec<String>,
    unpacked_bytes: usize,
    /// The size of all rows before packing, in bytes.
    bytes: usize,
    /// Members of the contract, and members that appeared in rows.
    known: HashSet<String>,
    unknown: Vec<String>,
}

/// Packed rows as concatenated JSON.
#[derive(Debug)]
struct Block {
    /// The position of the first row.
    first: usize,
    ends: Vec<usize>,
    packed: Vec<u8>,
}

impl RowSet {
    /// Creates an empty set. `known` are the members in the contract.
    pub(super) fn new(site: &str, operation: &str, known: HashSet<String>) -> Self {
        let rows = RwLock::new(PackedRows { known, ..PackedRows::default() });
        let (site, operation) = (site.to_owned(), operation.to_owned());
        Self(Arc::new(Inner { site, operation, rows, tables: Mutex::default(), unfinished_walk: Mutex::default() }))
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
        rows.packed + rows.unpacked_rows.len()
    }

    /// Returns the size of the rows' JSON in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.rows.read().bytes
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the members that the contract doesn't list, in the order of their first appearance.
    #[must_use]
    pub fn unknown(&self) -> Vec<String> {
        self.0.rows.read().unknown.clone()
    }

    pub fn append(&self, rows: &[Value]) {
        let texts: Vec<String> = rows.iter().map(Value::to_string).collect();
        self.append_texts(texts.iter().map(String::as_str));
    }

    /// Appends rows as received JSON.
    pub fn append_texts<'a>(&self, rows: impl IntoIterator<Item = &'a str>) {
        let mut packed = self.0.rows.write();
        for row in rows {
            packed.add(row);
        }
    }

    /// Removes and returns the walk that ended early.
    pub(super) fn take_unfinished_walk(&self) -> Option<PageWalk> {
        self.0.unfinished_walk.lock().take()
    }

    pub(super) fn store_unfinished_walk(&self, walk: PageWalk) {
        *self.0.unfinished_walk.lock() = Some(walk);
    }

    /// Returns the rows at these positions, without positions past the end.
    #[must_use]
    pub fn rows(&self, positions: Range<usize>) -> Vec<Value> {
        let mut rows = Vec::new();
        self.for_each_row_in(positions, |_, text| rows.push(parse_row(text)));
        rows
    }

    /// Returns the rows at any positions, in that order. Missing rows are null.
    #[must_use]
    pub fn rows_at(&self, positions: &[u32]) -> Vec<Value> {
        let mut order: Vec<(usize, usize)> =
            positions.iter().map(|position| *position as usize).enumerate().map(|(index, at)| (at, index)).collect();
        order.sort_unstable();
        let mut rows = vec![Value::Null; positions.len()];
        let mut unpacked: Option<(usize, String)> = None;
        for (at, index) in order {
            let text = self.row_json(at, &mut unpacked);
            if let (Some(slot), Some(text)) = (rows.get_mut(index), text) {
                *slot = parse_row(&text);
            }
        }
        rows
    }

    /// Calls `on_row` with each row's position and JSON, in order. Rows that are added during the call may be missing.
    pub fn for_each_row(&self, on_row: impl FnMut(usize, &str)) {
        self.for_each_row_in(0..usize::MAX, on_row);
    }

    /// Locks the cache of columns and arrangements.
    pub(super) fn table_cache(&self) -> MutexGuard<'_, TableCache> {
        self.0.tables.lock()
    }

    /// Calls `on_row` with the rows at these positions.
    pub(super) fn for_each_row_in(&self, positions: Range<usize>, mut on_row: impl FnMut(usize, &str)) {
        let (blocks, unpacked_rows) = {
            let rows = self.0.rows.read();
            (rows.blocks.clone(), rows.unpacked_rows.clone())
        };
        let begin = blocks.partition_point(|block| block.end() <= positions.start);
        for block in blocks.iter().skip(begin).take_while(|block| block.first < positions.end) {
            let text = block.unpack();
            for index in 0..block.ends.len() {
                let at = block.first + index;
                if positions.contains(&at) {
                    on_row(at, block.row(&text, index));
                }
            }
        }
        let packed = blocks.last().map_or(0, |block| block.end());
        for (at, text) in (packed..).zip(&unpacked_rows) {
            if positions.contains(&at) {
                on_row(at, text);
            }
        }
    }

    /// Returns a row's JSON. `unpacked` caches the block that was unpacked last.
    fn row_json(&self, at: usize, unpacked: &mut Option<(usize, String)>) -> Option<String> {
        let block = {
            let rows = self.0.rows.read();
            if let Some(index) = at.checked_sub(rows.packed) {
                return rows.unpacked_rows.get(index).cloned();
            }
            Arc::clone(rows.blocks.get(rows.blocks.partition_point(|block| block.end() <= at))?)
        };
        if unpacked.as_ref().is_none_or(|(last, _)| *last != block.first) {
            *unpacked = Some((block.first, block.unpack()));
        }
        unpacked.as_ref().map(|(_, text)| block.row(text, at - block.first).to_owned())
    }
}

impl PackedRows {
    fn add(&mut self, row: &str) {
        let Self { known, unknown, .. } = self;
        for_each_member(row, |name| {
            if !known.contains(name) {
                known.insert(name.to_owned());
                unknown.push(name.to_owned());
            }
        });
        self.unpacked_bytes += row.len();
        self.bytes += row.len();
        self.unpacked_rows.push(row.to_owned());
        if self.unpacked_rows.len() == BLOCK_ROWS || self.unpacked_bytes >= MAX_BLOCK_BYTES {
            self.blocks.push(Arc::new(Block::pack(self.packed, &self.unpacked_rows)));
            self.packed += self.unpacked_rows.len();
            self.unpacked_rows.clear();
            self.unpacked_bytes = 0;
        }
    }
}

impl Block {
    fn end(&self) -> usize {
        self.first + self.ends.len()
    }

    fn pack(first: usize, rows: &[String]) -> Self {
        let mut text = String::new();
        let ends = rows.iter().map(|row| {
            text.push_str(row);
            text.len()
        });
        let ends = ends.collect();
        Self { first, ends, packed: lz4_flex::block::compress_prepend_size(text.as_bytes()) }
    }

    fn unpack(&self) -> String {
        let raw = lz4_flex::block::decompress_size_prepended(&self.packed).unwrap_or_default();
        String::from_utf8(raw).unwrap_or_default()
    }

    fn row<'a>(&self, text: &'a str, index: usize) -> &'a str {
        let begin = index.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or_default();
        self.ends.get(index).and_then(|end| text.get(begin..*end)).unwrap_or_default()
    }
}

/// Calls `on_member` with each member's name, in order. Values other than objects have none.
fn for_each_member(json: &str, on_member: impl FnMut(&str)) {
    // Malformed JSON yields the names before the error.
    let _ = serde_json::Deserializer::from_str(json).deserialize_map(MemberVisitor(on_member));
}

struct MemberVisitor<F>(F);

impl<'de, F: FnMut(&str)> Visitor<'de> for MemberVisitor<F> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<Cow<'_, str>>()? {
            (self.0)(&name);
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
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
        assert_eq!(set.rows_at(&[699, 3, 512, 700, 3]), [row(699), row(3), row(512), Value::Null, row(3)]);
        let mut rows = Vec::new();
        set.for_each_row(|at, text| rows.push((at, serde_json::from_str::<Value>(text).unwrap())));
        assert_eq!(rows, all.into_iter().enumerate().collect::<Vec<_>>());
    }

    #[test]
    fn large_rows_are_packed_by_themselves() {
        let set = set();
        let row = |number: usize| json!({ "code": number, "note": "x".repeat(if number.is_multiple_of(3) { 900_000 } else { 20 }) });
        let all: Vec<Value> = (0..40).map(row).collect();
        set.append(&all);
        let packed = set.0.rows.read();
        assert!(packed.blocks.len() > 5 && packed.unpacked_bytes < MAX_BLOCK_BYTES, "{}", packed.blocks.len());
        drop(packed);
        assert_eq!(set.len(), 40);
        assert_eq!(set.rows(0..99), all);
        for at in [0_u32, 1, 17, 38, 39] {
            assert_eq!(set.rows(at as usize..at as usize + 1), [row(at as usize)]);
            assert_eq!(set.rows_at(&[at]), [row(at as usize)]);
        }
    }

    #[test]
    fn only_the_outer_names_are_told() {
        let names = |json: &str| {
            let mut names = Vec::new();
            for_each_member(json, |name| names.push(name.to_owned()));
            names
        };
        assert_eq!(names(r#"{"a":{"x":1},"b\u00e4":[{"y":2}],"c":null}"#), ["a", "bä", "c"]);
        assert_eq!(names("[1]"), [""; 0]);
        assert_eq!(names(r#"{"a":1,"#), ["a"]);
    }
}
