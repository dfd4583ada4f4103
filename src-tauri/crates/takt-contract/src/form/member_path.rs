//! Reads and sets parts of a body at dotted paths.

use serde_json::Value;

/// Sets a part of a body at a dotted path. An empty path is the body itself. Values on the path that aren't objects are
/// replaced.
pub fn put_at_path(body: &mut Value, path: &str, part: Value) {
    if path.is_empty() {
        *body = part;
        return;
    }
    let mut node = body;
    for name in path.split('.') {
        if !node.is_object() {
            *node = Value::Object(serde_json::Map::new());
        }
        node = &mut node[name];
    }
    *node = part;
}

/// Returns the part of a body at a dotted path. An empty path is the body itself.
#[must_use]
pub fn at_path<'a>(body: &'a Value, path: &str) -> Option<&'a Value> {
    if path.is_empty() {
        return Some(body);
    }
    path.split('.').try_fold(body, |value, name| value.get(name))
}
