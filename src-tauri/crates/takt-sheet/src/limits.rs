//! The limits of reading, and the settings of the computer that reading depends on. They are passed in, so tests can
//! use small limits and sites with large machines can use large ones.

use std::path::PathBuf;

/// The limits of reading. A file that exceeds one is refused before or while it is read, never after memory has run
/// out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The size of the file in bytes.
    pub file_bytes: u64,
    /// Bytes of an xls or ods file.
    pub legacy_file_bytes: u64,
    /// Bytes that all parts of a package claim to unpack to, together.
    pub unpacked_bytes: u64,
    /// Bytes that the shared texts of a workbook claim to unpack to. They are stored in memory.
    pub shared_text_bytes: u64,
    /// Bytes that the styles of a workbook claim to unpack to. One byte of them becomes many in memory.
    pub style_bytes: u64,
    /// The number of parts of a package.
    pub parts: usize,
    pub sheets: usize,
    /// Cells of a sheet's grid from column A to each row's last cell, including empty ones.
    pub cells: u64,
    pub rows: u32,
    pub columns: u32,
    /// The length of a single text in bytes.
    pub text_bytes: usize,
    /// Bytes of all texts of a sheet, counted once per cell. A small file can have one long text in any number of
    /// cells.
    pub sheet_text_bytes: u64,
    /// The process for xls files that may need much more memory than their size. If absent, they are read in this
    /// process.
    pub reader_process: Option<ReaderProcess>,
    /// The folder for the copy of a large file while it is open. If absent, the file is read into memory.
    pub copy_folder: Option<PathBuf>,
    /// Whether a large file is read in place instead of being copied, for callers that read it once. It is refused if
    /// it changes before it has been read, and its SHA-256 isn't computed. A file that was changed a moment ago is
    /// copied anyway.
    pub reads_in_place: bool,
    /// Whether a link in place of a file is refused. Otherwise, users who can add files to a folder could use links to
    /// make Takt read any other file.
    pub refuses_links: bool,
    /// The computer's usual encoding for texts that don't reveal theirs, see [`crate::usual_encoding`]. If absent,
    /// windows-1252.
    pub usual_encoding: Option<&'static str>,
}

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
    pub fn for_this_program() -> Option<Self> {
        std::env::current_exe().ok().map(Self::new)
    }
}

const MIB: u64 = 1024 * 1024;

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 256 * MIB,
            legacy_file_bytes: 64 * MIB,
            unpacked_bytes: 1024 * MIB,
            shared_text_bytes: 256 * MIB,
            style_bytes: 16 * MIB,
            parts: 20_000,
            sheets: 1_000,
            cells: 30_000_000,
            rows: 1_048_576,
            columns: 16_384,
            text_bytes: 1_000_000,
            sheet_text_bytes: 4096 * MIB,
            reader_process: None,
            copy_folder: None,
            reads_in_place: false,
            refuses_links: false,
            usual_encoding: None,
        }
    }
}
