//! The tables of rows, with indexes by key, work order and time.

use std::{collections::HashMap, sync::Arc};

use jiff::{
    SignedDuration,
    civil::{Date, DateTime, Time},
    tz::TimeZone,
};
use parking_lot::Mutex;
use serde_json::Value;

use super::{
    floor_index::FloorIndex,
    layout::{RowText, View},
    members::Members,
    resource::Resource,
};
use crate::{
    paging::PageRange,
    time_window::{TimeWindow, parse_date_time},
};

type TimeSpans = [Option<(DateTime, DateTime)>; 2];

/// A table of serialized rows in the order of insertion. Rows are never moved or removed, so that pages are stable.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    resource: Resource,
    /// The members of the key. Empty if rows have no key.
    key: Vec<String>,
    rows: Vec<RowText>,
    /// The planned and real time span of each row. Empty if rows have no times.
    spans: Vec<TimeSpans>,
    keys: HashMap<Box<str>, u32>,
    /// The positions of each work order's rows, by its code.
    orders: HashMap<Box<str>, Vec<u32>>,
    floor: FloorIndex,
    windows: WindowCache,
}

/// The conditions that selected rows fulfill.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    pub(crate) window: TimeWindow,
    pub(crate) order: Option<String>,
    /// Conditions that must all be fulfilled.
    pub(crate) texts: Vec<TextFilter>,
}

/// The condition that a member equals a text.
#[derive(Debug)]
pub(crate) struct TextFilter {
    name: String,
    value: String,
    /// The serialized member in a matching row. Quotes in texts are escaped, so no text contains it.
    needle: String,
    /// Whether a nested object may have a member with the same name, so that `needle` alone isn't sufficient.
    is_nested_name: bool,
}

impl TextFilter {
    pub(crate) fn new(name: &str, value: &str, is_nested_name: bool) -> Self {
        let needle = format!("{}:{}", Value::from(name), Value::from(value));
        Self { name: name.to_owned(), value: value.to_owned(), needle, is_nested_name }
    }
}

impl Table {
    pub(super) fn new(resource: Resource, key: Vec<String>) -> Self {
        Self {
            resource,
            key,
            rows: Vec::new(),
            spans: Vec::new(),
            keys: HashMap::new(),
            orders: HashMap::new(),
            floor: FloorIndex::default(),
            windows: WindowCache::default(),
        }
    }

    /// Stores a row by its key. Returns its position and the replaced row. Rows without a key are appended.
    pub(super) fn put(&mut self, members: &Members, text: RowText, zone: &TimeZone) -> (u32, Option<RowText>) {
        let next = self.all_positions().end;
        let position = self.build_key(members).map_or(next, |key| *self.keys.entry(key).or_insert(next));
        if position == next
            && let Some(name) = self.resource.order_member()
        {
            self.orders.entry(key_text(members.get(name)).into()).or_default().push(next);
        }
        (position, self.write_at(position, members, text, zone))
    }

    /// Replaces the row at `position`, or appends it. Returns the replaced row.
    pub(super) fn write_at(
        &mut self,
        position: u32,
        members: &Members,
        text: RowText,
        zone: &TimeZone,
    ) -> Option<RowText> {
        self.update_indexes(position, members, zone);
        if let Some(known) = self.rows.get_mut(position as usize) {
            return Some(std::mem::replace(known, text));
        }
        self.rows.push(text);
        None
    }

    /// Returns the planned duration of a row. None without planned dates.
    pub(crate) fn planned_duration(&self, position: u32) -> Option<SignedDuration> {
        let (begin, end) = self.spans.get(position as usize)?[0]?;
        Some(end.duration_since(begin))
    }

    /// Updates the time spans and the floor index for a row.
    fn update_indexes(&mut self, position: u32, members: &Members, zone: &TimeZone) {
        let spans = read_time_spans(self.resource, members, zone);
        self.windows.clear();
        self.floor.update(self.resource, position, members, spans[0].map(|(begin, _)| begin));
        if self.resource.time_span_members().is_empty() {
            return;
        }
        match self.spans.get_mut(position as usize) {
            Some(known) => *known = spans,
            None => self.spans.push(spans),
        }
    }

    pub(crate) fn floor_index(&self) -> &FloorIndex {
        &self.floor
    }

