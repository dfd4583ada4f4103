//! The mapping of the opened sheet, changed by hand, from a file, or by a remembered mapping. An invalid change is
//! refused as a whole and leaves the mapping unchanged.
//!
//! If several columns fit a field, the field is contested. No row is sent until one of the columns is chosen, so that
//! no column is left out silently.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use takt_contract::FieldKind;
use takt_core::Problem;
use takt_sheet::column_letters;

use super::state::{Session, SessionChange, SessionContext, unknown_problem};
use crate::{
    cell_value::{Format, proven_format},
    fix::FormatChange,
    heading::normalize_heading,
    mapping::{
        ChangeKind, FieldValues, Fields, FormatChoice, FormatChoices, JoinedColumns, LayoutChange, MappingChange,
        MappingFile, MappingRules, NearestMapping, column_names, field_values, mapping_problem, needs_decision,
    },
    mark::TextParameters,
    matching::{Candidate, ColumnMatch, MatchReason, Vocabulary},
    plan,
    target::TargetFields,
    view::ContestedField,
};

/// Maximum number of cells that a problem names.
const MAX_LISTED_CELLS: usize = 5;

impl Session {
    pub(crate) fn match_column(&mut self, column: u32, field: Option<&str>) -> Result<(), Problem> {
        let fields = field.map(str::to_owned).into_iter().collect();
        self.change_mapping(MappingChange::Fields { column, fields })
    }

    pub(crate) fn change_mapping(&mut self, change: MappingChange) -> Result<(), Problem> {
        if self.mapping.targets.is_none() {
            return Err(Problem::obstacle("no-operation"));
        }
        match change {
            MappingChange::Format { column, .. } | MappingChange::ReopenFormat { column, .. } => {
                let name = self.column_name(column)?;
                let before = self.mapping.rules.formats.get(&name).copied();
                self.apply_mapping_change(change)?;
                let after = self.mapping.rules.formats.get(&name).copied();
                self.fixes.push_format_change(FormatChange { column: name, before, after });
                Ok(())
            }
            other => self.apply_mapping_change(other),
        }
    }

    /// Sets a column's formats to those before or after a change that the user undid or redid. Nothing changes if they
    /// no longer fit, because the columns were matched again in the meantime.
    pub(super) fn restore_format(&mut self, column: String, choices: Option<FormatChoices>) {
        let restored = self.try_change(|session| {
            match choices {
                Some(choices) => session.mapping.rules.formats.insert(column, choices),
                None => session.mapping.rules.formats.remove(&column),
            };
            Ok(())
        });
        if let Err(problem) = restored {
            tracing::debug!(%problem, "an undone format no longer fits the sheet");
        }
    }

    fn apply_mapping_change(&mut self, change: MappingChange) -> Result<(), Problem> {
        self.try_change(|session| match change {
            MappingChange::Fields { column, fields } => session.assign_fields(column, &fields),
            MappingChange::Format { column, choice } => {
                let name = session.column_name(column)?;
                session.mapping.rules.formats.entry(name).or_default().set(choice);
                Ok(())
            }
            MappingChange::ReopenFormat { column, kind } => {
                let name = session.column_name(column)?;
                let choices = session.mapping.rules.formats.entry(name.clone()).or_default();
                choices.clear(kind);
                if choices.is_empty() {
                    session.mapping.rules.formats.remove(&name);
                }
                Ok(())
            }
            MappingChange::Constant { field, text } => {
                match text.filter(|text| !text.trim().is_empty()) {
                    Some(text) => session.mapping.rules.constants.insert(field, text.trim().to_owned()),
                    None => session.mapping.rules.constants.remove(&field),
                };
                Ok(())
            }
            MappingChange::Value { field, from, to } => {
                let values = session.mapping.rules.values.entry(field).or_default();
                match to {
                    Some(to) => values.insert(from, to.trim().to_owned()),
                    None => values.remove(&from),
                };
                Ok(())
            }
            MappingChange::Blank { field, rule } => {
                session.mapping.rules.blank.insert(field, rule);
                Ok(())
            }
            MappingChange::Joined { field, columns, with } => session.join_columns(field, &columns, with),
        })
    }

