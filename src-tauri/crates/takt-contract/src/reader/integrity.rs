//! Checks that the `x-takt-*` members of operations name existing operations, parameters and fields of suitable kinds.
//! They are references, plausibility rules, read-backs, charts, cleanups and totals.

use std::collections::HashSet;

use super::node::unusable_error;
use crate::{
    Cleanup, ContractError, Field, FieldKind, FieldPair, ListRow, Operation, OperationKind, ReferenceCheck, RefersTo,
    RowSchema, TemplateUser, Total,
    picture::{BarMove, Grouping, OneTimeHours, Picture, PictureKind, WeeklyHours},
    read_back::ReadBack,
};

const REFERS_TO: &str = "x-takt-refers-to";
const SENSE: &str = "x-takt-sense";
const NARROWS: &str = "x-takt-narrows";
const READ_BACK: &str = "x-takt-read-back";
const PICTURE: &str = "x-takt-picture";
const TEXT_KINDS: &[FieldKind] = &[FieldKind::Text, FieldKind::Integer, FieldKind::Boolean];
const NUMBER_KINDS: &[FieldKind] = &[FieldKind::Integer, FieldKind::Number];
const DURATION_KINDS: &[FieldKind] = &[FieldKind::TimeSpan, FieldKind::Duration];
const DATE_KINDS: &[FieldKind] = &[FieldKind::DateTime];
const LIST_KINDS: &[FieldKind] = &[FieldKind::List];
const CLEANUP: &str = "x-takt-cleanup";
const TOTAL: &str = "x-takt-total";

/// Checks all references to operations and fields, since a reference to a missing one would have no effect.
pub(super) fn check_operations(operations: &[Operation]) -> Result<(), ContractError> {
    check_references(operations)?;
    check_read_backs(operations)?;
    check_pictures(operations)?;
    check_cleanups(operations)?;
    check_totals(operations)
}

/// Checks that references and plausibility rules name existing operations and fields.
fn check_references(operations: &[Operation]) -> Result<(), ContractError> {
    for operation in operations {
        check_narrows(operation)?;
        let Some(shape) = &operation.request else { continue };
        let known = RuleContext { operations, shape };
        for (path, field) in shape.fields_with_paths() {
            let at = format!("{}.{path}", shape.schema);
            if let Some(refers_to) = &field.refers_to {
                known.check_reference(refers_to).map_err(|reason| unusable_error(&at, REFERS_TO, reason))?;
            }
            for check in &field.reference_checks {
                known.check_rule(check, field).map_err(|reason| unusable_error(&at, SENSE, reason))?;
            }
        }
    }
    Ok(())
}

/// Checks that each parameter filters by an existing field of the rows.
fn check_narrows(operation: &Operation) -> Result<(), ContractError> {
    let rows = operation.answer.iter().flat_map(|shape| &shape.fields);
    let narrowed = operation.parameters.iter().filter_map(|parameter| parameter.narrows.as_ref());
    for field in narrowed {
        if !rows.clone().any(|known| known.name == *field) {
            return Err(unusable_error(&operation.id, NARROWS, format!("its rows have no `{field}`")));
        }
    }
    Ok(())
}

/// Checks that a reference of a field names existing operations and fields.
pub(super) fn check_reference(operations: &[Operation], shape: &RowSchema, refers_to: &RefersTo) -> Result<(), String> {
    RuleContext { operations, shape }.check_reference(refers_to)
}

/// Checks that a plausibility rule of a field names existing operations and fields.
pub(super) fn check_rule(
    operations: &[Operation],
    shape: &RowSchema,
    check: &ReferenceCheck,
    field: &Field,
) -> Result<(), String> {
    RuleContext { operations, shape }.check_rule(check, field)
}

struct RuleContext<'a> {
    operations: &'a [Operation],
    shape: &'a RowSchema,
}

