//! How long each test took, as the test programs print it, and which took longest.

use std::time::Duration;

/// As many are shown.
const SHOWN: usize = 10;

#[derive(Debug, Default)]
pub(crate) struct Timings(Vec<(String, Duration)>);

impl Timings {
    /// Takes the times out of what a program printed: `test area::name ... ok <1.234s>`.
    pub(crate) fn read(&mut self, program: &str, printed: &str) {
        let timing = |line: &str| {
            let (name, end) = line.strip_prefix("test ")?.split_once(" ... ok <")?;
            let seconds: f64 = end.strip_suffix("s>")?.parse().ok()?;
            Some((format!("{program} · {name}"), Duration::try_from_secs_f64(seconds).ok()?))
        };
        self.0.extend(printed.lines().filter_map(timing));
    }

    /// The slowest first.
    pub(crate) fn slowest(mut self) -> Vec<(String, Duration)> {
        self.0.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
        self.0.truncate(SHOWN);
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_come_first_and_other_lines_are_none() {
        let mut timings = Timings::default();
        timings.read(
            "cli",
            "running 2 tests\ntest a::quick ... ok <0.004s>\ntest a::slow ... ok <61.250s>\ntest b ... ok\n",
        );
        timings.read("unit", "test c ... ok <1.000s>\ntest d ... FAILED <9.000s>\ntest e ... ok <soon>\n");
        let names: Vec<String> = timings.slowest().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["cli · a::slow", "unit · c", "cli · a::quick"]);
    }
}
