//! `cargo xtask crash [KILLS [SEED]]`: the crash test's long form, with a table of what was ended where and what came of it.

use crate::{
    console::timed,
    error::XtaskError,
    process::{cargo, show},
    setup::{self, Purpose},
};

pub(crate) fn run(arguments: &[String]) -> Result<(), XtaskError> {
    if let Some(wrong) = arguments.iter().find(|argument| argument.parse::<u64>().is_err()) {
        return Err(XtaskError::Command(format!("crash {wrong}")));
    }
    setup::prepare(Purpose::AllTests)?;
    timed("building the command line", || show(cargo(["build", "--package", "takt-cli"])))?;
    let mut test = cargo(["test", "--package", "takt-long-tests", "--test", "long", "--"]);
    test.args(["kills", "--include-ignored", "--skip", "a_few", "--nocapture", "--test-threads=1"]);
    for (name, value) in ["TAKT_CRASH_KILLS", "TAKT_CRASH_SEED"].into_iter().zip(arguments) {
        test.env(name, value);
    }
    show(test)
}
