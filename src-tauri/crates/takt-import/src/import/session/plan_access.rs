//! What the plan asks of a sheet, and tells it.

use super::{Session, SessionContext};
use crate::import::position::Position;
use takt_contract::RefersTo;
use takt_core::ExcelRow;
use takt_core::finding::FindingCode;

use crate::import::{
    ImportCounts, Proposal, check::CheckResult, mark::Mark, pass::PassResult, plan::Row, target::Targets,
};

impl Session {
    pub(in crate::import) fn sheet_name(&self) -> &str {
        &self.sheet.name
    }

    /// Among the workbook's sheets.
    pub(in crate::import) fn place(&self) -> usize {
        self.sheets.iter().position(|sheet| sheet.name == self.sheet.name).unwrap_or(usize::MAX)
    }

    pub(in crate::import) fn visible_sheets(&self) -> Vec<String> {
        self.sheets.iter().filter(|sheet| sheet.visible).map(|sheet| sheet.name.clone()).collect()
    }

    /// Rows and columns.
    pub(in crate::import) fn size(&self) -> (Option<u32>, Option<u32>) {
        (u32::try_from(self.sheet.rows.len()).ok(), Some(self.sheet.columns))
    }

    /// True where there is something below a heading.
    pub(in crate::import) fn has_rows(&self) -> bool {
        self.header.is_some() && !self.rows().is_empty()
    }

    pub(in crate::import) fn operation(&self) -> Option<&str> {
        self.targets.as_ref().map(|targets| targets.operation.as_str())
    }

    /// Where its rows are parts of another sheet's items: the list.
    pub(in crate::import) fn list(&self) -> Option<&str> {
        self.targets.as_ref()?.list.as_deref()
    }

    /// True if its operation is known.
    pub(in crate::import) fn is_known(&self) -> bool {
        self.known
    }

    /// True where it is for its operation without anybody saying so: used for it before, or with the key's first field, most
    /// of its columns matched, and no more missing than there is.
    pub(in crate::import) fn is_clear(&self) -> bool {
        let Some(targets) = &self.targets else { return false };
        let named = self.headings.iter().filter(|heading| !heading.is_empty()).count();
        let matched = self.matches.iter().filter(|found| found.matched.is_some()).count();
        let key = targets.key.first().is_some_and(|key| self.fills(key));
        let needed = targets.fields.iter().filter(|target| target.required && target.part_of.is_none()).count();
        self.known || (key && matched * 2 > named && self.missing().len() * 2 <= needed)
    }

    pub(in crate::import) fn proposals(&self) -> &[Proposal] {
        &self.proposals
    }

    pub(in crate::import) fn counts(&self) -> ImportCounts {
        self.checked.counts
    }

    pub(in crate::import) fn take_targets(&mut self, targets: Targets, around: &SessionContext<'_>) {
        self.targets = Some(targets);
        self.match_columns(around);
    }

    /// True where something fills the field.
    pub(in crate::import) fn fills(&self, path: &str) -> bool {
        self.matches.iter().any(|found| found.fills(path))
            || self.rules.constants.contains_key(path)
            || self.rules.joined.contains_key(path)
    }

    /// True where every member of the business key is filled.
    pub(in crate::import) fn fills_key(&self) -> bool {
        self.targets.as_ref().is_some_and(|targets| targets.key.iter().all(|member| self.fills(member)))
    }

    /// True where something fills a field that names things of this operation.
    pub(in crate::import) fn refers_to(&self, operation: &str) -> bool {
        let fields = self.targets.iter().flat_map(|targets| targets.fields.iter().enumerate());
        let refers = |refers_to: &RefersTo| refers_to.sync.as_deref() == Some(operation);
        fields
            .filter(|(_, field)| field.refers_to.as_ref().is_some_and(refers))
            .any(|(target, _)| self.layout.fills(target))
    }

    /// The business key of each row that counts, its parts in the key's order.
    pub(in crate::import) fn row_keys(&self) -> impl Iterator<Item = Row> {
        let plan = self.plan();
        let places: Vec<Option<usize>> =
            plan.iter().flat_map(|plan| plan.targets.key.iter().map(|name| plan.targets.index(name))).collect();
        let columns: Vec<u32> =
            plan.iter().flat_map(|plan| places.iter().flatten().flat_map(|&place| plan.columns_of(place))).collect();
        let rows = plan.is_some().then(|| self.rows().iter_of(columns));
        (0..).map(Position::new).zip(rows.into_iter().flatten()).filter_map(move |(position, row)| {
            let plan = plan?;
            Some(Row {
                position,
                number: row.number,
                out: plan.overlay.excludes(ExcelRow::new(row.number)),
                wrong: self.checked.severity(position) == Some(takt_core::Severity::Error),
                key: places.iter().map(|place| Some(plan.read(&row, (*place)?)?.ok()?.shown())).collect(),
            })
        })
    }

    /// The target that a finding about the whole key stands at.
    pub(in crate::import) fn key_place(&self) -> (u16, Option<u32>) {
        let place = || {
            let targets = self.targets.as_ref()?;
            let target = targets.index(targets.key.first()?)?;
            Some((u16::try_from(target).ok()?, self.layout.columns.get(target).copied().flatten()))
        };
        place().unwrap_or_default()
    }

    /// Puts marks of these codes in place of the ones that were there.
    pub(in crate::import) fn put_marks(&mut self, codes: &[FindingCode], marks: Vec<Mark>) {
        let of_codes = |mark: &Mark| codes.contains(&mark.code);
        if self.targets.is_none() || (marks.is_empty() && !self.checked.marks.iter().any(of_codes)) {
            return;
        }
        let before = std::mem::take(&mut self.checked);
        let Some(plan) = self.plan() else { return };
        let mut all_marks: Vec<Mark> = before.marks.into_iter().filter(|mark| !of_codes(mark)).collect();
        all_marks.extend(marks);
        let raw = PassResult { marks: all_marks, items: before.items, hashes: before.hashes };
        let checked = CheckResult::new(&plan, self.rows().len(), raw, before.counts.items);
        self.checked = checked;
    }
}
