//! Placeholder.
use super::draft::Target;
use crate::{Problem, Words};
use std::path::Path;
use takt_journal::Journal;
pub(super) fn write(
    _journal: &Journal,
    _words: &Words,
    (_id, _target): (u32, &Target),
    _path: &Path,
) -> Result<(), Problem> {
    Ok(())
}