    pub(crate) fn apply_mapping(&mut self, mapping: &MappingFile, ctx: &SessionContext<'_>) -> Result<(), Problem> {
        self.apply_mapping_as(mapping, MatchReason::ByHand, ctx)
    }

    /// Like [`Self::apply_mapping`], with the reason for matching the columns.
    pub(crate) fn apply_mapping_as(
        &mut self,
        mapping: &MappingFile,
        reason: MatchReason,
        ctx: &SessionContext<'_>,
    ) -> Result<(), Problem> {
        if let Some(row) = mapping.header_row {
            self.choose_header_row(row, ctx)?;
        }
        let targets = match &mapping.list {
            Some(list) => plan::part_targets(ctx.contract, &mapping.operation, list),
            None => ctx.contract.operation(&mapping.operation).and_then(TargetFields::from_operation),
        };
        let targets = targets.ok_or_else(|| unknown_problem(&mapping.operation))?;
        let matches = Vocabulary::new(&targets).match_headings(&self.table.headings);
        let (resolved, by_letter) = self.resolve_letters(mapping);
        let mapping = &resolved;
        self.try_change(|session| {
            session.mapping.targets = Some(targets);
            session.mapping.matches = matches;
            session.mapping.rules = MappingRules::from_mapping(mapping);
            session.mapping.changes.clear();
            session.assign_columns(mapping, reason)?;
            session.record_decisions(mapping, &by_letter);
            session.check_constants()?;
            session.check_replacements(mapping)
        })?;
        self.fixes.is_replay_undone = false;
        self.replay_fixes(mapping);
        Ok(())
    }

    pub(crate) fn mapping(&self) -> Option<MappingFile> {
        Some(MappingFile {
            replacements: self.fixes.replacements(),
            fill_merged: self.fixes.fills_merged(),
            excluded: self.excluded_keys(),
            ..self.mapping_without_fixes()?
        })
    }

    /// Like [`Self::mapping`], but without replacements, filled cells and excluded rows.
    pub(super) fn mapping_without_fixes(&self) -> Option<MappingFile> {
        let columns = self.mapping.names.iter().zip(&self.mapping.matches);
        let rules = self.mapping.rules.clone();
        Some(MappingFile {
            operation: self.mapping.targets.as_ref()?.operation.clone(),
            list: self.mapping.targets.as_ref()?.list.clone(),
            sheet: Some(self.table.sheet.name.clone()),
            header_row: self.table.header.and_then(|header| self.table.sheet.rows.number(header)),
            columns: columns
                .filter_map(|(name, column_match)| Some((name.clone(), Fields::from_paths(column_match.fields())?)))
                .chain(self.unused_columns())
                .collect(),
            formats: rules.formats,
            constants: rules.constants,
            values: rules.values,
            blank: rules.blank,
            joined: rules.joined,
            ..MappingFile::default()
        })
    }

    /// Returns the mapping to remember for the next file with these headings, or `None` for a workbook that Takt
    /// created.
    pub(crate) fn mapping_to_remember(&self) -> Option<MappingFile> {
        self.mapping().filter(|_| !self.source.path.as_os_str().is_empty())
    }

    pub(crate) fn distinct_values(&self, field: &str) -> Result<FieldValues, Problem> {
        let mapper = self.mapper().ok_or_else(|| Problem::obstacle("no-operation"))?;
        let target = mapper.targets.index(field).ok_or_else(|| unknown_problem(field))?;
        Ok(field_values(&mapper, self.rows(), target))
    }

