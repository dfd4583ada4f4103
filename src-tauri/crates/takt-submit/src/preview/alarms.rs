//! Valid but wrong: what can only be seen beside what the service holds, over all rows together.
//!
//! Owns what counts as suspicious. Leaves the sentences to the language files, and what follows to the person.

use std::{
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
};

use jiff::civil::DateTime;
use serde_json::Value;
use takt_contract::{
    Field, FieldKind,
    wire::duration::{TICKS_PER_SECOND, format_ticks, parse_ticks},
};

use super::view::{AlarmKind, ChangedField, PreviewAlarm};
use takt_browse::read_back::{ReadBack, number, text};
use takt_core::site_time::site_date_time;

/// Fewer rows than this are no pattern.
const MIN_ROWS: usize = 5;
/// Where columns are held against their neighbours, so many rows from the top are enough.
const MAX_COMPARED: usize = 50_000;
/// How far a column may have slipped.
const SHIFTS: [isize; 6] = [1, -1, 2, -2, 3, -3];
/// Different ratios or spans of one field that are counted.
const MAX_RATIOS: usize = 1_000;
/// A common ratio nearer to 1 than this may be meant.
const MIN_RATIO: f64 = 9.99;
/// Few things that are held say nothing about most of them.
const MIN_HELD: u32 = 10;

/// What was seen of a step's fields.
pub(super) struct Alarms<'a> {
    back: &'a ReadBack,
    fields: Vec<FieldStatistics<'a>>,
    existing_items: u32,
    changed: u32,
}

/// One field, row by row.
struct FieldStatistics<'a> {
    field: &'a Field,
    /// True where it is what people call the thing.
    names: bool,
    /// In the file's order: what is sent, what is held, and where the former stands in an order of all values.
    beside: Vec<Option<Pair>>,
    given: u32,
    changed: u32,
    ratios: HashMap<i64, (u32, f64)>,
    spans: HashMap<i64, u32>,
}

#[derive(Clone, Copy)]
struct Pair {
    sent: u64,
    service_value: u64,
    order: u64,
}

impl<'a> Alarms<'a> {
    pub(super) fn new(back: &'a ReadBack, items: usize) -> Self {
        let rows = items.min(MAX_COMPARED);
        let plain = |field: &&Field| !matches!(field.kind, FieldKind::List | FieldKind::Object);
        let own = back.sent().fields.iter().filter(plain).filter(|field| !back.is_key(&field.name));
        let fields = own.map(|field| FieldStatistics {
            field,
            names: field.required && field.kind == FieldKind::Text && field.refers_to.is_none(),
            beside: Vec::with_capacity(rows),
            given: 0,
            changed: 0,
            ratios: HashMap::new(),
            spans: HashMap::new(),
        });
        Self { back, fields: fields.collect(), existing_items: 0, changed: 0 }
    }

    /// An item that the service holds, at its place in the file.
    pub(super) fn see(&mut self, place: usize, sent: &Value, held: &Value) {
        self.existing_items += 1;
        let mut any = false;
        for watched in &mut self.fields {
            let (Some(new), Some(old)) = (sent.get(&watched.field.name), held.get(&watched.field.name)) else {
                continue;
            };
            let same = self.back.equal(watched.field, new, old);
            any |= !same;
            watched.given += 1;
            if !same {
                watched.changed += 1;
                watched.measure(self.back, new, old);
            }
            if place < MAX_COMPARED {
                watched.set(place, self.back, same, new, old);
            }
        }
        self.changed += u32::from(any);
    }

