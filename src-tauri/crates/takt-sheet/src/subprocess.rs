//! Reading in a process of its own: for what of the one form whose reader can't be bounded from outside (xls) is beyond the
//! bounds within which this program reads it itself (`legacy::Bounds`), so that no file can take the program down. The program starts itself with a hidden word; the child limits its own memory where the system can
//! do that, and is ended when it takes more than it may or too long.
//!
//! What goes over: a line of JSON and the file's bytes in; lines of JSON out, the last of them an end or an error.

mod child;
mod line;
mod memory;

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, Command, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

pub use child::run_if_reader_process;

use crate::{
    Limits, Measure, READER_PROCESS_ARGUMENT, ReaderProcess, Sheet, SheetEntry, SheetError, progress::ProgressReporter,
    sheet::SheetBuilder,
};
use line::{Line, ReadRequest};
use memory::Watched;

/// A row of 256 cells with the longest texts there can be.
const MAX_LINE_LENGTH: u64 = 64 * 1024 * 1024;
const LINES_AHEAD: usize = 1024;
const POLL_INTERVAL: Duration = Duration::from_millis(50);

pub(crate) fn sheets(process: &ReaderProcess, bytes: &[u8], limits: &Limits) -> Result<Vec<SheetEntry>, SheetError> {
    let mut found = Vec::new();
    converse(process, bytes, &ReadRequest::new(bytes, None, process, limits), &|| false, |line| {
        if let Line::Sheet { name, visible } = line {
            found.push(SheetEntry { name, visible });
        }
        Ok(())
    })?;
    Ok(found)
}

pub(crate) fn read(
    process: &ReaderProcess,
    bytes: &[u8],
    name: &str,
    limits: &Limits,
    progress: &ProgressReporter<'_>,
) -> Result<Sheet, SheetError> {
    let mut builder = SheetBuilder::new(name, limits, progress);
    let cancel = || progress.is_cancelled();
    converse(process, bytes, &ReadRequest::new(bytes, Some(name), process, limits), &cancel, |line| {
        line.put(&mut builder)
    })?;
    builder.finish()
}

fn converse(
    process: &ReaderProcess,
    bytes: &[u8],
    wanted: &ReadRequest,
    cancel: &dyn Fn() -> bool,
    take: impl FnMut(Line) -> Result<(), SheetError>,
) -> Result<(), SheetError> {
    let mut command = Command::new(&process.program);
    command.arg(READER_PROCESS_ARGUMENT).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    without_window(&mut command);
    let mut child = command.spawn().map_err(SheetError::Unreadable)?;
    let answer = exchange(&mut child, process, bytes, wanted, cancel, take);
    // It has ended already, or is wanted no longer.
    let _ended = child.kill();
    let _status = child.wait();
    answer
}

fn exchange(
    child: &mut Child,
    process: &ReaderProcess,
    bytes: &[u8],
    wanted: &ReadRequest,
    cancel: &dyn Fn() -> bool,
    mut take: impl FnMut(Line) -> Result<(), SheetError>,
) -> Result<(), SheetError> {
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(SheetError::damaged("its reader can't be talked to"));
    };
    let head = serde_json::to_vec(wanted).map_err(SheetError::damaged)?;
    let end = Instant::now() + Duration::from_secs(process.seconds);
    let (sender, lines) = mpsc::sync_channel(LINES_AHEAD);
    let mut watched = Watched::new(child.id());
    let mut look_up = Instant::now() + POLL_INTERVAL;
    thread::scope(|scope| {
        // A child that ends early reads no further; what it said tells why.
        scope.spawn(move || [&head, b"\n".as_slice(), bytes].iter().try_for_each(|part| input.write_all(part)).is_ok());
        scope.spawn(move || {
            let mut output = BufReader::new(output);
            loop {
                let mut line = Vec::new();
                let read = output.by_ref().take(MAX_LINE_LENGTH).read_until(b'\n', &mut line);
                if read.unwrap_or_default() == 0 || sender.send(line).is_err() {
                    return;
                }
            }
        });
        let answer = loop {
            match lines.recv_timeout(POLL_INTERVAL) {
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
                    break Err(SheetError::too_large(Measure::Memory, process.memory_bytes));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if cancel() {
                break Err(SheetError::Cancelled);
            }
            let now = Instant::now();
            if now > look_up {
                look_up = now + POLL_INTERVAL;
                if watched.memory().is_some_and(|taken| taken > process.memory_bytes) {
                    break Err(SheetError::too_large(Measure::Memory, process.memory_bytes));
                }
            }
            if now > end {
                break Err(SheetError::too_large(Measure::Seconds, process.seconds));
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
