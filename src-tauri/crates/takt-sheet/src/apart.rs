//! Reading in a process of its own: for the one form whose reader can't be bounded from outside (xls), so that no file can
//! take the program down. The program starts itself with a hidden word; the child limits its own memory where the system can
//! do that, and is ended when it takes more than it may or too long.
//!
//! What goes over: a line of JSON and the file's bytes in; lines of JSON out, the last of them an end or an error.

mod child;
mod line;
mod memory;

use std::{
    io::{BufRead, BufReader, Read, Write},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

pub use child::read_if_called;

use crate::{Limits, Measure, Sheet, SheetEntry, SheetError, sheet::SheetBuilder, watch::Watch};
use line::{Line, Wanted};
use memory::Watched;

/// The hidden word with which the program is started.
pub const READ_APART: &str = "__read-sheet";

/// A row of 256 cells with the longest texts there can be.
const LONGEST_LINE: u64 = 64 * 1024 * 1024;
const LINES_AHEAD: usize = 1024;
const LOOK_UP_EVERY: Duration = Duration::from_millis(50);

/// Where and how a file is read apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Apart {
    /// Starts with [`read_if_called`].
    pub program: PathBuf,
    /// What the child may take.
    pub memory_bytes: u64,
    /// How long it may take.
    pub seconds: u64,
}

impl Apart {
    /// With bounds that hold what Takt takes on.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        Self { program, memory_bytes: 2 * 1024 * 1024 * 1024, seconds: 60 }
    }

    /// The running program itself, which must start with [`read_if_called`]. Absent where the system doesn't tell its place.
    #[must_use]
    pub fn by_this_program() -> Option<Self> {
        std::env::current_exe().ok().map(Self::new)
    }
}

pub(crate) fn sheets(apart: &Apart, bytes: &[u8], limits: &Limits) -> Result<Vec<SheetEntry>, SheetError> {
    let mut found = Vec::new();
    converse(apart, bytes, &Wanted::new(bytes, None, apart, limits), &|| false, |line| {
        if let Line::Sheet { name, visible } = line {
            found.push(SheetEntry { name, visible });
        }
        Ok(())
    })?;
    Ok(found)
}

pub(crate) fn read(
    apart: &Apart,
    bytes: &[u8],
    name: &str,
    limits: &Limits,
    watch: &Watch<'_>,
) -> Result<Sheet, SheetError> {
    let mut builder = SheetBuilder::new(name, limits, watch);
    let cancel = || watch.is_off();
    converse(apart, bytes, &Wanted::new(bytes, Some(name), apart, limits), &cancel, |line| line.put(&mut builder))?;
    builder.finish()
}

fn converse(
    apart: &Apart,
    bytes: &[u8],
    wanted: &Wanted,
    cancel: &dyn Fn() -> bool,
    take: impl FnMut(Line) -> Result<(), SheetError>,
) -> Result<(), SheetError> {
    let mut command = Command::new(&apart.program);
    command.arg(READ_APART).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    without_window(&mut command);
    let mut child = command.spawn().map_err(SheetError::Unreadable)?;
    let answer = exchange(&mut child, apart, bytes, wanted, cancel, take);
    // It has ended already, or is wanted no longer.
    let _ended = child.kill();
    let _status = child.wait();
    answer
}

fn exchange(
    child: &mut Child,
    apart: &Apart,
    bytes: &[u8],
    wanted: &Wanted,
    cancel: &dyn Fn() -> bool,
    mut take: impl FnMut(Line) -> Result<(), SheetError>,
) -> Result<(), SheetError> {
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(SheetError::damaged("its reader can't be talked to"));
    };
    let head = serde_json::to_vec(wanted).map_err(SheetError::damaged)?;
    let end = Instant::now() + Duration::from_secs(apart.seconds);
    let (sender, lines) = mpsc::sync_channel(LINES_AHEAD);
    let mut watched = Watched::new(child.id());
    let mut look_up = Instant::now() + LOOK_UP_EVERY;
    thread::scope(|scope| {
        // A child that ends early reads no further; what it said tells why.
        scope.spawn(move || [&head, b"\n".as_slice(), bytes].iter().try_for_each(|part| input.write_all(part)).is_ok());
        scope.spawn(move || {
            let mut output = BufReader::new(output);
            loop {
                let mut line = Vec::new();
                let read = output.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
                if read.unwrap_or_default() == 0 || sender.send(line).is_err() {
                    return;
                }
            }
        });
        let answer = loop {
            match lines.recv_timeout(LOOK_UP_EVERY) {
                Ok(line) => match serde_json::from_slice(&line).map_err(SheetError::damaged) {
                    Ok(Line::End) => break Ok(()),
                    Ok(Line::Failed(told)) => break Err(told.into()),
                    Ok(line) => {
                        if let Err(error) = take(line) {
                            break Err(error);
                        }
                    }
                    Err(error) => break Err(error),
                },
                // Nothing but want of memory ends it without a word.
                Err(RecvTimeoutError::Disconnected) => {
                    break Err(SheetError::too_large(Measure::Memory, apart.memory_bytes));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if cancel() {
                break Err(SheetError::Cancelled);
            }
            let now = Instant::now();
            if now > look_up {
                look_up = now + LOOK_UP_EVERY;
                if watched.memory().is_some_and(|taken| taken > apart.memory_bytes) {
                    break Err(SheetError::too_large(Measure::Memory, apart.memory_bytes));
                }
            }
            if now > end {
                break Err(SheetError::too_large(Measure::Seconds, apart.seconds));
            }
        };
        // Both threads end with the child and the channel.
        let _ended = child.kill();
        drop(lines);
        answer
    })
}

#[cfg(windows)]
fn without_window(command: &mut Command) {
    use std::os::windows::process::CommandExt;
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    command.creation_flags(CREATE_NO_WINDOW);
}

#[cfg(not(windows))]
fn without_window(_: &mut Command) {}
