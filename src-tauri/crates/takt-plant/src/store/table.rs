//! One table: serialised rows in the order in which they came, found by key, by work order and by time.

use std::collections::HashMap;

use jiff::{SignedDuration, civil::DateTime, tz::TimeZone};
use serde_json::Value;

use crate::{
    api::{Page, Window, date_time},
    store::{Members, Resource, View, floor_index::FloorIndex},
};

type Span = (DateTime, DateTime);

#[derive(Debug, Clone)]
pub(crate) struct Row {
    full: Box<str>,
    /// Where the brief view differs.
    brief: Option<Box<str>>,
    spans: [Option<Span>; 2],
}

/// Rows never move and never go, so that pages are stable.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    resource: Resource,
    rows: Vec<Row>,
    keys: HashMap<Box<str>, u32>,
    /// Positions by work order code.
    orders: HashMap<Box<str>, Vec<u32>>,
    floor: FloorIndex,
}

/// Which rows are wanted.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    pub(crate) window: Window,
    pub(crate) order: Option<String>,
    /// All of them must fit.
    pub(crate) texts: Vec<TextFilter>,
}

/// A member of the row that must have exactly this text.
#[derive(Debug)]
pub(crate) struct TextFilter {
    name: String,
    value: String,
    /// As it stands in a row that has it. A row without it needn't be read.
    trace: String,
}

impl TextFilter {
    pub(crate) fn new(name: &str, value: &str) -> Self {
        let trace = format!("{}:{}", Value::from(name), Value::from(value));
        Self { name: name.to_owned(), value: value.to_owned(), trace }
    }
}

impl Table {
    pub(super) fn new(resource: Resource) -> Self {
        Self { resource, rows: Vec::new(), keys: HashMap::new(), orders: HashMap::new(), floor: FloorIndex::default() }
    }

    /// Keeps a row under its key; says where, and which one stood there before. Without a key it is one more.
    pub(super) fn put(
        &mut self,
        members: &Members,
        full: String,
        brief: Option<String>,
        zone: &TimeZone,
    ) -> (u32, Option<Box<Row>>) {
        let next = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        let position = self.key(members).map_or(next, |key| *self.keys.entry(key).or_insert(next));
        if position == next
            && let Some(name) = self.resource.order_member()
        {
            self.orders.entry(text_of(members.get(name)).into()).or_default().push(next);
        }
        (position, self.place(position, members, full, brief, zone))
    }

    /// Writes a row over the one at `position`, or after the last; gives the one that stood there before.
    pub(super) fn place(
        &mut self,
        position: u32,
        members: &Members,
        full: String,
        brief: Option<String>,
        zone: &TimeZone,
    ) -> Option<Box<Row>> {
        let row = Row { full: full.into(), brief: brief.map(Into::into), spans: self.spans(members, zone) };
        self.floor.note(self.resource, position, members, row.begin());
        if let Some(known) = self.rows.get_mut(position as usize) {
            return Some(Box::new(std::mem::replace(known, row)));
        }
        self.rows.push(row);
        None
    }

    /// How long the row at a position is planned.
    pub(crate) fn planned(&self, position: u32) -> Option<SignedDuration> {
        let (begin, end) = self.rows.get(position as usize)?.spans[0]?;
        Some(end.duration_since(begin))
    }

    /// What is open on the floor.
    pub(crate) fn floor(&self) -> &FloorIndex {
        &self.floor
    }

    /// Takes the latest `put` back: `before` stands at its position again, or nothing does.
    pub(super) fn take_back(&mut self, position: u32, before: Option<Box<Row>>) {
        if let Some(row) = before {
            let members: Members = serde_json::from_str(&row.full).unwrap_or_default();
            self.floor.note(self.resource, position, &members, row.begin());
            self.rows[position as usize] = *row;
            return;
        }
        let Some(row) = self.rows.pop() else { return };
        self.floor.forget(position);
        let members: Members = serde_json::from_str(&row.full).unwrap_or_default();
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
        self.rows.get(position as usize).map(|row| &*row.full)
    }

