//! A blank workbook for an operation. All its content comes from the contract, in the user's language.

use std::collections::BTreeMap;

use jiff::{
    ToSpan,
    civil::{Date, DateTime, Weekday},
};
use takt_contract::{FieldKind, Operation, Rule, wire::duration};
use takt_core::{Language, Words};
use takt_sheet::writer::{BlankBound, BlankColumn, BlankFormat, BlankWorkbook, OutCell, OutColumn, OutSheet};

use crate::{
    heading::normalize_heading,
    target::{TargetField, TargetFields},
};

/// Maximum characters of a sheet name in Excel.
const MAX_SHEET_NAME_LENGTH: usize = 31;
/// Example dates start at 6:00, like the early shift.
const EXAMPLE_HOUR: i8 = 6;
const EXAMPLE_DURATION: i64 = 5_400 * takt_sheet::TICKS_PER_SECOND;
const REQUIRED_MARK: &str = " *";

/// Returns a blank workbook for an operation, or `None` if the operation takes no items. Example dates are in the week
/// after `today`.
pub(crate) fn build_blank(operation: &Operation, language: Language, today: Date) -> Option<BlankWorkbook> {
    let targets = TargetFields::from_operation(operation)?;
    let words = Words::load(language);
    let sheet =
        Some(language.localized_name(&operation.names)).filter(|name| name.chars().count() <= MAX_SHEET_NAME_LENGTH);
    let sheet = sheet.unwrap_or(&operation.id).to_owned();
    let builder = BlankBuilder { targets: &targets, words: &words, language, monday: next_monday(today) };
    let columns: Vec<BlankColumn> =
        (0..targets.fields.len()).filter_map(|target| builder.build_column(target)).collect();
    let about = builder.about_sheet(language.localized_name(&operation.names), &columns);
    Some(BlankWorkbook { sheet, columns, about })
}

struct BlankBuilder<'a> {
    targets: &'a TargetFields,
    words: &'a Words,
    language: Language,
    monday: Date,
}

