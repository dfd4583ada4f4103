//! The mapping of the opened sheet: put together, changed by hand, taken from a file or from what is remembered. A change that
//! can't be is refused whole: the mapping stays as it was.

use takt_contract::FieldKind;
use takt_sheet::column_letters;

use super::{Session, SessionContext, unknown};
use takt_core::Problem;

use crate::import::{
    Candidate, FieldValues, MappingFile, MatchReason,
    mapping::{
        ChangeKind, Fields, FormatChoice, JoinedColumns, LayoutChange, MappingChange, NearestMapping, Rules,
        is_unsettled, names, of_field, refused,
    },
    matching::{ColumnMatch, Vocabulary},
    plan,
    reading::{Format, proof},
    target::Targets,
};

/// How many cells a refusal names.
const MAX_CELLS: usize = 5;

impl Session {
    pub(in crate::import) fn match_column(&mut self, column: u32, field: Option<&str>) -> Result<(), Problem> {
        let fields = field.map(str::to_owned).into_iter().collect();
        self.change(MappingChange::Fields { column, fields })
    }

    pub(in crate::import) fn change(&mut self, change: MappingChange) -> Result<(), Problem> {
        if self.targets.is_none() {
            return Err(Problem::in_the_way("no-operation"));
        }
        self.rearrange(|session| match change {
            MappingChange::Fields { column, fields } => session.give(column, &fields),
            MappingChange::Format { column, choice } => {
                let name = session.name(column)?;
                match choice {
                    Some(choice) => session.rules.formats.insert(name, choice),
                    None => session.rules.formats.remove(&name),
                };
                Ok(())
            }
            MappingChange::Constant { field, text } => {
                match text.filter(|text| !text.trim().is_empty()) {
                    Some(text) => session.rules.constants.insert(field, text.trim().to_owned()),
                    None => session.rules.constants.remove(&field),
                };
                Ok(())
            }
            MappingChange::Value { field, from, to } => {
                let values = session.rules.values.entry(field).or_default();
                match to {
                    Some(to) => values.insert(from, to.trim().to_owned()),
                    None => values.remove(&from),
                };
                Ok(())
            }
            MappingChange::Blank { field, rule } => {
                session.rules.blank.insert(field, rule);
                Ok(())
            }
            MappingChange::Joined { field, columns, with } => session.join(field, &columns, with),
        })
    }

    pub(in crate::import) fn apply(
        &mut self,
        mapping: &MappingFile,
        around: &SessionContext<'_>,
    ) -> Result<(), Problem> {
        self.apply_as(mapping, MatchReason::ByHand, around)
    }

    /// The same, with the reason why each column is what the mapping says.
    pub(in crate::import) fn apply_as(
        &mut self,
        mapping: &MappingFile,
        reason: MatchReason,
        around: &SessionContext<'_>,
    ) -> Result<(), Problem> {
        if let Some(row) = mapping.header_row {
            self.choose_header(row, around)?;
        }
        let targets = match &mapping.list {
            Some(list) => plan::part_targets(around.contract, &mapping.operation, list),
            None => around.contract.operation(&mapping.operation).and_then(Targets::of),
        };
        let targets = targets.ok_or_else(|| unknown(&mapping.operation))?;
        let matches = Vocabulary::of(&targets).match_headings(&self.headings);
        let (resolved, by_letter) = self.resolved(mapping);
        let mapping = &resolved;
        self.rearrange(|session| {
            session.targets = Some(targets);
            session.matches = matches;
            session.rules = Rules::of(mapping);
            session.changes.clear();
            session.take_columns(mapping, reason)?;
            session.decide_by(mapping, &by_letter);
            session.constants_have_no_column()?;
            session.replacements_have_columns(mapping)
        })?;
        self.fixes.refused = false;
        self.replay(mapping);
        Ok(())
    }

    pub(in crate::import) fn mapping(&self) -> Option<MappingFile> {
        Some(MappingFile {
            replacements: self.fixes.replacements(),
            fill_merged: self.fixes.fills_merged(),
            excluded: self.excluded_keys(),
            ..self.choices()?
        })
    }

    /// The same without what was done to the rows.
    pub(super) fn choices(&self) -> Option<MappingFile> {
        let columns = self.names.iter().zip(&self.matches);
        let rules = self.rules.clone();
        Some(MappingFile {
            operation: self.targets.as_ref()?.operation.clone(),
            list: self.targets.as_ref()?.list.clone(),
            sheet: Some(self.sheet.name.clone()),
            header_row: self.header.and_then(|header| self.sheet.rows.number(header)),
            columns: columns
                .filter_map(|(name, found)| Some((name.clone(), Fields::of(found.fields())?)))
                .chain(self.dismissed())
                .collect(),
            formats: rules.formats,
            constants: rules.constants,
            values: rules.values,
            blank: rules.blank,
            joined: rules.joined,
            ..MappingFile::default()
        })
    }