    /// None where every row is one of its own.
    fn key(&self, members: &Members) -> Option<Box<str>> {
        let names = self.resource.key();
        let values: Vec<String> = names.iter().map(|name| text_of(members.get(*name))).collect();
        (!names.is_empty()).then(|| joined(&values))
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The full row with that key.
    pub(super) fn get(&self, key: &[&str]) -> Option<&str> {
        let position = *self.keys.get(&joined(key))?;
        self.rows.get(position as usize).map(|row| &*row.full)
    }

    /// The full rows of a work order.
    pub(super) fn of_order(&self, code: &str) -> impl Iterator<Item = &str> {
        let positions = self.orders.get(code).into_iter().flatten();
        positions.filter_map(|position| self.rows.get(*position as usize)).map(|row| &*row.full)
    }

    pub(crate) fn has_order(&self, code: &str) -> bool {
        self.orders.contains_key(code)
    }

    /// The selected rows of one page, joined by commas, and how many are selected in all.
    pub(crate) fn page(&self, selection: &Selection, page: Page, view: View) -> (String, usize) {
        let (skip, limit) = page.range();
        if selection.order.is_none() && selection.window.is_open() && selection.texts.is_empty() {
            let begin = skip.min(self.rows.len());
            let end = skip.saturating_add(limit).min(self.rows.len());
            return (commas(self.rows[begin..end].iter().map(|row| row.text(view))), self.rows.len());
        }
        let mut total = 0;
        let mut chosen = Vec::new();
        self.for_each(selection, |row| {
            if total >= skip && chosen.len() < limit {
                chosen.push(row.text(view));
            }
            total += 1;
        });
        (commas(chosen.into_iter()), total)
    }

    /// The full rows, in order.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|row| row.text(View::Full))
    }

    /// Every row, joined by commas.
    pub(crate) fn all(&self) -> (String, usize) {
        (commas(self.rows.iter().map(|row| row.text(View::Full))), self.rows.len())
    }

    fn for_each<'a>(&'a self, selection: &Selection, mut take: impl FnMut(&'a Row)) {
        let meets = |row: &Row| {
            let mut spans = row.spans.iter().flatten();
            (selection.window.is_open() || spans.any(|(begin, end)| selection.window.meets(*begin, *end)))
                && row.says(&selection.texts)
        };
        match &selection.order {
            Some(code) => {
                let positions = self.orders.get(code.as_str()).into_iter().flatten();
                positions.filter_map(|at| self.rows.get(*at as usize)).filter(|row| meets(row)).for_each(&mut take);
            }
            None => self.rows.iter().filter(|row| meets(row)).for_each(&mut take),
        }
    }

    /// When the row is planned and when it happened. What hasn't ended lasts as long as it is planned.
    fn spans(&self, members: &Members, zone: &TimeZone) -> [Option<Span>; 2] {
        let moment = |name: &str| date_time(members.get(name)?.as_str()?, zone);
        let mut spans = [None, None];
        let mut planned_end = None;
        for (span, (begin, end)) in spans.iter_mut().zip(self.resource.spans()) {
            let end = moment(end);
            *span = moment(begin).map(|begin| (begin, end.or(planned_end).unwrap_or(begin).max(begin)));
            planned_end = end;
        }
        spans
    }
}

impl Row {
    /// When it is planned to begin, or was opened.
    fn begin(&self) -> Option<DateTime> {
        self.spans[0].map(|(begin, _)| begin)
    }

    /// Whether every filter fits. The row is parsed only where it may.
    fn says(&self, filters: &[TextFilter]) -> bool {
        if filters.is_empty() {
            return true;
        }
        // A part of the row may have a member of the same name, so the trace alone doesn't tell.
        filters.iter().all(|filter| self.full.contains(&filter.trace))
            && serde_json::from_str::<Members>(&self.full).is_ok_and(|members| {
                filters.iter().all(|filter| members.get(&filter.name).is_some_and(|value| *value == filter.value))
            })
    }

    fn text(&self, view: View) -> &str {
        match (view, &self.brief) {
            (View::Brief, Some(brief)) => brief,
            _ => &self.full,
        }
    }
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

fn commas<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut joined = String::new();
    for text in texts {
        if !joined.is_empty() {
            joined.push(',');
        }
        joined.push_str(text);
    }
    joined
}
