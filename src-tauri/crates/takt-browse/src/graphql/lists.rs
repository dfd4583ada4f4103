//! Finds the lists of objects in a response, and their rows.

use serde_json::{Map, Value};

use super::view::GraphqlList;

const MAX_LISTS: usize = 50;

/// Returns the lists of objects in a response, in its order. Lists with rows come first.
pub(super) fn lists(data: &Value) -> Vec<GraphqlList> {
    let mut paths = Vec::new();
    search(data, "", &mut paths);
    let mut lists: Vec<GraphqlList> = paths
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

/// Returns the rows of a list, or `None` if the response has no list at that path.
pub(super) fn list(data: &Value, path: &str) -> Option<Vec<Value>> {
    let mut paths = Vec::new();
    search(data, "", &mut paths);
    paths.iter().any(|known| known == path).then(|| rows_at(data, path))
}

/// Collects the paths of lists of objects, including lists inside rows.
fn search(value: &Value, path: &str, paths: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                search(member, &path, paths);
            }
        }
        Value::Array(parts) if parts.iter().all(|part| part.is_object() || part.is_null()) => {
            if !paths.iter().any(|known| known == path) {
                paths.push(path.to_owned());
            }
            parts.iter().filter(|part| part.is_object()).for_each(|part| search(part, path, paths));
        }
        _ => {}
    }
}

fn count(value: &Value, segments: &[&str]) -> usize {
    match (value, segments) {
        (Value::Array(parts), []) => parts.iter().filter(|part| part.is_object()).count(),
        (Value::Array(parts), _) => parts.iter().map(|part| count(part, segments)).sum(),
        (Value::Object(members), [next, further @ ..]) => members.get(*next).map_or(0, |member| count(member, further)),
        _ => 0,
    }
}

/// Returns the rows of a list. If other lists enclose it, each row starts with the plain members of the enclosing rows.
fn rows_at(data: &Value, path: &str) -> Vec<Value> {
    let mut rows = Vec::new();
    let segments: Vec<&str> = path.split('.').collect();
    walk(data, &segments, &mut Vec::new(), &Map::new(), &mut rows);
    rows
}

fn walk(
    value: &Value,
    segments: &[&str],
    parents: &mut Vec<String>,
    inherited: &Map<String, Value>,
    rows: &mut Vec<Value>,
) {
    match (value, segments) {
        (Value::Array(parts), []) => {
            for part in parts.iter().filter_map(Value::as_object) {
                let members = inherited.iter().chain(part).map(|(name, value)| (name.clone(), value.clone()));
                rows.push(Value::Object(members.collect()));
            }
        }
        (Value::Array(parts), _) => {
            for part in parts.iter().filter(|part| part.is_object()) {
                let mut inherited = inherited.clone();
                for (name, value) in part.as_object().into_iter().flatten().filter(|(_, value)| is_plain(value)) {
                    inherited.insert(format!("{}.{name}", parents.join(".")), value.clone());
                }
                walk(part, segments, parents, &inherited, rows);
            }
        }
        (Value::Object(members), [next, further @ ..]) => {
            if let Some(member) = members.get(*next) {
                parents.push((*next).to_owned());
                walk(member, further, parents, inherited, rows);
                parents.pop();
            }
        }
        _ => {}
    }
}

pub(super) fn is_plain(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}
