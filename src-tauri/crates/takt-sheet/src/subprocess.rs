//! Reads xls files in a separate process if they exceed the bounds for this process (`xls::Bounds`), so that no file
//! can end the program.
//!
//! The program starts itself with a hidden argument. The child limits its own memory if the system supports that. It is
//! killed if it uses too much memory or time.
//!
//! Its input is a line of JSON and the file's bytes. Its output is lines of JSON, the last of which is an end or an
//! error.

use std::{
    env,
    io::{self, BufRead, BufReader, BufWriter, Read, Write},
    process::{Child, Command, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

use crate::{
    Cell, CellKind, LimitKind, Limits, MergedRange, ReaderProcess, Sheet, SheetEntry, SheetError, UnsupportedFormat,
    panic_guard::catch_panics, progress::ProgressReporter, sheet::SheetBuilder, xls,
};

/// The hidden command-line argument that starts the program as a reader process.
pub const READER_PROCESS_ARGUMENT: &str = "__read-sheet";

/// The length of a message for a row of 256 cells with the longest possible texts.
const MAX_LINE_LENGTH: u64 = 64 * 1024 * 1024;
const MAX_WAITING_LINES: usize = 1024;
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Lists the sheets of an xls file in a reader process.
pub(crate) fn list_sheets(
    process: &ReaderProcess,
    bytes: &[u8],
    limits: &Limits,
) -> Result<Vec<SheetEntry>, SheetError> {
    let mut found = Vec::new();
    run_child(process, bytes, &ReaderRequest::new(bytes, None, process, limits), &|| false, |message| {
        if let ChildMessage::Sheet { name, visible } = message {
            found.push(SheetEntry { name, visible });
        }
        Ok(())
    })?;
    Ok(found)
}

/// Reads a sheet of an xls file in a reader process.
pub(crate) fn read_sheet(
    process: &ReaderProcess,
    bytes: &[u8],
    name: &str,
    limits: &Limits,
    progress: &ProgressReporter<'_>,
) -> Result<Sheet, SheetError> {
    let mut builder = SheetBuilder::new(name, limits, progress);
    let cancel = || progress.is_cancelled();
    run_child(process, bytes, &ReaderRequest::new(bytes, Some(name), process, limits), &cancel, |message| {
        message.add_to(&mut builder)
    })?;
    builder.finish()
}

fn run_child(
    process: &ReaderProcess,
    bytes: &[u8],
    request: &ReaderRequest,
    cancel: &dyn Fn() -> bool,
    on_message: impl FnMut(ChildMessage) -> Result<(), SheetError>,
) -> Result<(), SheetError> {
    let mut command = Command::new(&process.program);
    command.arg(READER_PROCESS_ARGUMENT).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    hide_window(&mut command);
    let mut child = command.spawn().map_err(SheetError::Unreadable)?;
    let result = exchange_messages(&mut child, process, bytes, request, cancel, on_message);
    // The child has ended already, or is no longer needed.
    let _ended = child.kill();
    let _status = child.wait();
    result
}

fn exchange_messages(
    child: &mut Child,
    process: &ReaderProcess,
    bytes: &[u8],
    request: &ReaderRequest,
    cancel: &dyn Fn() -> bool,
    mut on_message: impl FnMut(ChildMessage) -> Result<(), SheetError>,
) -> Result<(), SheetError> {
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(SheetError::damaged("its reader can't be talked to"));
    };
    let head = serde_json::to_vec(request).map_err(SheetError::damaged)?;
    let deadline = Instant::now() + Duration::from_secs(process.seconds);
    let (sender, lines) = mpsc::sync_channel(MAX_WAITING_LINES);
    let mut child_memory = ProcessMemory::new(child.id());
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
                    Ok(message) => {
                        if let Err(error) = on_message(message) {
                            break Err(error);
                        }
                    }
                    Err(error) => break Err(error),
                },
                // Only running out of memory ends the child without a message.
                Err(RecvTimeoutError::Disconnected) => {
                    break Err(SheetError::too_large(LimitKind::Memory, process.memory_bytes));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if cancel() {
                break Err(SheetError::Cancelled);
            }
            let now = Instant::now();
            if now > next_memory_check {
                next_memory_check = now + POLL_INTERVAL;
                if child_memory.used_bytes().is_some_and(|used| used > process.memory_bytes) {
                    break Err(SheetError::too_large(LimitKind::Memory, process.memory_bytes));
                }
            }
            if now > deadline {
                break Err(SheetError::too_large(LimitKind::Seconds, process.seconds));
            }
        };
        // Both threads end with the child and the channel.
        let _ended = child.kill();
        drop(lines);
        result
    })
}

