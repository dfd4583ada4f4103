//! How much of a file Takt takes on, and what of the computer reading depends on. Passed in, so that tests can be small and a
//! site's machine can be large.

use std::path::PathBuf;

use crate::ReaderProcess;

/// Budgets. What lies above one is refused before or while it is read, never after memory ran out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the file.
    pub file_bytes: u64,
    /// Bytes of an xls or ods file.
    pub legacy_file_bytes: u64,
    /// What all parts of a packed file claim to unpack to, together.
    pub unpacked_bytes: u64,
    /// What the shared texts of a workbook claim to unpack to; they are held in memory.
    pub shared_text_bytes: u64,
    /// What the styles of a workbook claim to unpack to; one byte of them becomes many in memory.
    pub style_bytes: u64,
    /// Parts of a packed file.
    pub parts: usize,
    pub sheets: usize,
    /// Places of a sheet's grid from column A to each row's last cell, empty ones included.
    pub cells: u64,
    pub rows: u32,
    pub columns: u32,
    /// Bytes of one text.
    pub text_bytes: usize,
    /// Bytes of all texts of a sheet, each counted as often as a cell has it: a small file can have one long text in any number
    /// of cells.
    pub sheet_text_bytes: u64,
    /// Where xls files are read that may want more memory than a small multiple of their bytes; absent: in this process.
    pub reader_process: Option<ReaderProcess>,
    /// The folder in which a large file is copied while it is open; absent: it is held in memory.
    pub copies: Option<PathBuf>,
    /// Whether a large file is read where it is instead of being copied, for whoever reads it once. It is refused where it changes
    /// until that is done, and its SHA-256 isn't found out by the way. A file that was changed a moment ago is copied all the same.
    pub reads_in_place: bool,
    /// Whether a link in a file's place is refused. Who may put files into a folder could have another one read by it.
    pub refuses_links: bool,
    /// The encoding that texts have on this computer where nothing in them tells, see [`crate::usual_encoding`]; absent:
    /// windows-1252.
    pub usual_encoding: Option<&'static str>,
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
            copies: None,
            reads_in_place: false,
            refuses_links: false,
            usual_encoding: None,
        }
    }
}
