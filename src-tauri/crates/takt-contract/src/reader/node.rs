//! Accesses the nodes of the document, with their place for errors, and follows `$ref`s within it. A limit stops
//! cycles.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::ContractError;

pub(super) const JSON_BODY: &str = "application/json";
/// The maximum number of references in a chain.
const MAX_CHAIN_LENGTH: usize = 32;

pub(super) type Members = Map<String, Value>;

pub(super) fn as_members<'a>(value: &'a Value, at: &str) -> Result<&'a Members, ContractError> {
    value.as_object().ok_or_else(|| unusable_error(at, "value", "it is not an object".to_owned()))
}

pub(super) fn member<'a>(node: &'a Members, name: &str, at: &str) -> Result<&'a Value, ContractError> {
    node.get(name).ok_or_else(|| missing_error(at, name))
}

pub(super) fn text_member<'a>(node: &'a Members, name: &str, at: &str) -> Result<&'a str, ContractError> {
    member(node, name, at)?.as_str().ok_or_else(|| unusable_error(at, name, "it is not text".to_owned()))
}

pub(super) fn parsed_member<T: DeserializeOwned>(node: &Members, name: &str, at: &str) -> Result<T, ContractError> {
    optional_member(node, name, at)?.ok_or_else(|| missing_error(at, name))
}

pub(super) fn optional_member<T: DeserializeOwned>(
    node: &Members,
    name: &str,
    at: &str,
) -> Result<Option<T>, ContractError> {
    let Some(value) = node.get(name) else { return Ok(None) };
    T::deserialize(value).map(Some).map_err(|cause| unusable_error(at, name, cause.to_string()))
}

pub(super) fn missing_error(at: &str, member: &str) -> ContractError {
    ContractError::Missing { at: at.to_owned(), member: member.to_owned() }
}

pub(super) fn unusable_error(at: &str, member: &str, reason: String) -> ContractError {
    ContractError::Unusable { at: at.to_owned(), member: member.to_owned(), reason }
}

/// A node after following its references.
#[derive(Debug)]
pub(super) struct Resolved<'d> {
    /// The members of the target. Members next to the `$ref` take precedence.
    pub(super) members: Cow<'d, Members>,
    /// The name of the component, if a reference pointed to one.
    pub(super) name: Option<String>,
    /// Whether null is allowed, by `type` or by an `anyOf`/`oneOf` branch.
    pub(super) nullable: bool,
}

impl Resolved<'_> {
    pub(super) fn into_owned(self) -> Resolved<'static> {
        Resolved { members: Cow::Owned(self.members.into_owned()), name: self.name, nullable: self.nullable }
    }
}

/// Follows references, and the only branch of an `anyOf`/`oneOf` that isn't null. Members are copied only if they must
/// be merged, which keeps startup fast.
pub(super) fn resolve<'d>(document: &'d Value, node: &'d Value, at: &str) -> Result<Resolved<'d>, ContractError> {
    let mut current = Cow::Borrowed(as_members(node, at)?);
    let mut name = None;
    let mut nullable = false;
    for _ in 0..MAX_CHAIN_LENGTH {
        if let Some(reference) = current.get("$ref") {
            let reference = reference.as_str().unwrap_or_default();
            name = reference.rsplit('/').next().map(str::to_owned);
            let target = as_members(find_target(document, reference)?, at)?;
            current = merge_members(Cow::Borrowed(target), current, &["$ref"]);
        } else if let Some(branch) = sole_branch(&current) {
            let target = as_members(branch, at)?.clone();
            current = merge_members(Cow::Owned(target), current, &["anyOf", "oneOf"]);
            nullable = true;
        } else {
            nullable |= allows_null(&current);
            return Ok(Resolved { members: current, name, nullable });
        }
    }
    Err(unusable_error(at, "$ref", format!("more than {MAX_CHAIN_LENGTH} references in a chain, or a cycle")))
}

/// Merges the members of the target with members next to the reference, which take precedence.
fn merge_members<'d>(
    target: Cow<'d, Members>,
    siblings: Cow<'_, Members>,
    reference_names: &[&str],
) -> Cow<'d, Members> {
    if siblings.keys().all(|name| reference_names.contains(&name.as_str())) {
        return target;
    }
    let mut merged = target.into_owned();
    merged.extend(siblings.into_owned().into_iter().filter(|(name, _)| !reference_names.contains(&name.as_str())));
    Cow::Owned(merged)
}

fn find_target<'d>(document: &'d Value, reference: &str) -> Result<&'d Value, ContractError> {
    reference
        .strip_prefix('#')
        .and_then(|pointer| document.pointer(pointer))
        .ok_or_else(|| ContractError::DanglingReference(reference.to_owned()))
}

/// Returns the other branch if one of two is null.
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