    /// What is kept for the next file with these headings. A sheet that Takt made itself says nothing about files.
    pub(in crate::import) fn mapping_to_remember(&self) -> Option<MappingFile> {
        self.mapping().filter(|_| !self.path.as_os_str().is_empty())
    }

    pub(in crate::import) fn values(&self, field: &str) -> Result<FieldValues, Problem> {
        let plan = self.plan().ok_or_else(|| Problem::in_the_way("no-operation"))?;
        let target = plan.targets.index(field).ok_or_else(|| unknown(field))?;
        Ok(of_field(&plan, self.rows(), target))
    }

    /// Matches the columns anew: by what is remembered for these headings or ones like them, else by their names.
    pub(super) fn match_columns(&mut self, around: &SessionContext<'_>) {
        self.rules = Rules::default();
        self.decided.clear();
        self.changes.clear();
        self.names = names(&self.headings);
        self.matches = match &self.targets {
            Some(targets) => Vocabulary::of(targets).match_headings(&self.headings),
            None => vec![ColumnMatch::default(); self.headings.len()],
        };
        self.propose_properties();
        let remembered =
            self.targets.as_ref().and_then(|targets| (around.remembered)(&targets.memory(), &self.headings));
        let fixed = remembered.as_ref().filter(|_| !self.fixes.refused).map(|nearest| nearest.mapping.clone());
        if let Some(nearest) = remembered {
            self.take_remembered(nearest);
        }
        self.check();
        if let Some(mapping) = fixed {
            self.replay(&mapping);
        }
    }

    /// The same operation as another contract has it. A column whose field isn't there fills none.
    pub(in crate::import) fn change_contract(&mut self, around: &SessionContext<'_>) -> Result<(), Problem> {
        let Some(current) = &self.targets else { return Ok(()) };
        let targets = match &current.list {
            Some(list) => plan::part_targets(around.contract, &current.operation, list),
            None => around.contract.operation(&current.operation).and_then(Targets::of),
        };
        let has = |field: &str| targets.as_ref().is_some_and(|targets| targets.index(field).is_some());
        let mut matches = self.matches.clone();
        for column in &mut matches {
            column.matched = column.matched.take().filter(|matched| has(&matched.field));
            column.also.retain(|field| has(field));
            column.candidates.retain(|candidate| has(&candidate.field));
        }
        self.rearrange(|session| {
            session.targets = targets;
            session.matches = matches;
            Ok(())
        })
    }

    /// True if no person has to look at the columns.
    pub(in crate::import) fn settled(&self) -> bool {
        let certain = |found: &ColumnMatch| {
            found.matched.as_ref().is_some_and(|matched| {
                matches!(matched.reason, MatchReason::Remembered | MatchReason::SameName | MatchReason::Synonym)
            })
        };
        let named = || self.headings.iter().zip(&self.matches).filter(|(heading, _)| !heading.is_empty());
        let remembered = named()
            .any(|(_, found)| found.matched.as_ref().is_some_and(|matched| matched.reason == MatchReason::Remembered));
        let columns =
            named().count() > 0 && named().all(|(_, found)| certain(found) || (remembered && found.matched.is_none()));
        let changed = self.changes.iter().any(|change| change.kind != ChangeKind::Moved);
        let open = |format: &Format| is_unsettled(*format);
        columns
            && !changed
            && !self.is_doubtful()
            && self.contested().is_empty()
            && self.missing().is_empty()
            && !self.layout.formats.iter().any(open)
    }

    /// Does it, or leaves everything as it was.
    fn rearrange(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Problem>) -> Result<(), Problem> {
        let before = (self.targets.clone(), self.matches.clone(), self.rules.clone(), self.changes.clone());
        let decided = self.decided.clone();
        match work(self).and_then(|()| self.validate()) {
            Ok(()) => {
                self.tidy();
                self.check();
                Ok(())
            }
            Err(problem) => {
                (self.targets, self.matches, self.rules, self.changes) = before;
                self.decided = decided;
                Err(problem)
            }
        }
    }

    /// What is about fields that nothing fills any more goes with its column.
    fn tidy(&mut self) {
        let filled = |field: &str| self.matches.iter().any(|found| found.fills(field));
        self.rules.tidy(&filled);
        if let Some(targets) = &mut self.targets {
            targets.fields.retain(|target| target.property.is_none() || filled(&target.path));
        }
    }

    fn validate(&self) -> Result<(), Problem> {
        let Some(targets) = &self.targets else { return Ok(()) };
        self.rules.validate(targets, &self.names)?;
        self.rules.formats.iter().try_for_each(|(name, choice)| self.uncontradicted(targets, name, *choice))
    }

