//! Runs tests under Wine: all crates' except the window's, and the command line's tests from outside.

use std::time::Duration;

use crate::{
    console::{print, timed},
    error::XtaskError,
    suite::programs::{self, Program},
    windows::{toolchain::Toolchain, wine::Wine},
};

/// The built packages. The window can't be opened under Wine, and developers' commands are for the build computer.
const SCOPE: [&str; 7] = ["--workspace", "--exclude", "takt-desktop", "--exclude", "xtask", "--bins", "--tests"];
/// The time limit of a test program. Under Wine, starting one of the product's programs takes a second or more.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(40 * 60);

/// Test programs that drive the window or other programs of this computer. Of the tests from outside, only the command
/// line's tests remain.
const EXCLUDED_PROGRAMS: [&str; 3] = ["takt-long-tests · long", "takt-tests · window", "takt-tests · takt_tests"];

/// Tests that fail because of Wine: the program, a part of the test's name, and the reason.
const SKIPPED_TESTS: [(&str, &str, &str); 6] = [
    (CLI, "network::a_proxy_with_a_password_also_for_encrypted_requests", NO_AUTHORITY),
    (CLI, "network::the_systems_proxy_unless_a_site_goes_without_one", NO_AUTHORITY),
    (CLI, "network::a_site_that_asks_for_a_client_certificate", NO_AUTHORITY),
    (CLI, "network::an_address_of_ipv6", NO_AUTHORITY),
    (CLI, "site_check::a_good_way_is_ok_and_its_transcript_tells_no_secret", NO_AUTHORITY),
    (CLI, "site_check::each_way_that_ends_says_where", NO_AUTHORITY),
];
const CLI: &str = "takt-tests · cli";
const NO_AUTHORITY: &str =
    "Wine 8 makes no chain engine of the form that Windows 8 and later take, so a site's own authority can't be tried";

pub(super) fn run() -> Result<(), XtaskError> {
    let toolchain = Toolchain::prepare()?;
    let wine = Wine::prepare()?;
    let found = timed("Windows: building the tests", || {
        let build = toolchain.cargo(["build", "--quiet", "--message-format=json-render-diagnostics"]);
        programs::build_with(build, &SCOPE)
    })?;
    let mut failed = 0;
    for program in found.iter().filter(|program| !EXCLUDED_PROGRAMS.contains(&program.name.as_str())) {
        let outcome = timed(&format!("Windows: {}", program.name), || run_one(&wine, program));
        match outcome {
            Ok(printed) => printed
                .lines()
                .filter(|line| line.starts_with("test result"))
                .for_each(|line| print(&format!("    {line}"))),
            Err(error) => {
                error.output().lines().for_each(|line| print(&format!("    {line}")));
                failed += 1;
            }
        }
        wine.end_processes();
    }
    if failed == 0 { Ok(()) } else { Err(XtaskError::Checks(failed)) }
}

fn run_one(wine: &Wine, program: &Program) -> Result<String, XtaskError> {
    let mut command = wine.command(PROGRAM_TIMEOUT, &program.executable);
    for (_, name, reason) in SKIPPED_TESTS.iter().filter(|(program_name, ..)| *program_name == program.name) {
        print(&format!("    left out: {name} ({reason})"));
        command.args(["--skip", name]);
    }
    program.run_with(command, PROGRAM_TIMEOUT)
}
