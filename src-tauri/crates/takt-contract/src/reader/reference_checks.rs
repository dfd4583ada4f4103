//! Checks references and plausibility rules against the document's operations. A rule for a missing field would check
//! nothing.

use super::members::unusable;
use crate::{
    ContractError, Field, FieldKind, FieldPair, ListRow, Operation, OperationKind, ReferenceCheck, RefersTo, Shape,
};

const REFERS_TO: &str = "x-takt-refers-to";
const SENSE: &str = "x-takt-sense";
const NARROWS: &str = "x-takt-narrows";

/// Checks that the references and rules of requests name existing operations and fields.
pub(super) fn check(operations: &[Operation]) -> Result<(), ContractError> {
    for operation in operations {
        check_narrows(operation)?;
        let Some(shape) = &operation.request else { continue };
        let known = RuleContext { operations, shape };
        for (path, field) in shape.flat() {
            let at = format!("{}.{path}", shape.schema);
            if let Some(refers_to) = &field.refers_to {
                known.check_reference(refers_to).map_err(|reason| unusable(&at, REFERS_TO, reason))?;
            }
            for check in &field.reference_checks {
                known.check_rule(check, field).map_err(|reason| unusable(&at, SENSE, reason))?;
            }
        }
    }
    Ok(())
}

/// Checks that parameters filter by existing fields of the rows.
fn check_narrows(operation: &Operation) -> Result<(), ContractError> {
    let rows = operation.answer.iter().flat_map(|shape| &shape.fields);
    let narrowed = operation.parameters.iter().filter_map(|parameter| parameter.narrows.as_ref());
    for field in narrowed {
        if !rows.clone().any(|known| known.name == *field) {
            return Err(unusable(&operation.id, NARROWS, format!("its rows have no `{field}`")));
        }
    }
    Ok(())
}

/// Checks that a field's reference names existing operations and fields.
pub(super) fn check_reference(operations: &[Operation], shape: &Shape, refers_to: &RefersTo) -> Result<(), String> {
    RuleContext { operations, shape }.check_reference(refers_to)
}

/// Checks that a field's rule names existing operations and fields.
pub(super) fn check_rule(
    operations: &[Operation],
    shape: &Shape,
    check: &ReferenceCheck,
    field: &Field,
) -> Result<(), String> {
    RuleContext { operations, shape }.check_rule(check, field)
}

struct RuleContext<'a> {
    operations: &'a [Operation],
    shape: &'a Shape,
}

impl RuleContext<'_> {
    fn check_reference(&self, refers_to: &RefersTo) -> Result<(), String> {
        if let Some(list) = &refers_to.list {
            self.check_listed(list, &refers_to.field)?;
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
                fields.iter().try_for_each(|name| self.check_listed(&row.list, name))
            }
            ReferenceCheck::InShifts { station, intervals, weekday, begin, end, .. } => {
                check_date_time(field)?;
                let listed = self.own_field(station)?.refers_to.as_ref().and_then(|refers_to| refers_to.list.as_ref());
                let list = listed.ok_or_else(|| format!("`{station}` names nothing that is listed"))?;
                let parts = [weekday, begin, end];
                parts.into_iter().try_for_each(|name| self.check_listed(list, &format!("{intervals}.{name}")))
            }
            ReferenceCheck::NotLocked { row, key, value, lock, properties, .. } => {
                self.check_row(row)?;
                for path in [key, value].into_iter().chain(lock) {
                    self.own_field(path)?;
                }
                let parts = [&properties.key, &properties.value, &properties.lock];
                parts
                    .into_iter()
                    .try_for_each(|name| self.check_listed(&row.list, &format!("{}.{name}", properties.list)))
            }
            ReferenceCheck::NotReserved { .. } => Ok(()),
        }
    }

    fn check_row(&self, row: &ListRow) -> Result<(), String> {
        self.check_pairs(&row.list, &row.key)
    }

    fn check_pairs(&self, list: &str, pairs: &[FieldPair]) -> Result<(), String> {
        pairs.iter().try_for_each(|pair| {
            self.check_listed(list, &pair.theirs)?;
            self.own_field(&pair.own).map(|_| ())
        })
    }

    fn check_listed(&self, list: &str, path: &str) -> Result<(), String> {
        let operation = self.operation(list, OperationKind::Read)?;
        let found = operation.answer.as_ref().is_some_and(|shape| shape.flat().iter().any(|(known, _)| known == path));
        if found { Ok(()) } else { Err(format!("`{list}` answers no `{path}`")) }
    }

    fn own_field(&self, path: &str) -> Result<&Field, String> {
        let found = self.shape.flat().into_iter().find(|(known, _)| known == path);
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
