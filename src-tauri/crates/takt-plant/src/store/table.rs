//! One table: serialised rows in the order in which they came, found by key, by work order and by time.

use std::{collections::HashMap, sync::Arc};

use jiff::{
    SignedDuration,
    civil::{Date, DateTime, Time},
    tz::TimeZone,
};
use serde_json::Value;

use crate::{
    paging::Page,
    store::{Members, Resource, View, floor_index::FloorIndex, text::RowText, window_cache::WindowCache},
    time_window::{TimeWindow, date_time},
};

type Spans = [Option<(DateTime, DateTime)>; 2];

/// Rows never move and never go, so that pages are stable.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    resource: Resource,
    /// The members that make up a row's key, as the contract says; none where every row is one of its own.
    key: Vec<String>,
    rows: Vec<RowText>,
    /// When each row is planned and when it happened; empty where rows of this kind don't lie in time.
    spans: Vec<Spans>,
    keys: HashMap<Box<str>, u32>,
    /// Positions by work order code.
    orders: HashMap<Box<str>, Vec<u32>>,
    floor: FloorIndex,
    windows: WindowCache,
}

/// Which rows are wanted.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    pub(crate) window: TimeWindow,
    pub(crate) order: Option<String>,
    /// All of them must fit.
    pub(crate) texts: Vec<TextFilter>,
}

/// A member of the row that must have exactly this text.
#[derive(Debug)]
pub(crate) struct TextFilter {
    name: String,
    value: String,
    /// As it stands in a row that has it: quotes inside texts are escaped, so it stands nowhere else.
    trace: String,
    /// Whether parts of a row have a member of the same name, so that the trace alone doesn't tell.
    of_parts: bool,
}

impl TextFilter {
    pub(crate) fn new(name: &str, value: &str, of_parts: bool) -> Self {
        let trace = format!("{}:{}", Value::from(name), Value::from(value));
        Self { name: name.to_owned(), value: value.to_owned(), trace, of_parts }
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

    /// Keeps a row under its key; says where, and which one stood there before. Without a key it is one more.
    pub(super) fn put(&mut self, members: &Members, text: RowText, zone: &TimeZone) -> (u32, Option<RowText>) {
        let next = self.all_positions().end;
        let position = self.key(members).map_or(next, |key| *self.keys.entry(key).or_insert(next));
        if position == next
            && let Some(name) = self.resource.order_member()
        {
            self.orders.entry(text_of(members.get(name)).into()).or_default().push(next);
        }
        (position, self.place(position, members, text, zone))
    }

    /// Writes a row over the one at `position`, or after the last; gives the one that stood there before.
    pub(super) fn place(
        &mut self,
        position: u32,
        members: &Members,
        text: RowText,
        zone: &TimeZone,
    ) -> Option<RowText> {
        self.note(position, members, zone);
        if let Some(known) = self.rows.get_mut(position as usize) {
            return Some(std::mem::replace(known, text));
        }
        self.rows.push(text);
        None
    }

    /// How long the row at a position is planned.
    pub(crate) fn planned(&self, position: u32) -> Option<SignedDuration> {
        let (begin, end) = self.spans.get(position as usize)?[0]?;
        Some(end.duration_since(begin))
    }

    /// Notes when the row at a position is, or is about to be, and what is open of it.
    fn note(&mut self, position: u32, members: &Members, zone: &TimeZone) {
        let spans = spans(self.resource, members, zone);
        self.windows.forget();
        self.floor.note(self.resource, position, members, spans[0].map(|(begin, _)| begin));
        if self.resource.spans().is_empty() {
            return;
        }
        match self.spans.get_mut(position as usize) {
            Some(known) => *known = spans,
            None => self.spans.push(spans),
        }
    }

    /// What is open on the floor.
    pub(crate) fn floor(&self) -> &FloorIndex {
        &self.floor
    }

    /// Takes the latest `put` back: `before` stands at its position again, or nothing does.
    pub(super) fn take_back(&mut self, position: u32, before: Option<RowText>, zone: &TimeZone) {
        if let Some(row) = before {
            let members: Members = serde_json::from_str(row.full()).unwrap_or_default();
            self.note(position, &members, zone);
            self.rows[position as usize] = row;
            return;
        }
        let Some(row) = self.rows.pop() else { return };
        self.spans.truncate(self.rows.len());
        self.windows.forget();
        self.floor.forget(position);
        let members: Members = serde_json::from_str(row.full()).unwrap_or_default();
        if let Some(key) = self.key(&members) {
            self.keys.remove(&key);
        }
        let Some(name) = self.resource.order_member() else { return };
        let code: Box<str> = text_of(members.get(name)).into();
        if let Some(positions) = self.orders.get_mut(&code) {
            positions.retain(|known| *known != position);
            if positions.is_empty() {
                self.orders.remove(&code);
            }
        }
    }

    /// The full row at a position.
    pub(crate) fn at(&self, position: u32) -> Option<&str> {
        self.rows.get(position as usize).map(RowText::full)
    }

    /// None where every row is one of its own.
    fn key(&self, members: &Members) -> Option<Box<str>> {
        (!self.key.is_empty()).then(|| joined(&self.key_values(members)))
    }

    /// What a row, or an item for one, has in the members of the key.
    pub(crate) fn key_values(&self, members: &Members) -> Vec<String> {
        self.key.iter().map(|name| text_of(members.get(name))).collect()
    }

    /// The members that make up a row's key; none where every row is one of its own.
    pub(crate) fn key_names(&self) -> &[String] {
        &self.key
    }

    /// Those of all rows.
    pub(crate) fn all_positions(&self) -> std::ops::Range<u32> {
        0..u32::try_from(self.rows.len()).unwrap_or(u32::MAX)
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The full row with that key.
    pub(super) fn get(&self, key: &[&str]) -> Option<&str> {
        let position = *self.keys.get(&joined(key))?;
        self.rows.get(position as usize).map(RowText::full)
    }

    /// The full rows of a work order.
    pub(super) fn of_order(&self, code: &str) -> impl Iterator<Item = &str> {
        let positions = self.orders.get(code).into_iter().flatten();
        positions.filter_map(|position| self.rows.get(*position as usize)).map(RowText::full)
    }

    pub(crate) fn has_order(&self, code: &str) -> bool {
        self.orders.contains_key(code)
    }

    /// The selected rows of one page as a JSON array between two texts, and how many are selected in all.
    pub(crate) fn page(&self, selection: &Selection, page: Page, view: View, around: [&str; 2]) -> (String, usize) {
        let (skip, limit) = page.range();
        if selection.is_all() {
            let begin = skip.min(self.rows.len());
            let end = skip.saturating_add(limit).min(self.rows.len());
            return (array(&self.rows[begin..end].iter().collect::<Vec<_>>(), view, around), self.rows.len());
        }
        let found = if selection.is_window() {
            self.windows.of(selection.window, || self.positions(selection))
        } else {
            self.positions(selection)
        };
        let rows = found.iter().skip(skip).take(limit).filter_map(|position| self.rows.get(*position as usize));
        (array(&rows.collect::<Vec<_>>(), view, around), found.len())
    }

    /// The full rows, in order.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(RowText::full)
    }

    /// Every row as a JSON array between two texts.
    pub(crate) fn all(&self, around: [&str; 2]) -> String {
        array(&self.rows.iter().collect::<Vec<_>>(), View::Full, around)
    }

    /// The selected rows by position, in order.
    fn positions(&self, selection: &Selection) -> Arc<[u32]> {
        let fits = |position: &u32| {
            let Some(row) = self.rows.get(*position as usize) else { return false };
            let spans = self.spans.get(*position as usize).into_iter().flatten().flatten();
            let mut times = spans.map(|(begin, end)| selection.window.meets(*begin, *end));
            (selection.window.is_open() || times.any(|meets| meets)) && matches(row.full(), &selection.texts)
        };
        match &selection.order {
            Some(code) => self.orders.get(code.as_str()).into_iter().flatten().copied().filter(fits).collect(),
            None => self.all_positions().filter(fits).collect(),
        }
    }
}

impl Selection {
    fn is_all(&self) -> bool {
        self.is_window() && self.window.is_open()
    }

