//! Plan sense: each row beside what the site holds, the calendar and the clock.
//!
//! Owns which of a sheet's fields are looked at, and what is said where the site isn't known. What is looked up is made
//! ready once per check, so that a row costs a few hash lookups. Leaves reading the site to `reference`.

mod clock_changes;
mod codes;
mod predecessors;
mod reference_requests;
mod shifts;
mod site_row;
mod view;

use std::sync::Arc;

use jiff::{Timestamp, tz::TimeZone};
use takt_contract::{FieldKind, Sense};

use self::{
    clock_changes::{ClockChangeCheck, ClockChanges},
    shifts::{PastDateCheck, Shifts},
    site_row::{Lock, MinimumCheck, ReservedKeyCheck},
};
use super::{
    check::Layout,
    mark::Note,
    reading::ReadValue,
    target::{Target, Targets},
};
use takt_browse::reference::{Extent, Freshness, Reference, ReferenceList};
use takt_core::{
    Problem,
    finding::{FindingCode, Severity},
};

pub(super) use self::{clock_changes::with_offset, codes::Codes, reference_requests::reference_requests};
pub use self::{
    predecessors::PredecessorValues,
    view::{SenseView, UncheckedField, UncheckedReason},
};

/// What was found at a target.
#[derive(Debug)]
pub(super) struct TargetFinding {
    pub(super) target: usize,
    pub(super) severity: Severity,
    pub(super) code: FindingCode,
    pub(super) note: Note,
}

/// What a sheet is held against.
#[derive(Debug, Clone)]
pub(super) struct ReferenceContext {
    pub(super) reference: Arc<Reference>,
    /// What earlier sheets of the same workbook make.
    pub(super) predecessors: Arc<PredecessorValues>,
    /// Why the site couldn't be read anew.
    pub(super) problem: Option<Problem>,
}

impl ReferenceContext {
    /// The time zone of local times.
    pub(super) fn zone<'c>(&'c self, targets: &'c Targets) -> &'c TimeZone {
        if self.reference.site().is_some() { self.reference.zone() } else { &targets.time_zone }
    }
}

/// The looks that each row gets.
#[derive(Debug, Default)]
pub(super) struct ReferenceChecks {
    codes: Vec<Codes>,
    clock_changes: Vec<ClockChangeCheck>,
    past: Vec<PastDateCheck>,
    shifts: Vec<Shifts>,
    below: Vec<MinimumCheck>,
    locks: Vec<Lock>,
    reserved: Vec<ReservedKeyCheck>,
    /// True where the sheet names keys of properties: a site says which are reserved.
    names_keys: bool,
    unchecked: Vec<UncheckedField>,
}

impl ReferenceChecks {
    /// Only fields that something fills are looked at.
    pub(super) fn new(targets: &Targets, layout: &Layout, against: &ReferenceContext) -> Self {
        let mut making = ReferenceChecksBuilder { targets, layout, against, senses: Self::default() };
        for (target, field) in targets.fields.iter().enumerate() {
            if field.refers_to.is_some() && layout.fills(target) {
                making.code(target, field);
            }
        }
        making.clock_changes();
        for (path, sense) in &targets.senses {
            making.sense(path, sense);
        }
        making.senses
    }

    /// Looks at one row; `values` are by target.
    pub(super) fn row(&self, values: &[Option<ReadValue<'_>>], found: &mut dyn FnMut(TargetFinding)) {
        self.codes.iter().filter_map(|look| look.at(values)).for_each(&mut *found);
        self.clock_changes.iter().filter_map(|look| look.at(values)).for_each(&mut *found);
        self.past.iter().filter_map(|look| look.at(values)).for_each(&mut *found);
        self.shifts.iter().filter_map(|look| look.at(values)).for_each(&mut *found);
        self.below.iter().filter_map(|look| look.at(values)).for_each(&mut *found);
        self.locks.iter().filter_map(|look| look.at(values)).for_each(&mut *found);
        self.reserved.iter().filter_map(|look| look.at(values)).for_each(&mut *found);
    }

    /// The codes that a field is known to take and that are like the text, nearest first.
    pub(super) fn nearest(&self, targets: &Targets, path: &str, text: &str) -> Vec<String> {
        let target = targets.index(path);
        let codes = self.codes.iter().find(|codes| Some(codes.target()) == target);
        codes.map(|codes| codes.nearest(text)).unwrap_or_default()
    }

    fn needs_a_site(&self) -> bool {
        let looks = [self.codes.len(), self.shifts.len(), self.below.len(), self.locks.len(), self.unchecked.len()];
        self.names_keys || looks.iter().any(|&looks| looks > 0)
    }

    pub(super) fn view(&self, against: &ReferenceContext) -> SenseView {
        let reference = &against.reference;
        // Where no list is needed, what is used is the site's own settings.
        let settings = reference.site().filter(|_| self.unchecked.is_empty()).map(|_| reference.now());
        let at = reference.oldest().or(settings);
        SenseView {
            site: reference.site().map(str::to_owned),
            at: at.map(shown),
            needed: self.needs_a_site(),
            unchecked: self.unchecked.clone(),
            problem: against.problem.clone(),
        }
    }
}

/// Senses as they are put together.
struct ReferenceChecksBuilder<'a> {
    targets: &'a Targets,
    layout: &'a Layout,
    against: &'a ReferenceContext,
    senses: ReferenceChecks,
}

