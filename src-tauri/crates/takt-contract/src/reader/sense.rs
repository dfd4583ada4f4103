//! What fields refer to, held against the document's operations: a check of a field that isn't there would silently check
//! nothing.

use super::unusable;
use crate::{ContractError, Field, FieldKind, FieldPair, ListRow, Operation, OperationKind, RefersTo, Sense, Shape};

const REFERS_TO: &str = "x-takt-refers-to";
const SENSE: &str = "x-takt-sense";
const NARROWS: &str = "x-takt-narrows";

/// Every reference and every sense of what is sent names operations and fields that there are.
pub(super) fn check(operations: &[Operation]) -> Result<(), ContractError> {
    for operation in operations {
        narrows(operation)?;
        let Some(shape) = &operation.request else { continue };
        let known = RuleContext { operations, shape };
        for (path, field) in shape.flat() {
            let at = format!("{}.{path}", shape.schema);
            if let Some(refers_to) = &field.refers_to {
                known.reference(refers_to).map_err(|reason| unusable(&at, REFERS_TO, reason))?;
            }
            for sense in &field.sense {
                known.sense(sense, field).map_err(|reason| unusable(&at, SENSE, reason))?;
            }
        }
    }
    Ok(())
}

/// A parameter is held against a field that the rows have.
fn narrows(operation: &Operation) -> Result<(), ContractError> {
    let rows = operation.answer.iter().flat_map(|shape| &shape.fields);
    let named = operation.parameters.iter().filter_map(|parameter| parameter.narrows.as_ref());
    for field in named {
        if !rows.clone().any(|known| known.name == *field) {
            return Err(unusable(&operation.id, NARROWS, format!("its rows have no `{field}`")));
        }
    }
    Ok(())
}

/// Whether a field's reference names what there is.
pub(super) fn reference_fits(operations: &[Operation], shape: &Shape, refers_to: &RefersTo) -> Result<(), String> {
    RuleContext { operations, shape }.reference(refers_to)
}

/// Whether what makes sense of a field's value names what there is.
pub(super) fn sense_fits(operations: &[Operation], shape: &Shape, sense: &Sense, field: &Field) -> Result<(), String> {
    RuleContext { operations, shape }.sense(sense, field)
}

struct RuleContext<'a> {
    operations: &'a [Operation],
    shape: &'a Shape,
}

impl RuleContext<'_> {
    fn reference(&self, refers_to: &RefersTo) -> Result<(), String> {
        if let Some(list) = &refers_to.list {
            self.listed(list, &refers_to.field)?;
            self.ties(list, &refers_to.within)?;
        }
        if let Some(single) = &refers_to.single {
            let operation = self.operation(single, OperationKind::Read)?;
            if !operation.parameters.iter().any(|parameter| parameter.name == refers_to.field) {
                return Err(format!("`{single}` has no parameter `{}`", refers_to.field));
            }
        }
        refers_to.sync.as_ref().map_or(Ok(()), |sync| self.operation(sync, OperationKind::Sync).map(|_| ()))
    }

    fn sense(&self, sense: &Sense, field: &Field) -> Result<(), String> {
        match sense {
            Sense::NotPast { .. } => dated(field),
            Sense::NotBelow { row, fields, .. } => {
                self.row(row)?;
                fields.iter().try_for_each(|name| self.listed(&row.list, name))
            }
            Sense::InShifts { station, intervals, weekday, begin, end, .. } => {
                dated(field)?;
                let named = self.own(station)?.refers_to.as_ref().and_then(|refers_to| refers_to.list.as_ref());
                let list = named.ok_or_else(|| format!("`{station}` names nothing that is listed"))?;
                let parts = [weekday, begin, end];
                parts.into_iter().try_for_each(|name| self.listed(list, &format!("{intervals}.{name}")))
            }
            Sense::NotLocked { row, key, value, lock, properties, .. } => {
                self.row(row)?;
                for path in [key, value].into_iter().chain(lock) {
                    self.own(path)?;
                }
                let parts = [&properties.key, &properties.value, &properties.lock];
                parts.into_iter().try_for_each(|name| self.listed(&row.list, &format!("{}.{name}", properties.list)))
            }
            Sense::NotReserved { .. } => Ok(()),
        }
    }

    fn row(&self, row: &ListRow) -> Result<(), String> {
        self.ties(&row.list, &row.key)
    }

    fn ties(&self, list: &str, ties: &[FieldPair]) -> Result<(), String> {
        ties.iter().try_for_each(|tie| {
            self.listed(list, &tie.theirs)?;
            self.own(&tie.own).map(|_| ())
        })
    }

    fn listed(&self, list: &str, path: &str) -> Result<(), String> {
        let operation = self.operation(list, OperationKind::Read)?;
        let found = operation.answer.as_ref().is_some_and(|shape| shape.flat().iter().any(|(known, _)| known == path));
        if found { Ok(()) } else { Err(format!("`{list}` answers no `{path}`")) }
    }

    fn own(&self, path: &str) -> Result<&Field, String> {
        let found = self.shape.flat().into_iter().find(|(known, _)| known == path);
        found.map(|(_, field)| field).ok_or_else(|| format!("`{path}` is no field of this schema"))
    }

    fn operation(&self, id: &str, kind: OperationKind) -> Result<&Operation, String> {
        let found = self.operations.iter().find(|operation| operation.id == id && operation.kind == kind);
        found.ok_or_else(|| format!("there is no such operation as `{id}`"))
    }
}

fn dated(field: &Field) -> Result<(), String> {
    if field.kind == FieldKind::DateTime { Ok(()) } else { Err(format!("`{}` is no date-time", field.name)) }
}