    /// Matches the columns again, by a mapping remembered for these or similar headings, otherwise by name.
    pub(super) fn match_columns(&mut self, ctx: &SessionContext<'_>) {
        self.mapping.rules = MappingRules::default();
        self.mapping.chosen_fields.clear();
        self.mapping.changes.clear();
        self.mapping.names = column_names(&self.table.headings);
        self.mapping.matches = match &self.mapping.targets {
            Some(targets) => Vocabulary::new(targets).match_headings(&self.table.headings),
            None => vec![ColumnMatch::default(); self.table.headings.len()],
        };
        self.propose_properties();
        let remembered = self
            .mapping
            .targets
            .as_ref()
            .and_then(|targets| (ctx.find_mapping)(&targets.mapping_key(), &self.table.headings));
        let fixed = remembered.as_ref().filter(|_| !self.fixes.is_replay_undone).map(|nearest| nearest.mapping.clone());
        if let Some(nearest) = remembered {
            self.apply_remembered(nearest);
        }
        self.recompute(SessionChange::Mapping);
        if let Some(mapping) = fixed {
            self.replay_fixes(&mapping);
        }
    }

    /// Applies another contract to the same operation. Columns whose field is missing in that contract become
    /// unmatched.
    pub(crate) fn change_contract(&mut self, ctx: &SessionContext<'_>) -> Result<(), Problem> {
        let Some(current) = &self.mapping.targets else { return Ok(()) };
        let targets = match &current.list {
            Some(list) => plan::part_targets(ctx.contract, &current.operation, list),
            None => ctx.contract.operation(&current.operation).and_then(TargetFields::from_operation),
        };
        let has = |field: &str| targets.as_ref().is_some_and(|targets| targets.index(field).is_some());
        let mut matches = self.mapping.matches.clone();
        for column in &mut matches {
            column.matched = column.matched.take().filter(|matched| has(&matched.field));
            column.further_fields.retain(|field| has(field));
            column.candidates.retain(|candidate| has(&candidate.field));
        }
        self.try_change(|session| {
            session.mapping.targets = targets;
            session.mapping.matches = matches;
            Ok(())
        })
    }

    /// Returns true if the user doesn't have to review the columns.
    pub(crate) fn is_settled(&self) -> bool {
        let certain = |column_match: &ColumnMatch| {
            column_match.matched.as_ref().is_some_and(|matched| {
                matches!(matched.reason, MatchReason::Remembered | MatchReason::SameName | MatchReason::Synonym)
            })
        };
        let named = || self.table.headings.iter().zip(&self.mapping.matches).filter(|(heading, _)| !heading.is_empty());
        let remembered = named().any(|(_, column_match)| {
            column_match.matched.as_ref().is_some_and(|matched| matched.reason == MatchReason::Remembered)
        });
        let columns = named().count() > 0
            && named().all(|(_, column_match)| certain(column_match) || (remembered && column_match.matched.is_none()));
        let changed = self.mapping.changes.iter().any(|change| change.kind != ChangeKind::Moved);
        let open = |format: &Format| needs_decision(*format);
        columns
            && !changed
            && !self.needs_text_review()
            && self.contested_fields().is_empty()
            && self.missing_fields().is_empty()
            && !self.results.layout.formats.iter().any(open)
    }

    /// Applies a change to the mapping. If it fails, the previous mapping is restored.
    fn try_change(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Problem>) -> Result<(), Problem> {
        let before = self.mapping.clone();
        match work(self).and_then(|()| self.validate()) {
            Ok(()) => {
                self.remove_unused();
                self.recompute(SessionChange::Mapping);
                Ok(())
            }
            Err(problem) => {
                self.mapping = before;
                Err(problem)
            }
        }
    }

    /// Removes rules that no longer apply (see [`MappingRules::remove_unused`]), and properties that no column fills.
    fn remove_unused(&mut self) {
        let filled = |field: &str| self.mapping.matches.iter().any(|column_match| column_match.fills(field));
        self.mapping.rules.remove_unused(&filled);
        if let Some(targets) = &mut self.mapping.targets {
            targets.fields.retain(|target| target.property.is_none() || filled(&target.path));
        }
    }

