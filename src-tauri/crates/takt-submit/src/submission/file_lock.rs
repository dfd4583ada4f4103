//! One file goes to one site once at a time, and what was sent of it is found again by its content.

use std::path::{self, Path};

use takt_core::Problem;
use takt_journal::FileLock;

use super::{Submissions, dispatch::hash, view::SubmissionView};

impl Submissions {
    /// The right to send a file, or the files of a folder, to a site; until dropped, no other Takt of this home has it.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`](takt_core::Code::Precondition): somebody has it (`file-being-sent`).
    /// - A [journal code](takt_core::problem#journal-codes): the lock can't be made.
    pub fn lock_file(&self, site: &str, file: &Path) -> Result<FileLock, Problem> {
        // The same file under another name is the same; one that isn't there is somebody else's finding.
        let place = file.canonicalize().or_else(|_| path::absolute(file)).unwrap_or_else(|_| file.to_path_buf());
        self.lock(site, file, &place.display().to_string())
    }

    /// The right to send a content (the hexadecimal SHA-256 of its bytes) to a site, likewise: the same content may lie under
    /// several names, and is sent once. `file` is where it was found.
    ///
    /// # Errors
    ///
    /// As [`Self::lock_file`].
    pub fn lock_content(&self, site: &str, file: &Path, content: &str) -> Result<FileLock, Problem> {
        self.lock(site, file, content)
    }

    fn lock(&self, site: &str, file: &Path, what: &str) -> Result<FileLock, Problem> {
        let name = hash(&format!("{site}\n{what}"));
        let name = name.get(..32).unwrap_or(&name);
        self.shared.journal.plans().lock_file(name)?.ok_or_else(|| {
            let file = file.display().to_string();
            Problem::in_the_way_of("file-being-sent", &[("file", &file), ("site", site)])
        })
    }

    /// The latest that sent a file with this content (the hexadecimal SHA-256 of its bytes) to a site as a whole.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be looked for.
    pub fn of_file(&self, site: &str, hash: &str) -> Result<Option<SubmissionView>, Problem> {
        let found = self.shared.journal.plans().of_file(site, hash)?;
        Ok(self.views(found.into_iter().collect()).pop())
    }
}
