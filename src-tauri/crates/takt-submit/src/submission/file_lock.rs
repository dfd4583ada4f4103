//! Locks files, so that each is sent to a site by one process at a time, and finds submissions by a file's content.

use std::path::{self, Path};

use takt_core::Problem;
use takt_journal::FileLock;

use super::{dispatch::hash, shared::Submissions, view::SubmissionView};

impl Submissions {
    /// Locks a file or folder for sending to a site. Until the lock is dropped, no other process of this home gets it.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`](takt_core::Code::Precondition): another process has the lock (`file-being-sent`).
    /// - A [journal code](takt_core::problem#journal-codes): the lock can't be created.
    pub fn lock_file(&self, site: &str, file: &Path) -> Result<FileLock, Problem> {
        // The same file under another path has the same lock. A missing file is reported elsewhere.
        let path = file.canonicalize().or_else(|_| path::absolute(file)).unwrap_or_else(|_| file.to_path_buf());
        self.lock(site, file, &path.display().to_string())
    }

    /// Locks a content, given as the hexadecimal SHA-256 of its bytes, for sending to a site.
    ///
    /// The same content may exist under several names but is sent once. `file` is one of these names.
    ///
    /// # Errors
    ///
    /// Like [`Self::lock_file`].
    pub fn lock_content(&self, site: &str, file: &Path, content: &str) -> Result<FileLock, Problem> {
        self.lock(site, file, content)
    }

    fn lock(&self, site: &str, file: &Path, identity: &str) -> Result<FileLock, Problem> {
        let name = hash(&format!("{site}\n{identity}"));
        let name = name.get(..32).unwrap_or(&name);
        self.shared.journal.plans().lock_file(name)?.ok_or_else(|| {
            let file = file.display().to_string();
            Problem::obstacle_with("file-being-sent", &[("file", &file), ("site", site)])
        })
    }

    /// Returns the latest submission that sent a file with this content completely to a site. `hash` is its hexadecimal
    /// SHA-256.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the submissions can't be read.
    pub fn of_file(&self, site: &str, hash: &str) -> Result<Option<SubmissionView>, Problem> {
        let found = self.shared.journal.plans().of_file(site, hash)?;
        Ok(self.views(found.into_iter().collect()).pop())
    }
}
