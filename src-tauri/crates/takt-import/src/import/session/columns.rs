//! What the sheet's columns are to a person: their headings, samples and fields, and which fields have none.

use takt_sheet::column_letters;

use super::Session;
use crate::import::{ColumnView, FormatView, mapping::format_view, matching::ColumnMatch, target::Targets};

const MOST_SAMPLES: usize = 3;
/// Rows that are looked through for samples.
const SAMPLE_ROWS: usize = 200;

impl Session {
    pub(super) fn missing(&self) -> Vec<String> {
        let Some(targets) = &self.targets else { return Vec::new() };
        let matched = |path: &str| {
            let column = self.matches.iter().any(|found| found.fills(path));
            column || self.rules.joined.contains_key(path)
        };
        let filled = |path: &str| matched(path) || self.rules.constants.contains_key(path);
        let list_begun = |list: &str| matched_part(targets, list, &matched);
        let needed = targets.fields.iter().filter(|target| match &target.part_of {
            None => target.required,
            Some((list, _)) => target.required && list_begun(list),
        });
        needed.filter(|target| !filled(&target.path)).map(|target| target.path.clone()).collect()
    }

    pub(super) fn columns(&self) -> Vec<ColumnView> {
        let columns = self.headings.iter().zip(&self.matches).enumerate();
        columns
            .map(|(index, (heading, found))| {
                let column = u32::try_from(index).unwrap_or(u32::MAX);
                let own = self.own.heading(column);
                ColumnView {
                    index: column,
                    letter: column_letters(column),
                    heading: own.unwrap_or(heading).to_owned(),
                    own: own.is_some(),
                    samples: self.samples(column),
                    matched: found.matched.clone(),
                    also: found.also.clone(),
                    format: self.format(found),
                    candidates: found.candidates.clone(),
                }
            })
            .collect()
    }

    /// The format of the first of the column's fields that needs one.
    fn format(&self, found: &ColumnMatch) -> Option<FormatView> {
        let targets = self.targets.as_ref()?;
        let mut formats = found.fields().into_iter().filter_map(|field| {
            let target = targets.index(&field)?;
            format_view(self.layout.formats.get(target).copied()?)
        });
        formats.next()
    }

    fn samples(&self, column: u32) -> Vec<String> {
        let mut samples: Vec<String> = Vec::new();
        for cell in self.rows().column(column).take(SAMPLE_ROWS) {
            let shown = cell.shown().into_owned();
            if !shown.is_empty() && !samples.contains(&shown) {
                samples.push(shown);
            }
            if samples.len() == MOST_SAMPLES {
                break;
            }
        }
        samples
    }
}

fn matched_part(targets: &Targets, list: &str, matched: &dyn Fn(&str) -> bool) -> bool {
    targets
        .fields
        .iter()
        .filter(|target| target.part_of.as_ref().is_some_and(|(other, _)| other == list))
        .any(|target| matched(&target.path))
}
