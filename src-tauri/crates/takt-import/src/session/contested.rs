//! Fields that several columns fit. No row is sent until one of the columns is chosen, so that no column is left out
//! silently.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use takt_sheet::column_letters;

use super::state::Session;
use crate::{
    heading::normalised,
    mapping::{Fields, MappingFile},
    mark::TextParameters,
    matching::{ColumnMatch, MatchReason},
    view::ContestedField,
};

impl Session {
    /// Returns the contested fields in the contract's order, each with its columns in the file's order.
    pub(super) fn contested(&self) -> Vec<ContestedField> {
        let Some(targets) = &self.mapping.targets else { return Vec::new() };
        let open = targets.fields.iter().filter(|target| !self.mapping.decided.contains(&target.path));
        let words = self.normalized_headings();
        let contested = open.filter_map(|target| {
            let own = self.mapping.matches.iter().position(|column_match| column_match.fills(&target.path))?;
            let mut columns = self.rivals(own, &target.path, &words);
            (!columns.is_empty()).then(|| {
                columns.push(own);
                columns.sort_unstable();
                let columns = columns.into_iter().filter_map(|column| u32::try_from(column).ok()).collect();
                ContestedField { field: target.path.clone(), columns }
            })
        });
        contested.collect()
    }

    /// Returns columns without a field that also fit the field of `own`, by their heading or by an equal one.
    fn rivals(&self, own: usize, field: &str, words: &[String]) -> Vec<usize> {
        let by_name = |reason| matches!(reason, MatchReason::SameName | MatchReason::Synonym | MatchReason::Similar);
        let matched = self.mapping.matches.get(own).and_then(|column_match| column_match.matched.as_ref());
        let is_found = matched.is_some_and(|matched| by_name(matched.reason));
        let word = words.get(own).filter(|word| !word.is_empty());
        let others = self
            .mapping
            .matches
            .iter()
            .enumerate()
            .filter(|(column, column_match)| *column != own && column_match.matched.is_none());
        let fits = others.filter(|(column, column_match)| {
            word.is_some() && words.get(*column) == word || is_found && column_match.names(field)
        });
        fits.map(|(column, _)| column).collect()
    }

    /// Returns each column's normalized heading.
    fn normalized_headings(&self) -> Vec<String> {
        self.table.headings.iter().map(|heading| normalised(heading)).collect()
    }

    /// Returns the columns by normalized heading.
    fn columns_by_heading(&self) -> HashMap<String, Vec<usize>> {
        let mut columns: HashMap<String, Vec<usize>> = HashMap::new();
        for (column, word) in self.normalized_headings().into_iter().enumerate().filter(|(_, word)| !word.is_empty()) {
            columns.entry(word).or_default().push(column);
        }
        columns
    }

    /// Returns the parameters of findings about contested fields, by target.
    pub(super) fn contested_notes(&self) -> Vec<(usize, Arc<TextParameters>)> {
        let Some(targets) = &self.mapping.targets else { return Vec::new() };
        let note = |contested: ContestedField| {
            let named = contested.columns.iter().map(|&column| {
                let heading = self.table.headings.get(column as usize).map_or("", String::as_str);
                format!("{} “{heading}”", column_letters(column))
            });
            let named: Vec<String> = named.collect();
            let letter = contested.columns.last().copied().map(column_letters).unwrap_or_default();
            let note = TextParameters::from([("columns", named.join(", ")), ("letter", letter)]);
            Some((targets.index(&contested.field)?, Arc::new(note)))
        };
        self.contested().into_iter().filter_map(note).collect()
    }

    /// Replaces column letters such as `[D]` in a mapping by the columns' names. Also returns the columns that were
    /// named by letter.
    pub(super) fn resolve_letters(&self, mapping: &MappingFile) -> (MappingFile, Vec<usize>) {
        let known: HashSet<&str> = self.mapping.names.iter().map(String::as_str).collect();
        let letters = (0..).map(column_letters).map(|letters| format!("[{letters}]"));
        let columns_by_letter: HashMap<String, usize> = letters.take(self.mapping.names.len()).zip(0..).collect();
        let mut by_letter = Vec::new();
        let mut resolve = |name: &str| {
            let column = columns_by_letter.get(name).copied().filter(|_| !known.contains(name));
            let Some((column, known)) = column.and_then(|column| Some((column, self.mapping.names.get(column)?)))
            else {
                return name.to_owned();
            };
            by_letter.push(column);
            known.clone()
        };
        let mut resolved = mapping.clone();
        resolved.columns = mapping.columns.iter().map(|(name, fields)| (resolve(name), fields.clone())).collect();
        resolved.formats = mapping.formats.iter().map(|(name, choice)| (resolve(name), *choice)).collect();
        for joined in resolved.joined.values_mut() {
            joined.headings = joined.headings.iter().map(|name| resolve(name)).collect();
        }
        for replacement in &mut resolved.replacements {
            replacement.heading = resolve(&replacement.heading);
        }
        (resolved, by_letter)
    }

    /// Records the fields whose columns a mapping chose. A repeated heading chooses none, unless the mapping names all
    /// its columns, or the column by its letter or number.
    pub(super) fn record_decisions(&mut self, mapping: &MappingFile, by_letter: &[usize]) {
        let alike = self.columns_by_heading();
        let named =
            |column: &usize| self.mapping.names.get(*column).is_some_and(|name| mapping.columns.contains_key(name));
        let mut decided = BTreeSet::new();
        for (column, (name, heading)) in self.mapping.names.iter().zip(&self.table.headings).enumerate() {
            let Some(fields) = mapping.columns.get(name) else { continue };
            let is_exact = heading != name || by_letter.contains(&column);
            let twins = alike.get(&normalised(heading)).map(Vec::as_slice).unwrap_or_default();
            if is_exact || twins.iter().all(named) {
                decided.extend(fields.paths().iter().cloned());
            }
        }
        self.mapping.decided = decided;
    }

    /// Returns the columns that weren't chosen and fill no field, so that a mapping can name them without fields.
    pub(super) fn unchosen_columns(&self) -> Vec<(String, Fields)> {
        let is_chosen = |column: &usize| {
            let fields = self.mapping.matches.get(*column).map(ColumnMatch::fields).unwrap_or_default();
            fields.iter().any(|field| self.mapping.decided.contains(field))
        };
        let is_free = |column: &usize| {
            self.mapping.matches.get(*column).is_some_and(|column_match| column_match.matched.is_none())
        };
        let twins = self.columns_by_heading().into_values().filter(|columns| columns.iter().any(is_chosen));
        let free = twins.flatten().filter(is_free);
        free.filter_map(|column| Some((self.mapping.names.get(column)?.clone(), Fields::Several(Vec::new())))).collect()
    }
}
