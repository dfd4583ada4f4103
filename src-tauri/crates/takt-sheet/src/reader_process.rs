//! The settings of the separate process in which xls files are read.

use std::path::PathBuf;

/// The hidden command-line argument that starts the program as a reader process.
pub const READER_PROCESS_ARGUMENT: &str = "__read-sheet";

/// The program and the limits of a reader process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReaderProcess {
    /// The program, which must start with [`run_if_reader_process`](crate::run_if_reader_process).
    pub program: PathBuf,
    /// Bytes of memory that the process may use.
    pub memory_bytes: u64,
    /// Seconds that the process may run.
    pub seconds: u64,
}

impl ReaderProcess {
    /// Returns settings whose limits suffice for the files that Takt accepts.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        Self { program, memory_bytes: 2 * 1024 * 1024 * 1024, seconds: 60 }
    }

    /// Returns settings for the running program, or `None` if the system doesn't report its path. The program must
    /// start with [`run_if_reader_process`](crate::run_if_reader_process).
    #[must_use]
    pub fn by_this_program() -> Option<Self> {
        std::env::current_exe().ok().map(Self::new)
    }
}