    fn validate(&self) -> Result<(), Problem> {
        let Some(targets) = &self.mapping.targets else { return Ok(()) };
        self.mapping.rules.validate(targets, &self.mapping.names)?;
        self.mapping.rules.formats.iter().try_for_each(|(name, choices)| {
            choices.iter().try_for_each(|choice| self.check_not_disproved(targets, name, choice))
        })
    }

    /// Fails if cells of the column contradict the format choice. The problem names them.
    fn check_not_disproved(&self, targets: &TargetFields, name: &str, choice: FormatChoice) -> Result<(), Problem> {
        let Some(column) = self.mapping.names.iter().position(|other| other == name) else { return Ok(()) };
        let kinds = self.mapping.matches.get(column).into_iter().flat_map(ColumnMatch::fields);
        let kinds: Vec<FieldKind> = kinds.filter_map(|field| Some(targets.get(&field)?.kind)).collect();
        if kinds.is_empty() {
            return Ok(());
        }
        let Some(kind) = kinds.into_iter().find(|&kind| choice.fits(kind)) else {
            return Err(mapping_problem("format-not-needed", &[("member", "formats"), ("heading", name)]));
        };
        let column = u32::try_from(column).unwrap_or(u32::MAX);
        let rows = self.rows();
        let against = rows.column(column).enumerate().filter_map(|(position, cell)| {
            let proven = proven_format(kind, &cell)?;
            let row = rows.number(position)?;
            let cell_text = || format!("{}{row} “{}”", column_letters(column), cell.shown().trim());
            // A cell can prove a part of the format that the user didn't choose, such as the date order if the user
            // chose a weekday. That doesn't disprove the choice.
            (proven.kind() == choice.kind() && proven != choice).then(cell_text)
        });
        let cells: Vec<String> = against.take(MAX_LISTED_CELLS).collect();
        if cells.is_empty() {
            return Ok(());
        }
        let cells = cells.join(", ");
        Err(mapping_problem("format-contradicted", &[("member", "formats"), ("heading", name), ("cells", &cells)]))
    }

    /// Matches a column with fields. Other columns lose these fields.
    fn assign_fields(&mut self, column: u32, fields: &[String]) -> Result<(), Problem> {
        let heading = self
            .table
            .headings
            .get(column as usize)
            .cloned()
            .ok_or_else(|| unknown_problem(&column_letters(column)))?;
        let targets = self.mapping.targets.as_mut().ok_or_else(|| Problem::obstacle("no-operation"))?;
        for field in fields {
            targets.add_property(field, &heading);
            if targets.index(field).is_none() {
                return Err(unknown_problem(field));
            }
        }
        for (index, column_match) in self.mapping.matches.iter_mut().enumerate() {
            if index == column as usize {
                (column_match.matched, column_match.further_fields) = (None, Vec::new());
            }
            column_match.remove_fields(fields);
        }
        for field in fields {
            self.mapping.rules.joined.remove(field);
        }
        if let Some(column_match) = self.mapping.matches.get_mut(column as usize) {
            column_match.set_fields(fields, MatchReason::ByHand);
        }
        self.mapping.chosen_fields.extend(fields.iter().cloned());
        if fields.is_empty() {
            let name = self.column_name(column)?;
            self.mapping.rules.formats.remove(&name);
        }
        Ok(())
    }

    fn join_columns(&mut self, field: String, columns: &[u32], with: String) -> Result<(), Problem> {
        let headings: Vec<String> = columns.iter().map(|&column| self.column_name(column)).collect::<Result<_, _>>()?;
        if headings.len() < 2 {
            self.mapping.rules.joined.remove(&field);
            return match columns.first() {
                Some(&column) => self.assign_fields(column, &[field]),
                None => Ok(()),
            };
        }
        for column_match in &mut self.mapping.matches {
            column_match.remove_fields(std::slice::from_ref(&field));
        }
        self.mapping.rules.joined.insert(field, JoinedColumns { headings, with });
        Ok(())
    }

