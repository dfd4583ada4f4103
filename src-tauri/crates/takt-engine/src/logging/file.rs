//! Where lines go: a file that is followed by the next one when it is full, or the screen. Secrets are removed on the way.

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

/// Bytes of one file.
const MAX_FILE_BYTES: u64 = 2 * 1024 * 1024;
/// Files beside the newest.
const OLDER: u32 = 4;
const MAX_LINE_LENGTH: usize = 16 * 1024;

/// A program's log. Opened anew for each line, so that several processes share it, and one that was moved away isn't written to.
#[derive(Debug, Clone)]
pub(super) struct LogFile {
    folder: PathBuf,
    name: &'static str,
    redactor: Redactor,
    turn: Arc<Mutex<()>>,
}

impl LogFile {
    pub(super) fn new(folder: &Path, name: &'static str, redactor: Redactor) -> Self {
        Self { folder: folder.to_path_buf(), name, redactor, turn: Arc::default() }
    }

    fn append(&self, line: &[u8]) -> io::Result<()> {
        let line = one_line(&self.redactor, line);
        let _turn = self.turn.lock();
        let newest = self.path(0);
        let length = newest.metadata().map_or(0, |found| found.len());
        if length > 0 && length + line.len() as u64 > MAX_FILE_BYTES {
            self.move_on();
        }
        own(OpenOptions::new().create(true).append(true)).open(newest)?.write_all(line.as_bytes())
    }

    /// Another process may be doing the same: the lock is for one of them, and the other's line goes where it was.
    fn move_on(&self) {
        let lock = File::create(self.folder.join(format!("{}.lock", self.name)));
        let Ok(lock) = lock else { return };
        if lock.try_lock().is_err() || self.path(0).metadata().map_or(0, |found| found.len()) < MAX_FILE_BYTES / 2 {
            return;
        }
        for older in (0..OLDER).rev() {
            // A file that isn't there, or is open elsewhere, stays.
            drop(fs::rename(self.path(older), self.path(older + 1)));
        }
    }

    fn path(&self, older: u32) -> PathBuf {
        let name = if older == 0 { format!("{}.log", self.name) } else { format!("{}.{older}.log", self.name) };
        self.folder.join(name)
    }
}

/// Readable by its owner alone.
#[cfg(unix)]
fn own(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600)
}

/// The folder lies in the person's profile, which others can't read.
#[cfg(not(unix))]
fn own(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// One line without secrets and without an end of its own in the middle: what a service says can't look like a line of the log.
fn one_line(redactor: &Redactor, line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end_matches(['\n', '\r']);
    let mut end = text.len().min(MAX_LINE_LENGTH);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    // Removed before it is cut: half a secret isn't known as one.
    let clean: Cow<'_, str> = redactor.text(text);
    let kept = if text.len() > MAX_LINE_LENGTH { clean.get(..end).unwrap_or(&clean) } else { &clean };
    let mut line: String = kept.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    line.push('\n');
    line
}

impl Write for &LogFile {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        // There is no place to report it.
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
        let sizes: Vec<u64> = (0..=OLDER).map(|older| log.path(older).metadata().unwrap().len()).collect();
        assert!(sizes.iter().all(|size| *size <= MAX_FILE_BYTES), "{sizes:?}");
        assert!(!log.path(OLDER + 1).exists());
        assert!(fs::read_to_string(log.path(0)).unwrap().ends_with("the last one\n"));
        fs::remove_dir_all(folder.path()).unwrap();
        (&log).write_all(b"into nothing").unwrap();
    }
}