#[cfg(windows)]
fn hide_window(command: &mut Command) {
    use std::os::windows::process::CommandExt;
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    command.creation_flags(CREATE_NO_WINDOW);
}

#[cfg(not(windows))]
fn hide_window(_: &mut Command) {}

/// Reads a sheet and returns true if the program was started as a reader process. Must be called before anything else.
#[must_use]
pub fn run_if_reader_process() -> bool {
    let called = env::args_os().nth(1).is_some_and(|word| word == READER_PROCESS_ARGUMENT);
    if called {
        // If this fails, the parent process is gone.
        let _result = serve_request(BufReader::new(io::stdin().lock()), BufWriter::new(io::stdout().lock()));
    }
    called
}

/// Serves one request of the parent process.
fn serve_request(mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut head = Vec::new();
    input.read_until(b'\n', &mut head)?;
    let request: ReaderRequest = serde_json::from_slice(&head)?;
    limit_memory(request.memory)?;
    let mut bytes = Vec::new();
    input.take(request.bytes).read_to_end(&mut bytes)?;
    if let Err(error) = write_response(&request, &bytes, &mut output)? {
        write_message(&mut output, &ChildMessage::Failed(ChildError::from(error)))?;
    }
    output.flush()
}

/// Reads the requested sheet or the list of sheets, and writes it as messages. The inner error concerns the file. The
/// outer error means that the parent process is gone.
fn write_response(
    request: &ReaderRequest,
    bytes: &[u8],
    output: &mut impl Write,
) -> io::Result<Result<(), SheetError>> {
    let limits = request.limits();
    let Some(name) = &request.sheet else {
        let sheets = match catch_panics(|| xls::list_sheets(bytes, &limits)) {
            Ok(sheets) => sheets,
            Err(error) => return Ok(Err(error)),
        };
        for sheet in sheets {
            write_message(output, &ChildMessage::Sheet { name: sheet.name, visible: sheet.visible })?;
        }
        return write_message(output, &ChildMessage::End).map(Ok);
    };
    match catch_panics(|| xls::read_sheet(bytes, name, &limits, &ProgressReporter::new(&|_| true))) {
        Ok(sheet) => ChildMessage::from_sheet(&sheet).try_for_each(|message| write_message(output, &message)).map(Ok),
        Err(error) => Ok(Err(error)),
    }
}

fn write_message(output: &mut impl Write, message: &ChildMessage) -> io::Result<()> {
    serde_json::to_writer(&mut *output, message)?;
    output.write_all(b"\n")
}

/// Limits the memory of this process. An allocation beyond the limit fails and ends the child.
#[cfg(unix)]
fn limit_memory(bytes: u64) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let limit = || Rlimit { current: Some(bytes), maximum: Some(bytes) };
    setrlimit(Resource::Data, limit())?;
    // On Linux, the limit of the address space would include the program itself, whose size doesn't depend on the file.
    if !cfg!(target_os = "linux") {
        setrlimit(Resource::As, limit())?;
    }
    Ok(())
}

/// Does nothing, because the parent process checks the memory on other systems.
#[cfg(not(unix))]
fn limit_memory(_: u64) -> io::Result<()> {
    Ok(())
}

/// The request to the child. The file's bytes follow it.
#[derive(Debug, Serialize, Deserialize)]
struct ReaderRequest {
    bytes: u64,
    /// If absent, the list of sheets is requested.
    sheet: Option<String>,
    memory: u64,
    sheets: usize,
    cells: u64,
    rows: u32,
    columns: u32,
    text_bytes: usize,
}

impl ReaderRequest {
    fn new(bytes: &[u8], sheet: Option<&str>, process: &ReaderProcess, limits: &Limits) -> Self {
        Self {
            bytes: bytes.len() as u64,
            sheet: sheet.map(str::to_owned),
            memory: process.memory_bytes,
            sheets: limits.sheets,
            cells: limits.cells,
            rows: limits.rows,
            columns: limits.columns,
            text_bytes: limits.text_bytes,
        }
    }

    fn limits(&self) -> Limits {
        Limits {
            sheets: self.sheets,
            cells: self.cells,
            rows: self.rows,
            columns: self.columns,
            text_bytes: self.text_bytes,
            ..Limits::default()
        }
    }
}

/// A message from the child.
#[derive(Debug, Serialize, Deserialize)]
enum ChildMessage {
    Sheet {
        name: String,
        visible: bool,
    },
    /// The 1-based number, whether the row is hidden, and the cells with content as column, kind, flags, bits and text.
    Row(u32, bool, Vec<(u32, CellKind, u8, u64, String)>),
    /// The first and last row, 1-based, then the first and last column.
    Merged(u32, u32, u32, u32),
    HiddenColumn(u32),
    End,
    Failed(ChildError),
}

