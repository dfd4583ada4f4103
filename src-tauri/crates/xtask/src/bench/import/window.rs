//! What the whole window takes with the file open: the window's own test drives the real one, and tells.

use std::path::Path;

use crate::{
    bench::report::Report,
    process::{cargo, catch},
};

const BOUND: f64 = 700.0;

/// Not measured where there is no window to open, or where the system doesn't tell what processes take.
pub(super) fn measure(file: &Path, report: &mut Report) {
    let more = printed(file).as_deref().and_then(more);
    report.at_most("the window with such a file open, above an empty one", BOUND, more, "MB");
}

fn printed(file: &Path) -> Option<String> {
    catch(cargo(["build", "-p", "takt-desktop", "-p", "takt-cli"])).ok()?;
    let mut test = cargo(["test", "-p", "takt-tests", "--test", "window", "memory", "--", "--ignored", "--nocapture"]);
    test.env("TAKT_LARGE_FILE", file);
    catch(test).ok()
}

/// Of a line such as `1000000 rows: 334 MB empty, 574 MB with the file`.
fn more(printed: &str) -> Option<f64> {
    let line = printed.lines().find(|line| line.ends_with(" MB with the file"))?;
    let (_, sizes) = line.split_once(": ")?;
    let (empty, with) = sizes.split_once(" MB empty, ")?;
    let with: f64 = with.split_once(' ')?.0.parse().ok()?;
    Some(with - empty.parse::<f64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tests_line_is_understood() {
        assert_eq!(more("running 1 test\n1000000 rows: 334 MB empty, 574 MB with the file\nok"), Some(240.0));
        assert_eq!(more("test memory ... ok"), None);
    }
}
