//! `cargo xtask test`: every check there is, step by step, each with its time; a step that fails doesn't keep the next from running.
//!
//! Everything of the workspace is built in one go with one set of features, so that nothing is built twice; the test programs
//! are then started from here, each with a limit in time. The tests of the window wait most of their time, so those of the crates
//! and of the web UI's parts run beside them; the crash tests wait, too, so those of the command line run beside
//! them. At the end stand the slowest tests.

pub(crate) mod programs;
mod timings;

use std::{
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use crate::{
    console::{print, took},
    dependencies,
    error::XtaskError,
    process::{cargo, catch, npm},
    setup::{self, Purpose},
    tidy,
};
use programs::Program;
use timings::Timings;

/// The sample generator and the benches are part of what is checked.
const FEATURES: &str = "--features=xtask/samples,xtask/bench";
const WHOLE: [&str; 3] = ["--workspace", "--all-targets", FEATURES];
/// With the features of the rest, so that the examples use what is built already.
const EXAMPLES: [&str; 5] = ["test", "--doc", "--quiet", "--workspace", FEATURES];

pub(crate) fn run() -> Result<(), XtaskError> {
    let start = Instant::now();
    setup::prepare(Purpose::Test)?;
    let mut suite = Suite::default();
    suite.step("format: cargo fmt", || catch(cargo(["fmt", "--all", "--check"])).map(drop));
    for (what, script) in [("lint", "lint"), ("types and build", "build")] {
        suite.step(&format!("web UI: {what}"), || catch(npm(["run", "--silent", script])).map(drop));
    }
    for (name, check) in dependencies::CHECKS {
        suite.step(&format!("dependencies: {name}"), check);
    }
    suite.step("lint: cargo clippy", || {
        let words = ["clippy", "--quiet"].iter().chain(&WHOLE).chain(&["--", "-D", "warnings"]);
        catch(cargo(words)).map(drop)
    });
    let mut found = Vec::new();
    suite.step("build: everything, with its tests", || {
        found = programs::build(&WHOLE)?;
        Ok(())
    });
    let (window, others): (Vec<_>, Vec<_>) = found.iter().map(Test::program).partition(|test| test.name == WINDOW);
    let (outside, mut inside): (Vec<_>, Vec<_>) = others.into_iter().partition(|test| test.name.starts_with(OUTSIDE));
    inside.push(Test {
        name: "web UI: tests".to_owned(),
        run: Box::new(|| catch(npm(["run", "--silent", "test"])).map(drop).map(|()| String::new())),
    });
    suite.lanes([window, inside]);
    let (alone, outside): (Vec<_>, Vec<_>) = outside.into_iter().partition(|test| test.name == SIGN_IN);
    let (crash, outside): (Vec<_>, Vec<_>) = outside.into_iter().partition(|test| test.name == CRASH);
    suite.lanes([crash, outside]);
    suite.lanes([alone]);
    suite.step("test: the examples of the documentation", || catch(cargo(EXAMPLES)).map(drop));
    suite.step("tidy: the samples are what the generator makes", tidy::samples::check_built);
    for (name, check) in tidy::CHECKS {
        suite.step(&format!("tidy: {name}"), || tidy::run_one(check));
    }
    suite.close(start.elapsed())
}

/// The product from outside.
const OUTSIDE: &str = "test: takt-tests";
/// The tests of the real window take as long as those of all crates and of the web UI's parts.
const WINDOW: &str = "test: takt-tests · window";
/// The crash tests wait for moments to kill something in. They and the others beside them sign in at most four times at once each:
/// there are eight ports to come back to.
const CRASH: &str = "test: takt-tests · crash";
/// Takes all ports that a browser could come back to, so it runs alone.
const SIGN_IN: &str = "test: takt-tests · sign_in";

/// One test program, or what counts as one.
struct Test<'a> {
    name: String,
    /// What it printed.
    run: Box<dyn FnOnce() -> Result<String, XtaskError> + Send + 'a>,
}

impl<'a> Test<'a> {
    fn program(program: &'a Program) -> Self {
        Self { name: format!("test: {}", program.name), run: Box::new(|| program.run()) }
    }
}

#[derive(Debug, Default)]
struct Suite {
    passed: usize,
    failed: Vec<String>,
    timings: Timings,
}

impl Suite {
    /// Runs the lanes beside each other, in each one test after the other.
    fn lanes<'a>(&mut self, lanes: impl IntoIterator<Item = Vec<Test<'a>>>) {
        let (tell, told) = mpsc::channel();
        thread::scope(|scope| {
            for lane in lanes {
                let tell = tell.clone();
                scope.spawn(move || {
                    for test in lane {
                        print(&format!("… {}", test.name));
                        let start = Instant::now();
                        let outcome = (test.run)();
                        // Nobody listens only where this thread's scope is left by a panic.
                        let _ = tell.send((test.name, start.elapsed(), outcome));
                    }
                });
            }
            drop(tell);
            for (name, time, outcome) in told {
                let outcome = outcome.map(|printed| self.timings.read(name.trim_start_matches("test: "), &printed));
                self.end(&name, time, outcome);
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
        print("");
        print("The slowest tests:");
        for (name, time) in self.timings.slowest() {
            print(&format!("  {} {name}", took(time)));
        }
        print("");
        for name in &self.failed {
            print(&format!("✕ {name}"));
        }
        let failed = self.failed.len();
        print(&format!("All of it took {}.", took(time)));
        print(&format!("{} passed, {failed} failed", self.passed));
        if failed == 0 { Ok(()) } else { Err(XtaskError::Checks(failed)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_fails_the_whole() {
        let mut suite = Suite::default();
        suite.step("good", || Ok(()));
        suite.step("bad", || Err(XtaskError::Missing("something".to_owned())));
        suite.step("good again", || Ok(()));
        assert_eq!((suite.passed, suite.failed.len()), (2, 1));
        assert!(matches!(suite.close(Duration::ZERO), Err(XtaskError::Checks(1))));
    }

    #[test]
    fn lanes_run_beside_each_other_and_each_outcome_counts() {
        let test = |name: &str, run: Box<dyn FnOnce() -> Result<String, XtaskError> + Send>| Test {
            name: name.to_owned(),
            run,
        };
        let (give, take) = mpsc::channel();
        // The first lane waits for the second: one after the other, they would never end.
        let waits = test("test: waits", Box::new(move || Ok(take.recv().unwrap())));
        let tells = test(
            "test: tells",
            Box::new(move || {
                give.send("test a ... ok <2.000s>\n".to_owned()).unwrap();
                Err(XtaskError::Missing("something".to_owned()))
            }),
        );
        let mut suite = Suite::default();
        suite.lanes([vec![waits], vec![tells, test("test: good", Box::new(|| Ok(String::new())))]]);
        assert_eq!((suite.passed, suite.failed), (2, vec!["test: tells".to_owned()]));
        assert_eq!(suite.timings.slowest(), [("waits · a".to_owned(), Duration::from_secs(2))]);
    }
}
