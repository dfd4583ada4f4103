//! Writes logs and panics to files in the home folder, without secrets and limited in size.
//!
//! Each program has its own files: `NAME.log`, and `NAME.1.log` to `NAME.4.log`, older ones with higher numbers. Lines
//! that can't be written are lost, because a full disk must not end the program.

use std::{
    borrow::Cow,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    panic,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

use parking_lot::Mutex;
use takt_client::Redactor;
use takt_core::Home;
use tracing_subscriber::{
    EnvFilter, Layer,
    fmt::{self, MakeWriter},
    layer::SubscriberExt,
    util::SubscriberInitExt,
};

/// The default log level: information from Takt's crates, and warnings from others.
const DEFAULT_FILTER: &str = "warn,takt=info";
/// The limits of the copied end of each file, in lines and bytes.
const TAIL_LINES: usize = 60;
const TAIL_BYTES: usize = 64 * 1024;
/// The maximum size of a file. It's rotated before it exceeds this size.
const MAX_FILE_BYTES: u64 = 2 * 1024 * 1024;
/// The number of older files per program. The oldest is overwritten.
const MAX_OLDER_FILES: u32 = 4;
const MAX_LINE_LENGTH: usize = 16 * 1024;

/// The program that writes logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    Window,
    CommandLine,
}

impl Program {
    const ALL: [Self; 2] = [Self::Window, Self::CommandLine];

    /// Returns the base name of the program's log files.
    fn name(self) -> &'static str {
        match self {
            Self::Window => "window",
            Self::CommandLine => "command-line",
        }
    }
}

/// Starts logging to the home folder, including panics. `requested_filter` is a filter such as
/// `takt_submit=debug,warn`. Lines that pass it are also written to standard error. An invalid filter is replaced by
/// the default.
pub fn start_logging(home: &Home, program: Program, redactor: &Redactor, requested_filter: Option<&str>) {
    let default_filter = || EnvFilter::new(DEFAULT_FILTER);
    let parse_filter = |filter: &str| EnvFilter::try_new(filter).unwrap_or_else(|_| default_filter());
    let file = LogFile::new(&home.logs(), program.name(), redactor.clone());
    let to_file = fmt::layer()
        .with_ansi(false)
        .with_writer(file)
        .with_filter(requested_filter.map_or_else(default_filter, parse_filter));
    let to_stderr = requested_filter.map(|filter| {
        fmt::layer()
            .with_ansi(false)
            .with_writer(StandardErrorWriter::new(redactor.clone()))
            .with_filter(parse_filter(filter))
    });
    if tracing_subscriber::registry().with(to_file).with(to_stderr).try_init().is_ok() {
        log_panics();
        tracing::info!(version = env!("CARGO_PKG_VERSION"), system = std::env::consts::OS, "started");
    }
}

/// Starts logging to standard error only, for commands without a home folder. Does nothing without a valid filter.
pub fn log_to_stderr(redactor: &Redactor, filter: Option<&str>) {
    let Some(filter) = filter.and_then(|filter| EnvFilter::try_new(filter).ok()) else { return };
    let to_stderr =
        fmt::layer().with_ansi(false).with_writer(StandardErrorWriter::new(redactor.clone())).with_filter(filter);
    // Fails if another logger is active, which then stays active.
    drop(tracing_subscriber::registry().with(to_stderr).try_init());
}

/// Logs panics in addition to the existing hook.
fn log_panics() {
    let previous_hook = panic::take_hook();
    panic::set_hook(Box::new(move |panic_info| {
        let place = panic_info.location().map(ToString::to_string).unwrap_or_default();
        let said = panic_info.payload_as_str().unwrap_or_default();
        let current = thread::current();
        tracing::error!(place, thread = current.name().unwrap_or_default(), said, "panic");
        previous_hook(panic_info);
    }));
}

/// Returns the newest lines of all programs' logs, for the user to copy. The text is empty without logs.
#[must_use]
pub fn log_tail(home: &Home) -> String {
    let tails = Program::ALL.into_iter().filter_map(|program| {
        let name = format!("{}.log", program.name());
        let tail = read_tail(&home.logs().join(&name))?;
        Some(format!("{name}\n{tail}"))
    });
    tails.collect::<Vec<_>>().join("\n\n")
}

fn read_tail(path: &Path) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    let end = String::from_utf8_lossy(bytes.get(bytes.len().saturating_sub(TAIL_BYTES)..)?).into_owned();
    let lines: Vec<&str> = end.lines().collect();
    let newest = lines.get(lines.len().saturating_sub(TAIL_LINES)..)?;
    (!newest.is_empty()).then(|| newest.join("\n"))
}

/// A program's log. The file is opened for each line, so that processes can share it and no rotated file is written
/// to.
#[derive(Debug, Clone)]
struct LogFile {
    folder: PathBuf,
    name: &'static str,
    redactor: Redactor,
    write_lock: Arc<Mutex<()>>,
}

impl LogFile {
    fn new(folder: &Path, name: &'static str, redactor: Redactor) -> Self {
        Self { folder: folder.to_path_buf(), name, redactor, write_lock: Arc::default() }
    }

    fn append(&self, line: &[u8]) -> io::Result<()> {
        let line = format_line(&self.redactor, line);
        let _guard = self.write_lock.lock();
        let newest = self.path(0);
        let length = newest.metadata().map_or(0, |metadata| metadata.len());
        if length > 0 && length + line.len() as u64 > MAX_FILE_BYTES {
            self.rotate();
        }
        restrict_to_owner(OpenOptions::new().create(true).append(true)).open(newest)?.write_all(line.as_bytes())
    }

    /// Rotates the files. Does nothing if another process is rotating them. Then this process's line is written to the
    /// current file.
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
fn restrict_to_owner(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600)
}

/// Does nothing, because other users can't read the folder, which is in the user's profile.
#[cfg(not(unix))]
fn restrict_to_owner(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Formats one line without secrets or line breaks, so that a service's text can't forge a line of the log.
fn format_line(redactor: &Redactor, line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end_matches(['\n', '\r']);
    let mut end = text.len().min(MAX_LINE_LENGTH);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    // Redacted before cutting, because half a secret wouldn't be recognized.
    let clean: Cow<'_, str> = redactor.redact_text(text);
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

/// Writes log lines without secrets to standard error.
#[derive(Debug, Clone)]
struct StandardErrorWriter {
    redactor: Redactor,
}

impl StandardErrorWriter {
    fn new(redactor: Redactor) -> Self {
        Self { redactor }
    }
}

impl Write for &StandardErrorWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        io::stderr().lock().write_all(format_line(&self.redactor, line).as_bytes())?;
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
        redactor.register_secret(&Secret::new("hunter2-hunter2-hunter2"));
        let line =
            format_line(&redactor, b"said=a\nINFO takt: hunter2-hunter2-hunter2 Authorization: Bearer abcdefgh12345\n");
        assert_eq!(line.matches('\n').count(), 1);
        assert!(!line.contains("hunter2") && !line.contains("abcdefgh12345"), "{line}");
        let long = format_line(&redactor, &vec![b'x'; 3 * MAX_LINE_LENGTH]);
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