    /// Whether nothing but the window decides.
    fn is_window(&self) -> bool {
        self.order.is_none() && self.texts.is_empty()
    }
}

/// When a row is planned and when it happened. What hasn't ended lasts as long as it is planned.
fn spans(resource: Resource, members: &Members, zone: &TimeZone) -> Spans {
    let moment = |name: &str| {
        let text = members.get(name)?.as_str()?;
        // A row that was copied may have no more than a date.
        date_time(text, zone).or_else(|| text.parse::<Date>().ok().map(|date| date.to_datetime(Time::midnight())))
    };
    let mut spans = [None, None];
    let mut planned_end = None;
    for (span, (begin, end)) in spans.iter_mut().zip(resource.spans()) {
        let end = moment(end);
        *span = moment(begin).map(|begin| (begin, end.or(planned_end).unwrap_or(begin).max(begin)));
        planned_end = end;
    }
    spans
}

/// Whether every filter fits. The row is parsed only where that is needed to tell.
fn matches(row: &str, filters: &[TextFilter]) -> bool {
    if !filters.iter().all(|filter| row.contains(&filter.trace)) {
        return false;
    }
    let mut unsure = filters.iter().filter(|filter| filter.of_parts).peekable();
    if unsure.peek().is_none() {
        return true;
    }
    let Ok(members) = serde_json::from_str::<Members>(row) else { return false };
    unsure.all(|filter| members.get(&filter.name).is_some_and(|value| *value == filter.value))
}

/// Rows in one text, which is made as long as it will be: a page is copied once.
fn array(rows: &[&RowText], view: View, [before, after]: [&str; 2]) -> String {
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

/// Key values in one text. A separator inside a value is written otherwise, so that no two keys meet.
fn joined<T: AsRef<str>>(values: &[T]) -> Box<str> {
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

/// A key member as text; absent and null are the same as empty.
pub(super) fn text_of(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}
