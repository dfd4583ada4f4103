//! `cargo xtask test`: builds everything once, and runs all tests in parallel. A failed check doesn't stop the others.
//! Without an option, it runs the tests that must pass before a pull request. `--all` adds long tests and lint.
//! `--portable` skips tests that need Linux.
//!
//! Test programs are started here with time limits. Cargo would run them one after the other, although they mostly
//! wait. A table shows the slowest tests, and `target/junit.xml` contains all results.

pub(crate) mod programs;
mod report;

use std::{
    collections::VecDeque,
    iter,
    sync::{Mutex, mpsc},
    thread,
    time::{Duration, Instant},
};

use crate::{
    console::{duration_text, print, timed},
    error::XtaskError,
    lint, paths,
    process::{capture_output, cargo, npm, show_output},
    setup::{self, Purpose},
    tidy,
};
use programs::{Failure, Program};
use report::{Report, TestResult};

/// The packages of the single build. One set of features for everything, including the sample generator, avoids a
/// second build.
const BUILD_SCOPE: [&str; 6] = ["--workspace", "--exclude=takt-bench", "--bins", "--lib", "--tests", FEATURES];
const FEATURES: &str = "--features=xtask/samples";
/// Excludes the tests that only run with `--all`.
const EXCLUDE_LONG_TESTS: &str = "--exclude=takt-long-tests";
/// Doc tests have the same features, so that they use the existing build.
const DOC_TESTS: [&str; 6] = ["test", "--doc", "--quiet", "--workspace", "--exclude=takt-bench", FEATURES];

/// The prefix of programs that test the product from outside. They never use its crates.
const OUTSIDE_PREFIX: &str = "takt-tests · ";
const WINDOW_PROGRAM: &str = "takt-tests · window";
const LONG_PROGRAM: &str = "takt-long-tests · long";
/// Skips measurements and pictures of the window, which `cargo xtask bench` and `cargo xtask pictures` run.
const SKIPPED_WINDOW_TESTS: [&str; 6] =
    ["--skip", "webview::memory", "--skip", "webview::pace", "--skip", "page_pictures"];
/// Makes window tests check every page in every theme and density.
const EVERY_LOOK_VARIABLE: (&str, &str) = ("TAKT_TEST_LOOKS", "1");
/// The limit for window tests, which need the processor. Other programs run in parallel.
const WINDOW_TESTS_PER_CORE: usize = 1;
const COMMAND_LINE_PROGRAM: &str = "takt-tests · cli";
/// Command line and crash tests mostly wait for rate limits, processes or the moment of a kill. Each may sign in, and
/// there are eight redirect ports.
const WAITING_TESTS_PER_CORE: usize = 2;

/// The scope of a test run, chosen by an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tier {
    Default,
    All,
    Portable,
}

impl Tier {
    fn from_arguments(arguments: &[String]) -> Result<Self, XtaskError> {
        match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [] => Ok(Self::Default),
            ["--all"] => Ok(Self::All),
            ["--portable"] => Ok(Self::Portable),
            _ => Err(XtaskError::Command(format!("test {}", arguments.join(" ")))),
        }
    }
}

pub(crate) fn run(arguments: &[String]) -> Result<(), XtaskError> {
    let tier = Tier::from_arguments(arguments)?;
    let start = Instant::now();
    let mut suite = Suite::default();
    let purpose = match tier {
        Tier::All => Purpose::AllTests,
        Tier::Default => Purpose::Tests,
        Tier::Portable => Purpose::PortableTests,
    };
    suite.run_step("set-up", || setup::prepare(purpose));
    if !suite.failed.is_empty() {
        return suite.print_summary(start.elapsed());
    }
    suite.run_step("format: cargo fmt", || capture_output(cargo(["fmt", "--all", "--check"])).map(drop));
    suite.run_step("web UI: build", || capture_output(npm(["run", "--silent", "bundle"])).map(drop));
    let mut found = Vec::new();
    suite.run_step("build", || {
        let scope = BUILD_SCOPE.into_iter().chain((tier != Tier::All).then_some(EXCLUDE_LONG_TESTS));
        found = programs::build(&scope.collect::<Vec<_>>())?;
        Ok(())
    });
    suite.run_programs(tier, &found);
    for (name, check) in tidy::CHECKS {
        suite.run_step(&format!("tidy: {name}"), || tidy::run_one(check));
    }
    suite.run_step("tidy: the samples are what the generator makes", tidy::generated_files::check_samples_of_build);
    if tier == Tier::All {
        suite.run_step("examples of the documentation", || capture_output(cargo(DOC_TESTS)).map(drop));
        for (name, check) in lint::CHECKS {
            suite.run_step(&format!("lint: {name}"), check);
        }
    }
    suite.print_summary(start.elapsed())
}