impl<'a> ReferenceChecksBuilder<'a> {
    fn code(&mut self, target: usize, field: &'a Target) {
        let Some(refers_to) = &field.refers_to else { return };
        let Some(list) = refers_to.list.as_ref().or(refers_to.single.as_ref()) else {
            return self.leave(&field.path, UncheckedReason::NotListed, None);
        };
        if let Some((listed, age)) = self.list(&field.path, list) {
            let codes = Codes::new((target, refers_to), self.targets, (listed, age), self.against);
            self.senses.codes.extend(codes);
        }
    }

    fn clock_changes(&mut self) {
        let filled =
            |(target, field): &(usize, &Target)| field.kind == FieldKind::DateTime && self.layout.fills(*target);
        let dates: Vec<(usize, &Target)> = self.targets.fields.iter().enumerate().filter(filled).collect();
        if dates.is_empty() {
            return;
        }
        let changes = Arc::new(ClockChanges::new(self.against.zone(self.targets)));
        if !changes.is_empty() {
            let checks = dates
                .into_iter()
                .filter_map(|(target, field)| ClockChangeCheck::new(target, field, self.layout, &changes));
            self.senses.clock_changes.extend(checks);
        }
    }

    fn sense(&mut self, path: &str, sense: &Sense) {
        let filled = |path: &str| self.targets.index(path).filter(|&target| self.layout.fills(target));
        match sense {
            Sense::NotPast { .. } => {
                self.senses.past.extend(filled(path).map(|target| PastDateCheck::new(target, &self.against.reference)));
            }
            Sense::NotBelow { row, .. } => {
                let Some(target) = filled(path) else { return };
                if let Some((listed, _)) = self.list(path, &row.list) {
                    self.senses.below.extend(MinimumCheck::new(target, sense, self.targets, &listed));
                }
            }
            Sense::InShifts { station, .. } => {
                let (Some(target), Some(station)) = (filled(path), filled(station)) else { return };
                let named = self.targets.fields.get(station).and_then(|field| field.refers_to.as_ref());
                let Some(list) = named.and_then(|refers_to| refers_to.list.as_ref()) else { return };
                if let Some((listed, _)) = self.list(path, list) {
                    let shifts = Shifts::new((target, station), sense, self.targets, &listed, &self.against.reference);
                    self.senses.shifts.extend(shifts);
                }
            }
            Sense::NotLocked { row, key, value, .. } => {
                let keys = site_row::keys(self.targets, self.layout, (key, Some(value)));
                if keys.is_empty() {
                    return;
                }
                if let Some((listed, _)) = self.list(key, &row.list) {
                    let locks = keys.into_iter().filter_map(|key| Lock::new(key, sense, self.targets, &listed));
                    self.senses.locks.extend(locks);
                }
            }
            Sense::NotReserved { assumption, .. } => {
                let keys = site_row::keys(self.targets, self.layout, (path, None));
                self.senses.names_keys |= !keys.is_empty();
                let prefix = self.against.reference.reserved(assumption);
                if !prefix.is_empty() {
                    self.senses.reserved.extend(keys.into_iter().map(|key| ReservedKeyCheck::new(key, prefix)));
                }
            }
        }
    }

    /// What was read of a list; where that tells nothing, says so of the field.
    fn list(&mut self, path: &str, list: &str) -> Option<(Arc<ReferenceList>, Freshness)> {
        let reference = Arc::clone(&self.against.reference);
        let Some(listed) = reference.list(list) else {
            self.leave(path, UncheckedReason::NotLoaded, None);
            return None;
        };
        let age = reference.age(listed);
        let reason = match (age, &listed.extent) {
            (Freshness::Stale, _) => UncheckedReason::Stale,
            (_, Extent::TooLong(_)) => UncheckedReason::TooLong,
            _ => return Some((Arc::clone(listed), age)),
        };
        self.leave(path, reason, Some(listed));
        None
    }

    /// Once per field.
    fn leave(&mut self, path: &str, reason: UncheckedReason, listed: Option<&Arc<ReferenceList>>) {
        if self.senses.unchecked.iter().any(|unchecked| unchecked.field == path) {
            return;
        }
        let rows = listed.and_then(|listed| match listed.extent {
            Extent::TooLong(rows) => Some(rows),
            _ => None,
        });
        let at = listed.map(|listed| shown(listed.at));
        self.senses.unchecked.push(UncheckedField { field: path.to_owned(), reason, at, rows });
    }
}

/// To the second.
fn shown(at: Timestamp) -> String {
    Timestamp::from_second(at.as_second()).unwrap_or(at).to_string()
}