    /// Reverts the latest `put`: restores `before`, or removes the row if it was new.
    pub(super) fn revert(&mut self, position: u32, before: Option<RowText>, zone: &TimeZone) {
        if let Some(row) = before {
            let members: Members = serde_json::from_str(row.full()).unwrap_or_default();
            self.update_indexes(position, &members, zone);
            self.rows[position as usize] = row;
            return;
        }
        let Some(row) = self.rows.pop() else { return };
        self.spans.truncate(self.rows.len());
        self.windows.clear();
        self.floor.remove(position);
        let members: Members = serde_json::from_str(row.full()).unwrap_or_default();
        if let Some(key) = self.build_key(&members) {
            self.keys.remove(&key);
        }
        let Some(name) = self.resource.order_member() else { return };
        let code: Box<str> = key_text(members.get(name)).into();
        if let Some(positions) = self.orders.get_mut(&code) {
            positions.retain(|known| *known != position);
            if positions.is_empty() {
                self.orders.remove(&code);
            }
        }
    }

    /// Returns the serialized row with all members.
    pub(crate) fn row_text_at(&self, position: u32) -> Option<&str> {
        self.rows.get(position as usize).map(RowText::full)
    }

    /// Returns None if rows have no key.
    fn build_key(&self, members: &Members) -> Option<Box<str>> {
        (!self.key.is_empty()).then(|| join_key(&self.key_values(members)))
    }

    pub(crate) fn key_values(&self, members: &Members) -> Vec<String> {
        self.key.iter().map(|name| key_text(members.get(name))).collect()
    }

    /// Returns the members of the key. Empty if rows have no key.
    pub(crate) fn key_names(&self) -> &[String] {
        &self.key
    }

    pub(crate) fn all_positions(&self) -> std::ops::Range<u32> {
        0..u32::try_from(self.rows.len()).unwrap_or(u32::MAX)
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the serialized row with this key.
    pub(super) fn get(&self, key: &[&str]) -> Option<&str> {
        let position = *self.keys.get(&join_key(key))?;
        self.rows.get(position as usize).map(RowText::full)
    }

    /// Returns the serialized rows of a work order.
    pub(super) fn order_row_texts(&self, code: &str) -> impl Iterator<Item = &str> {
        let positions = self.orders.get(code).into_iter().flatten();
        positions.filter_map(|position| self.rows.get(*position as usize)).map(RowText::full)
    }

    pub(crate) fn has_order(&self, code: &str) -> bool {
        self.orders.contains_key(code)
    }

    /// Returns a page of the selected rows as a JSON array with `wrapper` around it, and the number of selected rows.
    pub(crate) fn read_page(
        &self,
        selection: &Selection,
        page: PageRange,
        view: View,
        wrapper: [&str; 2],
    ) -> (String, usize) {
        let (skip, limit) = page.range();
        if selection.is_all() {
            let begin = skip.min(self.rows.len());
            let end = skip.saturating_add(limit).min(self.rows.len());
            return (join_rows(&self.rows[begin..end].iter().collect::<Vec<_>>(), view, wrapper), self.rows.len());
        }
        let selected = if selection.is_window() {
            self.windows.get_or_search(selection.window, || self.find_positions(selection))
        } else {
            self.find_positions(selection)
        };
        let rows = selected.iter().skip(skip).take(limit).filter_map(|position| self.rows.get(*position as usize));
        (join_rows(&rows.collect::<Vec<_>>(), view, wrapper), selected.len())
    }

    /// Returns all serialized rows in order.
    pub(crate) fn row_texts(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(RowText::full)
    }

    /// Returns all rows as a JSON array between two texts.
    pub(crate) fn to_json_array(&self, wrapper: [&str; 2]) -> String {
        join_rows(&self.rows.iter().collect::<Vec<_>>(), View::Full, wrapper)
    }

    /// Returns the positions of the selected rows in order.
    fn find_positions(&self, selection: &Selection) -> Arc<[u32]> {
        let fits = |position: &u32| {
            let Some(row) = self.rows.get(*position as usize) else { return false };
            let spans = self.spans.get(*position as usize).into_iter().flatten().flatten();
            let mut times = spans.map(|(begin, end)| selection.window.overlaps(*begin, *end));
            (selection.window.is_unbounded() || times.any(|overlaps| overlaps))
                && matches_filters(row.full(), &selection.texts)
        };
        match &selection.order {
            Some(code) => self.orders.get(code.as_str()).into_iter().flatten().copied().filter(fits).collect(),
            None => self.all_positions().filter(fits).collect(),
        }
    }
}

impl Selection {
    fn is_all(&self) -> bool {
        self.is_window() && self.window.is_unbounded()
    }

