//! The columns that fill the fields, and the formats of their texts.

use std::sync::Arc;

use jiff::civil::Date;
use takt_contract::FieldKind;
use takt_sheet::RowSpan;

use crate::{
    cell_value::{ChosenFormats, Format},
    fix::Overlay,
    mapping::{FieldRule, MappingRules},
    mark::TextParameters,
    matching::ColumnMatch,
    target::TargetFields,
};

/// The columns that fill the fields, and how their texts are read.
#[derive(Debug, Clone, Default)]
pub(crate) struct ColumnLayout {
    /// By target, the column that fills it.
    pub(crate) columns: Vec<Option<u32>>,
    /// By target, the format of its column.
    pub(crate) formats: Vec<Format>,
    /// By target, the format that the user chose for its column.
    pub(crate) choices: Vec<Option<ChosenFormats>>,
    /// By target, the mapping's rules for its value, such as constants and replacements.
    pub(crate) field_rules: Vec<FieldRule>,
    /// Targets that several columns fit, with the parameters of their findings.
    pub(crate) contested: Vec<(usize, Arc<TextParameters>)>,
}

impl ColumnLayout {
    /// Determines the columns and formats of all targets, reading every row for the formats. `matches` has each
    /// column's match, and `names` the columns' names in the rules. `today` decides the year of calendar weeks without
    /// one.
    pub(crate) fn new(
        targets: &TargetFields,
        matches: &[ColumnMatch],
        rules: &MappingRules,
        names: &[String],
        rows: RowSpan<'_>,
        overlay: &Overlay,
        today: Date,
    ) -> Self {
        let field_rules = rules.field_rules(targets, names);
        let columns: Vec<Option<u32>> = targets
            .fields
            .iter()
            .zip(&field_rules)
            .map(|(target, rule)| match &rule.joined {
                Some((columns, _)) => columns.first().copied(),
                None => u32::try_from(matches.iter().position(|column_match| column_match.fills(&target.path))?).ok(),
            })
            .collect();
        let choice = |column: &Option<u32>| {
            let choices = *rules.formats.get(names.get((*column)? as usize)?)?;
            Some(ChosenFormats { choices, today })
        };
        let choices = columns.iter().map(choice).collect();
        let formats = vec![Format::PLAIN; columns.len()];
        let mut layout = Self { columns, formats, choices, field_rules, contested: Vec::new() };
        layout.refresh_formats(targets, rows, overlay, None);
        layout
    }

    /// Returns true if a column or the mapping provides a value for the target.
    pub(crate) fn fills(&self, target: usize) -> bool {
        let column = self.columns.get(target).copied().flatten().is_some();
        column || self.field_rules.get(target).is_some_and(|rule| rule.joined.is_some() || rule.constant.is_some())
    }

    /// Determines the formats of these columns again, or of all columns if `only` is `None`. Returns true if a column's
    /// texts are now read differently.
    pub(crate) fn refresh_formats(
        &mut self,
        targets: &TargetFields,
        rows: RowSpan<'_>,
        overlay: &Overlay,
        only: Option<&[u32]>,
    ) -> bool {
        let filled: Vec<(usize, FieldKind, u32)> = (0..)
            .zip(&targets.fields)
            .zip(&self.columns)
            .filter_map(|((target, field), column)| Some((target, field.kind, (*column)?)))
            .filter(|(_, _, column)| only.is_none_or(|only| only.contains(column)))
            .collect();
        let columns: Vec<(FieldKind, u32)> = filled.iter().map(|&(_, kind, column)| (kind, column)).collect();
        let mut is_changed = false;
        for ((target, ..), counts) in filled.into_iter().zip(overlay.column_counts(&columns, rows)) {
            let found = counts.format(self.choices.get(target).copied().flatten());
            if let Some(format) = self.formats.get_mut(target) {
                is_changed |= !found.is_equivalent(*format);
                *format = found;
            }
        }
        is_changed
    }
}
