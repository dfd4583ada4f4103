//! Pictures, held against the document's operations: a field that isn't there would silently draw nothing.

use std::collections::HashSet;

use super::unusable;
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

/// Every picture belongs to a read, and each of its roles has a field of a kind that can play it.
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
            fits(operations, rows, picture).map_err(wrong)?;
        }
    }
    Ok(())
}

/// Whether every role of the picture has its field in the rows.
pub(super) fn fits(operations: &[Operation], rows: &Shape, picture: &Picture) -> Result<(), String> {
    Roles { operations, rows }.fit(picture)
}

struct Roles<'a> {
    operations: &'a [Operation],
    rows: &'a Shape,
}

impl Roles<'_> {
    fn fit(&self, picture: &Picture) -> Result<(), String> {
        match &picture.draw {
            PictureKind::Plan { lane, label, planned, real, status, calendar, moves, .. } => {
                self.lanes(lane, label)?;
                let spans = std::iter::once(planned).chain(real);
                self.all(spans.flat_map(|span| [&span.begin, &span.end]), DATES)?;
                self.all(status, WORDS)?;
                calendar.as_ref().map_or(Ok(()), |list| self.calendar(list))?;
                moves.as_ref().map_or(Ok(()), |moves| self.moves(moves))
            }
            PictureKind::Alerts { lane, label, opened, acknowledged, closed } => {
                self.lanes(lane, label)?;
                self.all([opened, acknowledged, closed], DATES)
            }
            PictureKind::Counted { by } => self.groups(by),
            PictureKind::Spent { by, time } => {
                self.groups(by)?;
                self.one(time, TIMES)
            }
            PictureKind::Produced { by, requested, good, bad } => {
                self.groups(by)?;
                self.all([requested, good, bad], NUMBERS)
            }
            PictureKind::Consumed { by, list, planned, consumed, unit } => {
                self.groups(by)?;
                self.all(list, LISTS)?;
                self.all(std::iter::once(consumed).chain(planned), NUMBERS)?;
                self.all(unit, WORDS)
            }
            PictureKind::Predicted { by, predicted, spent } => {
                self.groups(by)?;
                self.all(predicted.iter().chain(spent), TIMES)?;
                if predicted.is_empty() { Err("nothing is predicted".to_owned()) } else { Ok(()) }
            }
            PictureKind::Calendar { lane, label, shifts, stoppages } => {
                self.lanes(lane, label)?;
                self.weekly(shifts)?;
                stoppages.as_ref().map_or(Ok(()), |stoppages| self.once(stoppages))
            }
        }
    }

    fn lanes(&self, lane: &str, label: &[String]) -> Result<(), String> {
        self.one(lane, WORDS)?;
        self.all(label, WORDS)
    }

    fn groups(&self, by: &[Grouping]) -> Result<(), String> {
        if by.is_empty() || by.iter().any(|group| group.fields.is_empty()) {
            return Err("it says nothing to group by".to_owned());
        }
        self.all(by.iter().flat_map(|group| group.fields.iter().chain(&group.stack)), WORDS)
    }

    fn weekly(&self, shifts: &Weekly) -> Result<(), String> {
        self.one(&shifts.list, LISTS)?;
        self.one(&format!("{}.{}", shifts.list, shifts.weekday), NUMBERS)?;
        for part in [&shifts.begin, &shifts.end] {
            self.one(&format!("{}.{part}", shifts.list), WORDS)?;
        }
        let (above, _) = shifts.list.rsplit_once('.').unwrap_or((&shifts.list, ""));
        self.one(&format!("{above}.{}", shifts.name), WORDS)
    }

    fn once(&self, once: &OneTimeHours) -> Result<(), String> {
        self.one(&once.list, LISTS)?;
        let within = |part: &String| format!("{}.{part}", once.list);
        self.all([&within(&once.begin), &within(&once.end)], DATES)?;
        self.one(&within(&once.name), WORDS)?;
        once.status.as_ref().map_or(Ok(()), |status| self.one(&within(status), WORDS))
    }

    fn calendar(&self, list: &str) -> Result<(), String> {
        let listed = self.operations.iter().filter(|operation| operation.id == list);
        let mut pictures = listed.flat_map(|operation| &operation.pictures);
        if pictures.any(Picture::is_calendar) { Ok(()) } else { Err(format!("`{list}` has no calendar")) }
    }

    fn moves(&self, moves: &Moves) -> Result<(), String> {
        let mut syncs = self.operations.iter().filter(|operation| operation.kind == OperationKind::Sync);
        let sync = syncs.find(|operation| operation.id == moves.operation).and_then(|sync| sync.request.as_ref());
        let sync = sync.ok_or_else(|| format!("there is no such synchronization as `{}`", moves.operation))?;
        kind(sync, &moves.begin, DATES)?;
        kind(sync, &moves.end, DATES)?;
        moves.lane.as_ref().map_or(Ok(()), |lane| kind(sync, lane, WORDS))
    }

    fn all<'p>(&self, paths: impl IntoIterator<Item = &'p String>, kinds: &[FieldKind]) -> Result<(), String> {
        paths.into_iter().try_for_each(|path| self.one(path, kinds))
    }

    fn one(&self, path: &str, kinds: &[FieldKind]) -> Result<(), String> {
        kind(self.rows, path, kinds)
    }
}

fn kind(shape: &Shape, path: &str, kinds: &[FieldKind]) -> Result<(), String> {
    let found = shape.flat().into_iter().find(|(known, _)| known == path);
    let (_, field) = found.ok_or_else(|| format!("`{path}` is no field of `{}`", shape.schema))?;
    if kinds.contains(&field.kind) {
        Ok(())
    } else {
        Err(format!("`{path}` is of the kind {:?}, which can't be drawn so", field.kind))
    }
}