    /// Returns whether rows are selected only by time.
    fn is_window(&self) -> bool {
        self.order.is_none() && self.texts.is_empty()
    }
}

/// Returns the planned and the real time span of a row. Without a real end, the real span ends with the planned one.
fn read_time_spans(resource: Resource, members: &Members, zone: &TimeZone) -> TimeSpans {
    let time_member = |name: &str| {
        let text = members.get(name)?.as_str()?;
        // Copied rows may contain dates without a time of day.
        parse_date_time(text, zone).or_else(|| text.parse::<Date>().ok().map(|date| date.to_datetime(Time::midnight())))
    };
    let mut spans = [None, None];
    let mut planned_end = None;
    for (span, (begin, end)) in spans.iter_mut().zip(resource.time_span_members()) {
        let end = time_member(end);
        *span = time_member(begin).map(|begin| (begin, end.or(planned_end).unwrap_or(begin).max(begin)));
        planned_end = end;
    }
    spans
}

/// Returns whether a row fulfills all conditions. The row is parsed only if its text isn't sufficient.
fn matches_filters(row: &str, filters: &[TextFilter]) -> bool {
    if !filters.iter().all(|filter| row.contains(&filter.needle)) {
        return false;
    }
    let mut ambiguous = filters.iter().filter(|filter| filter.is_nested_name).peekable();
    if ambiguous.peek().is_none() {
        return true;
    }
    let Ok(members) = serde_json::from_str::<Members>(row) else { return false };
    ambiguous.all(|filter| members.get(&filter.name).is_some_and(|value| *value == filter.value))
}

/// Joins rows to a JSON array. The length is allocated once, so that each row is copied only once.
fn join_rows(rows: &[&RowText], view: View, [before, after]: [&str; 2]) -> String {
    let pieces = rows.iter().flat_map(|row| row.pieces(view));
    let length: usize = pieces.map(str::len).sum();
    let mut array = String::with_capacity(before.len() + length + rows.len() + 2 + after.len());
    array.push_str(before);
    array.push('[');
    for (index, row) in rows.iter().enumerate() {
        if index > 0 {
            array.push(',');
        }
        array.extend(row.pieces(view));
    }
    array.push(']');
    array.push_str(after);
    array
}

/// Joins the values of a key. Separators in values are escaped, so that different keys remain different.
fn join_key<T: AsRef<str>>(values: &[T]) -> Box<str> {
    const SEPARATOR: char = '\u{1F}';
    const ESCAPE: char = '\u{1E}';
    let mut text = String::new();
    for (index, value) in values.iter().map(AsRef::as_ref).enumerate() {
        if index > 0 {
            text.push(SEPARATOR);
        }
        if !value.contains([SEPARATOR, ESCAPE]) {
            text.push_str(value);
            continue;
        }
        for character in value.chars() {
            match character {
                SEPARATOR => text.extend([ESCAPE, '1']),
                ESCAPE => text.extend([ESCAPE, '0']),
                other => text.push(other),
            }
        }
    }
    text.into()
}

/// Returns the value of a key member as text. Absent and null values are empty.
fn key_text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// The maximum number of cached windows. The oldest is removed first.
const MAX_WINDOWS: usize = 8;

/// The positions of the rows in a time window. The latest window is the last.
#[derive(Debug, Default)]
struct WindowCache(Mutex<Vec<(TimeWindow, Arc<[u32]>)>>);

impl WindowCache {
    /// Returns the positions of the rows in a window, from the cache or by calling `search`.
    fn get_or_search(&self, window: TimeWindow, search: impl FnOnce() -> Arc<[u32]>) -> Arc<[u32]> {
        let known = self.0.lock().iter().find(|(known, _)| *known == window).map(|(_, rows)| Arc::clone(rows));
        if let Some(rows) = known {
            return rows;
        }
        // The lock isn't held during the search, so that other threads can read. The table can't change meanwhile.
        let rows = search();
        let mut windows = self.0.lock();
        if windows.len() >= MAX_WINDOWS {
            windows.remove(0);
        }
        windows.push((window, Arc::clone(&rows)));
        rows
    }

    fn clear(&mut self) {
        self.0.get_mut().clear();
    }
}

/// A cloned table has an empty cache.
impl Clone for WindowCache {
    fn clone(&self) -> Self {
        Self::default()
    }
}
