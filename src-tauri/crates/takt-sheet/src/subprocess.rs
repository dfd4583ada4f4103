//! Reads xls files in a separate process if they exceed the bounds for this process (`legacy::Bounds`), so that no file
//! can bring the program down.
//!
//! The program starts itself with a hidden argument. The child limits its own memory if the system supports that. It is
//! killed if it uses too much memory or time.
//!
//! Its input is a line of JSON and the file's bytes. Its output is lines of JSON, the last of which is an end or an
//! error.

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
use line::{ChildMessage, ReadRequest};
use memory::ProcessMemory;

/// A row of 256 cells with the longest possible texts.
const MAX_LINE_LENGTH: u64 = 64 * 1024 * 1024;
const LINES_AHEAD: usize = 1024;
const POLL_INTERVAL: Duration = Duration::from_millis(50);

pub(crate) fn sheets(process: &ReaderProcess, bytes: &[u8], limits: &Limits) -> Result<Vec<SheetEntry>, SheetError> {
    let mut found = Vec::new();
    run_child(process, bytes, &ReadRequest::new(bytes, None, process, limits), &|| false, |line| {
        if let ChildMessage::Sheet { name, visible } = line {
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
    run_child(process, bytes, &ReadRequest::new(bytes, Some(name), process, limits), &cancel, |line| {
        line.put(&mut builder)
    })?;
    builder.finish()
}

fn run_child(
    process: &ReaderProcess,
    bytes: &[u8],
    request: &ReadRequest,
    cancel: &dyn Fn() -> bool,
    on_message: impl FnMut(ChildMessage) -> Result<(), SheetError>,
) -> Result<(), SheetError> {
    let mut command = Command::new(&process.program);
    command.arg(READER_PROCESS_ARGUMENT).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    without_window(&mut command);
    let mut child = command.spawn().map_err(SheetError::Unreadable)?;
    let result = exchange(&mut child, process, bytes, request, cancel, on_message);
    // The child has ended already, or isn't needed any more.
    let _ended = child.kill();
    let _status = child.wait();
    result
}

fn exchange(
    child: &mut Child,
    process: &ReaderProcess,
    bytes: &[u8],
    request: &ReadRequest,
    cancel: &dyn Fn() -> bool,
    mut on_message: impl FnMut(ChildMessage) -> Result<(), SheetError>,
) -> Result<(), SheetError> {
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(SheetError::damaged("its reader can't be talked to"));
    };
    let head = serde_json::to_vec(request).map_err(SheetError::damaged)?;
    let deadline = Instant::now() + Duration::from_secs(process.seconds);
    let (sender, lines) = mpsc::sync_channel(LINES_AHEAD);
    let mut watched = ProcessMemory::new(child.id());
    let mut next_memory_check = Instant::now() + POLL_INTERVAL;
    thread::scope(|scope| {
        // A child that ends early stops reading. Its output contains the reason.
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
        let result = loop {
            match lines.recv_timeout(POLL_INTERVAL) {
                Ok(line) => match serde_json::from_slice(&line).map_err(SheetError::damaged) {
                    Ok(ChildMessage::End) => break Ok(()),
                    Ok(ChildMessage::Failed(error)) => break Err(error.into()),
                    Ok(line) => {
                        if let Err(error) = on_message(line) {
                            break Err(error);
                        }
                    }
                    Err(error) => break Err(error),
                },
                // Only running out of memory ends the child without a message.
                Err(RecvTimeoutError::Disconnected) => {
                    break Err(SheetError::too_large(Measure::Memory, process.memory_bytes));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if cancel() {
                break Err(SheetError::Cancelled);
            }
            let now = Instant::now();
            if now > next_memory_check {
                next_memory_check = now + POLL_INTERVAL;
                if watched.memory().is_some_and(|used| used > process.memory_bytes) {
                    break Err(SheetError::too_large(Measure::Memory, process.memory_bytes));
                }
            }
            if now > deadline {
                break Err(SheetError::too_large(Measure::Seconds, process.seconds));
            }
        };
        // Both threads end with the child and the channel.
        let _ended = child.kill();
        drop(lines);
        result
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