    /// What is suspicious; `fields` are the changed ones, most often changed first.
    pub(super) fn previews(&self, fields: &[ChangedField]) -> Vec<PreviewAlarm> {
        let mut alarms: Vec<PreviewAlarm> = Vec::new();
        for watched in &self.fields {
            let own = watched.shifted().or_else(|| watched.sorted());
            let own = own.or_else(|| watched.scaled()).or_else(|| watched.renamed(self.existing_items));
            alarms.extend(own.or_else(|| watched.moved()));
        }
        if let Some(top) =
            fields.first().filter(|_| self.existing_items >= MIN_HELD && self.changed * 5 > self.existing_items * 4)
            && !alarms.iter().any(|alarm| alarm.field == top.field)
        {
            let (rows, of) = (self.changed, self.existing_items);
            let field = top.field.clone();
            alarms.push(PreviewAlarm { kind: AlarmKind::MostChanged, field, rows, of, number: String::new() });
        }
        alarms.sort_by_key(|alarm| alarm.kind);
        alarms
    }
}

impl FieldStatistics<'_> {
    fn set(&mut self, place: usize, back: &ReadBack, same: bool, new: &Value, old: &Value) {
        if self.beside.len() <= place {
            self.beside.resize(place + 1, None);
        }
        let (sent, order) = print(self.field, back, new);
        let held = if same { sent } else { print(self.field, back, old).0 };
        if let Some(known) = self.beside.get_mut(place) {
            *known = Some(Pair { sent, service_value: held, order });
        }
    }

    /// Ratios of numbers and spans of moments, as far as they repeat.
    fn measure(&mut self, back: &ReadBack, new: &Value, old: &Value) {
        match self.field.kind {
            FieldKind::Integer | FieldKind::Number => {
                let (Some(new), Some(old)) = (number(new), number(old)) else { return };
                let ratio = new / old;
                if ratio.is_finite() && ratio > 0.0 {
                    #[expect(clippy::cast_possible_truncation, reason = "the logarithm of an f64 is below 1,000")]
                    let near = (ratio.ln() * 1000.0).round() as i64;
                    if self.ratios.len() < MAX_RATIOS || self.ratios.contains_key(&near) {
                        self.ratios.entry(near).or_insert((0, ratio)).0 += 1;
                    }
                }
            }
            FieldKind::DateTime => {
                let (Some(new), Some(old)) = (at(back, new), at(back, old)) else { return };
                let span = new.duration_since(old).as_secs();
                if self.spans.len() < MAX_RATIOS || self.spans.contains_key(&span) {
                    *self.spans.entry(span).or_default() += 1;
                }
            }
            _ => {}
        }
    }

    /// The values of another row, always as far away.
    fn shifted(&self) -> Option<PreviewAlarm> {
        if !self.mostly_changed() || self.different() < MIN_ROWS - 1 {
            return None;
        }
        let hits = |by: isize| {
            let mut hits = 0_usize;
            let mut wrong = 0_usize;
            for (place, pair) in self.beside.iter().enumerate() {
                let Some(pair) = pair.filter(|pair| pair.sent != pair.service_value) else { continue };
                let other = place.checked_add_signed(by).and_then(|place| *self.beside.get(place)?);
                if let Some(other) = other {
                    wrong += 1;
                    hits += usize::from(other.service_value == pair.sent);
                }
            }
            (hits, wrong)
        };
        let found = SHIFTS.into_iter().map(|by| (by, hits(by)));
        let found = found.filter(|(_, (hits, wrong))| *hits >= MIN_ROWS && hits * 5 >= wrong * 4);
        let (by, (hits, _)) = found.max_by_key(|(_, (hits, _))| *hits)?;
        Some(self.alarm(AlarmKind::ColumnShifted, hits, (-by).to_string()))
    }

    /// The same values, at other rows.
    fn sorted(&self) -> Option<PreviewAlarm> {
        let pairs: Vec<Pair> = self.beside.iter().flatten().copied().collect();
        let different = self.different();
        if !self.mostly_changed() || different < MIN_ROWS {
            return None;
        }
        let mut held: HashMap<u64, usize> = HashMap::new();
        for pair in &pairs {
            *held.entry(pair.service_value).or_default() += 1;
        }
        let mut elsewhere = 0;
        for pair in &pairs {
            if let Some(left) = held.get_mut(&pair.sent).filter(|left| **left > 0) {
                *left -= 1;
                elsewhere += 1;
            }
        }
        let rises = pairs.is_sorted_by_key(|pair| pair.order);
        let falls = pairs.iter().rev().is_sorted_by_key(|pair| pair.order);
        let with_callback = rises || falls || different * 3 >= pairs.len();
        let wrong = pairs.iter().filter(|pair| pair.sent != pair.service_value).count();
        (with_callback && elsewhere * 10 >= pairs.len() * 9)
            .then(|| self.alarm(AlarmKind::ColumnSorted, wrong, String::new()))
    }

    fn scaled(&self) -> Option<PreviewAlarm> {
        let (count, ratio) = *self.ratios.values().max_by_key(|(count, _)| *count)?;
        let far = !(1.0 / MIN_RATIO..=MIN_RATIO).contains(&ratio);
        let often = self.is_common(count) && count * 2 > self.given;
        (far && often).then(|| self.alarm(AlarmKind::Scaled, count as usize, rounded(ratio)))
    }

    fn renamed(&self, held: u32) -> Option<PreviewAlarm> {
        let many = self.names && held >= MIN_HELD && self.changed * 2 > held;
        many.then(|| self.alarm(AlarmKind::Renamed, self.changed as usize, String::new()))
    }

    fn moved(&self) -> Option<PreviewAlarm> {
        let (span, count) = self.spans.iter().max_by_key(|(_, count)| **count)?;
        let ticks = span.saturating_mul(TICKS_PER_SECOND);
        let often = self.is_common(*count) && *span != 0;
        often.then(|| self.alarm(AlarmKind::DatesMoved, *count as usize, format_ticks(ticks)))
    }

    fn is_common(&self, count: u32) -> bool {
        count as usize >= MIN_ROWS && count * 5 >= self.changed * 4
    }

    fn mostly_changed(&self) -> bool {
        self.changed as usize >= MIN_ROWS && self.changed * 2 >= self.given
    }

    /// How many different values are held.
    fn different(&self) -> usize {
        self.beside.iter().flatten().map(|pair| pair.service_value).collect::<HashSet<_>>().len()
    }

    fn alarm(&self, kind: AlarmKind, rows: usize, number: String) -> PreviewAlarm {
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        PreviewAlarm { kind, field: self.field.name.clone(), rows, of: self.given, number }
    }
}

