//! Checks totals against the document's operations. A total of a missing field would always be empty.

use super::members::unusable;
use crate::{ContractError, FieldKind, Operation, Shape, Total};

const TOTAL: &str = "x-takt-total";

/// Checks that totals add up a number of the request and group by its fields.
pub(super) fn check(operations: &[Operation]) -> Result<(), ContractError> {
    for operation in operations {
        let (Some(total), Some(shape)) = (&operation.total, &operation.request) else { continue };
        check_one(total, shape).map_err(|reason| unusable(&operation.id, TOTAL, reason))?;
    }
    Ok(())
}

pub(super) fn check_one(total: &Total, shape: &Shape) -> Result<(), String> {
    let find = |name: &String| shape.fields.iter().find(|field| field.name == *name);
    let missing = |name: &String| format!("there is no field `{name}`");
    let of = find(&total.of).ok_or_else(|| missing(&total.of))?;
    if !matches!(of.kind, FieldKind::Integer | FieldKind::Number) {
        return Err(format!("`{}` is no number", total.of));
    }
    match total.by.iter().find(|name| find(name).is_none()) {
        Some(name) => Err(missing(name)),
        None => Ok(()),
    }
}
