//! Bars that add up rows, or parts of rows, that agree in some fields.

use serde_json::Value;
use takt_contract::picture::Grouping;

use super::{
    cells::{Interner, label, number, span, text},
    view::{BarsView, Measure},
};

/// More bars than anyone scrolls through.
const MAX_BARS: usize = 5_000;

/// What is added up.
pub(super) enum BarMeasure<'a> {
    Count,
    Times { against: Vec<&'a str>, parts: Vec<&'a str> },
    Quantities { against: Vec<&'a str>, parts: Vec<&'a str>, list: Option<&'a str>, unit: Option<&'a str> },
}

impl<'a> BarMeasure<'a> {
    pub(super) fn times(against: &'a [String], parts: impl IntoIterator<Item = &'a String>) -> Self {
        Self::Times { against: names(against), parts: names(parts) }
    }

    pub(super) fn quantities(
        against: impl IntoIterator<Item = &'a String>,
        parts: impl IntoIterator<Item = &'a String>,
        list: Option<&'a str>,
        unit: Option<&'a str>,
    ) -> Self {
        Self::Quantities { against: names(against), parts: names(parts), list, unit }
    }

    fn parts(&self) -> &[&'a str] {
        match self {
            Self::Count => &[],
            Self::Times { parts, .. } | Self::Quantities { parts, .. } => parts,
        }
    }

    fn against(&self) -> &[&'a str] {
        match self {
            Self::Count => &[],
            Self::Times { against, .. } | Self::Quantities { against, .. } => against,
        }
    }
}

fn names<'a>(names: impl IntoIterator<Item = &'a String>) -> Vec<&'a str> {
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
    against: f64,
    /// Name and value, in the order of their first appearance.
    parts: Vec<(u32, f64)>,
}

impl<'a> BarsBuilder<'a> {
    pub(super) fn new(group: &'a Grouping, sums: BarMeasure<'a>) -> Self {
        let mut names = Interner::new();
        if group.stack.is_empty() {
            for part in sums.parts() {
                names.index((*part).to_owned());
            }
        }
        Self { group, sums, labels: Interner::new(), names, bars: Vec::new() }
    }

    pub(super) fn take(&mut self, at: u32, row: &Value) {
        let BarMeasure::Quantities { list: Some(list), .. } = self.sums else { return self.add(at, row) };
        let Some(parts) = row.get(list).and_then(Value::as_array) else { return };
        for part in parts {
            // The part in the place of its list, so that paths lead to both the row's and the part's fields.
            let mut joined = row.clone();
            if let Some(slot) = joined.get_mut(list) {
                *slot = part.clone();
            }
            self.add(at, &joined);
        }
    }

    fn add(&mut self, at: u32, row: &Value) {
        let unit = match self.sums {
            BarMeasure::Quantities { unit: Some(unit), .. } => text(row, unit),
            _ => String::new(),
        };
        let index = self.labels.index((label(row, &self.group.fields), unit)) as usize;
        while self.bars.len() <= index {
            self.bars.push(Bar::default());
        }
        let Some(bar) = self.bars.get_mut(index) else { return };
        if bar.rows.last() != Some(&at) {
            bar.rows.push(at);
        }
        let value = |path: &&str| match self.sums {
            BarMeasure::Times { .. } => span(row, path),
            _ => number(row, path),
        };
        bar.against += self.sums.against().iter().map(value).sum::<f64>();
        if self.group.stack.is_empty() && !matches!(self.sums, BarMeasure::Count) {
            for (name, path) in (0_u32..).zip(self.sums.parts()) {
                bar.part(name, value(path));
            }
            return;
        }
        let name = self.names.index(label(row, &self.group.stack));
        let sum = if matches!(self.sums, BarMeasure::Count) { 1.0 } else { self.sums.parts().iter().map(value).sum() };
        bar.part(name, sum);
    }

    pub(super) fn view(self) -> BarsView {
        let measure = match self.sums {
            BarMeasure::Count => Measure::Rows,
            BarMeasure::Times { .. } => Measure::Seconds,
            BarMeasure::Quantities { .. } => Measure::Quantity,
        };
        let mut bars: Vec<((String, String), Bar)> = self.labels.list().into_iter().zip(self.bars).collect();
        let divided = !self.group.stack.is_empty() || measure == Measure::Rows;
        if divided {
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
            names: self.names.list(),
            fields: !divided,
            against_fields: self.sums.against().iter().map(|path| (*path).to_owned()).collect(),
            omitted,
        };
        let has_units = matches!(self.sums, BarMeasure::Quantities { unit: Some(_), .. });
        for (index, ((label, unit), bar)) in (0_u32..).zip(bars) {
            view.labels.push(label);
            view.rows.push(bar.rows);
            if !view.against_fields.is_empty() {
                view.against.push(bar.against);
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
    fn part(&mut self, name: u32, value: f64) {
        match self.parts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += value,
            None => self.parts.push((name, value)),
        }
    }

    fn sum(&self) -> f64 {
        self.parts.iter().map(|(_, value)| value).sum()
    }
}
