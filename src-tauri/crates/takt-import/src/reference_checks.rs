//! Checks rows against a site's reference data, its calendar and its clock.
//!
//! Decides which fields are checked, and reports fields that can't be checked. Lookups are prepared once per check, so
//! that a row costs a few hash lookups. takt-browse reads the site.

mod clock_changes;
mod codes;
mod context;
mod reference_requests;
mod shifts;
mod site_row;

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use takt_browse::reference::{Extent, Freshness, ReferenceList};
use takt_contract::{FieldKind, ReferenceCheck};
use takt_core::{
    Problem,
    words::{Words, serialized_name},
};

pub use self::context::PredecessorValues;
pub(crate) use self::{clock_changes::add_offset, context::ReferenceContext, reference_requests::reference_requests};
use self::{
    clock_changes::{ClockChangeCheck, ClockChanges},
    codes::CodeCheck,
    shifts::{PastDateCheck, ShiftCheck},
    site_row::{LockCheck, MinimumQuantityCheck, ReservedKeyCheck},
};
use crate::{
    cell_value::ReadValue,
    column_layout::ColumnLayout,
    mark::TargetFinding,
    target::{TargetField, TargetFields},
};

/// The prepared checks of rows against a site's data. Fields without data are in `unchecked`.
#[derive(Debug, Default)]
pub(crate) struct ReferenceChecks {
    codes: Vec<CodeCheck>,
    clock_changes: Vec<ClockChangeCheck>,
    past_dates: Vec<PastDateCheck>,
    shifts: Vec<ShiftCheck>,
    minimums: Vec<MinimumQuantityCheck>,
    locks: Vec<LockCheck>,
    reserved_keys: Vec<ReservedKeyCheck>,
    /// True if the sheet names keys of properties. The site defines which are reserved.
    has_property_keys: bool,
    unchecked: Vec<UncheckedField>,
}

impl ReferenceChecks {
    /// Prepares the checks of the filled fields.
    pub(crate) fn new(targets: &TargetFields, layout: &ColumnLayout, context: &ReferenceContext) -> Self {
        let mut builder = ReferenceChecksBuilder { targets, layout, context, checks: Self::default() };
        for (target, field) in targets.fields.iter().enumerate() {
            if field.refers_to.is_some() && layout.fills(target) {
                builder.add_code_check(target, field);
            }
        }
        builder.add_clock_change_checks();
        for (path, check) in &targets.reference_checks {
            builder.add_check(path, check);
        }
        builder.checks
    }

    /// Checks one row. `values` are by target.
    pub(crate) fn check_row(&self, values: &[Option<ReadValue<'_>>], found: &mut dyn FnMut(TargetFinding)) {
        self.codes.iter().filter_map(|check| check.check(values)).for_each(&mut *found);
        self.clock_changes.iter().filter_map(|check| check.check(values)).for_each(&mut *found);
        self.past_dates.iter().filter_map(|check| check.check(values)).for_each(&mut *found);
        self.shifts.iter().filter_map(|check| check.check(values)).for_each(&mut *found);
        self.minimums.iter().filter_map(|check| check.check(values)).for_each(&mut *found);
        self.locks.iter().filter_map(|check| check.check(values)).for_each(&mut *found);
        self.reserved_keys.iter().filter_map(|check| check.check(values)).for_each(&mut *found);
    }

    /// Returns the known codes of a field that are like the text, nearest first.
    pub(crate) fn find_similar_codes(&self, targets: &TargetFields, path: &str, text: &str) -> Vec<String> {
        let target = targets.index(path);
        let codes = self.codes.iter().find(|codes| Some(codes.target()) == target);
        codes.map(|codes| codes.find_similar_codes(text)).unwrap_or_default()
    }

    fn needs_site(&self) -> bool {
        let counts = [self.codes.len(), self.shifts.len(), self.minimums.len(), self.locks.len(), self.unchecked.len()];
        self.has_property_keys || counts.iter().any(|&count| count > 0)
    }

    pub(crate) fn view(&self, context: &ReferenceContext) -> ReferenceChecksView {
        let reference = &context.reference;
        // If no list is needed, only the site's settings are used.
        let settings = reference.site().filter(|_| self.unchecked.is_empty()).map(|_| reference.now());
        let at = reference.oldest().or(settings);
        ReferenceChecksView {
            site: reference.site().map(str::to_owned),
            at: at.map(timestamp_text),
            needed: self.needs_site(),
            unchecked: self.unchecked.clone(),
            problem: context.problem.clone(),
        }
    }
}

/// Prepares [`ReferenceChecks`] from the fields and the site's data.
struct ReferenceChecksBuilder<'a> {
    targets: &'a TargetFields,
    layout: &'a ColumnLayout,
    context: &'a ReferenceContext,
    checks: ReferenceChecks,
}