impl RuleContext<'_> {
    fn check_reference(&self, refers_to: &RefersTo) -> Result<(), String> {
        if let Some(list) = &refers_to.list {
            self.check_list_field(list, &refers_to.field)?;
            self.check_pairs(list, &refers_to.within)?;
        }
        if let Some(single) = &refers_to.single {
            let operation = self.operation(single, OperationKind::Read)?;
            if !operation.parameters.iter().any(|parameter| parameter.name == refers_to.field) {
                return Err(format!("`{single}` has no parameter `{}`", refers_to.field));
            }
        }
        refers_to.sync.as_ref().map_or(Ok(()), |sync| self.operation(sync, OperationKind::Sync).map(|_| ()))
    }

    fn check_rule(&self, check: &ReferenceCheck, field: &Field) -> Result<(), String> {
        match check {
            ReferenceCheck::NotPast { .. } => check_date_time(field),
            ReferenceCheck::NotBelow { row, fields, .. } => {
                self.check_row(row)?;
                fields.iter().try_for_each(|name| self.check_list_field(&row.list, name))
            }
            ReferenceCheck::InShifts { station, intervals, weekday, begin, end, .. } => {
                check_date_time(field)?;
                let listed = self.own_field(station)?.refers_to.as_ref().and_then(|refers_to| refers_to.list.as_ref());
                let list = listed.ok_or_else(|| format!("`{station}` names nothing that is listed"))?;
                let parts = [weekday, begin, end];
                parts.into_iter().try_for_each(|name| self.check_list_field(list, &format!("{intervals}.{name}")))
            }
            ReferenceCheck::NotLocked { row, key, value, lock, properties, .. } => {
                self.check_row(row)?;
                for path in [key, value].into_iter().chain(lock) {
                    self.own_field(path)?;
                }
                let parts = [&properties.key, &properties.value, &properties.lock];
                parts
                    .into_iter()
                    .try_for_each(|name| self.check_list_field(&row.list, &format!("{}.{name}", properties.list)))
            }
            ReferenceCheck::NotReserved { .. } => Ok(()),
        }
    }

    fn check_row(&self, row: &ListRow) -> Result<(), String> {
        self.check_pairs(&row.list, &row.key)
    }

    fn check_pairs(&self, list: &str, pairs: &[FieldPair]) -> Result<(), String> {
        pairs.iter().try_for_each(|pair| {
            self.check_list_field(list, &pair.theirs)?;
            self.own_field(&pair.own).map(|_| ())
        })
    }

    fn check_list_field(&self, list: &str, path: &str) -> Result<(), String> {
        let operation = self.operation(list, OperationKind::Read)?;
        let found = operation
            .answer
            .as_ref()
            .is_some_and(|shape| shape.fields_with_paths().iter().any(|(known, _)| known == path));
        if found { Ok(()) } else { Err(format!("`{list}` answers no `{path}`")) }
    }

    fn own_field(&self, path: &str) -> Result<&Field, String> {
        let found = self.shape.fields_with_paths().into_iter().find(|(known, _)| known == path);
        found.map(|(_, field)| field).ok_or_else(|| format!("`{path}` is no field of this schema"))
    }

    fn operation(&self, id: &str, kind: OperationKind) -> Result<&Operation, String> {
        let found = self.operations.iter().find(|operation| operation.id == id && operation.kind == kind);
        found.ok_or_else(|| format!("there is no such operation as `{id}`"))
    }
}

fn check_date_time(field: &Field) -> Result<(), String> {
    if field.kind == FieldKind::DateTime { Ok(()) } else { Err(format!("`{}` is no date-time", field.name)) }
}

/// Checks that each read-back names an existing read, its parameters and fields, and fields of the request.
fn check_read_backs(operations: &[Operation]) -> Result<(), ContractError> {
    for operation in operations {
        let (Some(read_back), Some(shape)) = (&operation.read_back, &operation.request) else { continue };
        check_read_back(operations, read_back, shape)
            .map_err(|reason| unusable_error(&operation.id, READ_BACK, reason))?;
    }
    Ok(())
}