/// `cargo xtask window-journey`: opens the product's window and sends the sample. On Windows, the window's WebDriver
/// must be installed.
pub(crate) fn run_window_journey() -> Result<(), XtaskError> {
    setup::prepare(if cfg!(target_os = "linux") { Purpose::Tests } else { Purpose::Window })?;
    show_output(npm(["run", "--silent", "bundle"]))?;
    show_output(cargo(["build", "--workspace", "--exclude=takt-bench", "--bins", FEATURES]))?;
    show_output(cargo(["test", "--package", "takt-tests", "--test", "window", "--", "main_job::"]))
}

/// `cargo xtask crash [KILLS [SEED]]`: runs the long crash test, and prints a table of kills and outcomes.
pub(crate) fn run_crash_test(arguments: &[String]) -> Result<(), XtaskError> {
    if let Some(invalid) = arguments.iter().find(|argument| argument.parse::<u64>().is_err()) {
        return Err(XtaskError::Command(format!("crash {invalid}")));
    }
    setup::prepare(Purpose::AllTests)?;
    timed("building the command line", || show_output(cargo(["build", "--package", "takt-cli"])))?;
    let mut test = cargo(["test", "--package", "takt-long-tests", "--test", "long", "--"]);
    test.args(["kills", "--include-ignored", "--skip", "a_few", "--nocapture", "--test-threads=1"]);
    for (name, value) in ["TAKT_CRASH_KILLS", "TAKT_CRASH_SEED"].into_iter().zip(arguments) {
        test.env(name, value);
    }
    show_output(test)
}

/// A test program or the web UI's tests, with the name for the report.
struct Test<'a> {
    name: String,
    run: Box<dyn FnOnce() -> Result<Vec<TestResult>, Failure> + Send + 'a>,
}

impl<'a> Test<'a> {
    fn for_program(program: &'a Program, name: &str, arguments: Vec<String>) -> Self {
        Self::with_variables(program, name, arguments, Vec::new())
    }

    fn with_variables(
        program: &'a Program,
        name: &str,
        arguments: Vec<String>,
        variables: Vec<(&'static str, &'static str)>,
    ) -> Self {
        Self { name: name.to_owned(), run: Box::new(move || program.run(&arguments, &variables)) }
    }

    fn for_web_ui() -> Self {
        Self { name: "web UI".to_owned(), run: Box::new(run_web_ui) }
    }
}

/// A queue of tests, of which `parallel` tests run at the same time.
struct Queue<'a> {
    tests: Vec<Test<'a>>,
    parallel: usize,
}

impl<'a> Queue<'a> {
    fn sequential(tests: Vec<Test<'a>>) -> Self {
        Self { tests, parallel: 1 }
    }
}

/// Returns the rounds of a test run. Rounds run one after the other, and the queues of a round in parallel.
fn plan_rounds(tier: Tier, found: &[Program]) -> Vec<Vec<Queue<'_>>> {
    let ignored = match tier {
        Tier::All => vec!["--include-ignored".to_owned()],
        Tier::Default | Tier::Portable => Vec::new(),
    };
    let (mut windows, mut other_tests) = (Vec::new(), VecDeque::from([Test::for_web_ui()]));
    let mut rounds = Vec::new();
    for program in found {
        match program.name.as_str() {
            name if tier == Tier::Portable && name.starts_with(OUTSIDE_PREFIX) => {}
            LONG_PROGRAM => rounds = plan_long(program),
            WINDOW_PROGRAM => windows.push(plan_window(tier, program, &ignored)),
            name => {
                let is_longest = name == COMMAND_LINE_PROGRAM;
                let threads = is_longest.then(|| threads_argument(WAITING_TESTS_PER_CORE));
                let test = Test::for_program(program, name, ignored.iter().cloned().chain(threads).collect());
                if is_longest { other_tests.push_front(test) } else { other_tests.push_back(test) }
            }
        }
    }
    // By default, many tests wait for a rate limit, a database or another process. Long tests need the processor.
    let parallel = if tier == Tier::All { 1 } else { 2 };
    rounds.insert(0, vec![Queue::sequential(windows), Queue { tests: other_tests.into(), parallel }]);
    rounds
}

