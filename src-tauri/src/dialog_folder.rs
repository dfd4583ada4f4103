//! The folder in which file dialogs start: the one of the last file that the user opened or saved.

use std::path::{Path, PathBuf};

use parking_lot::Mutex;

#[derive(Debug)]
pub(crate) struct DialogFolder {
    last: Mutex<Option<PathBuf>>,
    /// Takt's own folder. Its files, for example the samples, don't move the dialogs there.
    home: PathBuf,
}

impl DialogFolder {
    pub(crate) fn new(home: &Path) -> Self {
        Self { last: Mutex::default(), home: home.to_owned() }
    }

    pub(crate) fn remember(&self, file: &Path) {
        if let Some(folder) = file.parent().filter(|folder| folder.is_absolute() && !folder.starts_with(&self.home)) {
            *self.last.lock() = Some(folder.to_owned());
        }
    }

    /// Returns the folder, or `otherwise` if there is none or it no longer exists.
    pub(crate) fn start(&self, otherwise: Option<PathBuf>) -> Option<PathBuf> {
        self.last.lock().clone().filter(|folder| folder.is_dir()).or(otherwise)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialogs_start_next_to_the_users_last_file() {
        let (home, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let folder = DialogFolder::new(home.path());
        let documents = PathBuf::from("/documents");
        assert_eq!(folder.start(Some(documents.clone())), Some(documents.clone()));
        folder.remember(&work.path().join("week.xlsx"));
        assert_eq!(folder.start(Some(documents.clone())).as_deref(), Some(work.path()));
        folder.remember(&home.path().join("samples").join("materials.xlsx"));
        assert_eq!(folder.start(None).as_deref(), Some(work.path()), "a sample isn't the user's file");
        let other = work.path().join("other");
        std::fs::create_dir(&other).unwrap();
        folder.remember(&other.join("week.xlsx"));
        std::fs::remove_dir(&other).unwrap();
        assert_eq!(folder.start(Some(documents.clone())), Some(documents), "the folder is gone");
    }
}