pub(super) fn check_read_back(operations: &[Operation], read_back: &ReadBack, shape: &RowSchema) -> Result<(), String> {
    let mut reads = operations.iter().filter(|operation| operation.kind == OperationKind::Read);
    let read = reads.find(|operation| operation.id == read_back.list);
    let read = read.ok_or_else(|| format!("there is no such read as `{}`", read_back.list))?;
    let rows = read.answer.as_ref().map(|answer| answer.fields.as_slice()).unwrap_or_default();
    for pair in &read_back.key {
        find_field(rows, &pair.theirs)?;
        find_field(&shape.fields, &pair.own)?;
    }
    for own in &read_back.every {
        if !read_back.key.iter().any(|pair| pair.own == *own) {
            return Err(format!("`{own}` is no part of the key"));
        }
    }
    if let Some(entry) = &read_back.entry {
        let parts = &find_field(rows, &entry.list)?.fields;
        for pair in &entry.key {
            find_field(parts, &pair.theirs)?;
            find_field(&shape.fields, &pair.own)?;
        }
    }
    for asks in &read_back.asks {
        find_field(&shape.fields, &asks.own)?;
        if !read.parameters.iter().any(|parameter| parameter.name == asks.parameter) {
            return Err(format!("`{}` has no parameter `{}`", read.id, asks.parameter));
        }
    }
    for list in &read_back.lists {
        find_field(&find_field(&shape.fields, &list.list)?.fields, &list.key)?;
    }
    if read_back.key.is_empty() { Err("it has no key".to_owned()) } else { Ok(()) }
}

fn find_field<'a>(fields: &'a [Field], name: &str) -> Result<&'a Field, String> {
    fields.iter().find(|field| field.name == name).ok_or_else(|| format!("there is no field `{name}`"))
}