impl<'a> ReferenceChecksBuilder<'a> {
    fn add_code_check(&mut self, target: usize, field: &'a TargetField) {
        let Some(refers_to) = &field.refers_to else { return };
        let Some(list) = refers_to.list.as_ref().or(refers_to.single.as_ref()) else {
            return self.report_unchecked(&field.path, UncheckedReason::NotListed, None);
        };
        if let Some((reference_list, age)) = self.readable_list(&field.path, list) {
            let codes = CodeCheck::new(target, refers_to, self.targets, reference_list, age, self.context);
            self.checks.codes.extend(codes);
        }
    }

    fn add_clock_change_checks(&mut self) {
        let filled =
            |(target, field): &(usize, &TargetField)| field.kind == FieldKind::DateTime && self.layout.fills(*target);
        let dates: Vec<(usize, &TargetField)> = self.targets.fields.iter().enumerate().filter(filled).collect();
        if dates.is_empty() {
            return;
        }
        let changes = Arc::new(ClockChanges::new(self.context.zone(self.targets)));
        if !changes.is_empty() {
            let checks = dates
                .into_iter()
                .filter_map(|(target, field)| ClockChangeCheck::new(target, field, self.layout, &changes));
            self.checks.clock_changes.extend(checks);
        }
    }

    fn add_check(&mut self, path: &str, check: &ReferenceCheck) {
        let filled = |path: &str| self.targets.index(path).filter(|&target| self.layout.fills(target));
        match check {
            ReferenceCheck::NotPast { .. } => {
                self.checks
                    .past_dates
                    .extend(filled(path).map(|target| PastDateCheck::new(target, &self.context.reference)));
            }
            ReferenceCheck::NotBelow { row, .. } => {
                let Some(target) = filled(path) else { return };
                if let Some((reference_list, _)) = self.readable_list(path, &row.list) {
                    self.checks.minimums.extend(MinimumQuantityCheck::new(
                        target,
                        check,
                        self.targets,
                        &reference_list,
                    ));
                }
            }
            ReferenceCheck::InShifts { station, .. } => {
                let (Some(target), Some(station)) = (filled(path), filled(station)) else { return };
                let named = self.targets.fields.get(station).and_then(|field| field.refers_to.as_ref());
                let Some(list) = named.and_then(|refers_to| refers_to.list.as_ref()) else { return };
                if let Some((reference_list, _)) = self.readable_list(path, list) {
                    let shifts =
                        ShiftCheck::new(target, station, check, self.targets, &reference_list, &self.context.reference);
                    self.checks.shifts.extend(shifts);
                }
            }
            ReferenceCheck::NotLocked { row, key, value, .. } => {
                let keys = site_row::property_keys(self.targets, self.layout, key, Some(value));
                if keys.is_empty() {
                    return;
                }
                if let Some((reference_list, _)) = self.readable_list(key, &row.list) {
                    let locks =
                        keys.into_iter().filter_map(|key| LockCheck::new(key, check, self.targets, &reference_list));
                    self.checks.locks.extend(locks);
                }
            }
            ReferenceCheck::NotReserved { assumption, .. } => {
                let keys = site_row::property_keys(self.targets, self.layout, path, None);
                self.checks.has_property_keys |= !keys.is_empty();
                let prefix = self.context.reference.reserved_prefix(assumption);
                if !prefix.is_empty() {
                    self.checks.reserved_keys.extend(keys.into_iter().map(|key| ReservedKeyCheck::new(key, prefix)));
                }
            }
        }
    }

