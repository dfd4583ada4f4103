//! The section of a version in `CHANGELOG.md`, which users read before an update.

use std::fs;

use super::files;
use crate::{error::XtaskError, paths};

pub(super) const FILE_NAME: &str = "CHANGELOG.md";
pub(super) const NOT_RELEASED: &str = "## Not released";

/// A version's section: its date, such as `2026-12-01`, and its changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) date: String,
    pub(super) text: String,
}

pub(super) fn write_notes() -> Result<(), XtaskError> {
    files::write("notes.md", &format!("{}\n", read()?.text))
}

/// Reads the section of the current version. Fails if the changelog has none.
pub(super) fn read() -> Result<Section, XtaskError> {
    let path = paths::root().join(FILE_NAME);
    let text = fs::read_to_string(&path).map_err(XtaskError::file(&path))?;
    let version = env!("CARGO_PKG_VERSION");
    find_section(&text, version).ok_or_else(|| {
        XtaskError::Missing(format!("{FILE_NAME} has no part `## {version}, YYYY-MM-DD` with something in it"))
    })
}

fn find_section(changelog: &str, version: &str) -> Option<Section> {
    let heading = format!("## {version}, ");
    let (_, rest) = changelog.split_once(&heading)?;
    let (date, rest) = rest.split_once('\n')?;
    let text = rest.split("\n## ").next()?.trim();
    (!text.is_empty()).then(|| Section { date: date.trim().to_owned(), text: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_has_its_part_and_no_more() {
        let text =
            "# Changes\n\n## Not released\n\n- C\n\n## 0.2.0, 2026-12-01\n\n- B\n- B2\n\n## 0.1.0, 2026-11-01\n\n- A\n";
        let found = find_section(text, "0.2.0").unwrap();
        assert_eq!((found.date.as_str(), found.text.as_str()), ("2026-12-01", "- B\n- B2"));
        assert_eq!(find_section(text, "0.1.0").unwrap().text, "- A");
        assert_eq!(find_section(text, "0.3.0"), None);
        assert_eq!(find_section("## 0.2.0, 2026-12-01\n\n## 0.1.0, x\n- A", "0.2.0"), None, "nothing changed");
    }
}
