//! Checks a GraphQL document before it is sent, so that only its queries are sent.
//!
//! A mutation would change data without a record in the journal, and a subscription never ends. If a document contains
//! several operations, all but the queries are replaced by spaces, so that they aren't sent.

use std::collections::BTreeMap;

use apollo_parser::Parser;
use apollo_parser::cst::{CstNode, Definition, OperationDefinition};
use takt_core::{Problem, Words};

/// The maximum size of a query in bytes.
const MAX_QUERY_BYTES: usize = 1_000_000;
/// The maximum depth of nested selections. Real queries have about a dozen.
const MAX_DEPTH: usize = 200;
const MAX_TOKENS: usize = 200_000;

/// Returns the document with only its queries and fragments, without moving any line. Fails if the operation to run
/// isn't a query or isn't clear.
pub(super) fn extract_queries(document: &str, operation_name: Option<&str>) -> Result<String, Problem> {
    if document.len() > MAX_QUERY_BYTES {
        return Err(Problem::obstacle("query-too-long"));
    }
    if document.trim().is_empty() {
        return Err(Problem::obstacle("query-empty"));
    }
    let tree = Parser::new(document).recursion_limit(MAX_DEPTH).token_limit(MAX_TOKENS).parse();
    if let Some(error) = tree.errors().next() {
        let (line, column) = line_and_column(document, error.index());
        let parameters = [("line", line.to_string()), ("column", column.to_string())];
        return Err(document_problem("query-unreadable", &parameters).details(error.message()));
    }
    let mut operations = Vec::new();
    for definition in tree.document().definitions() {
        match definition {
            Definition::OperationDefinition(operation) => operations.push(operation),
            Definition::FragmentDefinition(_) => {}
            _ => return Err(Problem::obstacle("query-is-schema")),
        }
    }
    check_is_query(select_operation(&operations, operation_name)?)?;
    Ok(replace_by_spaces(document, operations.iter().filter(|operation| check_is_query(operation).is_err())))
}

fn select_operation<'a>(
    operations: &'a [OperationDefinition],
    operation_name: Option<&str>,
) -> Result<&'a OperationDefinition, Problem> {
    match (operation_name.filter(|name| !name.is_empty()), operations) {
        (_, []) => Err(Problem::obstacle("query-empty")),
        (None, [only]) => Ok(only),
        (None, _) => Err(document_problem("query-which", &[("names", operation_names(operations))])),
        (Some(operation_name), _) => operations
            .iter()
            .find(|operation| operation.name().is_some_and(|name| name.text() == operation_name))
            .ok_or_else(|| document_problem("query-not-there", &[("name", operation_name.to_owned())])),
    }
}

/// Returns the problem of this name, with the parameters of its text.
fn document_problem(name: &str, parameters: &[(&str, String)]) -> Problem {
    let parameters: BTreeMap<String, String> =
        parameters.iter().map(|(at, value)| ((*at).to_owned(), value.clone())).collect();
    let what = Words::english().text(&["obstacle", name], &parameters);
    let problem = Problem::obstacle(name).parameter("what", what);
    parameters.into_iter().fold(problem, |problem, (at, value)| problem.parameter(&at, value))
}

fn operation_names(operations: &[OperationDefinition]) -> String {
    let names = operations.iter().filter_map(OperationDefinition::name).map(|name| name.text().to_string());
    names.collect::<Vec<_>>().join(", ")
}

fn check_is_query(operation: &OperationDefinition) -> Result<(), Problem> {
    match operation.operation_type() {
        Some(kind) if kind.mutation_token().is_some() => Err(Problem::obstacle("query-is-mutation")),
        Some(kind) if kind.subscription_token().is_some() => Err(Problem::obstacle("query-is-subscription")),
        _ => Ok(()),
    }
}

/// Replaces operations by spaces, so that line numbers in the service's errors stay right.
fn replace_by_spaces<'a>(document: &str, operations: impl Iterator<Item = &'a OperationDefinition>) -> String {
    let mut bytes = document.as_bytes().to_vec();
    for operation in operations {
        let range = operation.syntax().text_range();
        let (from, to) = (usize::from(range.start()), usize::from(range.end()));
        for byte in bytes.get_mut(from..to).into_iter().flatten().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
            *byte = b' ';
        }
    }
    // Only complete definitions were replaced, so no character was split.
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the line and column of a byte offset, both from 1.
fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(document: &str, operation_name: Option<&str>) -> String {
        extract_queries(document, operation_name).unwrap_err().parameters["obstacle"].clone()
    }

    #[test]
    fn queries_leave_as_they_are() {
        for document in [
            "{ a }",
            "query { a }",
            "query A($x: [Int!] = [1]) @mutation { mutation(a: \"mutation { b }\") { ...F } } fragment F on mutation { c } # é",
            "# mutation { a }\n{ a(b: \"\"\"\nmutation {\"\"\") }",
        ] {
            assert_eq!(extract_queries(document, None).unwrap(), document);
        }
    }

    #[test]
    fn what_changes_something_doesnt_leave() {
        assert_eq!(refusal("mutation { a }", None), "query-is-mutation");
        assert_eq!(refusal("fragment F on T { b } mutation M { a }", None), "query-is-mutation");
        assert_eq!(refusal("subscription S { a }", Some("S")), "query-is-subscription");
        assert_eq!(refusal("query Q { a } mutation M { a }", Some("M")), "query-is-mutation");
        let kept = extract_queries("query Q { a }\nmutation M {\n b # é\n }\nquery R { c }", Some("Q")).unwrap();
        assert!(!kept.contains("mutation") && kept.contains("query R { c }") && kept.lines().count() == 5, "{kept}");
    }

    #[test]
    fn what_cant_be_read_says_where() {
        let problem = extract_queries("{\n  a(\n}", None).unwrap_err();
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
