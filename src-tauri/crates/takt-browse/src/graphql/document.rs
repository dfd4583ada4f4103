//! What a document asks for, before it leaves: only queries do.
//!
//! A mutation would change something that no submission has written down, and a subscription never ends. Where a document
//! holds several operations, those that aren't queries are blanked out, so that they don't even leave.

use std::collections::BTreeMap;

use apollo_parser::{
    Parser,
    cst::{CstNode, Definition, OperationDefinition},
};
use takt_core::{Problem, Words};

/// Bytes.
const MAX_QUERY_BYTES: usize = 1_000_000;
/// Selections inside one another; people need a dozen.
const MAX_DEPTH: usize = 200;
const MAX_TOKENS: usize = 200_000;

/// The document with nothing in it but queries and fragments, every line where it was. Fails where the operation that would
/// run isn't a query, or where it isn't clear which would.
pub(super) fn only_queries(document: &str, wanted: Option<&str>) -> Result<String, Problem> {
    if document.len() > MAX_QUERY_BYTES {
        return Err(Problem::in_the_way("query-too-long"));
    }
    if document.trim().is_empty() {
        return Err(Problem::in_the_way("query-empty"));
    }
    let tree = Parser::new(document).recursion_limit(MAX_DEPTH).token_limit(MAX_TOKENS).parse();
    if let Some(error) = tree.errors().next() {
        let (line, column) = place(document, error.index());
        let places = [("line", line.to_string()), ("column", column.to_string())];
        return Err(obstacle("query-unreadable", &places).details(error.message()));
    }
    let mut operations = Vec::new();
    for definition in tree.document().definitions() {
        match definition {
            Definition::OperationDefinition(operation) => operations.push(operation),
            Definition::FragmentDefinition(_) => {}
            _ => return Err(Problem::in_the_way("query-is-schema")),
        }
    }
    refused(chosen(&operations, wanted)?)?;
    Ok(blanked(document, operations.iter().filter(|operation| refused(operation).is_err())))
}

fn chosen<'a>(operations: &'a [OperationDefinition], wanted: Option<&str>) -> Result<&'a OperationDefinition, Problem> {
    match (wanted.filter(|name| !name.is_empty()), operations) {
        (_, []) => Err(Problem::in_the_way("query-empty")),
        (None, [only]) => Ok(only),
        (None, _) => Err(obstacle("query-which", &[("names", names(operations))])),
        (Some(wanted), _) => operations
            .iter()
            .find(|operation| operation.name().is_some_and(|name| name.text() == wanted))
            .ok_or_else(|| obstacle("query-not-there", &[("name", wanted.to_owned())])),
    }
}

/// What is in the way, with what its text names.
fn obstacle(name: &str, places: &[(&str, String)]) -> Problem {
    let places: BTreeMap<String, String> = places.iter().map(|(at, value)| ((*at).to_owned(), value.clone())).collect();
    let what = Words::english().text(&["obstacle", name], &places);
    let problem = Problem::in_the_way(name).parameter("what", what);
    places.into_iter().fold(problem, |problem, (at, value)| problem.parameter(&at, value))
}

fn names(operations: &[OperationDefinition]) -> String {
    let names = operations.iter().filter_map(OperationDefinition::name).map(|name| name.text().to_string());
    names.collect::<Vec<_>>().join(", ")
}

fn refused(operation: &OperationDefinition) -> Result<(), Problem> {
    match operation.operation_type() {
        Some(kind) if kind.mutation_token().is_some() => Err(Problem::in_the_way("query-is-mutation")),
        Some(kind) if kind.subscription_token().is_some() => Err(Problem::in_the_way("query-is-subscription")),
        _ => Ok(()),
    }
}

/// Spaces where these stood, so that what a service says of a line still fits.
fn blanked<'a>(document: &str, operations: impl Iterator<Item = &'a OperationDefinition>) -> String {
    let mut bytes = document.as_bytes().to_vec();
    for operation in operations {
        let range = operation.syntax().text_range();
        let (from, to) = (usize::from(range.start()), usize::from(range.end()));
        for byte in bytes.get_mut(from..to).into_iter().flatten().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
            *byte = b' ';
        }
    }
    // Whole definitions were blanked, so what is left is whole characters.
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Line and column of a byte, counted from 1.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(document: &str, wanted: Option<&str>) -> String {
        only_queries(document, wanted).unwrap_err().parameters["obstacle"].clone()
    }

    #[test]
    fn queries_leave_as_they_are() {
        for document in [
            "{ a }",
            "query { a }",
            "query A($x: [Int!] = [1]) @mutation { mutation(a: \"mutation { b }\") { ...F } } fragment F on mutation { c } # é",
            "# mutation { a }\n{ a(b: \"\"\"\nmutation {\"\"\") }",
        ] {
            assert_eq!(only_queries(document, None).unwrap(), document);
        }
    }

    #[test]
    fn what_changes_something_doesnt_leave() {
        assert_eq!(refusal("mutation { a }", None), "query-is-mutation");
        assert_eq!(refusal("fragment F on T { b } mutation M { a }", None), "query-is-mutation");
        assert_eq!(refusal("subscription S { a }", Some("S")), "query-is-subscription");
        assert_eq!(refusal("query Q { a } mutation M { a }", Some("M")), "query-is-mutation");
        let left = only_queries("query Q { a }\nmutation M {\n b # é\n }\nquery R { c }", Some("Q")).unwrap();
        assert!(!left.contains("mutation") && left.contains("query R { c }") && left.lines().count() == 5, "{left}");
    }

    #[test]
    fn what_cant_be_read_says_where() {
        let problem = only_queries("{\n  a(\n}", None).unwrap_err();
        assert!(problem.parameters["line"] == "3" && problem.message.contains("line 3"), "{problem:?}");
        assert_eq!(refusal("", None), "query-empty");
        assert_eq!(refusal("fragment F on T { a }", None), "query-empty");
        assert_eq!(refusal("type T { a: Int }", None), "query-is-schema");
        assert_eq!(refusal("query A { a } query B { b }", None), "query-which");
        assert_eq!(refusal("query A { a }", Some("B")), "query-not-there");
        assert_eq!(refusal(&"{a".repeat(100_000), None), "query-unreadable");
        assert_eq!(refusal(&"a".repeat(MAX_QUERY_BYTES + 1), None), "query-too-long");
    }
}
