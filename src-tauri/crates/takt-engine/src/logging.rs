//! The logs of both faces: lines in files under the home folder, without secrets, in bounded space. Panics are among them.
//!
//! Each program writes files of its own: `NAME.log`, and `NAME.1.log` to `NAME.4.log`, the older the higher. What can't be
//! written is lost: a full disk must not end what is logged.

mod file;

use std::{fs, panic, path::Path, thread};

use takt_client::Redactor;
use takt_core::Home;
use tracing_subscriber::{EnvFilter, Layer, fmt, layer::SubscriberExt, util::SubscriberInitExt};

use file::{LogFile, StandardErrorWriter};

/// The default log level: information of Takt's crates, and warnings of others.
const USUAL: &str = "warn,takt=info";
/// Of each file, for a copy of the log.
const TAIL_LINES: usize = 60;
const TAIL_BYTES: usize = 64 * 1024;

/// Who writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    Window,
    CommandLine,
}

impl Program {
    const ALL: [Self; 2] = [Self::Window, Self::CommandLine];

    /// The name of its files.
    fn name(self) -> &'static str {
        match self {
            Self::Window => "window",
            Self::CommandLine => "command-line",
        }
    }
}

/// From here on what this process has to say, and every panic, is in the home's logs. `asked` is a filter in the form of
/// `takt_submit=debug,warn`: what it lets through is on standard error, too.
pub fn start_logging(home: &Home, program: Program, redactor: &Redactor, asked: Option<&str>) {
    let usual = || EnvFilter::new(USUAL);
    let filter = |asked: &str| EnvFilter::try_new(asked).unwrap_or_else(|_| usual());
    let file = LogFile::new(&home.logs(), program.name(), redactor.clone());
    let to_file = fmt::layer().with_ansi(false).with_writer(file).with_filter(asked.map_or_else(usual, filter));
    let to_screen = asked.map(|asked| {
        fmt::layer().with_ansi(false).with_writer(StandardErrorWriter::new(redactor.clone())).with_filter(filter(asked))
    });
    if tracing_subscriber::registry().with(to_file).with(to_screen).try_init().is_ok() {
        log_panics();
        tracing::info!(version = env!("CARGO_PKG_VERSION"), system = std::env::consts::OS, "started");
    }
}

/// The same on standard error alone, for commands without a home folder. Off by default.
pub fn log_on_screen(redactor: &Redactor, asked: Option<&str>) {
    let Some(filter) = asked.and_then(|asked| EnvFilter::try_new(asked).ok()) else { return };
    let to_screen =
        fmt::layer().with_ansi(false).with_writer(StandardErrorWriter::new(redactor.clone())).with_filter(filter);
    // Where somebody logs already, that stays.
    drop(tracing_subscriber::registry().with(to_screen).try_init());
}

/// What was told of a panic before is told still.
fn log_panics() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |told| {
        let place = told.location().map(ToString::to_string).unwrap_or_default();
        let said = told.payload_as_str().unwrap_or_default();
        let current = thread::current();
        tracing::error!(place, thread = current.name().unwrap_or_default(), said, "panic");
        before(told);
    }));
}

/// The newest lines of the logs, to be copied. Empty if there are none.
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
