//! Test results: counts, failures and the slowest tests. They are also written as JUnit XML, which build servers
//! display.

use std::{
    cmp::Reverse,
    fs,
    path::Path,
    time::{Duration, SystemTime},
};

use quick_xml::{
    Writer,
    events::{BytesText, Event},
};
use serde::Deserialize;

use crate::error::XtaskError;

/// The maximum number of slowest tests in the table.
const MAX_SLOWEST: usize = 20;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TestResult {
    pub(crate) name: String,
    pub(crate) time: Duration,
    pub(crate) state: TestState,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TestState {
    Passed,
    /// The test only runs with `--all`.
    Ignored,
    Failed {
        printed: String,
    },
}

/// The members of libtest's JSON lines about tests. Lines of other kinds lack most of them.
#[derive(Debug, Deserialize)]
struct Message {
    #[serde(rename = "type")]
    kind: String,
    event: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    exec_time: f64,
    #[serde(default)]
    stdout: String,
}

/// The output of vitest's JSON reporter.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct VitestReport {
    test_results: Vec<VitestFile>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct VitestFile {
    assertion_results: Vec<VitestTest>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct VitestTest {
    full_name: String,
    status: String,
    #[serde(default)]
    duration: Option<f64>,
    #[serde(default)]
    failure_messages: Vec<String>,
}

/// The results of a test program, and the tests that were started but didn't end.
#[derive(Debug, Default)]
pub(crate) struct ProgramReport {
    pub(crate) results: Vec<TestResult>,
    pub(crate) unfinished: Vec<String>,
}

impl ProgramReport {
    /// Parses the program's output. Ignores lines that tests have printed.
    pub(crate) fn read(printed: &str) -> Self {
        let mut report = Self::default();
        for line in printed.lines() {
            let Ok(message) = serde_json::from_str::<Message>(line) else { continue };
            if message.kind != "test" {
                continue;
            }
            let state = match message.event.as_str() {
                "started" => {
                    report.unfinished.push(message.name);
                    continue;
                }
                "ok" => TestState::Passed,
                "ignored" => TestState::Ignored,
                "failed" => TestState::Failed { printed: message.stdout },
                _ => continue,
            };
            report.unfinished.retain(|name| *name != message.name);
            let time = Duration::try_from_secs_f64(message.exec_time).unwrap_or_default();
            report.results.push(TestResult { name: message.name, time, state });
        }
        report
    }

    /// Returns the output of each test that failed. Includes tests that didn't end.
    pub(crate) fn failures(&self) -> String {
        let failed = self.results.iter().filter_map(|test| match &test.state {
            TestState::Failed { printed } => Some(format!("{}\n{printed}\n", test.name)),
            TestState::Passed | TestState::Ignored => None,
        });
        let unfinished = self.unfinished.iter().map(|name| format!("{name}\nhad not ended\n"));
        failed.chain(unfinished).collect()
    }
}

/// Parses the results of the web UI's tests in vitest's JSON file.
///
/// # Errors
/// The file is missing or has another format.
pub(crate) fn read_vitest(file: &Path) -> Result<Vec<TestResult>, XtaskError> {
    let text = fs::read_to_string(file).map_err(XtaskError::file(file))?;
    let report: VitestReport = serde_json::from_str(&text)
        .map_err(|error| XtaskError::Answer { program: "vitest".to_owned(), reason: error.to_string() })?;
    let tests = report.test_results.into_iter().flat_map(|file| file.assertion_results);
    Ok(tests
        .map(|test| TestResult {
            time: Duration::try_from_secs_f64(test.duration.unwrap_or_default() / 1000.0).unwrap_or_default(),
            state: match test.status.as_str() {
                "passed" => TestState::Passed,
                "failed" => TestState::Failed { printed: test.failure_messages.join("\n") },
                _ => TestState::Ignored,
            },
            name: test.full_name,
        })
        .collect())
}

/// The results of all programs, each with the program's name.
#[derive(Debug, Default)]
pub(crate) struct Report(Vec<(String, TestResult)>);

impl Report {
    pub(crate) fn add(&mut self, program: &str, results: Vec<TestResult>) {
        self.0.extend(results.into_iter().map(|result| (program.to_owned(), result)));
    }

    /// Returns the number of tests that ran, and the number of ignored tests.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let ignored = self.0.iter().filter(|(_, test)| test.state == TestState::Ignored).count();
        (self.0.len() - ignored, ignored)
    }

    /// Returns the slowest tests with their programs, slowest first.
    pub(crate) fn slowest(&self) -> Vec<(String, Duration)> {
        let mut tests: Vec<_> =
            self.0.iter().map(|(program, test)| (format!("{program} · {}", test.name), test.time)).collect();
        tests.sort_by_key(|(_, time)| Reverse(*time));
        tests.truncate(MAX_SLOWEST);
        tests
    }

    /// Writes all results as one JUnit file.
    ///
    /// # Errors
    /// The file can't be written.
    pub(crate) fn write_junit(&self, file: &Path) -> Result<(), XtaskError> {
        let written = self.junit().and_then(|bytes| fs::write(file, bytes));
        written.map_err(XtaskError::file(file))
    }

    fn junit(&self) -> std::io::Result<Vec<u8>> {
        let mut writer = Writer::new_with_indent(Vec::new(), b' ', 1);
        let mut programs: Vec<&str> = self.0.iter().map(|(program, _)| program.as_str()).collect();
        programs.dedup();
        writer.create_element("testsuites").write_inner_content(|suites| {
            for program in programs {
                let tests = || self.0.iter().filter(|(of, _)| of == program).map(|(_, test)| test);
                let suite = suites.create_element("testsuite").with_attributes([
                    ("name", program),
                    ("tests", tests().count().to_string().as_str()),
                    ("timestamp", seconds_since_1970().as_str()),
                ]);
                suite.write_inner_content(|suite| tests().try_for_each(|test| write_test(suite, program, test)))?;
            }
            Ok(())
        })?;
        Ok(writer.into_inner())
    }
}

fn write_test(suite: &mut Writer<Vec<u8>>, program: &str, test: &TestResult) -> std::io::Result<()> {
    let time = test.time.as_secs_f64().to_string();
    let case = suite.create_element("testcase").with_attributes([
        ("classname", program),
        ("name", test.name.as_str()),
        ("time", time.as_str()),
    ]);
    case.write_inner_content(|case| match &test.state {
        TestState::Passed => Ok(()),
        TestState::Ignored => case.create_element("skipped").write_empty().map(drop),
        TestState::Failed { printed } => case
            .create_element("failure")
            .write_inner_content(|failure| {
                // Control characters, such as those for colors, aren't allowed in XML.
                let text: String = printed.chars().filter(|c| !c.is_control() || *c == '\n').collect();
                failure.write_event(Event::Text(BytesText::new(&text)))
            })
            .map(drop),
    })
    .map(drop)
}

fn seconds_since_1970() -> String {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = r#"{ "type": "suite", "event": "started", "test_count": 4 }
{ "type": "test", "event": "started", "name": "a::quick" }
a line that a program of a test printed
{ "type": "test", "name": "a::quick", "event": "ok", "exec_time": 0.5 }
{ "type": "test", "event": "started", "name": "a::slow" }
{ "type": "test", "name": "a::slow", "event": "failed", "exec_time": 61.25, "stdout": "left < right" }
{ "type": "test", "name": "b", "event": "ignored" }
{ "type": "test", "event": "started", "name": "hangs" }
"#;

    #[test]
    fn libtests_lines_become_results() {
        let report = ProgramReport::read(PRINTED);
        assert_eq!(report.unfinished, ["hangs"]);
        assert_eq!(report.failures(), "a::slow\nleft < right\nhangs\nhad not ended\n");
        let mut all = Report::default();
        all.add("cli", report.results);
        assert_eq!(all.counts(), (2, 1));
        let slowest = ("cli · a::slow".to_owned(), Duration::from_millis(61_250));
        assert_eq!(all.slowest().first(), Some(&slowest));
    }

    #[test]
    fn junit_has_every_test_and_why_it_failed() {
        let mut all = Report::default();
        all.add("cli", ProgramReport::read(PRINTED).results);
        let junit = String::from_utf8(all.junit().unwrap()).unwrap();
        for part in [
            r#"<testsuite name="cli" tests="3""#,
            r#"<testcase classname="cli" name="a::quick" time="0.5""#,
            "<skipped/>",
            "left &lt; right",
        ] {
            assert!(junit.contains(part), "{part} isn't in {junit}");
        }
    }

    #[test]
    fn vitests_report_is_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = r#"{ "testResults": [{ "assertionResults": [
            { "fullName": "a grid", "status": "passed", "duration": 1500.0 },
            { "fullName": "a chart", "status": "failed", "failureMessages": ["no line"] }] }] }"#;
        fs::write(file.path(), text).unwrap();
        let results = read_vitest(file.path()).unwrap();
        assert_eq!(results[0].time, Duration::from_millis(1500));
        assert_eq!(results[1].state, TestState::Failed { printed: "no line".to_owned() });
    }
}