    fn column_name(&self, column: u32) -> Result<String, Problem> {
        self.mapping.names.get(column as usize).cloned().ok_or_else(|| unknown_problem(&column_letters(column)))
    }

    /// Matches columns as a mapping does. Other columns stay unmatched.
    fn assign_columns(&mut self, mapping: &MappingFile, reason: MatchReason) -> Result<(), Problem> {
        let Some(targets) = &mut self.mapping.targets else { return Ok(()) };
        let member = |name: &str, field: &str| {
            mapping_problem("no-such-field-at", &[("member", "columns"), ("heading", name), ("field", field)])
        };
        let mut given: Vec<(&str, &str)> = Vec::new();
        for (name, fields) in &mapping.columns {
            let Some(column) = self.mapping.names.iter().position(|other| other == name) else {
                return Err(mapping_problem("no-such-heading", &[("member", "columns"), ("heading", name)]));
            };
            for field in fields.paths() {
                targets.add_property(field, self.table.headings.get(column).map_or("", String::as_str));
                if targets.index(field).is_none() {
                    return Err(member(name, field));
                }
                if let Some((_, other)) = given.iter().find(|(given, _)| given == field) {
                    let parameters = [("member", "columns"), ("field", field), ("heading", name), ("other", other)];
                    return Err(mapping_problem("field-twice", &parameters));
                }
                given.push((field, name));
            }
        }
        for (name, column_match) in self.mapping.names.iter().zip(&mut self.mapping.matches) {
            let fields = mapping.columns.get(name).map_or(&[][..], Fields::paths);
            let same = fields
                .first()
                .is_some_and(|field| column_match.matched.as_ref().is_some_and(|own| own.field == *field));
            if same {
                column_match.further_fields = fields.get(1..).unwrap_or_default().to_vec();
            } else {
                column_match.set_fields(fields, reason);
            }
        }
        Ok(())
    }

    /// Fails if a field has both a constant and a column, which is a mistake in a mapping file.
    fn check_constants(&self) -> Result<(), Problem> {
        let taken = self.mapping.rules.constants.keys().find(|field| {
            self.mapping.rules.joined.contains_key(*field)
                || self.mapping.matches.iter().any(|column_match| column_match.fills(field))
        });
        match taken {
            Some(field) => Err(mapping_problem("constant-has-column", &[("member", "constants"), ("field", field)])),
            None => Ok(()),
        }
    }

    /// Fails if a replacement is for a missing column.
    fn check_replacements(&self, mapping: &MappingFile) -> Result<(), Problem> {
        let gone = mapping.replacements.iter().find(|replacement| !self.mapping.names.contains(&replacement.heading));
        match gone {
            Some(replacement) => {
                let parameters = [("member", "replacements"), ("heading", replacement.heading.as_str())];
                Err(mapping_problem("no-such-heading", &parameters))
            }
            None => Ok(()),
        }
    }

    /// Applies a remembered mapping without the parts that no longer fit.
    pub(super) fn apply_remembered(&mut self, nearest: NearestMapping) {
        let NearestMapping { mut mapping, changes, exact } = nearest;
        let by_name = self.mapping.matches.clone();
        if let Some(targets) = &self.mapping.targets {
            for fields in mapping.columns.values_mut() {
                let known = fields.paths().iter().filter(|path| targets.accepts(path)).cloned().collect();
                *fields = Fields::from_paths(known).unwrap_or(Fields::Several(Vec::new()));
            }
        }
        mapping.columns.retain(|name, _| self.mapping.names.contains(name));
        if self.assign_columns(&mapping, MatchReason::Remembered).is_err() {
            self.mapping.matches = by_name;
            return;
        }
        self.record_decisions(&mapping, &[]);
        // New columns are matched by name if their field is free.
        if !exact {
            self.match_new_columns(&by_name, &changes);
        }
        self.mapping.changes = changes;
        self.mapping.rules = MappingRules::from_mapping(&mapping);
        if let Some(targets) = &self.mapping.targets {
            let not_disproved = |name: &String, choices: &FormatChoices| -> FormatChoices {
                choices.iter().filter(|choice| self.check_not_disproved(targets, name, *choice).is_ok()).collect()
            };
            let formats = self.mapping.rules.formats.iter().map(|(name, all)| (name.clone(), not_disproved(name, all)));
            let formats = formats.filter(|(_, choices)| !choices.is_empty()).collect();
            self.mapping.rules.formats = formats;
            if self.mapping.rules.validate(targets, &self.mapping.names).is_err() {
                self.mapping.rules = MappingRules {
                    formats: std::mem::take(&mut self.mapping.rules.formats),
                    ..MappingRules::default()
                };
            }
        }
        self.remove_unused();
    }

