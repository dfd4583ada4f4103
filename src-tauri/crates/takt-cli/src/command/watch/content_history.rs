//! The sizes and hashes of files that were sent from a folder. They are stored, so that a file that grew after it was
//! sent is recognized even after a restart.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use takt_engine::{Home, to_hex};

/// The maximum number of contents per file name. The oldest are removed first.
const MAX_CONTENTS: usize = 5;
const MAX_NAMES: usize = 10_000;

/// The sent contents by file name, newest last.
#[derive(Debug)]
pub(super) struct ContentHistory {
    path: PathBuf,
    files: BTreeMap<String, Vec<FileContent>>,
}

/// A file's content when it was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileContent {
    pub(super) bytes: u64,
    /// The SHA-256 in hexadecimal form.
    pub(super) hash: String,
}

impl ContentHistory {
    /// Loads the history of a folder and site. If it is unreadable, it is empty, and files that grew are treated as
    /// new.
    pub(super) fn load(home: &Home, site: &str, folder: &Path) -> Self {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let mut hash = Sha256::new_with_prefix(site);
        hash.update([0]);
        hash.update(folder.as_os_str().as_encoded_bytes());
        let path = home.root().join("watched").join(format!("{}.json", to_hex(&hash.finalize())));
        let read = fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Self { files: read.unwrap_or_default(), path }
    }

    /// Returns the sent contents of the file with this name, newest first.
    pub(super) fn contents_of(&self, name: &str) -> impl Iterator<Item = &FileContent> {
        self.files.get(name).into_iter().flatten().rev()
    }

    /// Records the content that is about to be sent. Call it before any row is sent.
    ///
    /// # Errors
    /// [`io::Error`]: it can't be written.
    pub(super) fn record(&mut self, name: &str, content: FileContent) -> io::Result<()> {
        if self.contents_of(name).next() == Some(&content) {
            return Ok(());
        }
        while self.files.len() >= MAX_NAMES && !self.files.contains_key(name) {
            self.files.pop_first();
        }
        let contents = self.files.entry(name.to_owned()).or_default();
        contents.retain(|known| *known != content);
        contents.push(content);
        let surplus = contents.len().saturating_sub(MAX_CONTENTS);
        contents.drain(..surplus);
        let folder = self.path.parent().unwrap_or_else(|| Path::new("."));
        fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer(&mut file, &self.files)?;
        // A power failure mustn't leave an empty list.
        file.as_file().sync_all()?;
        file.persist(&self.path)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_known_again_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(folder.path().join("home")).unwrap();
        let content = |bytes: u64| FileContent { bytes, hash: bytes.to_string() };
        let mut history = ContentHistory::load(&home, "works", folder.path());
        assert_eq!(history.contents_of("a.csv").count(), 0);
        (0..7).for_each(|bytes| history.record("a.csv", content(bytes)).unwrap());
        let again = ContentHistory::load(&home, "works", folder.path());
        assert_eq!(again.contents_of("a.csv").cloned().collect::<Vec<_>>(), [6, 5, 4, 3, 2].map(content));
        assert_eq!(ContentHistory::load(&home, "other", folder.path()).contents_of("a.csv").count(), 0);
    }
}
