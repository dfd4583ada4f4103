//! Enumerations: their values, and the names that generators write for numeric values.

use serde_json::Value;

use crate::reference::{Members, plain};

/// Members with names in the order of `enum`: NSwag, openapi-generator, AutoRest.
const NAME_LISTS: [&str; 3] = ["x-enumNames", "x-enum-varnames", "x-enum-names"];

/// One value of an enumeration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code<'a> {
    /// The name that the generator wrote for the value.
    pub name: Option<String>,
    pub value: &'a Value,
}

/// Returns the values of `enum` or `const`, without null.
pub(super) fn codes(members: &Members, most: usize) -> Vec<Code<'_>> {
    let single = members.get("const").map(std::slice::from_ref);
    let listed = members.get("enum").and_then(Value::as_array).map(Vec::as_slice);
    let values = listed.or(single).unwrap_or_default();
    let names = names(members, values);
    let codes = values.iter().enumerate().take(most).filter(|(_, value)| !value.is_null());
    codes.map(|(index, value)| Code { name: names.get(index).cloned().flatten(), value }).collect()
}

/// Returns the name of each value, in the order of the values.
fn names(members: &Members, values: &[Value]) -> Vec<Option<String>> {
    for list in NAME_LISTS {
        let names = members.get(list).and_then(Value::as_array);
        if let Some(names) = names.filter(|names| names.len() == values.len()) {
            return names.iter().map(|name| name.as_str().map(str::to_owned)).collect();
        }
    }
    match members.get("x-ms-enum").and_then(|named| named.get("values")).and_then(Value::as_array) {
        Some(named) => values.iter().map(|value| microsoft_name(named, value)).collect(),
        None => Vec::new(),
    }
}

/// Returns the name of a value in `x-ms-enum`.
fn microsoft_name(named: &[Value], value: &Value) -> Option<String> {
    let same = |entry: &&Value| entry.get("value").is_some_and(|other| plain(other) == plain(value));
    named.iter().take(1_000).find(same)?.get("name")?.as_str().map(str::to_owned)
}