/// Checks that each chart belongs to a read and has a field of a suitable kind for each role.
fn check_pictures(operations: &[Operation]) -> Result<(), ContractError> {
    for operation in operations {
        let mut ids = HashSet::new();
        for picture in &operation.pictures {
            let wrong = |reason| unusable_error(&format!("{}, {}", operation.id, picture.id), PICTURE, reason);
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

/// Checks that a chart has a field of a suitable kind for each role.
pub(super) fn check_picture(operations: &[Operation], rows: &RowSchema, picture: &Picture) -> Result<(), String> {
    PictureContext { operations, rows }.check(picture)
}

struct PictureContext<'a> {
    operations: &'a [Operation],
    rows: &'a RowSchema,
}

impl PictureContext<'_> {
    fn check(&self, picture: &Picture) -> Result<(), String> {
        match &picture.draw {
            PictureKind::Plan { lane, label, planned, real, status, calendar, moves, .. } => {
                self.check_lanes(lane, label)?;
                let spans = std::iter::once(planned).chain(real);
                self.check_fields(spans.flat_map(|span| [&span.begin, &span.end]), DATE_KINDS)?;
                self.check_fields(status, TEXT_KINDS)?;
                calendar.as_ref().map_or(Ok(()), |list| self.check_calendar(list))?;
                moves.as_ref().map_or(Ok(()), |moves| self.check_moves(moves))
            }
            PictureKind::Alerts { lane, label, opened, acknowledged, closed } => {
                self.check_lanes(lane, label)?;
                self.check_fields([opened, acknowledged, closed], DATE_KINDS)
            }
            PictureKind::Counted { by } => self.check_groups(by),
            PictureKind::Spent { by, time } => {
                self.check_groups(by)?;
                self.check_field(time, DURATION_KINDS)
            }
            PictureKind::Produced { by, requested, good, bad } => {
                self.check_groups(by)?;
                self.check_fields([requested, good, bad], NUMBER_KINDS)
            }
            PictureKind::Consumed { by, list, planned, consumed, unit } => {
                self.check_groups(by)?;
                self.check_fields(list, LIST_KINDS)?;
                self.check_fields(std::iter::once(consumed).chain(planned), NUMBER_KINDS)?;
                self.check_fields(unit, TEXT_KINDS)
            }
            PictureKind::Predicted { by, predicted, spent } => {
                self.check_groups(by)?;
                self.check_fields(predicted.iter().chain(spent), DURATION_KINDS)?;
                if predicted.is_empty() { Err("nothing is predicted".to_owned()) } else { Ok(()) }
            }
            PictureKind::Calendar { lane, label, shifts, stoppages } => {
                self.check_lanes(lane, label)?;
                self.check_weekly(shifts)?;
                stoppages.as_ref().map_or(Ok(()), |stoppages| self.check_one_time_hours(stoppages))
            }
        }
    }

    fn check_lanes(&self, lane: &str, label: &[String]) -> Result<(), String> {
        self.check_field(lane, TEXT_KINDS)?;
        self.check_fields(label, TEXT_KINDS)
    }

    fn check_groups(&self, by: &[Grouping]) -> Result<(), String> {
        if by.is_empty() || by.iter().any(|group| group.fields.is_empty()) {
            return Err("it says nothing to group by".to_owned());
        }
        self.check_fields(by.iter().flat_map(|group| group.fields.iter().chain(&group.stack)), TEXT_KINDS)
    }

    fn check_weekly(&self, shifts: &WeeklyHours) -> Result<(), String> {
        self.check_field(&shifts.list, LIST_KINDS)?;
        self.check_field(&format!("{}.{}", shifts.list, shifts.weekday), NUMBER_KINDS)?;
        for part in [&shifts.begin, &shifts.end] {
            self.check_field(&format!("{}.{part}", shifts.list), TEXT_KINDS)?;
        }
        let (above, _) = shifts.list.rsplit_once('.').unwrap_or((&shifts.list, ""));
        self.check_field(&format!("{above}.{}", shifts.name), TEXT_KINDS)
    }

    fn check_one_time_hours(&self, hours: &OneTimeHours) -> Result<(), String> {
        self.check_field(&hours.list, LIST_KINDS)?;
        let within = |part: &String| format!("{}.{part}", hours.list);
        self.check_fields([&within(&hours.begin), &within(&hours.end)], DATE_KINDS)?;
        self.check_field(&within(&hours.name), TEXT_KINDS)?;
        hours.status.as_ref().map_or(Ok(()), |status| self.check_field(&within(status), TEXT_KINDS))
    }

    fn check_calendar(&self, list: &str) -> Result<(), String> {
        let listed = self.operations.iter().filter(|operation| operation.id == list);
        let mut pictures = listed.flat_map(|operation| &operation.pictures);
        if pictures.any(Picture::is_calendar) { Ok(()) } else { Err(format!("`{list}` has no calendar")) }
    }

    fn check_moves(&self, moves: &BarMove) -> Result<(), String> {
        let mut syncs = self.operations.iter().filter(|operation| operation.kind == OperationKind::Sync);
        let sync = syncs.find(|operation| operation.id == moves.operation).and_then(|sync| sync.request.as_ref());
        let sync = sync.ok_or_else(|| format!("there is no such synchronization as `{}`", moves.operation))?;
        check_kind(sync, &moves.begin, DATE_KINDS)?;
        check_kind(sync, &moves.end, DATE_KINDS)?;
        moves.lane.as_ref().map_or(Ok(()), |lane| check_kind(sync, lane, TEXT_KINDS))
    }

    fn check_fields<'p>(&self, paths: impl IntoIterator<Item = &'p String>, kinds: &[FieldKind]) -> Result<(), String> {
        paths.into_iter().try_for_each(|path| self.check_field(path, kinds))
    }

    fn check_field(&self, path: &str, kinds: &[FieldKind]) -> Result<(), String> {
        check_kind(self.rows, path, kinds)
    }
}

