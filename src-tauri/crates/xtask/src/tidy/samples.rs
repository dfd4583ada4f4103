//! The sample workbooks under `tests/data/samples` are exactly what the generator makes.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use crate::{
    error::XtaskError,
    place,
    process::{cargo, catch},
    tidy::{Complaint, complain},
};

const FOLDER: &str = "tests/data/samples";

/// Compiles the generator where it isn't yet.
pub(crate) fn check() -> Result<(), XtaskError> {
    let with_generator = ["run", "--quiet", "--package", "xtask", "--features", "samples", "--", "samples"];
    check_with(cargo(with_generator))
}

/// For when the workspace was just built with the generator in it.
pub(crate) fn check_built() -> Result<(), XtaskError> {
    let mut command = crate::process::program(&place::built("xtask").to_string_lossy());
    command.arg("samples");
    check_with(command)
}

fn check_with(mut generator: Command) -> Result<(), XtaskError> {
    let scratch = tempfile::tempdir().map_err(XtaskError::file("a temporary folder"))?;
    generator.arg(scratch.path());
    catch(generator)?;
    complain(&compare(scratch.path(), &place::root().join(FOLDER))?)
}

fn compare(fresh: &Path, kept: &Path) -> Result<Vec<Complaint>, XtaskError> {
    let mut complaints = Vec::new();
    let names: BTreeSet<String> = names(fresh)?.into_iter().chain(names(kept)?).collect();
    for name in names {
        let what = match (fs::read(fresh.join(&name)), fs::read(kept.join(&name))) {
            (Ok(fresh), Ok(kept)) if fresh == kept => continue,
            (Ok(_), Ok(_)) => "differs from what the generator makes",
            (Ok(_), Err(_)) => "is missing",
            (Err(_), _) => "is not made by the generator",
        };
        complaints.push(Complaint::new(
            &format!("{FOLDER}/{name}"),
            None,
            format!("{what}: run `cargo xtask samples`"),
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
        let (fresh, kept) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (folder, name, text) in [
            (&fresh, "a", "1"),
            (&kept, "a", "1"),
            (&fresh, "b", "1"),
            (&kept, "b", "2"),
            (&fresh, "c", "1"),
            (&kept, "d", "1"),
        ] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let found: Vec<String> =
            compare(fresh.path(), kept.path()).unwrap().iter().map(|complaint| complaint.text.clone()).collect();
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(
            found[0].starts_with("differs")
                && found[1].starts_with("is missing")
                && found[2].starts_with("is not made")
        );
    }
}
