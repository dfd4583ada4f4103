//! Checks the size of queries before they are parsed and validated, since the library recurses without a limit.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicUsize, Ordering},
};

use async_graphql::parser::{
    parse_query,
    types::{ExecutableDocument, Selection, SelectionSet},
};

/// The maximum size of a query, in bytes.
const MAX_QUERY_BYTES: usize = 100_000;
/// The maximum number of nested brackets of any kind.
const MAX_DEPTH: usize = 64;
/// The maximum number of selections after expanding all fragments.
const MAX_SELECTIONS: usize = 10_000;
/// The maximum number of fields in a query that search for work orders.
const MAX_ORDER_FIELDS: usize = 20;

/// The number of searches that the query may still start.
#[derive(Debug)]
pub(super) struct SearchBudget(AtomicUsize);

impl Default for SearchBudget {
    fn default() -> Self {
        Self(AtomicUsize::new(MAX_ORDER_FIELDS))
    }
}

impl SearchBudget {
    /// Uses one search. Fails if none is left.
    pub(super) fn use_search(&self) -> Result<(), String> {
        let left = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        left.map(drop).map_err(|_| format!("A query may ask for work orders at most {MAX_ORDER_FIELDS} times."))
    }
}

/// Rejects a query that exceeds a limit. An invalid query is accepted, since the library reports the error.
pub(super) fn check_query(query: &str) -> Result<(), String> {
    if query.len() > MAX_QUERY_BYTES {
        return Err(format!("The query is longer than {MAX_QUERY_BYTES} bytes."));
    }
    if bracket_depth(query) > MAX_DEPTH {
        return Err(format!("The query is nested deeper than {MAX_DEPTH} levels."));
    }
    let Ok(document) = parse_query(query) else { return Ok(()) };
    if count_all_selections(&document) > MAX_SELECTIONS {
        return Err(format!("The query selects more than {MAX_SELECTIONS} fields."));
    }
    Ok(())
}

/// Returns the maximum depth of brackets outside of strings and comments.
fn bracket_depth(query: &str) -> usize {
    let (mut depth, mut deepest): (usize, usize) = (0, 0);
    let mut rest = query;
    while let Some(first) = rest.chars().next() {
        let skipped = match first {
            '"' if rest.starts_with("\"\"\"") => block_string_end(rest),
            '"' => string_end(rest),
            '#' => rest.find(['\n', '\r']).unwrap_or(rest.len()),
            '{' | '[' | '(' => {
                depth += 1;
                deepest = deepest.max(depth);
                1
            }
            '}' | ']' | ')' => {
                depth = depth.saturating_sub(1);
                1
            }
            other => other.len_utf8(),
        };
        rest = &rest[skipped..];
    }
    deepest
}

/// Returns the end of the string at the start of `query`. A line break also ends the string.
fn string_end(query: &str) -> usize {
    let mut escaped = false;
    for (at, character) in query.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            '\n' | '\r' => return at,
            _ => {}
        }
    }
    query.len()
}

/// Returns the end of the block string at the start of `query`.
fn block_string_end(query: &str) -> usize {
    let mut from = 3;
    while let Some(offset) = query[from..].find("\"\"\"") {
        let end = from + offset;
        if !query[..end].ends_with('\\') {
            return end + 3;
        }
        from = end + 3;
    }
    query.len()
}

/// Counts the selections of all operations after expanding fragments. Cycles aren't expanded, since the validator
/// reports them.
fn count_all_selections(document: &ExecutableDocument) -> usize {
    let mut known = HashMap::new();
    let operations = document.operations.iter().map(|(_, operation)| &operation.node.selection_set.node);
    let fragments = document.fragments.values().map(|fragment| &fragment.node.selection_set.node);
    operations
        .chain(fragments)
        .fold(0, |sum: usize, set| sum.saturating_add(count_selections(document, set, &mut known)))
}

fn count_selections<'a>(
    document: &'a ExecutableDocument,
    set: &'a SelectionSet,
    known: &mut HashMap<&'a str, usize>,
) -> usize {
    set.items.iter().fold(0, |sum: usize, selection| {
        let inside = match &selection.node {
            Selection::Field(field) => count_selections(document, &field.node.selection_set.node, known),
            Selection::InlineFragment(inline) => count_selections(document, &inline.node.selection_set.node, known),
            Selection::FragmentSpread(spread) => {
                let name = spread.node.fragment_name.node.as_str();
                match (known.get(name), document.fragments.get(name)) {
                    (Some(counted), _) => *counted,
                    (None, Some(fragment)) => {
                        known.insert(name, 0);
                        let counted = count_selections(document, &fragment.node.selection_set.node, known);
                        known.insert(name, counted);
                        counted
                    }
                    (None, None) => 0,
                }
            }
        };
        sum.saturating_add(inside).saturating_add(1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_count_only_where_they_are_brackets() {
        assert_eq!(bracket_depth("{ a(b: [[1]]) { c } }"), 4);
        assert_eq!(bracket_depth("{ a(b: \"{{{{\\\"{{\") # {{{{\n { c } }"), 2);
        assert_eq!(bracket_depth("{ a(b: \"\"\"{{\\\"\"\"{{{\"\"\") }"), 2);
        assert_eq!(bracket_depth("\"{{{\n{"), 1);
        assert_eq!(bracket_depth("é🔧{\"\"\"{{"), 1);
    }

    #[test]
    fn fragments_are_counted_as_often_as_they_are_used() {
        let doubled: String = (0..40).map(|at| format!("fragment F{at} on T {{ ...F{0} ...F{0} }} ", at + 1)).collect();
        assert!(check_query(&format!("{{ ...F0 }} {doubled} fragment F40 on T {{ x }}")).is_err());
        assert!(check_query("{ ...A } fragment A on T { ...B } fragment B on T { ...A }").is_ok());
        assert!(check_query("{ a { b ...F } } fragment F on T { c }").is_ok());
        assert!(check_query(&"{a".repeat(40_000)).is_err());
        assert!(check_query(&format!("{{ {} }}", "a ".repeat(10_001))).is_err());
    }
}
