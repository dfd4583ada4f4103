//! Locks files that are sent, and finds the submissions that sent them.
//!
//! The journal refuses a plan while another one sends the same file. The command line also locks a file
//! from reading it to its last result, so that a second `takt` ends before it makes a preview.

use std::path::{self, Path};

use takt_core::Problem;
use takt_import::{ImportView, PlanStep};
use takt_journal::{FileLock, PlanId};

use super::{dispatch::sha256_hex, submissions_state::Submissions, view::SubmissionView};

impl Submissions {
    /// Returns the files that are sent or were sent.
    #[must_use]
    pub fn sent_files(&self) -> SentFiles<'_> {
        SentFiles(self)
    }
}

/// The files that are sent or were sent. [`Submissions::sent_files`] returns it.
#[derive(Debug, Clone, Copy)]
pub struct SentFiles<'a>(&'a Submissions);

impl SentFiles<'_> {
    /// Locks a file or folder for sending to a site. Until the lock is dropped, no other process of this home gets it.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`](takt_core::Code::Precondition): another process has the lock (`file-being-sent`).
    /// - A [journal code](takt_core::problem#journal-codes): the lock can't be created.
    pub fn lock(&self, site: &str, file: &Path) -> Result<FileLock, Problem> {
        // The same file under another path has the same lock. A missing file is reported elsewhere.
        let path = file.canonicalize().or_else(|_| path::absolute(file)).unwrap_or_else(|_| file.to_path_buf());
        self.lock_identity(site, file, &path.display().to_string())
    }

    /// Locks a content, given as the hexadecimal SHA-256 of its bytes, for sending to a site.
    ///
    /// The same content may exist under several names but is sent once. `file` is one of these names.
    ///
    /// # Errors
    ///
    /// Like [`Self::lock`].
    pub fn lock_content(&self, site: &str, file: &Path, content: &str) -> Result<FileLock, Problem> {
        self.lock_identity(site, file, content)
    }

    fn lock_identity(&self, site: &str, file: &Path, identity: &str) -> Result<FileLock, Problem> {
        let name = sha256_hex(&format!("{site}\n{identity}"));
        let name = name.get(..32).unwrap_or(&name);
        self.0.shared.journal.plans().lock_file(name)?.ok_or_else(|| {
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
    pub fn find(&self, site: &str, hash: &str) -> Result<Option<SubmissionView>, Problem> {
        let found = self.0.shared.journal.plans().submissions_of_file(site, hash)?;
        Ok(self.0.views(found.into_iter().take(1).collect()).pop())
    }

    /// Returns the latest submission of a plan that sent the same sheets of a file with the same content, by the same
    /// operations. The file may have another name.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the submissions can't be read.
    pub fn find_same_import(&self, site: &str, import: &ImportView) -> Result<Option<SubmissionView>, Problem> {
        let sent = self.0.shared.journal.plans().submissions_of_file(site, &import.hash)?;
        let has_step = |plan: PlanId, step: &PlanStep| {
            sent.iter().filter(|record| record.plan == plan && record.operation == step.operation).any(|record| {
                record.sheet == step.sheet
                    || is_renamed_text_sheet(&record.file, &record.sheet, &import.file, &step.sheet)
            })
        };
        let same = sent.iter().find(|record| import.steps_to_send().all(|step| has_step(record.plan, step)));
        Ok(self.0.views(same.cloned().into_iter().collect()).pop())
    }
}

/// Returns whether both are the only sheet of a text file, named after the file.
pub(crate) fn is_renamed_text_sheet(file: &str, sheet: &str, other_file: &str, other_sheet: &str) -> bool {
    let stem = |file: &str| Path::new(file).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    sheet != other_sheet && stem(file).as_deref() == Some(sheet) && stem(other_file).as_deref() == Some(other_sheet)
}