    /// Returns a list that was read. If it's missing, stale or too long, the field is reported as unchecked.
    fn readable_list(&mut self, path: &str, list: &str) -> Option<(Arc<ReferenceList>, Freshness)> {
        let reference = Arc::clone(&self.context.reference);
        let Some(reference_list) = reference.find_list(list) else {
            self.report_unchecked(path, UncheckedReason::NotLoaded, None);
            return None;
        };
        let age = reference.freshness(reference_list);
        let reason = match (age, &reference_list.extent) {
            (Freshness::Stale, _) => UncheckedReason::Stale,
            (_, Extent::TooLong(_)) => UncheckedReason::TooLong,
            _ => return Some((Arc::clone(reference_list), age)),
        };
        self.report_unchecked(path, reason, Some(reference_list));
        None
    }

    /// Reports a field as unchecked, once per field.
    fn report_unchecked(&mut self, path: &str, reason: UncheckedReason, reference_list: Option<&Arc<ReferenceList>>) {
        if self.checks.unchecked.iter().any(|unchecked| unchecked.field == path) {
            return;
        }
        let rows = reference_list.and_then(|reference_list| match reference_list.extent {
            Extent::TooLong(rows) => Some(rows),
            _ => None,
        });
        let at = reference_list.map(|reference_list| timestamp_text(reference_list.at));
        self.checks.unchecked.push(UncheckedField { field: path.to_owned(), reason, at, rows });
    }
}

/// Formats a timestamp in ISO 8601, rounded down to seconds.
fn timestamp_text(at: Timestamp) -> String {
    Timestamp::from_second(at.as_second()).unwrap_or(at).to_string()
}

/// The site that the rows were checked against, the age of its data, and the fields that couldn't be checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReferenceChecksView {
    /// The site. `None` if the rows weren't checked against any.
    pub site: Option<String>,
    /// When the oldest data in use was read, ISO 8601. `None` if none was.
    pub at: Option<String>,
    /// True if a field needs data of a site.
    pub needed: bool,
    /// Fields that couldn't be checked, each once.
    pub unchecked: Vec<UncheckedField>,
    /// The reason why the site couldn't be read at the last attempt. `None` if it could be read.
    pub problem: Option<Problem>,
}

/// A field that couldn't be checked against the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct UncheckedField {
    /// The field's path.
    pub field: String,
    pub reason: UncheckedReason,
    /// When the known data was read. `None` if nothing is known.
    pub at: Option<String>,
    /// Number of rows in the list, if it's too long to be read.
    pub rows: Option<u32>,
}

/// Why a field couldn't be checked. Each has a text in the language files, section `unchecked`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum UncheckedReason {
    /// The list was never read from the site.
    NotLoaded,
    /// The list was read too long ago.
    Stale,
    /// The contract has no operation that lists or finds the codes of the field.
    NotListed,
    /// The list is too long to be read, and the sheet names too many of its codes to request them one by one.
    TooLong,
}

impl UncheckedField {
    /// Returns the text about why the field couldn't be checked. `at` is the time in the reader's format.
    #[must_use]
    pub fn text(&self, words: &Words, at: &str) -> String {
        let rows = self.rows.map(|rows| ("rows".to_owned(), rows.to_string()));
        let places = rows.into_iter().chain([("at".to_owned(), at.to_owned())]).collect();
        words.text(&["unchecked", &serialized_name(self.reason)], &places)
    }
}