/// A value's fingerprint, equal where the field takes them for the same, and its place in their order.
fn print(field: &Field, back: &ReadBack, value: &Value) -> (u64, u64) {
    let hashed = |what: &dyn Fn(&mut DefaultHasher)| {
        let mut hasher = DefaultHasher::new();
        what(&mut hasher);
        hasher.finish()
    };
    let whole = match field.kind {
        FieldKind::Integer | FieldKind::Number => number(value).map(ordered),
        FieldKind::DateTime => {
            at(back, value).map(|moment| ordered_whole(moment.duration_since(DateTime::MIN).as_secs()))
        }
        FieldKind::Duration | FieldKind::TimeSpan => value.as_str().and_then(parse_ticks).map(ordered_whole),
        _ => None,
    };
    match whole {
        Some(order) => (hashed(&|hasher| order.hash(hasher)), order),
        None => {
            let text = text(value);
            let mut front = [0; 8];
            front.iter_mut().zip(text.bytes()).for_each(|(to, from)| *to = from);
            (hashed(&|hasher| text.hash(hasher)), u64::from_be_bytes(front))
        }
    }
}

fn at(back: &ReadBack, value: &Value) -> Option<DateTime> {
    site_date_time(value.as_str()?, back.zone())
}

/// Numbers as whole ones that stand in the same order.
fn ordered(number: f64) -> u64 {
    let bits = number.to_bits();
    if number.is_sign_negative() { !bits } else { bits | 1 << 63 }
}

fn ordered_whole(number: i64) -> u64 {
    number.cast_unsigned() ^ 1 << 63
}

fn rounded(ratio: f64) -> String {
    let near = (ratio * 10_000.0).round() / 10_000.0;
    if near > 0.0 { near.to_string() } else { format!("{ratio:.1e}") }
}