fn check_kind(shape: &RowSchema, path: &str, kinds: &[FieldKind]) -> Result<(), String> {
    let found = shape.fields_with_paths().into_iter().find(|(known, _)| known == path);
    let (_, field) = found.ok_or_else(|| format!("`{path}` is no field of `{}`", shape.schema))?;
    if kinds.contains(&field.kind) {
        Ok(())
    } else {
        Err(format!("`{path}` is of the kind {:?}, which can't be drawn so", field.kind))
    }
}

/// Checks that cleanups name existing operations, parameters and fields.
fn check_cleanups(operations: &[Operation]) -> Result<(), ContractError> {
    for operation in operations {
        let Some(cleanup) = &operation.cleanup else { continue };
        check_cleanup(operations, operation, cleanup)
            .map_err(|reason| unusable_error(&operation.id, CLEANUP, reason))?;
    }
    Ok(())
}

pub(super) fn check_cleanup(operations: &[Operation], read: &Operation, cleanup: &Cleanup) -> Result<(), String> {
    if !read.parameters.iter().any(|parameter| parameter.name == cleanup.template) {
        return Err(format!("`{}` has no parameter `{}`", read.id, cleanup.template));
    }
    let Cleanup { code, description, labor, machine, quality, .. } = cleanup;
    check_field_names(row_fields(read), [code, description, labor, machine, quality])?;
    let every = find_operation(operations, &cleanup.every.list, OperationKind::Read)?;
    check_field_names(row_fields(every), [&cleanup.every.code, &cleanup.every.description])?;
    let delete = find_operation(operations, &cleanup.delete.operation, OperationKind::Delete)?;
    let sent = delete.request.as_ref().map(|shape| shape.fields.as_slice()).unwrap_or_default();
    check_field_names(sent, [&cleanup.delete.template, &cleanup.delete.process, &cleanup.delete.by_person])?;
    cleanup.users.iter().try_for_each(|user| check_template_user(operations, user))
}

pub(super) fn check_template_user(operations: &[Operation], user: &TemplateUser) -> Result<(), String> {
    let list = find_operation(operations, &user.list, OperationKind::Read)?;
    check_field_names(row_fields(list), [&user.template, &user.status, &user.planned, &user.begun, &user.ended])
}

fn row_fields(operation: &Operation) -> &[Field] {
    operation.answer.as_ref().map(|shape| shape.fields.as_slice()).unwrap_or_default()
}

fn find_operation<'a>(operations: &'a [Operation], id: &str, kind: OperationKind) -> Result<&'a Operation, String> {
    let found = operations.iter().find(|operation| operation.id == id && operation.kind == kind);
    found.ok_or_else(|| format!("there is no such operation as `{id}`"))
}

fn check_field_names<'a>(fields: &[Field], names: impl IntoIterator<Item = &'a String>) -> Result<(), String> {
    let missing = names.into_iter().find(|name| !fields.iter().any(|field| field.name == **name));
    missing.map_or(Ok(()), |name| Err(format!("there is no field `{name}`")))
}

/// Checks that each total adds up a numeric field of the request and groups by fields of the request.
fn check_totals(operations: &[Operation]) -> Result<(), ContractError> {
    for operation in operations {
        let (Some(total), Some(shape)) = (&operation.total, &operation.request) else { continue };
        check_total(total, shape).map_err(|reason| unusable_error(&operation.id, TOTAL, reason))?;
    }
    Ok(())
}

pub(super) fn check_total(total: &Total, shape: &RowSchema) -> Result<(), String> {
    let find = |name: &String| shape.fields.iter().find(|field| field.name == *name);
    let missing = |name: &String| format!("there is no field `{name}`");
    let summed = find(&total.of).ok_or_else(|| missing(&total.of))?;
    if !matches!(summed.kind, FieldKind::Integer | FieldKind::Number) {
        return Err(format!("`{}` is no number", total.of));
    }
    match total.by.iter().find(|name| find(name).is_none()) {
        Some(name) => Err(missing(name)),
        None => Ok(()),
    }
}