    fn match_new_columns(&mut self, by_name: &[ColumnMatch], changes: &[LayoutChange]) {
        let is_new = |name: &String| changes.iter().any(|one| one.kind == ChangeKind::New && one.name == *name);
        for (column, own) in by_name.iter().enumerate() {
            let Some(matched) = own.matched.as_ref().filter(|_| self.mapping.names.get(column).is_some_and(is_new))
            else {
                continue;
            };
            let taken = self.mapping.matches.iter().any(|column_match| column_match.fills(&matched.field));
            if let Some(column_match) = self.mapping.matches.get_mut(column).filter(|_| !taken) {
                column_match.matched = Some(matched.clone());
            }
        }
    }

    /// Matches headings of the form `properties[KEY]` with that property.
    pub(super) fn propose_properties(&mut self) {
        let Some(targets) = &mut self.mapping.targets else { return };
        let Some(list) = targets.property_list().map(str::to_owned) else { return };
        let mut taken: Vec<&str> = Vec::new();
        for (heading, column_match) in self.table.headings.iter().zip(&mut self.mapping.matches) {
            let named = heading.starts_with(&format!("{list}[")) && heading.ends_with(']');
            if named && column_match.matched.is_none() && targets.accepts(heading) && !taken.contains(&heading.as_str())
            {
                taken.push(heading);
                targets.add_property(heading, heading);
                let candidate = Candidate { field: heading.clone(), score: 1.0, reason: MatchReason::SameName };
                column_match.candidates.insert(0, candidate.clone());
                column_match.matched = Some(candidate);
            }
        }
    }
}

impl Session {
    /// Returns the contested fields in the contract's order, each with its columns in the file's order.
    pub(super) fn contested_fields(&self) -> Vec<ContestedField> {
        let Some(targets) = &self.mapping.targets else { return Vec::new() };
        let open = targets.fields.iter().filter(|target| !self.mapping.chosen_fields.contains(&target.path));
        let words = self.normalized_headings();
        let contested = open.filter_map(|target| {
            let own = self.mapping.matches.iter().position(|column_match| column_match.fills(&target.path))?;
            let mut columns = self.rival_columns(own, &target.path, &words);
            (!columns.is_empty()).then(|| {
                columns.push(own);
                columns.sort_unstable();
                let columns = columns.into_iter().filter_map(|column| u32::try_from(column).ok()).collect();
                ContestedField { field: target.path.clone(), columns }
            })
        });
        contested.collect()
    }

