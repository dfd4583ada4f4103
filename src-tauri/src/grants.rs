//! The files that the window may open. Even a compromised page can only open files that the user chose in a native
//! dialog or dropped on the window. This process observes both directly.
//!
//! For automation, `TAKT_OPEN_FROM` names folders whose files need no choice, separated as in `PATH`.

use std::{
    collections::VecDeque,
    env,
    path::{Path, PathBuf},
};

use parking_lot::Mutex;
use takt_engine::Problem;

const FOLDERS_VARIABLE: &str = "TAKT_OPEN_FROM";
/// The maximum number of granted files. The oldest grants are revoked first.
const MAX_GRANTS: usize = 1000;

/// The files that the user chose since the start.
#[derive(Debug, Default)]
pub(crate) struct Grants {
    files: Mutex<VecDeque<PathBuf>>,
    folders: Vec<PathBuf>,
}

impl Grants {
    pub(crate) fn from_environment() -> Self {
        let named = env::var_os(FOLDERS_VARIABLE).unwrap_or_default();
        Self::with_folders(env::split_paths(&named))
    }

    fn with_folders(folders: impl Iterator<Item = PathBuf>) -> Self {
        let folders = folders.filter(|folder| !folder.as_os_str().is_empty());
        Self { folders: folders.filter_map(|folder| folder.canonicalize().ok()).collect(), ..Self::default() }
    }

    /// Grants access to a file that the user chose, and may revoke the oldest grant.
    pub(crate) fn grant(&self, path: &Path) {
        let mut files = self.files.lock();
        files.retain(|known| known != path);
        files.push_back(path.to_owned());
        if files.len() > MAX_GRANTS {
            files.pop_front();
        }
    }

    /// Returns the path if access was granted.
    ///
    /// # Errors
    /// The user didn't choose the file.
    pub(crate) fn check_granted(&self, path: &str) -> Result<PathBuf, Problem> {
        let path = PathBuf::from(path);
        let chosen = self.files.lock().contains(&path);
        if chosen || self.is_in_folder(&path) {
            return Ok(path);
        }
        Err(Problem::obstacle("file-not-chosen").parameter("file", path.display().to_string()))
    }

    /// Returns whether the file is in one of the folders. Symbolic links are resolved first.
    fn is_in_folder(&self, path: &Path) -> bool {
        let resolved = path.canonicalize();
        resolved.is_ok_and(|resolved| self.folders.iter().any(|folder| resolved.starts_with(folder)))
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
        assert!(grants.check_granted(&path("plan.xlsx")).is_ok());
        for other in [path("other.xlsx"), path("x/../plan.xlsx"), "/etc/passwd".to_owned(), String::new()] {
            let problem = grants.check_granted(&other).unwrap_err();
            assert_eq!(problem.parameters["obstacle"], "file-not-chosen", "{other}");
        }
        for at in 0..MAX_GRANTS {
            grants.grant(Path::new(&at.to_string()));
        }
        assert!(grants.check_granted(&path("plan.xlsx")).is_err(), "the oldest goes");
    }

    #[test]
    fn a_folder_that_was_named_holds_what_lies_in_it() {
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for path in [folder.path().join("in.csv"), elsewhere.path().join("out.csv")] {
            fs::write(path, "a").unwrap();
        }
        let grants = Grants::with_folders([folder.path().to_owned(), PathBuf::new()].into_iter());
        let inside = folder.path().join("in.csv").display().to_string();
        assert!(grants.check_granted(&inside).is_ok());
        let round = elsewhere.path().file_name().unwrap().to_string_lossy().into_owned();
        for outside in [
            elsewhere.path().join("out.csv").display().to_string(),
            folder.path().join("..").join(round).join("out.csv").display().to_string(),
        ] {
            assert!(grants.check_granted(&outside).is_err(), "{outside}");
        }
    }
}
