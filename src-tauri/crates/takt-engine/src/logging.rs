//! Writes logs and panics to files in the home folder, without secrets and limited in size.
//!
//! Each program has its own files: `NAME.log`, and `NAME.1.log` to `NAME.4.log`, older ones with higher numbers. Lines
//! that can't be written are lost, because a full disk must not end the program.

mod file;

use std::{fs, panic, path::Path, thread};

use takt_client::Redactor;
use takt_core::Home;
use tracing_subscriber::{EnvFilter, Layer, fmt, layer::SubscriberExt, util::SubscriberInitExt};

use file::{LogFile, StandardErrorWriter};

/// The default log level: information from Takt's crates, and warnings from others.
const DEFAULT_FILTER: &str = "warn,takt=info";
/// The lines and bytes of each file for a copy of the log.
const TAIL_LINES: usize = 60;
const TAIL_BYTES: usize = 64 * 1024;

/// The program that writes logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    Window,
    CommandLine,
}

impl Program {
    const ALL: [Self; 2] = [Self::Window, Self::CommandLine];

    /// Returns the base name of its files.
    fn name(self) -> &'static str {
        match self {
            Self::Window => "window",
            Self::CommandLine => "command-line",
        }
    }
}

/// Starts logging to the home folder, including panics. `asked` is a filter such as `takt_submit=debug,warn`. Lines
/// that pass it are also written to standard error.
pub fn start_logging(home: &Home, program: Program, redactor: &Redactor, asked: Option<&str>) {
    let default_filter = || EnvFilter::new(DEFAULT_FILTER);
    let filter = |asked: &str| EnvFilter::try_new(asked).unwrap_or_else(|_| default_filter());
    let file = LogFile::new(&home.logs(), program.name(), redactor.clone());
    let to_file =
        fmt::layer().with_ansi(false).with_writer(file).with_filter(asked.map_or_else(default_filter, filter));
    let to_screen = asked.map(|asked| {
        fmt::layer().with_ansi(false).with_writer(StandardErrorWriter::new(redactor.clone())).with_filter(filter(asked))
    });
    if tracing_subscriber::registry().with(to_file).with(to_screen).try_init().is_ok() {
        log_panics();
        tracing::info!(version = env!("CARGO_PKG_VERSION"), system = std::env::consts::OS, "started");
    }
}

/// Starts logging to standard error only, for commands without a home folder. Off by default.
pub fn log_on_screen(redactor: &Redactor, asked: Option<&str>) {
    let Some(filter) = asked.and_then(|asked| EnvFilter::try_new(asked).ok()) else { return };
    let to_screen =
        fmt::layer().with_ansi(false).with_writer(StandardErrorWriter::new(redactor.clone())).with_filter(filter);
    // Another logger that was already started stays active.
    drop(tracing_subscriber::registry().with(to_screen).try_init());
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

/// Returns the newest lines of the logs to copy. Empty if there are none.
#[must_use]
pub fn log_tail(home: &Home) -> String {
    let tails = Program::ALL.into_iter().filter_map(|program| {
        let name = format!("{}.log", program.name());
        let tail = tail(&home.logs().join(&name))?;
        Some(format!("{name}\n{tail}"))
    });
    tails.collect::<Vec<_>>().join("\n\n")
}

fn tail(path: &Path) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    let end = String::from_utf8_lossy(bytes.get(bytes.len().saturating_sub(TAIL_BYTES)..)?).into_owned();
    let lines: Vec<&str> = end.lines().collect();
    let newest = lines.get(lines.len().saturating_sub(TAIL_LINES)..)?;
    (!newest.is_empty()).then(|| newest.join("\n"))
}
