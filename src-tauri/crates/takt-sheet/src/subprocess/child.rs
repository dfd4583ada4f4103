//! The child's side: limits its memory, reads the sheet, sends it and ends.

use std::{
    env,
    io::{self, BufRead, BufReader, BufWriter, Read, Write},
};

use super::line::{ChildError, ChildMessage, ReadRequest};
use crate::{READER_PROCESS_ARGUMENT, SheetError, legacy, panic_text::catch_panics, progress::ProgressReporter};

/// Reads a sheet and returns true if the program was started as a reader process. Must be called before anything else.
#[must_use]
pub fn run_if_reader_process() -> bool {
    let called = env::args_os().nth(1).is_some_and(|word| word == READER_PROCESS_ARGUMENT);
    if called {
        // If this fails, the parent process is gone.
        let _result = serve(BufReader::new(io::stdin().lock()), BufWriter::new(io::stdout().lock()));
    }
    called
}

fn serve(mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut head = Vec::new();
    input.read_until(b'\n', &mut head)?;
    let request: ReadRequest = serde_json::from_slice(&head)?;
    limit_memory(request.memory)?;
    let mut bytes = Vec::new();
    input.take(request.bytes).read_to_end(&mut bytes)?;
    if let Err(error) = write_sheet(&request, &bytes, &mut output)? {
        write_line(&mut output, &ChildMessage::Failed(ChildError::from(error)))?;
    }
    output.flush()
}

/// The inner error is that of the file. The outer error means that the parent process is gone.
fn write_sheet(request: &ReadRequest, bytes: &[u8], output: &mut impl Write) -> io::Result<Result<(), SheetError>> {
    let limits = request.limits();
    let Some(name) = &request.sheet else {
        let sheets = match catch_panics(|| legacy::sheets(bytes, &limits)) {
            Ok(sheets) => sheets,
            Err(error) => return Ok(Err(error)),
        };
        for sheet in sheets {
            write_line(output, &ChildMessage::Sheet { name: sheet.name, visible: sheet.visible })?;
        }
        return write_line(output, &ChildMessage::End).map(Ok);
    };
    match catch_panics(|| legacy::read(bytes, name, &limits, &ProgressReporter::new(&|_| true))) {
        Ok(sheet) => ChildMessage::from_sheet(&sheet).try_for_each(|line| write_line(output, &line)).map(Ok),
        Err(error) => Ok(Err(error)),
    }
}

fn write_line(output: &mut impl Write, line: &ChildMessage) -> io::Result<()> {
    serde_json::to_writer(&mut *output, line)?;
    output.write_all(b"\n")
}

/// Limits the memory of this process. An allocation beyond the limit fails and ends the child.
#[cfg(unix)]
fn limit_memory(bytes: u64) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let limit = || Rlimit { current: Some(bytes), maximum: Some(bytes) };
    setrlimit(Resource::Data, limit())?;
    // On Linux, this limit would include the program itself, whose size says nothing about the file.
    if !cfg!(target_os = "linux") {
        setrlimit(Resource::As, limit())?;
    }
    Ok(())
}

/// On other systems, the parent process checks the memory.
#[cfg(not(unix))]
fn limit_memory(_: u64) -> io::Result<()> {
    Ok(())
}