    /// Returns columns without a field that also fit the field of the column `own`. Their heading is the field's name,
    /// or equals that column's heading.
    fn rival_columns(&self, own: usize, field: &str, words: &[String]) -> Vec<usize> {
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
            word.is_some() && words.get(*column) == word || is_found && column_match.is_named_after(field)
        });
        fits.map(|(column, _)| column).collect()
    }

    fn normalized_headings(&self) -> Vec<String> {
        self.table.headings.iter().map(|heading| normalize_heading(heading)).collect()
    }

    fn columns_by_heading(&self) -> HashMap<String, Vec<usize>> {
        let mut columns: HashMap<String, Vec<usize>> = HashMap::new();
        for (column, word) in self.normalized_headings().into_iter().enumerate().filter(|(_, word)| !word.is_empty()) {
            columns.entry(word).or_default().push(column);
        }
        columns
    }

    /// Returns the parameters of findings about contested fields, by target.
    pub(super) fn contested_parameters(&self) -> Vec<(usize, Arc<TextParameters>)> {
        let Some(targets) = &self.mapping.targets else { return Vec::new() };
        let parameters_of = |contested: ContestedField| {
            let named = contested.columns.iter().map(|&column| {
                let heading = self.table.headings.get(column as usize).map_or("", String::as_str);
                format!("{} “{heading}”", column_letters(column))
            });
            let named: Vec<String> = named.collect();
            let letter = contested.columns.last().copied().map(column_letters).unwrap_or_default();
            let parameters = TextParameters::from([("columns", named.join(", ")), ("letter", letter)]);
            Some((targets.index(&contested.field)?, Arc::new(parameters)))
        };
        self.contested_fields().into_iter().filter_map(parameters_of).collect()
    }

    /// Replaces column letters such as `[D]` in a mapping by the columns' names. Also returns the columns that were
    /// named by letter.
    fn resolve_letters(&self, mapping: &MappingFile) -> (MappingFile, Vec<usize>) {
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

    /// Records the fields whose columns a mapping chose. A repeated heading isn't a choice, unless the mapping names
    /// all its columns, or names one by letter or number.
    fn record_decisions(&mut self, mapping: &MappingFile, by_letter: &[usize]) {
        let alike = self.columns_by_heading();
        let named =
            |column: &usize| self.mapping.names.get(*column).is_some_and(|name| mapping.columns.contains_key(name));
        let mut chosen = BTreeSet::new();
        for (column, (name, heading)) in self.mapping.names.iter().zip(&self.table.headings).enumerate() {
            let Some(fields) = mapping.columns.get(name) else { continue };
            let is_exact = heading != name || by_letter.contains(&column);
            let twins = alike.get(&normalize_heading(heading)).map(Vec::as_slice).unwrap_or_default();
            if is_exact || twins.iter().all(named) {
                chosen.extend(fields.paths().iter().cloned());
            }
        }
        self.mapping.chosen_fields = chosen;
    }

    /// Returns the columns without a field whose heading equals a chosen column's heading. A mapping lists them without
    /// fields, so that the choice stays clear.
    fn unused_columns(&self) -> Vec<(String, Fields)> {
        let is_chosen = |column: &usize| {
            let fields = self.mapping.matches.get(*column).map(ColumnMatch::fields).unwrap_or_default();
            fields.iter().any(|field| self.mapping.chosen_fields.contains(field))
        };
        let is_free = |column: &usize| {
            self.mapping.matches.get(*column).is_some_and(|column_match| column_match.matched.is_none())
        };
        let twins = self.columns_by_heading().into_values().filter(|columns| columns.iter().any(is_chosen));
        let free = twins.flatten().filter(is_free);
        free.filter_map(|column| Some((self.mapping.names.get(column)?.clone(), Fields::Several(Vec::new())))).collect()
    }
}

impl ColumnMatch {
    fn set_fields(&mut self, fields: &[String], reason: MatchReason) {
        let mut fields = fields.iter().cloned();
        self.matched = fields.next().map(|field| Candidate { field, score: 1.0, reason });
        self.further_fields = fields.collect();
    }

    fn remove_fields(&mut self, fields: &[String]) {
        self.further_fields.retain(|field| !fields.contains(field));
        if self.matched.as_ref().is_some_and(|matched| fields.contains(&matched.field)) {
            let next = (!self.further_fields.is_empty()).then(|| self.further_fields.remove(0));
            self.matched = next.map(|field| Candidate { field, score: 1.0, reason: MatchReason::ByHand });
        }
    }
}
