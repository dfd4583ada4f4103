//! Finds valid but suspicious changes by comparing all rows of a step with the service's data.
//!
//! This module defines the suspicious patterns. Their texts are in the language files, and the user decides what to do.

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
use takt_browse::read_back::{ReadBack, finite_number, key_text};
use takt_core::site_time::parse_site_date_time;

/// A pattern needs at least this many rows.
const MIN_ROWS: usize = 5;
/// Further rows aren't compared with their neighbors.
const MAX_COMPARED_ROWS: usize = 50_000;
/// The row offsets by which a column may have shifted.
const SHIFTS: [isize; 6] = [1, -1, 2, -2, 3, -3];
/// Limits the ratios or spans that are counted per field, and so the memory.
const MAX_RATIOS: usize = 1_000;
/// A ratio below this may be intended.
const MIN_SCALE: f64 = 9.99;
/// An alarm about most items needs at least this many existing items.
const MIN_EXISTING_ITEMS: u32 = 10;

/// Collects statistics of a step's fields, and finds alarms in them.
pub(super) struct AlarmFinder<'a> {
    read_back: &'a ReadBack,
    fields: Vec<FieldStatistics<'a>>,
    existing_items: u32,
    changed: u32,
}

struct FieldStatistics<'a> {
    field: &'a Field,
    /// Whether the field is the item's name.
    is_name: bool,
    /// By the item's position among the sent items.
    pairs: Vec<Option<ValuePair>>,
    compared: u32,
    changed: u32,
    ratios: HashMap<i64, (u32, f64)>,
    spans: HashMap<i64, u32>,
}

#[derive(Clone, Copy)]
struct ValuePair {
    sent: u64,
    service_value: u64,
    order: u64,
}

impl<'a> AlarmFinder<'a> {
    pub(super) fn new(read_back: &'a ReadBack, items: usize) -> Self {
        let rows = items.min(MAX_COMPARED_ROWS);
        let plain = |field: &&Field| !matches!(field.kind, FieldKind::List | FieldKind::Object);
        let own_fields = read_back.sent().fields.iter().filter(plain).filter(|field| !read_back.is_key(&field.name));
        let fields = own_fields.map(|field| FieldStatistics {
            field,
            is_name: field.required && field.kind == FieldKind::Text && field.refers_to.is_none(),
            pairs: Vec::with_capacity(rows),
            compared: 0,
            changed: 0,
            ratios: HashMap::new(),
            spans: HashMap::new(),
        });
        Self { read_back, fields: fields.collect(), existing_items: 0, changed: 0 }
    }

    /// Adds an item that the service has. `index` is its position among the sent items.
    pub(super) fn add_item(&mut self, index: usize, sent: &Value, existing: &Value) {
        self.existing_items += 1;
        let mut is_changed = false;
        for statistics in &mut self.fields {
            let (Some(new), Some(old)) = (sent.get(&statistics.field.name), existing.get(&statistics.field.name))
            else {
                continue;
            };
            let same = self.read_back.is_equal(statistics.field, new, old);
            is_changed |= !same;
            statistics.compared += 1;
            if !same {
                statistics.changed += 1;
                statistics.count_difference(self.read_back, new, old);
            }
            if index < MAX_COMPARED_ROWS {
                statistics.set_pair(index, self.read_back, same, new, old);
            }
        }
        self.changed += u32::from(is_changed);
    }

