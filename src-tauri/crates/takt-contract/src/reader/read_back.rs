//! Checks read-backs against the document's operations. A read-back with a missing key would find nothing.

use super::members::unusable;
use crate::{ContractError, Field, Operation, OperationKind, Shape, read_back::ReadBack};

const READ_BACK: &str = "x-takt-read-back";

/// Checks that read-backs name an existing read, its parameters and fields, and fields of the request.
pub(super) fn check(operations: &[Operation]) -> Result<(), ContractError> {
    for operation in operations {
        let (Some(read_back), Some(shape)) = (&operation.read_back, &operation.request) else { continue };
        check_one(operations, read_back, shape).map_err(|reason| unusable(&operation.id, READ_BACK, reason))?;
    }
    Ok(())
}

pub(super) fn check_one(operations: &[Operation], read_back: &ReadBack, shape: &Shape) -> Result<(), String> {
    let mut reads = operations.iter().filter(|operation| operation.kind == OperationKind::Read);
    let read = reads.find(|operation| operation.id == read_back.list);
    let read = read.ok_or_else(|| format!("there is no such read as `{}`", read_back.list))?;
    let rows = read.answer.as_ref().map(|answer| answer.fields.as_slice()).unwrap_or_default();
    for pair in &read_back.key {
        find(rows, &pair.theirs)?;
        find(&shape.fields, &pair.own)?;
    }
    for own in &read_back.every {
        if !read_back.key.iter().any(|pair| pair.own == *own) {
            return Err(format!("`{own}` is no part of the key"));
        }
    }
    if let Some(entry) = &read_back.entry {
        let parts = &find(rows, &entry.list)?.fields;
        for pair in &entry.key {
            find(parts, &pair.theirs)?;
            find(&shape.fields, &pair.own)?;
        }
    }
    for asks in &read_back.asks {
        find(&shape.fields, &asks.own)?;
        if !read.parameters.iter().any(|parameter| parameter.name == asks.parameter) {
            return Err(format!("`{}` has no parameter `{}`", read.id, asks.parameter));
        }
    }
    for list in &read_back.lists {
        find(&find(&shape.fields, &list.list)?.fields, &list.key)?;
    }
    if read_back.key.is_empty() { Err("it has no key".to_owned()) } else { Ok(()) }
}

fn find<'a>(fields: &'a [Field], name: &str) -> Result<&'a Field, String> {
    fields.iter().find(|field| field.name == name).ok_or_else(|| format!("there is no field `{name}`"))
}
