//! Checks that the sample workbooks in `tests/data/samples` equal the generator's output.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use crate::{
    error::XtaskError,
    place,
    process::{capture_output, cargo},
    tidy::complaint::{Complaint, fail_on},
};

const FOLDER: &str = "tests/data/samples";

/// Checks the samples, and compiles the generator if necessary.
pub(crate) fn check() -> Result<(), XtaskError> {
    let with_generator = ["run", "--quiet", "--package", "xtask", "--features", "samples", "--", "samples"];
    check_with(cargo(with_generator))
}

/// Checks the samples with a generator that was just built.
pub(crate) fn check_built() -> Result<(), XtaskError> {
    let mut command = crate::process::program(&place::built("xtask").to_string_lossy());
    command.arg("samples");
    check_with(command)
}

fn check_with(mut generator: Command) -> Result<(), XtaskError> {
    let scratch = tempfile::tempdir().map_err(XtaskError::file("a temporary folder"))?;
    generator.arg(scratch.path());
    capture_output(generator)?;
    fail_on(&compare(scratch.path(), &place::root().join(FOLDER))?)
}

fn compare(generated: &Path, committed: &Path) -> Result<Vec<Complaint>, XtaskError> {
    let mut complaints = Vec::new();
    let names: BTreeSet<String> = names(generated)?.into_iter().chain(names(committed)?).collect();
    for name in names {
        let complaint = match (fs::read(generated.join(&name)), fs::read(committed.join(&name))) {
            (Ok(generated), Ok(committed)) if generated == committed => continue,
            (Ok(_), Ok(_)) => "differs from what the generator makes",
            (Ok(_), Err(_)) => "is missing",
            (Err(_), _) => "is not made by the generator",
        };
        complaints.push(Complaint::new(
            &format!("{FOLDER}/{name}"),
            None,
            format!("{complaint}: run `cargo xtask samples`"),
        ));
    }
    Ok(complaints)
}

fn names(folder: &Path) -> Result<Vec<String>, XtaskError> {
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
        let found: Vec<String> = compare(generated.path(), committed.path())
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
}