fn plan_window<'a>(tier: Tier, program: &'a Program, ignored: &[String]) -> Test<'a> {
    let threads = threads_argument(WINDOW_TESTS_PER_CORE);
    let arguments =
        SKIPPED_WINDOW_TESTS.iter().map(ToString::to_string).chain([threads]).chain(ignored.iter().cloned());
    let variables = if tier == Tier::All { vec![EVERY_LOOK_VARIABLE] } else { Vec::new() };
    Test::with_variables(program, &program.name, arguments.collect(), variables)
}

fn threads_argument(per_core: usize) -> String {
    format!("--test-threads={}", per_core * thread::available_parallelism().map_or(1, usize::from))
}

/// Plans the long tests. Crash tests sign in at most four times at once, since there are eight redirect ports. Sign-in
/// tests use all of these ports, so they run alone.
fn plan_long(program: &Program) -> Vec<Vec<Queue<'_>>> {
    let part = |name: &str, extra_arguments: Vec<String>| {
        let arguments = [vec![format!("{name}::")], extra_arguments].concat();
        Test::for_program(program, &format!("{} · {name}", program.name), arguments)
    };
    let crash = part("crash", vec![threads_argument(WAITING_TESTS_PER_CORE)]);
    let parallel_queues = [crash, part("clients", Vec::new())].map(|test| Queue::sequential(vec![test]));
    vec![parallel_queues.into(), vec![Queue::sequential(vec![part("sign_in", Vec::new())])]]
}

fn run_web_ui() -> Result<Vec<TestResult>, Failure> {
    let file = paths::target().join("vitest.json");
    let reporters = format!("--outputFile.json={}", file.display());
    let outcome =
        capture_output(npm(["run", "--silent", "test", "--", "--reporter=default", "--reporter=json", &reporters]));
    let results = report::read_vitest(&file);
    match outcome {
        Ok(_) => results.map_err(|error| Failure { results: Vec::new(), error }),
        Err(error) => Err(Failure { results: results.unwrap_or_default(), error }),
    }
}

#[derive(Debug, Default)]
struct Suite {
    passed: usize,
    failed: Vec<String>,
    steps: Vec<(String, Duration)>,
    report: Report,
}

impl Suite {
    fn run_programs(&mut self, tier: Tier, found: &[Program]) {
        for queues in plan_rounds(tier, found) {
            self.run_queues(queues);
        }
    }

    /// Runs the queues in parallel until all their tests have ended.
    fn run_queues(&mut self, queues: Vec<Queue<'_>>) {
        let (sender, receiver) = mpsc::channel();
        let waiting: Vec<_> =
            queues.into_iter().map(|queue| (Mutex::new(VecDeque::from(queue.tests)), queue.parallel)).collect();
        thread::scope(|scope| {
            for tests in waiting.iter().flat_map(|(tests, parallel)| iter::repeat_n(tests, *parallel)) {
                let sender = sender.clone();
                scope.spawn(move || {
                    let next = || tests.lock().ok()?.pop_front();
                    while let Some(test) = next() {
                        print(&format!("… test: {}", test.name));
                        let start = Instant::now();
                        let outcome = (test.run)();
                        // Sending fails only if a panic has ended the scope.
                        let _ = sender.send((test.name, start.elapsed(), outcome));
                    }
                });
            }
            drop(sender);
            for (name, time, outcome) in receiver {
                let (results, outcome) = match outcome {
                    Ok(results) => (results, Ok(())),
                    Err(failure) => (failure.results, Err(failure.error)),
                };
                self.report.add(&name, results);
                self.record_result(&format!("test: {name}"), time, outcome);
            }
        });
    }