    /// Refuses a choice that cells of the column prove wrong, and names them.
    fn uncontradicted(&self, targets: &Targets, name: &str, choice: FormatChoice) -> Result<(), Problem> {
        let Some(column) = self.names.iter().position(|other| other == name) else { return Ok(()) };
        let kinds = self.matches.get(column).into_iter().flat_map(ColumnMatch::fields);
        let kinds: Vec<FieldKind> = kinds.filter_map(|field| Some(targets.get(&field)?.kind)).collect();
        if kinds.is_empty() {
            return Ok(());
        }
        let Some(kind) = kinds.into_iter().find(|&kind| choice.fits(kind)) else {
            return Err(refused("format-not-needed", &[("member", "formats"), ("heading", name)]));
        };
        let column = u32::try_from(column).unwrap_or(u32::MAX);
        let rows = self.rows();
        let against = rows.column(column).enumerate().filter_map(|(position, cell)| {
            let proven = proof(kind, &cell)?;
            let row = rows.number(position)?;
            let place = || format!("{}{row} “{}”", column_letters(column), cell.shown().trim());
            // A cell that proves something else, as a date order beside a day of the week, proves nothing against it.
            (proven.kind() == choice.kind() && proven != choice).then(place)
        });
        let cells: Vec<String> = against.take(MAX_CELLS).collect();
        if cells.is_empty() {
            return Ok(());
        }
        let cells = cells.join(", ");
        Err(refused("format-contradicted", &[("member", "formats"), ("heading", name), ("cells", &cells)]))
    }

    /// Gives a column its fields, which other columns lose.
    fn give(&mut self, column: u32, fields: &[String]) -> Result<(), Problem> {
        let heading = self.headings.get(column as usize).cloned().ok_or_else(|| unknown(&column_letters(column)))?;
        let targets = self.targets.as_mut().ok_or_else(|| Problem::in_the_way("no-operation"))?;
        for field in fields {
            targets.admit(field, &heading);
            if targets.index(field).is_none() {
                return Err(unknown(field));
            }
        }
        for (index, found) in self.matches.iter_mut().enumerate() {
            if index == column as usize {
                (found.matched, found.also) = (None, Vec::new());
            }
            found.lose(fields);
        }
        for field in fields {
            self.rules.joined.remove(field);
        }
        if let Some(found) = self.matches.get_mut(column as usize) {
            found.take(fields, MatchReason::ByHand);
        }
        self.decided.extend(fields.iter().cloned());
        if fields.is_empty() {
            let name = self.name(column)?;
            self.rules.formats.remove(&name);
        }
        Ok(())
    }

    fn join(&mut self, field: String, columns: &[u32], with: String) -> Result<(), Problem> {
        let headings: Vec<String> = columns.iter().map(|&column| self.name(column)).collect::<Result<_, _>>()?;
        if headings.len() < 2 {
            self.rules.joined.remove(&field);
            return match columns.first() {
                Some(&column) => self.give(column, &[field]),
                None => Ok(()),
            };
        }
        for found in &mut self.matches {
            found.lose(std::slice::from_ref(&field));
        }
        self.rules.joined.insert(field, JoinedColumns { headings, with });
        Ok(())
    }

    fn name(&self, column: u32) -> Result<String, Problem> {
        self.names.get(column as usize).cloned().ok_or_else(|| unknown(&column_letters(column)))
    }

    /// Puts a mapping's fields where its headings are; other columns stay unmatched.
    fn take_columns(&mut self, mapping: &MappingFile, reason: MatchReason) -> Result<(), Problem> {
        let Some(targets) = &mut self.targets else { return Ok(()) };
        let member = |name: &str, field: &str| {
            refused("no-such-field-at", &[("member", "columns"), ("heading", name), ("field", field)])
        };
        let mut given: Vec<(&str, &str)> = Vec::new();
        for (name, fields) in &mapping.columns {
            let Some(column) = self.names.iter().position(|other| other == name) else {
                return Err(refused("no-such-heading", &[("member", "columns"), ("heading", name)]));
            };
            for field in fields.paths() {
                targets.admit(field, self.headings.get(column).map_or("", String::as_str));
                if targets.index(field).is_none() {
                    return Err(member(name, field));
                }
                if let Some((_, other)) = given.iter().find(|(given, _)| given == field) {
                    let places = [("member", "columns"), ("field", field), ("heading", name), ("other", other)];
                    return Err(refused("field-twice", &places));
                }
                given.push((field, name));
            }
        }
        for (name, found) in self.names.iter().zip(&mut self.matches) {
            let fields = mapping.columns.get(name).map_or(&[][..], Fields::paths);
            let same =
                fields.first().is_some_and(|field| found.matched.as_ref().is_some_and(|own| own.field == *field));
            if same {
                found.also = fields.get(1..).unwrap_or_default().to_vec();
            } else {
                found.take(fields, reason);
            }
        }
        Ok(())
    }

