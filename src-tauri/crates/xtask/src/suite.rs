//! `cargo xtask test`: builds everything once, and runs every test beside the others; a check that fails doesn't keep the next from
//! running. Without an option it runs what anybody runs before a pull request. `--all` adds what takes long, and lint. `--portable`
//! leaves out what needs Linux: the window and the command line from outside.
//!
//! The test programs are started from here, each with limits in time, because cargo would run them one after the other, and
//! they wait much of their time. At the end stands where the time went; `target/junit.xml` has every test.

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
    console::{print, took},
    error::XtaskError,
    lint, place,
    process::{cargo, catch, npm, show},
    setup::{self, Purpose},
    tidy,
};
use programs::{Failure, Program};
use report::{Report, TestResult};

/// Built in one go with one set of features, so that nothing is built twice. The sample generator is part of what is checked.
const SCOPE: [&str; 6] = ["--workspace", "--exclude=takt-bench", "--bins", "--lib", "--tests", FEATURES];
const FEATURES: &str = "--features=xtask/samples";
/// Tests that only the complete command runs.
const LONG_PACKAGE: &str = "--exclude=takt-long-tests";
/// With the features of the rest, so that the examples use what is built already.
const EXAMPLES: [&str; 6] = ["test", "--doc", "--quiet", "--workspace", "--exclude=takt-bench", FEATURES];

/// The product from outside.
const OUTSIDE: &str = "takt-tests · ";
const WINDOW: &str = "takt-tests · window";
const LONG: &str = "takt-long-tests · long";
/// Tests of the window that measure, or draw pictures for people: `cargo xtask bench` and `cargo xtask pictures` run them.
const NO_TESTS: [&str; 6] = ["--skip", "webview::memory", "--skip", "webview::pace", "--skip", "page_pictures"];
/// Has the tests of the window look at every page in every look.
const EVERY_LOOK: (&str, &str) = ("TAKT_TEST_LOOKS", "1");
/// More of them would only wait for each other, since the other programs run beside them.
const WINDOW_TESTS_PER_CORE: usize = 1;
/// Tests of the command line, and those that kill it, wait most of their time: for limits of rates, for other processes, or for a
/// moment to kill something in. Each may sign in, for which there are eight ports that a browser can come back to.
const COMMAND_LINE: &str = "takt-tests · cli";
const WAITING_TESTS_PER_CORE: usize = 2;

/// How much is run.
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
    suite.step("set-up", || setup::prepare(purpose));
    if !suite.failed.is_empty() {
        return suite.close(start.elapsed());
    }
    suite.step("format: cargo fmt", || catch(cargo(["fmt", "--all", "--check"])).map(drop));
    suite.step("web UI: build", || catch(npm(["run", "--silent", "bundle"])).map(drop));
    let mut found = Vec::new();
    suite.step("build", || {
        let scope = SCOPE.into_iter().chain((tier != Tier::All).then_some(LONG_PACKAGE));
        found = programs::build(&scope.collect::<Vec<_>>())?;
        Ok(())
    });
    suite.run_programs(tier, &found);
    for (name, check) in tidy::CHECKS {
        suite.step(&format!("tidy: {name}"), || tidy::run_one(check));
    }
    suite.step("tidy: the samples are what the generator makes", tidy::samples::check_built);
    if tier == Tier::All {
        suite.step("examples of the documentation", || catch(cargo(EXAMPLES)).map(drop));
        for (name, check) in lint::CHECKS {
            suite.step(&format!("lint: {name}"), check);
        }
    }
    suite.close(start.elapsed())
}

/// `cargo xtask window-journey`: opens the product's window and sends the sample, also on Windows, where its driver must be installed.
pub(crate) fn run_window_journey() -> Result<(), XtaskError> {
    setup::prepare(if cfg!(target_os = "linux") { Purpose::Tests } else { Purpose::Window })?;
    show(npm(["run", "--silent", "bundle"]))?;
    show(cargo(["build", "--workspace", "--exclude=takt-bench", "--bins", FEATURES]))?;
    show(cargo(["test", "--package", "takt-tests", "--test", "window", "--", "main_job::"]))
}

/// One test program, or what counts as one.
struct Test<'a> {
    name: String,
    run: Box<dyn FnOnce() -> Result<Vec<TestResult>, Failure> + Send + 'a>,
}

impl<'a> Test<'a> {
    fn of_program(program: &'a Program, name: &str, arguments: Vec<String>) -> Self {
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

    fn of_web_ui() -> Self {
        Self { name: "web UI".to_owned(), run: Box::new(run_web_ui) }
    }
}

/// Test programs, of which `at_once` run beside each other.
struct Queue<'a> {
    tests: Vec<Test<'a>>,
    at_once: usize,
}

impl<'a> Queue<'a> {
    fn one_by_one(tests: Vec<Test<'a>>) -> Self {
        Self { tests, at_once: 1 }
    }
}

/// The queues of each round: queues run beside each other, rounds one after the other.
fn plan(tier: Tier, found: &[Program]) -> Vec<Vec<Queue<'_>>> {
    let ignored = match tier {
        Tier::All => vec!["--include-ignored".to_owned()],
        Tier::Default | Tier::Portable => Vec::new(),
    };
    let (mut windows, mut others) = (Vec::new(), VecDeque::from([Test::of_web_ui()]));
    let mut rounds = Vec::new();
    for program in found {
        match program.name.as_str() {
            name if tier == Tier::Portable && name.starts_with(OUTSIDE) => {}
            LONG => rounds = plan_long(program),
            WINDOW => windows.push(plan_window(tier, program, &ignored)),
            name => {
                let is_longest = name == COMMAND_LINE;
                let threads = is_longest.then(|| threads(WAITING_TESTS_PER_CORE));
                let test = Test::of_program(program, name, ignored.iter().cloned().chain(threads).collect());
                if is_longest { others.push_front(test) } else { others.push_back(test) }
            }
        }
    }
    // Many tests of the default command wait for a rate limit, a database or another process. The long ones need the processor.
    let at_once = if tier == Tier::All { 1 } else { 2 };
    rounds.insert(0, vec![Queue::one_by_one(windows), Queue { tests: others.into(), at_once }]);
    rounds
}

