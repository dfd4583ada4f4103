//! Prints to the terminal. Only this module prints.
#![expect(clippy::print_stdout, reason = "a bench reports at a terminal")]

use std::time::Instant;

pub(crate) fn print(line: &str) {
    println!("{line}");
}

/// Prints the name of a step, runs it, and prints its duration.
pub(crate) fn timed<T, E>(what: &str, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let start = Instant::now();
    println!("… {what}");
    let outcome = work();
    let mark = if outcome.is_ok() { "✓" } else { "✕" };
    println!("{mark} {what} ({:.1} s)", start.elapsed().as_secs_f64());
    outcome
}
