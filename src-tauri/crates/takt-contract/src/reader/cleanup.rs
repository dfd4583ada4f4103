//! Checks cleanups against the document's operations. A cleanup with a missing field would find nothing.

use super::members::unusable;
use crate::{Cleanup, ContractError, Field, Operation, OperationKind, TemplateUser};

const CLEANUP: &str = "x-takt-cleanup";

/// Checks that cleanups name existing operations, parameters and fields.
pub(super) fn check(operations: &[Operation]) -> Result<(), ContractError> {
    for operation in operations {
        let Some(cleanup) = &operation.cleanup else { continue };
        check_one(operations, operation, cleanup).map_err(|reason| unusable(&operation.id, CLEANUP, reason))?;
    }
    Ok(())
}

pub(super) fn check_one(operations: &[Operation], read: &Operation, cleanup: &Cleanup) -> Result<(), String> {
    if !read.parameters.iter().any(|parameter| parameter.name == cleanup.template) {
        return Err(format!("`{}` has no parameter `{}`", read.id, cleanup.template));
    }
    let Cleanup { code, description, labor, machine, quality, .. } = cleanup;
    check_fields(rows(read), [code, description, labor, machine, quality])?;
    let every = find(operations, &cleanup.every.list, OperationKind::Read)?;
    check_fields(rows(every), [&cleanup.every.code, &cleanup.every.description])?;
    let delete = find(operations, &cleanup.delete.operation, OperationKind::Delete)?;
    let sent = delete.request.as_ref().map(|shape| shape.fields.as_slice()).unwrap_or_default();
    check_fields(sent, [&cleanup.delete.template, &cleanup.delete.process, &cleanup.delete.by_person])?;
    cleanup.users.iter().try_for_each(|user| check_user(operations, user))
}

pub(super) fn check_user(operations: &[Operation], user: &TemplateUser) -> Result<(), String> {
    let list = find(operations, &user.list, OperationKind::Read)?;
    check_fields(rows(list), [&user.template, &user.status, &user.planned, &user.begun, &user.ended])
}

fn rows(operation: &Operation) -> &[Field] {
    operation.answer.as_ref().map(|shape| shape.fields.as_slice()).unwrap_or_default()
}

fn find<'a>(operations: &'a [Operation], id: &str, kind: OperationKind) -> Result<&'a Operation, String> {
    let found = operations.iter().find(|operation| operation.id == id && operation.kind == kind);
    found.ok_or_else(|| format!("there is no such operation as `{id}`"))
}

fn check_fields<'a>(fields: &[Field], names: impl IntoIterator<Item = &'a String>) -> Result<(), String> {
    let missing = names.into_iter().find(|name| !fields.iter().any(|field| field.name == **name));
    missing.map_or(Ok(()), |name| Err(format!("there is no field `{name}`")))
}
