//! What every call of the command line costs: `takt --version`, and `takt check` of a workbook as people have them.

use crate::{
    bench::{
        import::{
            files::Files,
            whole::{check, takt},
        },
        report::Report,
        timing::{Runner, in_turns, table},
    },
    error::XtaskError,
};

/// Rows of the small workbook.
pub(super) const FEW: u32 = 200;
const MILLISECONDS: f64 = 1_000.0;

/// Whole processes. `rounds` is for what takes seconds; these are over soon and are measured more often.
pub(super) fn measure(seed: u64, rounds: usize, report: &mut Report) -> Result<(), XtaskError> {
    let files = Files::made(FEW, seed)?;
    let version = || {
        let mut command = takt();
        command.arg("--version");
        command
    };
    let check = || check(&files.xlsx);
    let runners = [
        Runner { name: "`takt --version`", command: &version },
        Runner { name: "`takt check` of 200 rows, as xlsx", command: &check },
    ];
    let courses = in_turns(&runners, rounds * 4)?;
    for (course, most) in courses.iter().zip([10.0, 60.0]) {
        let milliseconds = course.wall().map(|seconds| seconds * MILLISECONDS);
        report.at_most(&format!("{}, the whole process", course.name), most, milliseconds, "ms");
    }
    report.tables.push(table("The command line's own time", &courses));
    Ok(())
}
