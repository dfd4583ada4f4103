//! Reads members of the document's objects, with their place in errors.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::ContractError;

pub(super) const JSON_BODY: &str = "application/json";

pub(super) type Members = Map<String, Value>;

pub(super) fn members<'a>(value: &'a Value, at: &str) -> Result<&'a Members, ContractError> {
    value.as_object().ok_or_else(|| unusable(at, "value", "it is not an object".to_owned()))
}

pub(super) fn member<'a>(node: &'a Members, name: &str, at: &str) -> Result<&'a Value, ContractError> {
    node.get(name).ok_or_else(|| missing(at, name))
}

pub(super) fn text<'a>(node: &'a Members, name: &str, at: &str) -> Result<&'a str, ContractError> {
    member(node, name, at)?.as_str().ok_or_else(|| unusable(at, name, "it is not text".to_owned()))
}

pub(super) fn parsed<T: DeserializeOwned>(node: &Members, name: &str, at: &str) -> Result<T, ContractError> {
    optional(node, name, at)?.ok_or_else(|| missing(at, name))
}

pub(super) fn optional<T: DeserializeOwned>(node: &Members, name: &str, at: &str) -> Result<Option<T>, ContractError> {
    let Some(value) = node.get(name) else { return Ok(None) };
    T::deserialize(value).map(Some).map_err(|cause| unusable(at, name, cause.to_string()))
}

pub(super) fn missing(at: &str, member: &str) -> ContractError {
    ContractError::Missing { at: at.to_owned(), member: member.to_owned() }
}

pub(super) fn unusable(at: &str, member: &str, reason: String) -> ContractError {
    ContractError::Unusable { at: at.to_owned(), member: member.to_owned(), reason }
}
