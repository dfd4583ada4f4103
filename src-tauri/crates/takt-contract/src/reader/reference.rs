//! Following `$ref`s inside one document, bounded against cycles.

use serde_json::Value;

use super::{Members, members, unusable};
use crate::ContractError;

/// No honest document chains more references than this.
const LONGEST_CHAIN: usize = 32;

/// A node with its references followed.
#[derive(Debug)]
pub(super) struct Resolved {
    /// The target's members; members beside the `$ref` win over them.
    pub(super) members: Members,
    /// The component's name, where a reference led to it.
    pub(super) name: Option<String>,
    /// True where null is allowed, by `type` or by an `anyOf`/`oneOf` branch.
    pub(super) nullable: bool,
}

/// Follows references, and the one branch of an `anyOf`/`oneOf` that isn't null.
pub(super) fn resolve(document: &Value, node: &Value, at: &str) -> Result<Resolved, ContractError> {
    let mut current = members(node, at)?.clone();
    let mut name = None;
    let mut nullable = false;
    for _ in 0..LONGEST_CHAIN {
        let (target, is_null) = match (current.remove("$ref"), sole_branch(&current)) {
            (Some(reference), _) => {
                let reference = reference.as_str().unwrap_or_default().to_owned();
                name = reference.rsplit('/').next().map(str::to_owned);
                (lookup(document, &reference)?, false)
            }
            (None, Some(branch)) => {
                current.shift_remove("anyOf");
                current.shift_remove("oneOf");
                (branch, true)
            }
            (None, None) => {
                nullable |= allows_null(&current);
                return Ok(Resolved { members: current, name, nullable });
            }
        };
        nullable |= is_null;
        let mut merged = members(&target, at)?.clone();
        merged.extend(current);
        current = merged;
    }
    Err(unusable(at, "$ref", format!("more than {LONGEST_CHAIN} references in a chain, or a cycle")))
}

fn lookup(document: &Value, reference: &str) -> Result<Value, ContractError> {
    reference
        .strip_prefix('#')
        .and_then(|pointer| document.pointer(pointer))
        .cloned()
        .ok_or_else(|| ContractError::DanglingReference(reference.to_owned()))
}

/// The branch that isn't null, where exactly one other is null.
fn sole_branch(node: &Members) -> Option<Value> {
    let branches = node.get("anyOf").or_else(|| node.get("oneOf"))?.as_array()?;
    let is_null = |branch: &&Value| branch.get("type").and_then(Value::as_str) == Some("null");
    match branches.as_slice() {
        [first, second] if is_null(&second) && !is_null(&first) => Some(first.clone()),
        [first, second] if is_null(&first) && !is_null(&second) => Some(second.clone()),
        _ => None,
    }
}

fn allows_null(node: &Members) -> bool {
    let types = node.get("type").and_then(Value::as_array);
    types.is_some_and(|types| types.iter().any(|name| name == "null"))
}
