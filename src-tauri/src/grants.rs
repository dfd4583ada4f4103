//! Which files the window may have opened. A page that was taken over knows paths, too: what counts is that a person chose the
//! file in a native dialog or dropped it on the window, which this side hears of by itself.
//!
//! Who starts Takt can name folders whose files need no choice (`TAKT_OPEN_FROM`, as many as `PATH` takes), for automation.

use std::{
    collections::VecDeque,
    env,
    path::{Path, PathBuf},
};

use parking_lot::Mutex;
use takt_engine::Problem;

const FOLDERS: &str = "TAKT_OPEN_FROM";
/// Files that stay granted; the oldest goes first.
const MAX_GRANTS: usize = 1000;

/// The files that were chosen since Takt was started.
#[derive(Debug, Default)]
pub(crate) struct Grants {
    files: Mutex<VecDeque<PathBuf>>,
    folders: Vec<PathBuf>,
}

impl Grants {
    pub(crate) fn from_environment() -> Self {
        let named = env::var_os(FOLDERS).unwrap_or_default();
        Self::with_folders(env::split_paths(&named))
    }

    fn with_folders(folders: impl Iterator<Item = PathBuf>) -> Self {
        let folders = folders.filter(|folder| !folder.as_os_str().is_empty());
        Self { folders: folders.filter_map(|folder| folder.canonicalize().ok()).collect(), ..Self::default() }
    }

    /// A person chose it.
    pub(crate) fn grant(&self, path: &Path) {
        let mut files = self.files.lock();
        files.retain(|known| known != path);
        files.push_back(path.to_owned());
        if files.len() > MAX_GRANTS {
            files.pop_front();
        }
    }

    /// The path, where it was chosen.
    ///
    /// # Errors
    /// Nobody chose it.
    pub(crate) fn checked(&self, path: &str) -> Result<PathBuf, Problem> {
        let path = PathBuf::from(path);
        let chosen = self.files.lock().contains(&path);
        if chosen || self.is_in_a_folder(&path) {
            return Ok(path);
        }
        Err(Problem::in_the_way("file-not-chosen").parameter("file", path.display().to_string()))
    }

    /// Links are followed: what counts is where the file lies.
    fn is_in_a_folder(&self, path: &Path) -> bool {
        let place = path.canonicalize();
        place.is_ok_and(|place| self.folders.iter().any(|folder| place.starts_with(folder)))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_what_a_person_chose_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let grants = Grants::default();
        grants.grant(&folder.path().join("plan.xlsx"));
        assert!(grants.checked(&path("plan.xlsx")).is_ok());
        for other in [path("other.xlsx"), path("x/../plan.xlsx"), "/etc/passwd".to_owned(), String::new()] {
            let problem = grants.checked(&other).unwrap_err();
            assert_eq!(problem.parameters["obstacle"], "file-not-chosen", "{other}");
        }
        for at in 0..MAX_GRANTS {
            grants.grant(Path::new(&at.to_string()));
        }
        assert!(grants.checked(&path("plan.xlsx")).is_err(), "the oldest goes");
    }

    #[test]
    fn a_folder_that_was_named_holds_what_lies_in_it() {
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for path in [folder.path().join("in.csv"), elsewhere.path().join("out.csv")] {
            fs::write(path, "a").unwrap();
        }
        let grants = Grants::with_folders([folder.path().to_owned(), PathBuf::new()].into_iter());
        let inside = folder.path().join("in.csv").display().to_string();
        assert!(grants.checked(&inside).is_ok());
        let round = elsewhere.path().file_name().unwrap().to_string_lossy().into_owned();
        for outside in [
            elsewhere.path().join("out.csv").display().to_string(),
            folder.path().join("..").join(round).join("out.csv").display().to_string(),
        ] {
            assert!(grants.checked(&outside).is_err(), "{outside}");
        }
    }
}
