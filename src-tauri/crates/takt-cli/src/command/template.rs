//! `takt template`: writes a blank workbook to fill in.

use std::path::PathBuf;

use crate::{
    console::{Console, sanitize},
    exit_codes::{ExitStatus, Failure},
    session,
};

/// Writes the workbook in the user's language. By default, it is written to the current folder under the operation's
/// name.
pub(super) fn run(operation: &str, out: Option<PathBuf>, console: &Console) -> Result<ExitStatus, Failure> {
    let path = out.unwrap_or_else(|| PathBuf::from(format!("{operation}.xlsx")));
    session::open_local_engine(console)?.import_sources().write_blank(operation, console.texts.language, &path)?;
    console.print_text("template.done", &[("file", sanitize(&path.display().to_string()))]);
    Ok(ExitStatus::Done)
}