fn plan_window<'a>(tier: Tier, program: &'a Program, ignored: &[String]) -> Test<'a> {
    let threads = threads(WINDOW_TESTS_PER_CORE);
    let arguments = NO_TESTS.iter().map(ToString::to_string).chain([threads]).chain(ignored.iter().cloned());
    let variables = if tier == Tier::All { vec![EVERY_LOOK] } else { Vec::new() };
    Test::with_variables(program, &program.name, arguments.collect(), variables)
}

fn threads(per_core: usize) -> String {
    format!("--test-threads={}", per_core * thread::available_parallelism().map_or(1, usize::from))
}

/// The crash tests sign in at most four times at once: there are eight ports that a browser can come back to. The tests of the
/// sign-in take all of these ports, so they run alone.
fn plan_long(program: &Program) -> Vec<Vec<Queue<'_>>> {
    let part = |name: &str, more: Vec<String>| {
        let arguments = [vec![format!("{name}::")], more].concat();
        Test::of_program(program, &format!("{} · {name}", program.name), arguments)
    };
    let crash = part("crash", vec![threads(WAITING_TESTS_PER_CORE)]);
    let beside = [crash, part("clients", Vec::new())].map(|test| Queue::one_by_one(vec![test]));
    vec![beside.into(), vec![Queue::one_by_one(vec![part("sign_in", Vec::new())])]]
}

fn run_web_ui() -> Result<Vec<TestResult>, Failure> {
    let file = place::target().join("vitest.json");
    let reporters = format!("--outputFile.json={}", file.display());
    let ran = catch(npm(["run", "--silent", "test", "--", "--reporter=default", "--reporter=json", &reporters]));
    let results = report::read_vitest(&file);
    match ran {
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
        for queues in plan(tier, found) {
            self.run_queues(queues);
        }
    }

    /// Runs the queues beside each other.
    fn run_queues(&mut self, queues: Vec<Queue<'_>>) {
        let (tell, told) = mpsc::channel();
        let waiting: Vec<_> =
            queues.into_iter().map(|queue| (Mutex::new(VecDeque::from(queue.tests)), queue.at_once)).collect();
        thread::scope(|scope| {
            for tests in waiting.iter().flat_map(|(tests, at_once)| iter::repeat_n(tests, *at_once)) {
                let tell = tell.clone();
                scope.spawn(move || {
                    let next = || tests.lock().ok()?.pop_front();
                    while let Some(test) = next() {
                        print(&format!("… test: {}", test.name));
                        let start = Instant::now();
                        let outcome = (test.run)();
                        // Nobody listens only where this thread's scope is left by a panic.
                        let _ = tell.send((test.name, start.elapsed(), outcome));
                    }
                });
            }
            drop(tell);
            for (name, time, outcome) in told {
                let (results, outcome) = match outcome {
                    Ok(results) => (results, Ok(())),
                    Err(failure) => (failure.results, Err(failure.error)),
                };
                self.report.add(&name, results);
                self.end(&format!("test: {name}"), time, outcome);
            }
        });
    }

    fn step(&mut self, name: &str, work: impl FnOnce() -> Result<(), XtaskError>) {
        let start = Instant::now();
        print(&format!("… {name}"));
        let outcome = work();
        self.end(name, start.elapsed(), outcome);
    }

    fn end(&mut self, name: &str, time: Duration, outcome: Result<(), XtaskError>) {
        self.steps.push((name.to_owned(), time));
        let time = took(time);
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

    fn close(self, time: Duration) -> Result<(), XtaskError> {
        print("\nWhere the time went:");
        for (name, time) in self.steps.iter().filter(|(_, time)| *time >= Duration::from_secs(1)) {
            print(&format!("  {:>12}  {name}", took(*time)));
        }
        print("\nThe slowest tests:");
        for (name, time) in self.report.slowest() {
            print(&format!("  {:>12}  {name}", took(time)));
        }
        let junit = place::target().join("junit.xml");
        self.report.write_junit(&junit)?;
        print("");
        for name in &self.failed {
            print(&format!("✕ {name}"));
        }
        let (ran, ignored) = self.report.counts();
        print(&format!("{ran} tests ran in {}; {ignored} were left out. {}", took(time), junit.display()));
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
        suite.step("good", || Ok(()));
        suite.step("bad", || Err(XtaskError::Missing("something".to_owned())));
        suite.step("good again", || Ok(()));
        assert_eq!((suite.passed, suite.failed.as_slice()), (2, ["bad".to_owned()].as_slice()));
    }

    #[test]
    fn queues_run_beside_each_other_and_each_outcome_counts() {
        let passed =
            |name: &str| TestResult { name: name.to_owned(), time: Duration::from_secs(2), state: TestState::Passed };
        let (give, take) = mpsc::channel();
        // The first waits for the second: one after the other, they would never end.
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
        suite.run_queues(vec![Queue { tests: vec![waits, tells], at_once: 2 }, Queue::one_by_one(vec![good])]);
        assert_eq!((suite.passed, suite.failed.as_slice()), (2, ["test: tells".to_owned()].as_slice()));
        assert_eq!(suite.report.counts(), (2, 0));
    }
}
