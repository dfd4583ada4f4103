//! `cargo xtask crash [KILLS [SEED]]`: runs the long form of the crash test, and prints a table of kills and outcomes.

use crate::{
    console::timed,
    error::XtaskError,
    process::{cargo, show_output},
    setup::{self, Purpose},
};

pub(crate) fn run(arguments: &[String]) -> Result<(), XtaskError> {
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