    fn run_step(&mut self, name: &str, work: impl FnOnce() -> Result<(), XtaskError>) {
        let start = Instant::now();
        print(&format!("… {name}"));
        let outcome = work();
        self.record_result(name, start.elapsed(), outcome);
    }

    fn record_result(&mut self, name: &str, time: Duration, outcome: Result<(), XtaskError>) {
        self.steps.push((name.to_owned(), time));
        let time = duration_text(time);
        match outcome {
            Ok(()) => {
                self.passed += 1;
                print(&format!("✓ {name} ({time})"));
            }
            Err(error) => {
                for line in error.output().lines() {
                    print(&format!("    {line}"));
                }
                print(&format!("✕ {name} ({time}): {error}"));
                self.failed.push(name.to_owned());
            }
        }
    }

    fn print_summary(self, time: Duration) -> Result<(), XtaskError> {
        print("\nWhere the time went:");
        for (name, time) in self.steps.iter().filter(|(_, time)| *time >= Duration::from_secs(1)) {
            print(&format!("  {:>12}  {name}", duration_text(*time)));
        }
        print("\nThe slowest tests:");
        for (name, time) in self.report.slowest() {
            print(&format!("  {:>12}  {name}", duration_text(time)));
        }
        let junit = paths::target().join("junit.xml");
        self.report.write_junit(&junit)?;
        print("");
        for name in &self.failed {
            print(&format!("✕ {name}"));
        }
        let (ran, ignored) = self.report.counts();
        print(&format!("{ran} tests ran in {}; {ignored} were left out. {}", duration_text(time), junit.display()));
        let failed = self.failed.len();
        print(&format!("{} passed, {failed} failed", self.passed));
        if failed == 0 { Ok(()) } else { Err(XtaskError::Checks(failed)) }
    }
}

#[cfg(test)]
mod tests {
    use super::{report::TestState, *};

    #[test]
    fn each_option_chooses_a_tier() {
        let tier = |words: &[&str]| Tier::from_arguments(&words.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert!(matches!(tier(&[]), Ok(Tier::Default)));
        assert!(matches!(tier(&["--all"]), Ok(Tier::All)));
        assert!(matches!(tier(&["--portable"]), Ok(Tier::Portable)));
        assert!(tier(&["--everything"]).is_err());
    }

    #[test]
    fn a_failed_step_fails_the_whole() {
        let mut suite = Suite::default();
        suite.run_step("good", || Ok(()));
        suite.run_step("bad", || Err(XtaskError::Missing("something".to_owned())));
        suite.run_step("good again", || Ok(()));
        assert_eq!((suite.passed, suite.failed.as_slice()), (2, ["bad".to_owned()].as_slice()));
    }

    #[test]
    fn queues_run_beside_each_other_and_each_outcome_counts() {
        let passed =
            |name: &str| TestResult { name: name.to_owned(), time: Duration::from_secs(2), state: TestState::Passed };
        let (give, take) = mpsc::channel();
        // The first test waits for the second. If they ran one after the other, the run would never end.
        let waits = Test { name: "waits".to_owned(), run: Box::new(move || Ok(take.recv().unwrap())) };
        let tells = Test {
            name: "tells".to_owned(),
            run: Box::new(move || {
                give.send(vec![passed("a")]).unwrap();
                let error = XtaskError::Missing("something".to_owned());
                Err(Failure { results: vec![passed("b")], error })
            }),
        };
        let good = Test { name: "good".to_owned(), run: Box::new(|| Ok(Vec::new())) };
        let mut suite = Suite::default();
        suite.run_queues(vec![Queue { tests: vec![waits, tells], parallel: 2 }, Queue::sequential(vec![good])]);
        assert_eq!((suite.passed, suite.failed.as_slice()), (2, ["test: tells".to_owned()].as_slice()));
        assert_eq!(suite.report.counts(), (2, 0));
    }
}
