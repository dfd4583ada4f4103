//! Checks charts against the document's operations. A chart with a missing field would draw nothing.

use std::collections::HashSet;

use super::members::unusable;
use crate::{
    ContractError, FieldKind, Operation, OperationKind, Shape,
    picture::{Grouping, Moves, OneTimeHours, Picture, PictureKind, Weekly},
};

const PICTURE: &str = "x-takt-picture";

const WORDS: &[FieldKind] = &[FieldKind::Text, FieldKind::Integer, FieldKind::Boolean];
const NUMBERS: &[FieldKind] = &[FieldKind::Integer, FieldKind::Number];
const TIMES: &[FieldKind] = &[FieldKind::TimeSpan, FieldKind::Duration];
const DATES: &[FieldKind] = &[FieldKind::DateTime];
const LISTS: &[FieldKind] = &[FieldKind::List];

/// Checks that each chart belongs to a read, and that each role has a field of a suitable kind.
pub(super) fn check(operations: &[Operation]) -> Result<(), ContractError> {
    for operation in operations {
        let mut ids = HashSet::new();
        for picture in &operation.pictures {
            let wrong = |reason| unusable(&format!("{}, {}", operation.id, picture.id), PICTURE, reason);
            if !ids.insert(&picture.id) {
                return Err(wrong("it stands twice".to_owned()));
            }
            let rows = operation.answer.as_ref().filter(|_| operation.kind == OperationKind::Read);
            let rows = rows.ok_or_else(|| wrong("only what a read answers can be drawn".to_owned()))?;
            check_picture(operations, rows, picture).map_err(wrong)?;
        }
    }
    Ok(())
}

/// Checks that every role of the chart has a suitable field in the rows.
pub(super) fn check_picture(operations: &[Operation], rows: &Shape, picture: &Picture) -> Result<(), String> {
    Roles { operations, rows }.check(picture)
}

struct Roles<'a> {
    operations: &'a [Operation],
    rows: &'a Shape,
}

impl Roles<'_> {
    fn check(&self, picture: &Picture) -> Result<(), String> {
        match &picture.draw {
            PictureKind::Plan { lane, label, planned, real, status, calendar, moves, .. } => {
                self.check_lanes(lane, label)?;
                let spans = std::iter::once(planned).chain(real);
                self.check_fields(spans.flat_map(|span| [&span.begin, &span.end]), DATES)?;
                self.check_fields(status, WORDS)?;
                calendar.as_ref().map_or(Ok(()), |list| self.check_calendar(list))?;
                moves.as_ref().map_or(Ok(()), |moves| self.check_moves(moves))
            }
            PictureKind::Alerts { lane, label, opened, acknowledged, closed } => {
                self.check_lanes(lane, label)?;
                self.check_fields([opened, acknowledged, closed], DATES)
            }
            PictureKind::Counted { by } => self.check_groups(by),
            PictureKind::Spent { by, time } => {
                self.check_groups(by)?;
                self.check_field(time, TIMES)
            }
            PictureKind::Produced { by, requested, good, bad } => {
                self.check_groups(by)?;
                self.check_fields([requested, good, bad], NUMBERS)
            }
            PictureKind::Consumed { by, list, planned, consumed, unit } => {
                self.check_groups(by)?;
                self.check_fields(list, LISTS)?;
                self.check_fields(std::iter::once(consumed).chain(planned), NUMBERS)?;
                self.check_fields(unit, WORDS)
            }
            PictureKind::Predicted { by, predicted, spent } => {
                self.check_groups(by)?;
                self.check_fields(predicted.iter().chain(spent), TIMES)?;
                if predicted.is_empty() { Err("nothing is predicted".to_owned()) } else { Ok(()) }
            }
            PictureKind::Calendar { lane, label, shifts, stoppages } => {
                self.check_lanes(lane, label)?;
                self.check_weekly(shifts)?;
                stoppages.as_ref().map_or(Ok(()), |stoppages| self.check_once(stoppages))
            }
        }
    }

    fn check_lanes(&self, lane: &str, label: &[String]) -> Result<(), String> {
        self.check_field(lane, WORDS)?;
        self.check_fields(label, WORDS)
    }

    fn check_groups(&self, by: &[Grouping]) -> Result<(), String> {
        if by.is_empty() || by.iter().any(|group| group.fields.is_empty()) {
            return Err("it says nothing to group by".to_owned());
        }
        self.check_fields(by.iter().flat_map(|group| group.fields.iter().chain(&group.stack)), WORDS)
    }

    fn check_weekly(&self, shifts: &Weekly) -> Result<(), String> {
        self.check_field(&shifts.list, LISTS)?;
        self.check_field(&format!("{}.{}", shifts.list, shifts.weekday), NUMBERS)?;
        for part in [&shifts.begin, &shifts.end] {
            self.check_field(&format!("{}.{part}", shifts.list), WORDS)?;
        }
        let (above, _) = shifts.list.rsplit_once('.').unwrap_or((&shifts.list, ""));
        self.check_field(&format!("{above}.{}", shifts.name), WORDS)
    }

    fn check_once(&self, once: &OneTimeHours) -> Result<(), String> {
        self.check_field(&once.list, LISTS)?;
        let within = |part: &String| format!("{}.{part}", once.list);
        self.check_fields([&within(&once.begin), &within(&once.end)], DATES)?;
        self.check_field(&within(&once.name), WORDS)?;
        once.status.as_ref().map_or(Ok(()), |status| self.check_field(&within(status), WORDS))
    }

    fn check_calendar(&self, list: &str) -> Result<(), String> {
        let listed = self.operations.iter().filter(|operation| operation.id == list);
        let mut pictures = listed.flat_map(|operation| &operation.pictures);
        if pictures.any(Picture::is_calendar) { Ok(()) } else { Err(format!("`{list}` has no calendar")) }
    }

    fn check_moves(&self, moves: &Moves) -> Result<(), String> {
        let mut syncs = self.operations.iter().filter(|operation| operation.kind == OperationKind::Sync);
        let sync = syncs.find(|operation| operation.id == moves.operation).and_then(|sync| sync.request.as_ref());
        let sync = sync.ok_or_else(|| format!("there is no such synchronization as `{}`", moves.operation))?;
        check_kind(sync, &moves.begin, DATES)?;
        check_kind(sync, &moves.end, DATES)?;
        moves.lane.as_ref().map_or(Ok(()), |lane| check_kind(sync, lane, WORDS))
    }

    fn check_fields<'p>(&self, paths: impl IntoIterator<Item = &'p String>, kinds: &[FieldKind]) -> Result<(), String> {
        paths.into_iter().try_for_each(|path| self.check_field(path, kinds))
    }

    fn check_field(&self, path: &str, kinds: &[FieldKind]) -> Result<(), String> {
        check_kind(self.rows, path, kinds)
    }
}

fn check_kind(shape: &Shape, path: &str, kinds: &[FieldKind]) -> Result<(), String> {
    let found = shape.flat().into_iter().find(|(known, _)| known == path);
    let (_, field) = found.ok_or_else(|| format!("`{path}` is no field of `{}`", shape.schema))?;
    if kinds.contains(&field.kind) {
        Ok(())
    } else {
        Err(format!("`{path}` is of the kind {:?}, which can't be drawn so", field.kind))
    }
}
