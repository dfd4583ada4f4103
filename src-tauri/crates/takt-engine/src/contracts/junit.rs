//! A contract's test in JUnit's form, for whoever runs it every night.

use super::{ContractTest, OperationTest, TestOutcome};

/// One test case for each operation; what differs is a failure, what couldn't be read an error.
#[must_use]
pub fn junit(test: &ContractTest, site: &str) -> String {
    let count = |outcome: TestOutcome| test.operations.iter().filter(|operation| operation.outcome == outcome).count();
    let cases: String = test.operations.iter().map(|operation| case(operation, test)).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{cases}</testsuite>\n",
        escaped(site),
        test.operations.len(),
        count(TestOutcome::Differs),
        count(TestOutcome::Failed),
        count(TestOutcome::Skipped),
    )
}

fn case(operation: &OperationTest, test: &ContractTest) -> String {
    let seconds = f64::from(operation.milliseconds.unwrap_or_default()) / 1000.0;
    let inside = match operation.outcome {
        TestOutcome::Fits => String::new(),
        TestOutcome::Skipped => "<skipped/>".to_owned(),
        TestOutcome::Failed => {
            let message = operation.problem.as_ref().map(|problem| problem.message.clone()).unwrap_or_default();
            format!("<error message=\"{}\"/>", escaped(&message))
        }
        TestOutcome::Differs => {
            let difference = test.differences.iter().find(|difference| difference.id == operation.id);
            let text = difference.and_then(|difference| serde_json::to_string(difference).ok()).unwrap_or_default();
            format!("<failure message=\"{}\">{}</failure>", escaped(&operation.id), escaped(&text))
        }
    };
    format!("  <testcase name=\"{}\" time=\"{seconds}\">{inside}</testcase>\n", escaped(&operation.id))
}

/// Control characters can't stand in XML.
fn escaped(text: &str) -> String {
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
        };
        let operations = vec![operation("a", TestOutcome::Fits), operation("b", TestOutcome::Differs)];
        let text = junit(&ContractTest { operations, differences: Vec::new(), requests: 2 }, "W<1>\u{7}");
        assert!(
            text.contains(r#"<testsuite name="W&lt;1&gt; " tests="2" failures="1" errors="0" skipped="0">"#),
            "{text}"
        );
        assert!(text.contains(r#"<testcase name="a" time="1.5"></testcase>"#), "{text}");
    }
}