    /// In a file that somebody wrote, a constant for a field with a column is a mistake.
    fn constants_have_no_column(&self) -> Result<(), Problem> {
        let taken = self.rules.constants.keys().find(|field| {
            self.rules.joined.contains_key(*field) || self.matches.iter().any(|found| found.fills(field))
        });
        match taken {
            Some(field) => Err(refused("constant-has-column", &[("member", "constants"), ("field", field)])),
            None => Ok(()),
        }
    }

    /// Nor is there anything to replace in a column that isn't there.
    fn replacements_have_columns(&self, mapping: &MappingFile) -> Result<(), Problem> {
        let gone = mapping.replacements.iter().find(|replacement| !self.names.contains(&replacement.heading));
        match gone {
            Some(replacement) => {
                let places = [("member", "replacements"), ("heading", replacement.heading.as_str())];
                Err(refused("no-such-heading", &places))
            }
            None => Ok(()),
        }
    }

    /// A remembered mapping that no longer fits in some part is used without that part.
    pub(super) fn take_remembered(&mut self, nearest: NearestMapping) {
        let NearestMapping { mut mapping, changes, exact } = nearest;
        let by_name = self.matches.clone();
        if let Some(targets) = &self.targets {
            for fields in mapping.columns.values_mut() {
                let known = fields.paths().iter().filter(|path| targets.takes(path)).cloned().collect();
                *fields = Fields::of(known).unwrap_or(Fields::Several(Vec::new()));
            }
        }
        mapping.columns.retain(|name, _| self.names.contains(name));
        if self.take_columns(&mapping, MatchReason::Remembered).is_err() {
            self.matches = by_name;
            return;
        }
        self.decide_by(&mapping, &[]);
        // What is new since is matched by its name, as far as its field is free.
        if !exact {
            self.fill_new(&by_name, &changes);
        }
        self.changes = changes;
        self.rules = Rules::of(&mapping);
        if let Some(targets) = &self.targets {
            let contradicted: Vec<String> = self
                .rules
                .formats
                .iter()
                .filter(|(name, choice)| self.uncontradicted(targets, name, **choice).is_err())
                .map(|(name, _)| name.clone())
                .collect();
            self.rules.formats.retain(|name, _| !contradicted.contains(name));
            if self.rules.validate(targets, &self.names).is_err() {
                self.rules = Rules { formats: std::mem::take(&mut self.rules.formats), ..Rules::default() };
            }
        }
        self.tidy();
    }

    fn fill_new(&mut self, by_name: &[ColumnMatch], changes: &[LayoutChange]) {
        let is_new = |name: &String| changes.iter().any(|one| one.kind == ChangeKind::New && one.name == *name);
        for (column, own) in by_name.iter().enumerate() {
            let Some(matched) = own.matched.as_ref().filter(|_| self.names.get(column).is_some_and(is_new)) else {
                continue;
            };
            let taken = self.matches.iter().any(|found| found.fills(&matched.field));
            if let Some(found) = self.matches.get_mut(column).filter(|_| !taken) {
                found.matched = Some(matched.clone());
            }
        }
    }

    /// `properties[KEY]` as a heading, or a key that a remembered mapping names, is that property.
    pub(super) fn propose_properties(&mut self) {
        let Some(targets) = &mut self.targets else { return };
        let Some(list) = targets.property_list().map(str::to_owned) else { return };
        let mut taken: Vec<&str> = Vec::new();
        for (heading, found) in self.headings.iter().zip(&mut self.matches) {
            let named = heading.starts_with(&format!("{list}[")) && heading.ends_with(']');
            if named && found.matched.is_none() && targets.takes(heading) && !taken.contains(&heading.as_str()) {
                taken.push(heading);
                targets.admit(heading, heading);
                let candidate = Candidate { field: heading.clone(), score: 1.0, reason: MatchReason::SameName };
                found.candidates.insert(0, candidate.clone());
                found.matched = Some(candidate);
            }
        }
    }
}

impl ColumnMatch {
    fn take(&mut self, fields: &[String], reason: MatchReason) {
        let mut fields = fields.iter().cloned();
        self.matched = fields.next().map(|field| Candidate { field, score: 1.0, reason });
        self.also = fields.collect();
    }

    fn lose(&mut self, fields: &[String]) {
        self.also.retain(|also| !fields.contains(also));
        if self.matched.as_ref().is_some_and(|matched| fields.contains(&matched.field)) {
            let next = (!self.also.is_empty()).then(|| self.also.remove(0));
            self.matched = next.map(|field| Candidate { field, score: 1.0, reason: MatchReason::ByHand });
        }
    }
}
