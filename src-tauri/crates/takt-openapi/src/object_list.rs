//! Lists of objects in bodies: finds the member with the rows of a response or the items of a request.

use crate::{
    Document,
    member_names::{names, position_in},
    schema::{Member, Schema, SchemaKind},
};

/// The maximum level of nested objects that are searched.
const MAX_LEVEL: usize = 3;
/// The maximum number of members that are searched per level.
const MAX_WIDTH: usize = 60;

/// A list of objects in a body.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ObjectList<'a> {
    /// The dotted path. Empty if the body is the list.
    pub(crate) path: String,
    /// The schema of its objects.
    pub(crate) item: Schema<'a>,
    /// Whether the list has the mark `x-takt-list`, or is the body itself.
    is_marked: bool,
}

/// Returns the list with the highest rank in a body.
pub(crate) fn find_main_list<'a>(document: &'a Document, body: &Schema<'a>) -> Option<ObjectList<'a>> {
    let mut best: Option<(i64, ObjectList<'a>)> = None;
    for list in find_lists(document, body) {
        let rank = list_rank(&list);
        if best.as_ref().is_none_or(|(other, _)| rank > *other) {
            best = Some((rank, list));
        }
    }
    best.map(|(_, list)| list)
}

/// Returns every list of objects in a body, outer ones first.
pub(crate) fn find_lists<'a>(document: &'a Document, body: &Schema<'a>) -> Vec<ObjectList<'a>> {
    if let Some(item) = list_items(document, body) {
        return vec![ObjectList { path: String::new(), item, is_marked: true }];
    }
    let mut lists = Vec::new();
    let mut level: Vec<(String, Schema<'a>)> = vec![(String::new(), body.clone())];
    for _ in 0..MAX_LEVEL {
        let mut next = Vec::new();
        for (prefix, schema) in level {
            for member in schema.members.iter().take(MAX_WIDTH) {
                let path = member_path(&prefix, member);
                let inner = document.resolve(&member.node);
                match list_items(document, &inner) {
                    Some(item) => lists.push(ObjectList { path, item, is_marked: inner.mark("x-takt-list").is_some() }),
                    None if inner.is_object() && next.len() < MAX_WIDTH => next.push((path, inner)),
                    None => {}
                }
            }
        }
        level = next;
    }
    lists
}

fn member_path(prefix: &str, member: &Member<'_>) -> String {
    if prefix.is_empty() { member.name.to_owned() } else { format!("{prefix}.{}", member.name) }
}

/// Returns the schema of a list's items if they are objects.
fn list_items<'a>(document: &'a Document, schema: &Schema<'a>) -> Option<Schema<'a>> {
    if schema.kind != Some(SchemaKind::List) {
        return None;
    }
    let item = document.resolve(schema.items.as_ref()?);
    (item.is_object() || item.external).then_some(item)
}

/// Rates how likely a list has the rows or items, by its name, its depth and its item's members.
fn list_rank(list: &ObjectList<'_>) -> i64 {
    let steps = i64::try_from(list.path.split('.').count()).unwrap_or(i64::MAX);
    let last = list.path.rsplit('.').next().unwrap_or_default();
    let name = match position_in(&names().rows, last) {
        Some(position) => 100 - i64::try_from(position).unwrap_or_default(),
        None if position_in(&names().not_rows, last).is_some() => -100,
        None => 0,
    };
    let members = i64::try_from(list.item.members.len().min(40)).unwrap_or_default();
    let mark = if list.is_marked { 10_000 } else { 0 };
    mark + name + members - steps.saturating_mul(10)
}
