//! Access to a sheet for the plan.

use super::{context::SessionContext, state::Session};
use crate::position::Position;
use takt_contract::RefersTo;
use takt_core::ExcelRow;
use takt_core::finding::FindingCode;

use crate::{
    check::{CheckResult, ImportCounts},
    mark::Mark,
    pass::UnsortedResult,
    plan::KeyedRow,
    proposal::Proposal,
    target::Targets,
};

impl Session {
    pub(crate) fn sheet_name(&self) -> &str {
        &self.table.sheet.name
    }

    /// Returns the sheet's index in the workbook.
    pub(crate) fn sheet_index(&self) -> usize {
        self.source.sheets.iter().position(|sheet| sheet.name == self.table.sheet.name).unwrap_or(usize::MAX)
    }

    pub(crate) fn visible_sheets(&self) -> Vec<String> {
        self.source.sheets.iter().filter(|sheet| sheet.visible).map(|sheet| sheet.name.clone()).collect()
    }

    /// Returns the number of rows and of columns.
    pub(crate) fn size(&self) -> (Option<u32>, Option<u32>) {
        (u32::try_from(self.table.sheet.rows.len()).ok(), Some(self.table.sheet.columns))
    }

    /// Returns true if there are rows below a header row.
    pub(crate) fn has_rows(&self) -> bool {
        self.table.header.is_some() && !self.rows().is_empty()
    }

    pub(crate) fn operation(&self) -> Option<&str> {
        self.mapping.targets.as_ref().map(|targets| targets.operation.as_str())
    }

    /// Returns the list if its rows are parts of another sheet's items.
    pub(crate) fn list(&self) -> Option<&str> {
        self.mapping.targets.as_ref()?.list.as_deref()
    }

    /// Returns true if its headings were used for its operation before.
    pub(crate) fn is_known(&self) -> bool {
        self.mapping.is_known
    }

    /// Returns true if the operation is certain without a choice by the user. Its headings were used for it before, or
    /// the key's first field and most columns are matched. Then at most half of the required fields may be missing.
    pub(crate) fn is_clear(&self) -> bool {
        let Some(targets) = &self.mapping.targets else { return false };
        let named = self.table.headings.iter().filter(|heading| !heading.is_empty()).count();
        let matched = self.mapping.matches.iter().filter(|column_match| column_match.matched.is_some()).count();
        let key = targets.key.first().is_some_and(|key| self.fills(key));
        let needed = targets.fields.iter().filter(|target| target.required && target.part_of.is_none()).count();
        self.mapping.is_known || (key && matched * 2 > named && self.missing().len() * 2 <= needed)
    }

    pub(crate) fn proposals(&self) -> &[Proposal] {
        &self.mapping.proposals
    }

    pub(crate) fn counts(&self) -> ImportCounts {
        self.computed.checked.counts
    }

    pub(crate) fn set_targets(&mut self, targets: Targets, ctx: &SessionContext<'_>) {
        self.mapping.targets = Some(targets);
        self.match_columns(ctx);
    }

    /// Returns true if something fills the field.
    pub(crate) fn fills(&self, path: &str) -> bool {
        self.mapping.matches.iter().any(|column_match| column_match.fills(path))
            || self.mapping.rules.constants.contains_key(path)
            || self.mapping.rules.joined.contains_key(path)
    }

    /// Returns true if every field of the business key is filled.
    pub(crate) fn fills_key(&self) -> bool {
        self.mapping.targets.as_ref().is_some_and(|targets| targets.key.iter().all(|member| self.fills(member)))
    }

    /// Returns true if something fills a field that refers to items of this operation.
    pub(crate) fn refers_to(&self, operation: &str) -> bool {
        let fields = self.mapping.targets.iter().flat_map(|targets| targets.fields.iter().enumerate());
        let refers = |refers_to: &RefersTo| refers_to.sync.as_deref() == Some(operation);
        fields
            .filter(|(_, field)| field.refers_to.as_ref().is_some_and(refers))
            .any(|(target, _)| self.computed.layout.fills(target))
    }

    /// Returns each row with its business key, including excluded rows.
    pub(crate) fn row_keys(&self) -> impl Iterator<Item = KeyedRow> {
        let mapper = self.mapper();
        let key_targets: Vec<Option<usize>> =
            mapper.iter().flat_map(|mapper| mapper.targets.key.iter().map(|name| mapper.targets.index(name))).collect();
        let columns: Vec<u32> = mapper
            .iter()
            .flat_map(|mapper| key_targets.iter().flatten().flat_map(|&target| mapper.columns_of(target)))
            .collect();
        let rows = mapper.is_some().then(|| self.rows().iter_of(columns));
        (0..).map(Position::new).zip(rows.into_iter().flatten()).filter_map(move |(position, row)| {
            let mapper = mapper?;
            Some(KeyedRow {
                position,
                number: row.number,
                is_excluded: mapper.overlay.excludes(ExcelRow::new(row.number)),
                has_errors: self.computed.checked.severity(position) == Some(takt_core::Severity::Error),
                key: key_targets.iter().map(|target| Some(mapper.read(&row, (*target)?)?.ok()?.shown())).collect(),
            })
        })
    }

    /// Returns the target and the column of findings about the whole key.
    pub(crate) fn key_location(&self) -> (u16, Option<u32>) {
        let location = || {
            let targets = self.mapping.targets.as_ref()?;
            let target = targets.index(targets.key.first()?)?;
            Some((u16::try_from(target).ok()?, self.computed.layout.columns.get(target).copied().flatten()))
        };
        location().unwrap_or_default()
    }

    /// Replaces the marks with these codes.
    pub(crate) fn put_marks(&mut self, codes: &[FindingCode], marks: Vec<Mark>) {
        let of_codes = |mark: &Mark| codes.contains(&mark.code);
        if self.mapping.targets.is_none() || (marks.is_empty() && !self.computed.checked.marks.iter().any(of_codes)) {
            return;
        }
        let before = std::mem::take(&mut self.computed.checked);
        let Some(mapper) = self.mapper() else { return };
        let mut all_marks: Vec<Mark> = before.marks.into_iter().filter(|mark| !of_codes(mark)).collect();
        all_marks.extend(marks);
        let raw = UnsortedResult { marks: all_marks, items: before.items, hashes: before.hashes };
        let checked = CheckResult::new(&mapper, self.rows().len(), raw, before.counts.items);
        self.computed.checked = checked;
    }
}