impl ChildMessage {
    /// Returns all messages of a sheet. The last one is [`Self::End`].
    fn from_sheet(sheet: &Sheet) -> impl Iterator<Item = Self> + '_ {
        let rows = sheet.rows.iter().map(|row| {
            let cells = (0..).zip(&row.cells).filter(|(_, cell)| !cell.is_empty() || cell.is_formula_without_value());
            let parts = cells.map(|(column, cell)| {
                let (kind, flags, bits, text) = cell.as_ref().parts();
                (column, kind, flags, bits, text.to_owned())
            });
            Self::Row(row.number, row.hidden, parts.collect())
        });
        let merged = sheet
            .merges
            .iter()
            .map(|merge| Self::Merged(merge.first_row, merge.last_row, merge.first_column, merge.last_column));
        let hidden = sheet.hidden_columns.iter().map(|&column| Self::HiddenColumn(column));
        rows.chain(merged).chain(hidden).chain(std::iter::once(Self::End))
    }

    /// Adds the cells or the layout of a message to the sheet.
    fn add_to(self, builder: &mut SheetBuilder<'_>) -> Result<(), SheetError> {
        match self {
            Self::Row(number, hidden, cells) => {
                if hidden {
                    builder.layout.hide_rows(number, number);
                }
                for (column, kind, flags, bits, text) in cells {
                    builder.put_cell(
                        number.saturating_sub(1),
                        column,
                        Cell::from_parts(kind, flags, bits, text).as_ref(),
                    )?;
                }
            }
            Self::Merged(first_row, last_row, first_column, last_column) => {
                builder.layout.add_merge(MergedRange { first_row, last_row, first_column, last_column });
            }
            Self::HiddenColumn(column) => builder.layout.hide_columns(column, column),
            Self::Sheet { .. } | Self::End | Self::Failed(_) => {}
        }
        Ok(())
    }
}

/// The errors that a child can send.
#[derive(Debug, Serialize, Deserialize)]
enum ChildError {
    Protected,
    RightsManaged,
    TooLarge(LimitKind, u64),
    Damaged(String),
    Repeated { sheet: String, row: u32, column: Option<u32> },
    NoSuchSheet(String),
    OldExcel,
}

impl From<SheetError> for ChildError {
    fn from(error: SheetError) -> Self {
        match error {
            SheetError::Protected => Self::Protected,
            SheetError::RightsManaged => Self::RightsManaged,
            SheetError::TooLarge { what, limit } => Self::TooLarge(what, limit),
            SheetError::NoSuchSheet(name) => Self::NoSuchSheet(name),
            SheetError::UnsupportedFormat { .. } => Self::OldExcel,
            SheetError::Damaged(cause) => Self::Damaged(cause),
            SheetError::Repeated { sheet, row, column } => Self::Repeated { sheet, row, column },
            other => Self::Damaged(other.to_string()),
        }
    }
}

impl From<ChildError> for SheetError {
    fn from(error: ChildError) -> Self {
        match error {
            ChildError::Protected => Self::Protected,
            ChildError::RightsManaged => Self::RightsManaged,
            ChildError::TooLarge(what, limit) => Self::TooLarge { what, limit },
            ChildError::NoSuchSheet(name) => Self::NoSuchSheet(name),
            ChildError::Damaged(cause) => Self::Damaged(cause),
            ChildError::Repeated { sheet, row, column } => Self::Repeated { sheet, row, column },
            ChildError::OldExcel => Self::UnsupportedFormat { what: UnsupportedFormat::OldExcel },
        }
    }
}

/// A process whose memory is measured from outside, because not every system lets a process limit itself.
struct ProcessMemory {
    /// Absent if the system doesn't report processes.
    system: Option<System>,
    process: Pid,
}

impl ProcessMemory {
    fn new(process: u32) -> Self {
        Self { system: System::new().ok(), process: Pid::from_u32(process) }
    }

    /// Returns the bytes of memory that the process uses, or `None` if it has ended or can't be inspected.
    fn used_bytes(&mut self) -> Option<u64> {
        let processes = ProcessesToUpdate::Some(&[self.process]);
        let system = self.system.as_mut()?;
        system.refresh_processes_specifics(processes, true, ProcessRefreshKind::nothing().with_memory());
        Some(system.process(self.process)?.memory())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_seen_from_outside() {
        const EXTRA_BYTES: usize = 64 * 1024 * 1024;
        let mut own = ProcessMemory::new(std::process::id());
        let before = own.used_bytes().unwrap();
        let allocated = vec![1_u8; EXTRA_BYTES];
        assert!(own.used_bytes().unwrap() >= before + EXTRA_BYTES as u64 / 2);
        drop(allocated);
        assert_eq!(ProcessMemory::new(u32::MAX - 1).used_bytes(), None);
    }
}
