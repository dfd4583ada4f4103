//! Formats a contract's test as JUnit XML, for example for nightly runs.

use super::{
    contract_test::{ContractTest, OperationTest, TestOutcome},
    paging_test::{ListPages, PagingFinding, PagingTest},
};

/// Formats a test case for each operation and each paged list. A difference is a failure, and an unreadable response
/// is an error.
#[must_use]
pub fn format_junit(test: &ContractTest, paging: &PagingTest, site: &str) -> String {
    let suites = [operations_suite(test, site), paging_suite(paging, site)].concat();
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n{suites}</testsuites>\n")
}

fn paging_suite(test: &PagingTest, site: &str) -> String {
    let errors = test.lists.iter().filter(|list| list.finding == PagingFinding::Failed).count();
    let failures = test.lists.iter().filter(|list| !list.finding.is_good()).count() - errors;
    let cases: String = test.lists.iter().map(list_case).collect();
    format!(
        "<testsuite name=\"{} pages\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"0\">\n{cases}</testsuite>\n",
        escape(site),
        test.lists.len(),
    )
}

fn list_case(list: &ListPages) -> String {
    let inside = match &list.problem {
        Some(problem) => format!("<error message=\"{}\"/>", escape(&problem.message)),
        None if list.finding.is_good() => String::new(),
        None => {
            let finding = serde_json::to_value(list.finding).unwrap_or_default();
            format!("<failure message=\"{}\"/>", escape(finding.as_str().unwrap_or_default()))
        }
    };
    format!("  <testcase name=\"{} pages\">{inside}</testcase>\n", escape(&list.operation))
}

fn operations_suite(test: &ContractTest, site: &str) -> String {
    let count = |outcome: TestOutcome| test.operations.iter().filter(|operation| operation.outcome == outcome).count();
    let cases: String = test.operations.iter().map(|operation| operation_case(operation, test)).collect();
    format!(
        "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{cases}</testsuite>\n",
        escape(site),
        test.operations.len(),
        count(TestOutcome::Differs),
        count(TestOutcome::Failed),
        count(TestOutcome::Skipped),
    )
}

fn operation_case(operation: &OperationTest, test: &ContractTest) -> String {
    let seconds = f64::from(operation.milliseconds.unwrap_or_default()) / 1000.0;
    let inside = match operation.outcome {
        TestOutcome::Fits => String::new(),
        TestOutcome::Skipped => "<skipped/>".to_owned(),
        TestOutcome::Failed => {
            let message = operation.problem.as_ref().map(|problem| problem.message.clone()).unwrap_or_default();
            format!("<error message=\"{}\"/>", escape(&message))
        }
        TestOutcome::Differs => {
            let difference = test.differences.iter().find(|difference| difference.id == operation.id);
            let misfits = serde_json::to_string(&operation.misfits).ok().filter(|_| !operation.misfits.is_empty());
            let difference = difference.and_then(|difference| serde_json::to_string(difference).ok());
            let text = difference.into_iter().chain(misfits).collect::<Vec<_>>().join("\n");
            format!("<failure message=\"{}\">{}</failure>", escape(&operation.id), escape(&text))
        }
    };
    format!("  <testcase name=\"{}\" time=\"{seconds}\">{inside}</testcase>\n", escape(&operation.id))
}

/// Escapes text for XML, and replaces control characters, which XML doesn't allow.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            letter if letter.is_control() => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_is_a_case() {
        let operation = |id: &str, outcome| OperationTest {
            id: id.to_owned(),
            outcome,
            status: None,
            rows: None,
            milliseconds: Some(1500),
            problem: None,
            misfits: Vec::new(),
        };
        let operations = vec![operation("a", TestOutcome::Fits), operation("b", TestOutcome::Differs)];
        let test = ContractTest {
            operations,
            differences: Vec::new(),
            evidence: Vec::new(),
            requests: 2,
            nothing_came: false,
        };
        let list = |operation: &str, finding| ListPages { operation: operation.to_owned(), finding, problem: None };
        let lists = vec![list("a", PagingFinding::AddsUp), list("b", PagingFinding::SamePage)];
        let paging = PagingTest { lists, limit: None, ignored_headers: Vec::new(), requests: 4 };
        let text = format_junit(&test, &paging, "W<1>\u{7}");
        assert!(
            text.contains(r#"<testsuite name="W&lt;1&gt; " tests="2" failures="1" errors="0" skipped="0">"#),
            "{text}"
        );
        assert!(text.contains(r#"<testcase name="b pages"><failure message="same-page"/></testcase>"#), "{text}");
        assert!(text.contains(r#"<testcase name="a" time="1.5"></testcase>"#), "{text}");
    }
}
