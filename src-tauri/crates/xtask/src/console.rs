//! The only module that prints. Messages are plain English, since they are for developers.
#![expect(clippy::print_stdout, reason = "the commands talk to a person at a terminal")]

use std::time::{Duration, Instant};

pub(crate) fn print(line: &str) {
    println!("{line}");
}

/// Prints the start of a step, runs it, and prints how long it took.
pub(crate) fn timed<T, E>(step: &str, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let start = Instant::now();
    println!("… {step}");
    let outcome = work();
    let mark = if outcome.is_ok() { "✓" } else { "✕" };
    println!("{mark} {step} ({})", duration_text(start.elapsed()));
    outcome
}

/// Formats a duration like `0.4 s`, `38 s` or `2 min 05 s`.
pub(crate) fn duration_text(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..10 => format!("{:.1} s", duration.as_secs_f64()),
        10..60 => format!("{seconds} s"),
        _ => format!("{} min {:02} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        assert_eq!(duration_text(Duration::from_millis(440)), "0.4 s");
        assert_eq!(duration_text(Duration::from_secs(38)), "38 s");
        assert_eq!(duration_text(Duration::from_secs(125)), "2 min 05 s");
    }
}
