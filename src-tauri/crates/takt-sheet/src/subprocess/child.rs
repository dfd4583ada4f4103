//! The child's side: limits itself, reads, answers, ends.

use std::{
    env,
    io::{self, BufRead, BufReader, BufWriter, Read, Write},
};

use super::line::{ChildError, Line, ReadRequest};
use crate::{READER_PROCESS_ARGUMENT, SheetError, legacy, panic_text::guarded, progress::ProgressReporter};

/// To be called before anything else: true where the program was started to read a sheet, which is then done.
#[must_use]
pub fn run_if_reader_process() -> bool {
    let called = env::args_os().nth(1).is_some_and(|word| word == READER_PROCESS_ARGUMENT);
    if called {
        // Who doesn't listen any more has ended it.
        let _told = answer(BufReader::new(io::stdin().lock()), BufWriter::new(io::stdout().lock()));
    }
    called
}

fn answer(mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut head = Vec::new();
    input.read_until(b'\n', &mut head)?;
    let wanted: ReadRequest = serde_json::from_slice(&head)?;
    limit_memory(wanted.memory)?;
    let mut bytes = Vec::new();
    input.take(wanted.bytes).read_to_end(&mut bytes)?;
    if let Err(error) = write_sheet(&wanted, &bytes, &mut output)? {
        write_line(&mut output, &Line::Failed(ChildError::from(error)))?;
    }
    output.flush()
}

/// Inside: the error of the file. Outside: the parent process is gone.
fn write_sheet(wanted: &ReadRequest, bytes: &[u8], output: &mut impl Write) -> io::Result<Result<(), SheetError>> {
    let limits = wanted.limits();
    let Some(name) = &wanted.sheet else {
        let sheets = match guarded(|| legacy::sheets(bytes, &limits)) {
            Ok(sheets) => sheets,
            Err(error) => return Ok(Err(error)),
        };
        for sheet in sheets {
            write_line(output, &Line::Sheet { name: sheet.name, visible: sheet.visible })?;
        }
        return write_line(output, &Line::End).map(Ok);
    };
    match guarded(|| legacy::read(bytes, name, &limits, &ProgressReporter::new(&|_| true))) {
        Ok(sheet) => Line::of(&sheet).try_for_each(|line| write_line(output, &line)).map(Ok),
        Err(error) => Ok(Err(error)),
    }
}

fn write_line(output: &mut impl Write, line: &Line) -> io::Result<()> {
    serde_json::to_writer(&mut *output, line)?;
    output.write_all(b"\n")
}

/// What is asked for beyond it fails, and ends the child.
#[cfg(unix)]
fn limit_memory(bytes: u64) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let limit = || Rlimit { current: Some(bytes), maximum: Some(bytes) };
    setrlimit(Resource::Data, limit())?;
    // Linux counts the program itself here, which says nothing about the file.
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