    /// Returns the alarms. `fields` are the changed fields, the most often changed first.
    pub(super) fn find_alarms(&self, fields: &[ChangedField]) -> Vec<PreviewAlarm> {
        let mut alarms: Vec<PreviewAlarm> = Vec::new();
        for statistics in &self.fields {
            let alarm = statistics.find_shift().or_else(|| statistics.find_sorting());
            let alarm =
                alarm.or_else(|| statistics.find_scaling()).or_else(|| statistics.find_renaming(self.existing_items));
            alarms.extend(alarm.or_else(|| statistics.find_moved_dates()));
        }
        if let Some(top) = fields
            .first()
            .filter(|_| self.existing_items >= MIN_EXISTING_ITEMS && self.changed * 5 > self.existing_items * 4)
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
    fn set_pair(&mut self, index: usize, read_back: &ReadBack, same: bool, new: &Value, old: &Value) {
        if self.pairs.len() <= index {
            self.pairs.resize(index + 1, None);
        }
        let (sent, order) = fingerprint(self.field, read_back, new);
        let service_value = if same { sent } else { fingerprint(self.field, read_back, old).0 };
        if let Some(pair) = self.pairs.get_mut(index) {
            *pair = Some(ValuePair { sent, service_value, order });
        }
    }

    /// Counts the ratios of numbers and the spans of dates.
    fn count_difference(&mut self, read_back: &ReadBack, new: &Value, old: &Value) {
        match self.field.kind {
            FieldKind::Integer | FieldKind::Number => {
                let (Some(new), Some(old)) = (finite_number(new), finite_number(old)) else { return };
                let ratio = new / old;
                if ratio.is_finite() && ratio > 0.0 {
                    #[expect(clippy::cast_possible_truncation, reason = "the logarithm of an f64 is below 1,000")]
                    let rounded_log = (ratio.ln() * 1000.0).round() as i64;
                    if self.ratios.len() < MAX_RATIOS || self.ratios.contains_key(&rounded_log) {
                        self.ratios.entry(rounded_log).or_insert((0, ratio)).0 += 1;
                    }
                }
            }
            FieldKind::DateTime => {
                let (Some(new), Some(old)) = (parse_date_time(read_back, new), parse_date_time(read_back, old)) else {
                    return;
                };
                let span = new.duration_since(old).as_secs();
                if self.spans.len() < MAX_RATIOS || self.spans.contains_key(&span) {
                    *self.spans.entry(span).or_default() += 1;
                }
            }
            _ => {}
        }
    }

    /// Returns an alarm if most changed values belong to rows at a constant offset.
    fn find_shift(&self) -> Option<PreviewAlarm> {
        if !self.is_mostly_changed() || self.distinct_values() < MIN_ROWS - 1 {
            return None;
        }
        let count_hits = |by: isize| {
            let mut hits = 0_usize;
            let mut wrong = 0_usize;
            for (index, pair) in self.pairs.iter().enumerate() {
                let Some(pair) = pair.filter(|pair| pair.sent != pair.service_value) else { continue };
                let other = index.checked_add_signed(by).and_then(|index| *self.pairs.get(index)?);
                if let Some(other) = other {
                    wrong += 1;
                    hits += usize::from(other.service_value == pair.sent);
                }
            }
            (hits, wrong)
        };
        let found = SHIFTS.into_iter().map(|by| (by, count_hits(by)));
        let found = found.filter(|(_, (hits, wrong))| *hits >= MIN_ROWS && hits * 5 >= wrong * 4);
        let (by, (hits, _)) = found.max_by_key(|(_, (hits, _))| *hits)?;
        Some(self.alarm(AlarmKind::ColumnShifted, hits, (-by).to_string()))
    }

    /// Returns an alarm if the service's values are only in other rows.
    fn find_sorting(&self) -> Option<PreviewAlarm> {
        let pairs: Vec<ValuePair> = self.pairs.iter().flatten().copied().collect();
        let distinct = self.distinct_values();
        if !self.is_mostly_changed() || distinct < MIN_ROWS {
            return None;
        }
        let mut remaining: HashMap<u64, usize> = HashMap::new();
        for pair in &pairs {
            *remaining.entry(pair.service_value).or_default() += 1;
        }
        let mut elsewhere = 0;
        for pair in &pairs {
            if let Some(count) = remaining.get_mut(&pair.sent).filter(|count| **count > 0) {
                *count -= 1;
                elsewhere += 1;
            }
        }
        let rises = pairs.is_sorted_by_key(|pair| pair.order);
        let falls = pairs.iter().rev().is_sorted_by_key(|pair| pair.order);
        let is_plausible = rises || falls || distinct * 3 >= pairs.len();
        let wrong = pairs.iter().filter(|pair| pair.sent != pair.service_value).count();
        (is_plausible && elsewhere * 10 >= pairs.len() * 9)
            .then(|| self.alarm(AlarmKind::ColumnSorted, wrong, String::new()))
    }

    fn find_scaling(&self) -> Option<PreviewAlarm> {
        let (count, ratio) = *self.ratios.values().max_by_key(|(count, _)| *count)?;
        let is_far = !(1.0 / MIN_SCALE..=MIN_SCALE).contains(&ratio);
        let is_frequent = self.is_common(count) && count * 2 > self.compared;
        (is_far && is_frequent).then(|| self.alarm(AlarmKind::Scaled, count as usize, format_ratio(ratio)))
    }

    fn find_renaming(&self, existing: u32) -> Option<PreviewAlarm> {
        let is_suspicious = self.is_name && existing >= MIN_EXISTING_ITEMS && self.changed * 2 > existing;
        is_suspicious.then(|| self.alarm(AlarmKind::Renamed, self.changed as usize, String::new()))
    }

    fn find_moved_dates(&self) -> Option<PreviewAlarm> {
        let (span, count) = self.spans.iter().max_by_key(|(_, count)| **count)?;
        let ticks = span.saturating_mul(TICKS_PER_SECOND);
        let is_frequent = self.is_common(*count) && *span != 0;
        is_frequent.then(|| self.alarm(AlarmKind::DatesMoved, *count as usize, format_ticks(ticks)))
    }

    fn is_common(&self, count: u32) -> bool {
        count as usize >= MIN_ROWS && count * 5 >= self.changed * 4
    }

    fn is_mostly_changed(&self) -> bool {
        self.changed as usize >= MIN_ROWS && self.changed * 2 >= self.compared
    }

    /// Returns the number of different existing values.
    fn distinct_values(&self) -> usize {
        self.pairs.iter().flatten().map(|pair| pair.service_value).collect::<HashSet<_>>().len()
    }

    fn alarm(&self, kind: AlarmKind, rows: usize, number: String) -> PreviewAlarm {
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        PreviewAlarm { kind, field: self.field.name.clone(), rows, of: self.compared, number }
    }
}

/// Returns a value's hash and its sort key. Values that the field treats as equal have the same hash.
fn fingerprint(field: &Field, read_back: &ReadBack, value: &Value) -> (u64, u64) {
    let hashed = |what: &dyn Fn(&mut DefaultHasher)| {
        let mut hasher = DefaultHasher::new();
        what(&mut hasher);
        hasher.finish()
    };
    let order = match field.kind {
        FieldKind::Integer | FieldKind::Number => finite_number(value).map(to_order),
        FieldKind::DateTime => parse_date_time(read_back, value)
            .map(|date_time| integer_to_order(date_time.duration_since(DateTime::MIN).as_secs())),
        FieldKind::Duration | FieldKind::TimeSpan => value.as_str().and_then(parse_ticks).map(integer_to_order),
        _ => None,
    };
    match order {
        Some(order) => (hashed(&|hasher| order.hash(hasher)), order),
        None => {
            let text = key_text(value);
            let mut prefix = [0; 8];
            prefix.iter_mut().zip(text.bytes()).for_each(|(to, from)| *to = from);
            (hashed(&|hasher| text.hash(hasher)), u64::from_be_bytes(prefix))
        }
    }
}

fn parse_date_time(read_back: &ReadBack, value: &Value) -> Option<DateTime> {
    parse_site_date_time(value.as_str()?, read_back.zone())
}

/// Maps a number to an integer with the same order.
fn to_order(number: f64) -> u64 {
    let bits = number.to_bits();
    if number.is_sign_negative() { !bits } else { bits | 1 << 63 }
}

fn integer_to_order(number: i64) -> u64 {
    number.cast_unsigned() ^ 1 << 63
}

fn format_ratio(ratio: f64) -> String {
    let rounded = (ratio * 10_000.0).round() / 10_000.0;
    if rounded > 0.0 { rounded.to_string() } else { format!("{ratio:.1e}") }
}
