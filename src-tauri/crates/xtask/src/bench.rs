//! `cargo xtask bench NAME`: builds the optimized programs and starts `takt-bench`, which owns the measuring.

use crate::{
    console::timed,
    error::XtaskError,
    process::{cargo, show_output},
    setup::{self, Purpose},
};

pub(crate) fn run(arguments: &[String]) -> Result<(), XtaskError> {
    match arguments.first().map(String::as_str) {
        // The help needs no built program.
        None | Some("help" | "--help" | "-h") => {}
        Some("browse") => setup::prepare(Purpose::Tests)?,
        Some(_) => {
            setup::prepare(Purpose::CommandLine)?;
            timed("building takt, optimized (several minutes the first time)", || {
                show_output(cargo(["build", "--release", "--package", "takt-cli"]))
            })?;
        }
    }
    let mut bench = cargo(["run", "--quiet", "--release", "--package", "takt-bench", "--"]);
    bench.args(arguments);
    show_output(bench)
}
