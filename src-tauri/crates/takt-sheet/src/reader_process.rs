//! The settings of a process of its own in which a file is read.

use std::path::PathBuf;

/// The hidden word with which the program is started.
pub const READER_PROCESS_ARGUMENT: &str = "__read-sheet";

/// Where and how a file is read by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReaderProcess {
    /// Starts with [`run_if_reader_process`](crate::run_if_reader_process).
    pub program: PathBuf,
    /// What the child may take.
    pub memory_bytes: u64,
    /// How long it may take.
    pub seconds: u64,
}

impl ReaderProcess {
    /// With bounds that hold what Takt takes on.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        Self { program, memory_bytes: 2 * 1024 * 1024 * 1024, seconds: 60 }
    }

    /// The running program itself, which must start with [`run_if_reader_process`](crate::run_if_reader_process). Absent where the system doesn't tell its place.
    #[must_use]
    pub fn by_this_program() -> Option<Self> {
        std::env::current_exe().ok().map(Self::new)
    }
}
