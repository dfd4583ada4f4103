//! Where an answer holds lists of objects, and the rows of one of them.

use serde_json::{Map, Value};

use super::GraphqlList;

const MAX_LISTS: usize = 50;

/// The lists of objects in an answer in the order in which it has them, those with rows first.
pub(super) fn lists(data: &Value) -> Vec<GraphqlList> {
    let mut found = Vec::new();
    search(data, "", &mut found);
    let mut lists: Vec<GraphqlList> = found
        .into_iter()
        .take(MAX_LISTS)
        .map(|path| {
            let rows = count(data, &path.split('.').collect::<Vec<_>>());
            GraphqlList { path, rows: u32::try_from(rows).unwrap_or(u32::MAX) }
        })
        .collect();
    lists.sort_by_key(|list| list.rows == 0);
    lists
}

/// The rows of a list; nothing where the answer has none of that path.
pub(super) fn list(data: &Value, path: &str) -> Option<Vec<Value>> {
    let mut known = Vec::new();
    search(data, "", &mut known);
    known.iter().any(|known| known == path).then(|| rows_at(data, path))
}

/// Paths of lists of objects, those within rows of others included.
fn search(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                search(member, &path, found);
            }
        }
        Value::Array(parts) if parts.iter().all(|part| part.is_object() || part.is_null()) => {
            if !found.iter().any(|known| known == path) {
                found.push(path.to_owned());
            }
            parts.iter().filter(|part| part.is_object()).for_each(|part| search(part, path, found));
        }
        _ => {}
    }
}

fn count(value: &Value, ahead: &[&str]) -> usize {
    match (value, ahead) {
        (Value::Array(parts), []) => parts.iter().filter(|part| part.is_object()).count(),
        (Value::Array(parts), _) => parts.iter().map(|part| count(part, ahead)).sum(),
        (Value::Object(members), [next, further @ ..]) => members.get(*next).map_or(0, |member| count(member, further)),
        _ => 0,
    }
}

/// The rows of a list. Of a list on the way each row says which of its rows it belongs to: that one's plain members come first.
fn rows_at(data: &Value, path: &str) -> Vec<Value> {
    let mut rows = Vec::new();
    let segments: Vec<&str> = path.split('.').collect();
    walk(data, &segments, &mut Vec::new(), &Map::new(), &mut rows);
    rows
}

fn walk(value: &Value, ahead: &[&str], behind: &mut Vec<String>, above: &Map<String, Value>, rows: &mut Vec<Value>) {
    match (value, ahead) {
        (Value::Array(parts), []) => {
            for part in parts.iter().filter_map(Value::as_object) {
                let members = above.iter().chain(part).map(|(name, value)| (name.clone(), value.clone()));
                rows.push(Value::Object(members.collect()));
            }
        }
        (Value::Array(parts), _) => {
            for part in parts.iter().filter(|part| part.is_object()) {
                let mut above = above.clone();
                for (name, held) in part.as_object().into_iter().flatten().filter(|(_, held)| is_plain(held)) {
                    above.insert(format!("{}.{name}", behind.join(".")), held.clone());
                }
                walk(part, ahead, behind, &above, rows);
            }
        }
        (Value::Object(members), [next, further @ ..]) => {
            if let Some(member) = members.get(*next) {
                behind.push((*next).to_owned());
                walk(member, further, behind, above, rows);
                behind.pop();
            }
        }
        _ => {}
    }
}

pub(super) fn is_plain(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}
