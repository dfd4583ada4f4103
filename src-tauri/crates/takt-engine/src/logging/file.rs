//! Writes log lines to rotating files or standard error, and redacts secrets.

use std::{
    borrow::Cow,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use parking_lot::Mutex;
use takt_client::Redactor;
use tracing_subscriber::fmt::MakeWriter;

/// The most bytes per file.
const MAX_FILE_BYTES: u64 = 2 * 1024 * 1024;
/// The number of older files.
const MAX_OLDER_FILES: u32 = 4;
const MAX_LINE_LENGTH: usize = 16 * 1024;

/// A program's log. Opened for each line, so that processes can share it and rotated files aren't written to.
#[derive(Debug, Clone)]
pub(super) struct LogFile {
    folder: PathBuf,
    name: &'static str,
    redactor: Redactor,
    write_lock: Arc<Mutex<()>>,
}

impl LogFile {
    pub(super) fn new(folder: &Path, name: &'static str, redactor: Redactor) -> Self {
        Self { folder: folder.to_path_buf(), name, redactor, write_lock: Arc::default() }
    }

    fn append(&self, line: &[u8]) -> io::Result<()> {
        let line = one_line(&self.redactor, line);
        let _guard = self.write_lock.lock();
        let newest = self.path(0);
        let length = newest.metadata().map_or(0, |metadata| metadata.len());
        if length > 0 && length + line.len() as u64 > MAX_FILE_BYTES {
            self.rotate();
        }
        owner_only(OpenOptions::new().create(true).append(true)).open(newest)?.write_all(line.as_bytes())
    }

    /// Rotates the files. If another process is doing so, its lock is respected, and this process's line is written to
    /// the current file.
    fn rotate(&self) {
        let lock = File::create(self.folder.join(format!("{}.lock", self.name)));
        let Ok(lock) = lock else { return };
        if lock.try_lock().is_err() || self.path(0).metadata().map_or(0, |metadata| metadata.len()) < MAX_FILE_BYTES / 2
        {
            return;
        }
        for older in (0..MAX_OLDER_FILES).rev() {
            // A missing file, or one that another process has open, stays unchanged.
            drop(fs::rename(self.path(older), self.path(older + 1)));
        }
    }

    fn path(&self, older: u32) -> PathBuf {
        let name = if older == 0 { format!("{}.log", self.name) } else { format!("{}.{older}.log", self.name) };
        self.folder.join(name)
    }
}

/// Makes a file readable only by its owner.
#[cfg(unix)]
fn owner_only(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600)
}

/// The folder is in the user's profile, which others can't read.
#[cfg(not(unix))]
fn owner_only(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Formats one line without secrets or line breaks, so that a service's text can't forge a line of the log.
fn one_line(redactor: &Redactor, line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end_matches(['\n', '\r']);
    let mut end = text.len().min(MAX_LINE_LENGTH);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    // Redacted before cutting, because half a secret wouldn't be recognized.
    let clean: Cow<'_, str> = redactor.text(text);
    let text = if text.len() > MAX_LINE_LENGTH { clean.get(..end).unwrap_or(&clean) } else { &clean };
    let mut line: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    line.push('\n');
    line
}

impl Write for &LogFile {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        // Failures can't be reported anywhere.
        drop(self.append(line));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LogFile {
    type Writer = &'a Self;

    fn make_writer(&'a self) -> Self::Writer {
        self
    }
}

/// Standard error.
#[derive(Debug, Clone)]
pub(super) struct StandardErrorWriter {
    redactor: Redactor,
}

impl StandardErrorWriter {
    pub(super) fn new(redactor: Redactor) -> Self {
        Self { redactor }
    }
}

impl Write for &StandardErrorWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        io::stderr().lock().write_all(one_line(&self.redactor, line).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().lock().flush()
    }
}

impl<'a> MakeWriter<'a> for StandardErrorWriter {
    type Writer = &'a Self;

    fn make_writer(&'a self) -> Self::Writer {
        self
    }
}

#[cfg(test)]
mod tests {
    use takt_client::Secret;

    use super::*;

    #[test]
    fn lines_are_whole_and_without_secrets() {
        let redactor = Redactor::default();
        redactor.learn(&Secret::new("hunter2-hunter2-hunter2"));
        let line =
            one_line(&redactor, b"said=a\nINFO takt: hunter2-hunter2-hunter2 Authorization: Bearer abcdefgh12345\n");
        assert_eq!(line.matches('\n').count(), 1);
        assert!(!line.contains("hunter2") && !line.contains("abcdefgh12345"), "{line}");
        let long = one_line(&redactor, &vec![b'x'; 3 * MAX_LINE_LENGTH]);
        assert_eq!(long.len(), MAX_LINE_LENGTH + 1);
    }

    #[test]
    fn files_follow_each_other_and_never_take_more_than_their_room() {
        let folder = tempfile::tempdir().unwrap();
        let log = LogFile::new(folder.path(), "window", Redactor::default());
        let line = vec![b'y'; MAX_LINE_LENGTH];
        for _ in 0..1_000 {
            (&log).write_all(&line).unwrap();
        }
        (&log).write_all(b"the last one").unwrap();
        let sizes: Vec<u64> = (0..=MAX_OLDER_FILES).map(|older| log.path(older).metadata().unwrap().len()).collect();
        assert!(sizes.iter().all(|size| *size <= MAX_FILE_BYTES), "{sizes:?}");
        assert!(!log.path(MAX_OLDER_FILES + 1).exists());
        assert!(fs::read_to_string(log.path(0)).unwrap().ends_with("the last one\n"));
        fs::remove_dir_all(folder.path()).unwrap();
        (&log).write_all(b"into nothing").unwrap();
    }
}
