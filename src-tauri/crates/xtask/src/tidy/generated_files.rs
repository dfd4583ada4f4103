//! Checks that generated files are current: the icons, and the sample workbooks in `tests/data/samples`.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use crate::{
    error::XtaskError,
    icons, paths,
    process::{capture_output, cargo, program},
    tidy::{
        complaint::{Complaint, fail_on},
        tree::Tree,
    },
};

const ICON_HASH: &str = "icons/.source-hash";
const SAMPLES_FOLDER: &str = "tests/data/samples";

/// Checks that the icons were generated from the current drawing.
pub(crate) fn check_icons(tree: &Tree) -> Result<Vec<Complaint>, XtaskError> {
    let stored_hash = tree.text(ICON_HASH)?.trim();
    let current_hash = icons::hash(&tree.root().join("icons/takt.svg"))?;
    Ok(compare_hashes(stored_hash, &current_hash))
}

fn compare_hashes(stored_hash: &str, current_hash: &str) -> Vec<Complaint> {
    if stored_hash == current_hash {
        return Vec::new();
    }
    vec![Complaint::new("icons/takt.svg", None, "was changed after the icons were drawn: run `cargo xtask icons`")]
}

/// Checks the samples, and compiles the generator if necessary.
pub(crate) fn check_samples() -> Result<(), XtaskError> {
    let with_generator = ["run", "--quiet", "--package", "xtask", "--features", "samples", "--", "samples"];
    check_samples_with(cargo(with_generator))
}

/// Checks the samples with a generator that was just built.
pub(crate) fn check_samples_of_build() -> Result<(), XtaskError> {
    let mut command = program(&paths::built_program("xtask").to_string_lossy());
    command.arg("samples");
    check_samples_with(command)
}

fn check_samples_with(mut generator: Command) -> Result<(), XtaskError> {
    let scratch = tempfile::tempdir().map_err(XtaskError::file("a temporary folder"))?;
    generator.arg(scratch.path());
    capture_output(generator)?;
    fail_on(&compare_folders(scratch.path(), &paths::root().join(SAMPLES_FOLDER))?)
}

fn compare_folders(generated: &Path, committed: &Path) -> Result<Vec<Complaint>, XtaskError> {
    let mut complaints = Vec::new();
    let names: BTreeSet<String> = file_names(generated)?.into_iter().chain(file_names(committed)?).collect();
    for name in names {
        let complaint = match (fs::read(generated.join(&name)), fs::read(committed.join(&name))) {
            (Ok(generated), Ok(committed)) if generated == committed => continue,
            (Ok(_), Ok(_)) => "differs from what the generator makes",
            (Ok(_), Err(_)) => "is missing",
            (Err(_), _) => "is not made by the generator",
        };
        complaints.push(Complaint::new(
            &format!("{SAMPLES_FOLDER}/{name}"),
            None,
            format!("{complaint}: run `cargo xtask samples`"),
        ));
    }
    Ok(complaints)
}

fn file_names(folder: &Path) -> Result<Vec<String>, XtaskError> {
    let entries = fs::read_dir(folder).map_err(XtaskError::file(folder))?;
    Ok(entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_missing_and_further_files_are_seen() {
        let (generated, committed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (folder, name, text) in [
            (&generated, "a", "1"),
            (&committed, "a", "1"),
            (&generated, "b", "1"),
            (&committed, "b", "2"),
            (&generated, "c", "1"),
            (&committed, "d", "1"),
        ] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let found: Vec<String> = compare_folders(generated.path(), committed.path())
            .unwrap()
            .iter()
            .map(|complaint| complaint.text.clone())
            .collect();
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(
            found[0].starts_with("differs")
                && found[1].starts_with("is missing")
                && found[2].starts_with("is not made")
        );
    }

    #[test]
    fn a_changed_drawing_is_seen() {
        assert_eq!(compare_hashes("a", "a"), []);
        assert_eq!(compare_hashes("a", "b").len(), 1);
    }
}