impl BlankBuilder<'_> {
    fn build_column(&self, index: usize) -> Option<BlankColumn> {
        let target = self.targets.fields.get(index)?;
        let required = target.required && target.part_of.is_none();
        let mark = if required { REQUIRED_MARK } else { "" };
        let heading = format!("{}{mark}", self.name(target));
        let characters = u16::try_from(heading.chars().count()).unwrap_or(u16::MAX);
        let rules = self.rule_texts(target);
        let mut note = vec![self.kind_text(target)];
        note.extend(rules.iter().cloned());
        note.push(self.requirement_text(target));
        note.push(self.provenance_text(target));
        Some(BlankColumn {
            width: (f64::from(characters) + 3.0).clamp(14.0, 40.0),
            heading,
            required,
            format: blank_format(target.kind),
            note: note.join("\n"),
            choices: self.choices(target),
            bound: self.bound(target),
            error_message: std::iter::once(self.kind_text(target)).chain(rules).collect::<Vec<_>>().join("; "),
            example: self.example_cell(target),
        })
    }

    /// Returns the field's own name if it's unique. Otherwise, the list's name comes before it.
    fn name(&self, target: &TargetField) -> String {
        let own = self.language.localized_name(&target.names);
        let same = |other: &&TargetField| {
            normalize_heading(self.language.localized_name(&other.names)) == normalize_heading(own)
        };
        if self.targets.fields.iter().filter(same).count() > 1 { target.name(self.language) } else { own.to_owned() }
    }

    fn kind_text(&self, target: &TargetField) -> String {
        let kind = match target.kind {
            FieldKind::Integer => "kind-integer",
            FieldKind::Number => "kind-number",
            FieldKind::Boolean => "kind-boolean",
            FieldKind::DateTime => "kind-date-time",
            FieldKind::Duration | FieldKind::TimeSpan => "kind-duration",
            FieldKind::Text | FieldKind::List | FieldKind::Object => "kind-text",
        };
        self.text(kind, &[])
    }

    fn requirement_text(&self, target: &TargetField) -> String {
        let list = target.list_names.as_ref().map(|names| self.language.localized_name(names));
        let needed = match (target.required, list) {
            (true, Some(list)) => self.text("part", &[("list", list)]),
            (true, None) => self.text("required", &[]),
            (false, _) => self.text("optional", &[]),
        };
        if target.key { format!("{needed}; {}", self.text("key", &[])) } else { needed }
    }

    fn rule_texts(&self, target: &TargetField) -> Vec<String> {
        let limits = &target.limits;
        let bound =
            |name: &str, bound: Option<f64>| bound.map(|bound| self.text(name, &[("limit", &bound.to_string())]));
        let mut rules: Vec<String> = [
            bound("above", limits.exclusive_minimum),
            bound("at-least", limits.minimum),
            bound("at-most", limits.maximum),
            bound("longest", limits.max_length.map(f64::from)),
        ]
        .into_iter()
        .flatten()
        .collect();
        if !limits.values.is_empty() {
            rules.push(self.text("one-of", &[("values", &limits.values.join(", "))]));
        }
        for Rule::Before { first, second, .. } in &self.targets.rules {
            if *second == target.path {
                rules.push(self.text("after", &[("field", &self.field_name(first))]));
            } else if *first == target.path {
                rules.push(self.text("before", &[("field", &self.field_name(second))]));
            }
        }
        rules
    }

    fn provenance_text(&self, target: &TargetField) -> String {
        self.text(target.provenance.json_name(), &[])
    }

    fn choices(&self, target: &TargetField) -> Vec<String> {
        match target.kind {
            FieldKind::Boolean => vec![self.text("yes", &[]), self.text("no", &[])],
            _ => target.limits.values.clone(),
        }
    }

    fn bound(&self, target: &TargetField) -> Option<BlankBound> {
        let later = self.targets.rules.iter().find_map(|rule| {
            let Rule::Before { first, second, .. } = rule;
            let first = Some(first).filter(|_| *second == target.path)?;
            u32::try_from(self.targets.index(first)?).ok()
        });
        later
            .map(BlankBound::After)
            .or_else(|| target.limits.exclusive_minimum.map(BlankBound::Above))
            .or_else(|| target.limits.minimum.map(BlankBound::AtLeast))
    }

    fn example_cell(&self, target: &TargetField) -> OutCell {
        let example = target.example.as_deref();
        let number = || example.and_then(|text| text.parse().ok()).unwrap_or_else(|| allowed_number(target));
        match target.kind {
            FieldKind::Integer | FieldKind::Number => OutCell::Number(number()),
            FieldKind::Boolean => self.text("no", &[]).into(),
            FieldKind::DateTime => OutCell::DateTime(self.example_date(target)),
            FieldKind::Duration | FieldKind::TimeSpan => {
                OutCell::Duration(example.and_then(duration::parse_ticks).unwrap_or(EXAMPLE_DURATION))
            }
            FieldKind::Text | FieldKind::List | FieldKind::Object => self.example_text(target).into(),
        }
    }

    fn example_text(&self, target: &TargetField) -> String {
        let limits = &target.limits;
        let text =
            limits.values.first().cloned().or_else(|| target.example.clone()).unwrap_or_else(|| "A-1".to_owned());
        limits.max_length.map_or(text.clone(), |longest| text.chars().take(longest as usize).collect())
    }

    /// Returns an example date. A field that must come first is on Monday, a field that must follow is on Tuesday, and
    /// any other field is on Friday.
    fn example_date(&self, target: &TargetField) -> DateTime {
        let mut day = 4;
        for Rule::Before { first, second, .. } in &self.targets.rules {
            if *first == target.path {
                day = 0;
            } else if *second == target.path {
                day = 1;
            }
        }
        self.monday.saturating_add(day.days()).at(EXAMPLE_HOUR, 0, 0, 0)
    }

    /// Builds the sheet that explains the columns and rows.
    fn about_sheet(&self, operation: &str, columns: &[BlankColumn]) -> OutSheet {
        let lists: BTreeMap<&str, String> = self
            .targets
            .fields
            .iter()
            .filter_map(|target| {
                let list = target.part_of.as_ref().map(|(list, _)| list.as_str())?;
                Some((list, self.language.localized_name(target.list_names.as_ref()?).to_owned()))
            })
            .collect();
        let mut lines = vec![String::new(), self.text("rows", &[])];
        if !lists.is_empty() {
            let lists = lists.into_values().collect::<Vec<_>>().join(", ");
            lines.push(self.text("parts", &[("lists", &lists)]));
        }
        lines.push(self.text("empty", &[]));
        let widths = [("heading", 34.0), ("kind", 60.0), ("needed", 44.0), ("says", 44.0), ("field", 28.0)];
        let rows = self.targets.fields.iter().zip(columns).map(|(target, column)| {
            vec![
                column.heading.as_str().into(),
                column.error_message.as_str().into(),
                self.requirement_text(target).into(),
                self.provenance_text(target).into(),
                target.path.as_str().into(),
            ]
        });
        OutSheet {
            name: self.text("about", &[]),
            title: vec![self.text("title", &[("operation", operation)])],
            columns: widths.map(|(name, width)| OutColumn { heading: self.text(name, &[]), width }).to_vec(),
            rows: rows.chain(lines.into_iter().map(|line| vec![line.into()])).collect(),
        }
    }

    fn field_name(&self, path: &str) -> String {
        let target = self.targets.index(path).and_then(|index| self.targets.fields.get(index));
        target.map_or_else(|| path.to_owned(), |target| self.name(target))
    }

    fn text(&self, name: &str, parameters: &[(&str, &str)]) -> String {
        let parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        self.words.text(&["blank", name], &parameters)
    }
}

fn blank_format(kind: FieldKind) -> BlankFormat {
    match kind {
        FieldKind::Integer => BlankFormat::Whole,
        FieldKind::Number => BlankFormat::Number,
        FieldKind::DateTime => BlankFormat::DateTime,
        FieldKind::Duration | FieldKind::TimeSpan => BlankFormat::Duration,
        FieldKind::Text | FieldKind::Boolean | FieldKind::List | FieldKind::Object => BlankFormat::Text,
    }
}

/// Returns a number within the field's bounds.
fn allowed_number(target: &TargetField) -> f64 {
    let limits = &target.limits;
    let least = limits.minimum.or(limits.exclusive_minimum.map(|bound| bound.floor() + 1.0)).unwrap_or(1.0).max(1.0);
    limits.maximum.map_or(least, |most| least.min(most))
}

fn next_monday(today: Date) -> Date {
    today.nth_weekday(1, Weekday::Monday).unwrap_or(today)
}
