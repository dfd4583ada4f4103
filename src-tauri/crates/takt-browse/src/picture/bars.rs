//! Adds up rows, or parts of rows, with the same values in some fields.

use serde_json::Value;
use takt_contract::picture::Grouping;

use crate::picture::row_fields::{Interner, duration_seconds_at, join_label, number_at, text_at};
use crate::picture::view::{BarsView, Measure};

/// The maximum number of bars in a picture. More would be unreadable.
const MAX_BARS: usize = 5_000;

/// The values that are added up.
pub(super) enum BarMeasure<'a> {
    Count,
    Times { targets: Vec<&'a str>, parts: Vec<&'a str> },
    Quantities { targets: Vec<&'a str>, parts: Vec<&'a str>, list: Option<&'a str>, unit: Option<&'a str> },
}

impl<'a> BarMeasure<'a> {
    pub(super) fn times(targets: &'a [String], parts: impl IntoIterator<Item = &'a String>) -> Self {
        Self::Times { targets: to_strs(targets), parts: to_strs(parts) }
    }

    pub(super) fn quantities(
        targets: impl IntoIterator<Item = &'a String>,
        parts: impl IntoIterator<Item = &'a String>,
        list: Option<&'a str>,
        unit: Option<&'a str>,
    ) -> Self {
        Self::Quantities { targets: to_strs(targets), parts: to_strs(parts), list, unit }
    }

    fn parts(&self) -> &[&'a str] {
        match self {
            Self::Count => &[],
            Self::Times { parts, .. } | Self::Quantities { parts, .. } => parts,
        }
    }

    fn targets(&self) -> &[&'a str] {
        match self {
            Self::Count => &[],
            Self::Times { targets, .. } | Self::Quantities { targets, .. } => targets,
        }
    }
}

fn to_strs<'a>(names: impl IntoIterator<Item = &'a String>) -> Vec<&'a str> {
    names.into_iter().map(String::as_str).collect()
}

pub(super) struct BarsBuilder<'a> {
    group: &'a Grouping,
    sums: BarMeasure<'a>,
    labels: Interner<(String, String)>,
    names: Interner<String>,
    bars: Vec<Bar>,
}

#[derive(Default)]
struct Bar {
    rows: Vec<u32>,
    target: f64,
    /// Name and value, in the order of their first appearance.
    parts: Vec<(u32, f64)>,
}

impl<'a> BarsBuilder<'a> {
    pub(super) fn new(group: &'a Grouping, sums: BarMeasure<'a>) -> Self {
        let mut names = Interner::new();
        if group.stack.is_empty() {
            for part in sums.parts() {
                names.intern((*part).to_owned());
            }
        }
        Self { group, sums, labels: Interner::new(), names, bars: Vec::new() }
    }

    pub(super) fn add(&mut self, at: u32, row: &Value) {
        let BarMeasure::Quantities { list: Some(list), .. } = self.sums else { return self.add_values(at, row) };
        let Some(parts) = row.get(list).and_then(Value::as_array) else { return };
        for part in parts {
            // Put the part in its list's place, so that paths lead to fields of both the row and the part.
            let mut joined = row.clone();
            if let Some(slot) = joined.get_mut(list) {
                *slot = part.clone();
            }
            self.add_values(at, &joined);
        }
    }

    fn add_values(&mut self, at: u32, row: &Value) {
        let unit = match self.sums {
            BarMeasure::Quantities { unit: Some(unit), .. } => text_at(row, unit),
            _ => String::new(),
        };
        let index = self.labels.intern((join_label(row, &self.group.fields), unit)) as usize;
        while self.bars.len() <= index {
            self.bars.push(Bar::default());
        }
        let Some(bar) = self.bars.get_mut(index) else { return };
        if bar.rows.last() != Some(&at) {
            bar.rows.push(at);
        }
        let value = |path: &&str| match self.sums {
            BarMeasure::Times { .. } => duration_seconds_at(row, path),
            _ => number_at(row, path),
        };
        bar.target += self.sums.targets().iter().map(value).sum::<f64>();
        if self.group.stack.is_empty() && !matches!(self.sums, BarMeasure::Count) {
            for (name, path) in (0_u32..).zip(self.sums.parts()) {
                bar.add_part(name, value(path));
            }
            return;
        }
        let name = self.names.intern(join_label(row, &self.group.stack));
        let sum = if matches!(self.sums, BarMeasure::Count) { 1.0 } else { self.sums.parts().iter().map(value).sum() };
        bar.add_part(name, sum);
    }

    pub(super) fn build(self) -> BarsView {
        let measure = match self.sums {
            BarMeasure::Count => Measure::Rows,
            BarMeasure::Times { .. } => Measure::Seconds,
            BarMeasure::Quantities { .. } => Measure::Quantity,
        };
        let mut bars: Vec<((String, String), Bar)> = self.labels.into_values().into_iter().zip(self.bars).collect();
        let is_stacked = !self.group.stack.is_empty() || measure == Measure::Rows;
        if is_stacked {
            bars.sort_by(|(_, a), (_, b)| b.sum().total_cmp(&a.sum()));
            bars.iter_mut().for_each(|(_, bar)| bar.parts.sort_by(|(_, a), (_, b)| b.total_cmp(a)));
        }
        let omitted = u32::try_from(bars.len().saturating_sub(MAX_BARS)).unwrap_or(u32::MAX);
        bars.truncate(MAX_BARS);
        let mut view = BarsView {
            measure,
            labels: Vec::new(),
            rows: Vec::new(),
            against: Vec::new(),
            units: Vec::new(),
            part_of: Vec::new(),
            part_name: Vec::new(),
            part_value: Vec::new(),
            names: self.names.into_values(),
            fields: !is_stacked,
            against_fields: self.sums.targets().iter().map(|path| (*path).to_owned()).collect(),
            omitted,
        };
        let has_units = matches!(self.sums, BarMeasure::Quantities { unit: Some(_), .. });
        for (index, ((label, unit), bar)) in (0_u32..).zip(bars) {
            view.labels.push(label);
            view.rows.push(bar.rows);
            if !view.against_fields.is_empty() {
                view.against.push(bar.target);
            }
            if has_units {
                view.units.push(unit);
            }
            for (name, value) in bar.parts {
                view.part_of.push(index);
                view.part_name.push(name);
                view.part_value.push(value);
            }
        }
        view
    }
}

impl Bar {
    fn add_part(&mut self, name: u32, value: f64) {
        match self.parts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += value,
            None => self.parts.push((name, value)),
        }
    }

    fn sum(&self) -> f64 {
        self.parts.iter().map(|(_, value)| value).sum()
    }
}
