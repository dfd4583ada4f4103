//! Following `$ref`s inside one document, bounded against cycles.

use std::borrow::Cow;

use serde_json::Value;

use super::{Members, members, unusable};
use crate::ContractError;

/// No honest document chains more references than this.
const MAX_CHAIN_LENGTH: usize = 32;

/// A node with its references followed.
#[derive(Debug)]
pub(super) struct Resolved<'d> {
    /// The target's members; members beside the `$ref` win over them.
    pub(super) members: Cow<'d, Members>,
    /// The component's name, where a reference led to it.
    pub(super) name: Option<String>,
    /// True where null is allowed, by `type` or by an `anyOf`/`oneOf` branch.
    pub(super) nullable: bool,
}

impl Resolved<'_> {
    pub(super) fn into_owned(self) -> Resolved<'static> {
        Resolved { members: Cow::Owned(self.members.into_owned()), name: self.name, nullable: self.nullable }
    }
}

/// Follows references, and the one branch of an `anyOf`/`oneOf` that isn't null. Members are copied only where others stand
/// beside them: a document is read at each start.
pub(super) fn resolve<'d>(document: &'d Value, node: &'d Value, at: &str) -> Result<Resolved<'d>, ContractError> {
    let mut current = Cow::Borrowed(members(node, at)?);
    let mut name = None;
    let mut nullable = false;
    for _ in 0..MAX_CHAIN_LENGTH {
        if let Some(reference) = current.get("$ref") {
            let reference = reference.as_str().unwrap_or_default();
            name = reference.rsplit('/').next().map(str::to_owned);
            let target = members(lookup(document, reference)?, at)?;
            current = beneath(Cow::Borrowed(target), current, &["$ref"]);
        } else if let Some(branch) = sole_branch(&current) {
            let target = members(branch, at)?.clone();
            current = beneath(Cow::Owned(target), current, &["anyOf", "oneOf"]);
            nullable = true;
        } else {
            nullable |= allows_null(&current);
            return Ok(Resolved { members: current, name, nullable });
        }
    }
    Err(unusable(at, "$ref", format!("more than {MAX_CHAIN_LENGTH} references in a chain, or a cycle")))
}

/// The target's members with those that stand beside what led to it, and win.
fn beneath<'d>(target: Cow<'d, Members>, beside: Cow<'_, Members>, led: &[&str]) -> Cow<'d, Members> {
    if beside.keys().all(|name| led.contains(&name.as_str())) {
        return target;
    }
    let mut merged = target.into_owned();
    merged.extend(beside.into_owned().into_iter().filter(|(name, _)| !led.contains(&name.as_str())));
    Cow::Owned(merged)
}

fn lookup<'d>(document: &'d Value, reference: &str) -> Result<&'d Value, ContractError> {
    reference
        .strip_prefix('#')
        .and_then(|pointer| document.pointer(pointer))
        .ok_or_else(|| ContractError::DanglingReference(reference.to_owned()))
}

/// The branch that isn't null, where exactly one other is null.
fn sole_branch(node: &Members) -> Option<&Value> {
    let branches = node.get("anyOf").or_else(|| node.get("oneOf"))?.as_array()?;
    let is_null = |branch: &Value| branch.get("type").and_then(Value::as_str) == Some("null");
    match branches.as_slice() {
        [first, second] if is_null(second) && !is_null(first) => Some(first),
        [first, second] if is_null(first) && !is_null(second) => Some(second),
        _ => None,
    }
}

fn allows_null(node: &Members) -> bool {
    let types = node.get("type").and_then(Value::as_array);
    types.is_some_and(|types| types.iter().any(|name| name == "null"))
}
