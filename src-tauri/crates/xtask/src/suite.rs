//! `cargo xtask test`: every check there is, step by step, each with its time; a step that fails doesn't keep the next from running.
//!
//! Everything of the workspace is built in one go with one set of features, so that nothing is built twice; the test programs
//! are then started from here, each with a limit in time. At the end stand the slowest tests.

pub(crate) mod programs;
mod timings;

use std::time::{Duration, Instant};

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
    for (what, script) in [("lint", "lint"), ("tests", "test"), ("types and build", "build")] {
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
    for program in &found {
        suite.test(program);
    }
    suite.step("test: the examples of the documentation", || catch(cargo(EXAMPLES)).map(drop));
    suite.step("tidy: the samples are what the generator makes", tidy::samples::check_built);
    for (name, check) in tidy::CHECKS {
        suite.step(&format!("tidy: {name}"), || tidy::run_one(check));
    }
    suite.close(start.elapsed())
}

#[derive(Debug, Default)]
struct Suite {
    passed: usize,
    failed: Vec<String>,
    timings: Timings,
}

impl Suite {
    fn test(&mut self, program: &Program) {
        let mut printed = String::new();
        self.step(&format!("test: {}", program.name), || {
            printed = program.run()?;
            Ok(())
        });
        self.timings.read(&program.name, &printed);
    }

    fn step(&mut self, name: &str, work: impl FnOnce() -> Result<(), XtaskError>) {
        let start = Instant::now();
        print(&format!("… {name}"));
        let outcome = work();
        let time = took(start.elapsed());
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
}
