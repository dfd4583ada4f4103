//! Reads spreadsheets into typed cells and writes typed cells to files.
//!
//! This crate detects what a file really is, enforces limits against hostile files, and returns each cell's kind, value
//! and the text that Excel shows. It never interprets cells for the service, and has no texts for users.
//!
//! | part | purpose |
//! |---|---|
//! | [`Workbook`] | an opened file, read sheet by sheet within [`Limits`] |
//! | [`Sheet`], [`Rows`], [`Cell`] | the content of a sheet |
//! | [`TextForm`], [`TextDoubts`] | how a text file is read, and what is ambiguous in it |
//! | [`ReaderProcess`] | the separate process for xls files that may need much memory |
//! | [`writer`] | writes workbooks, csv, notes next to rows, and blank workbooks |

mod address;
mod binary_value;
mod cell;
mod cell_batch;
mod compound;
mod csv_dialect;
mod error;
mod error_text;
mod file_kind;
mod formula_guard;
mod iso_time;
mod legacy;
mod limits;
mod markup;
mod namespaces;
mod number_format;
mod number_text;
mod open_document;
mod package;
mod panic_text;
mod part_buffer;
mod password;
mod progress;
mod read_ahead;
mod reader_process;
mod regular_xml;
mod row;
mod row_numbers;
mod rows;
mod serial;
mod shape;
mod shared_texts;
mod sheet;
mod sniff;
mod source;
mod subprocess;
mod text;
mod text_doubts;
mod utf16;
mod workbook;
pub mod writer;
mod xlsb;
mod xlsx;
mod xml_text;

pub use address::{column_index, column_letters};
pub use cell::{Cell, CellKind, CellRef, CellValue, UNREADABLE_VALUE};
pub use error::{Measure, SheetError, UnsupportedFormat};
pub use error_text::is_error_text;
pub use file_kind::FileKind;
pub use formula_guard::without_formula_guard;
pub use limits::Limits;
pub use progress::ReadProgress;
pub use reader_process::{READER_PROCESS_ARGUMENT, ReaderProcess};
pub use row::SheetRow;
pub use rows::{ColumnCells, ColumnTexts, Part, PartRow, RowBatch, RowIter, RowReader, RowSpan, Rows};
pub use serial::TICKS_PER_SECOND;
pub use shape::Merge;
pub use sheet::{Sheet, SheetEntry};
pub use source::SourceReader;
pub use subprocess::run_if_reader_process;
pub use text::usual_encoding;
pub use text::{ENCODINGS, Quotes, Separator, TextChoice, TextForm};
pub use text_doubts::{CellPlace, FieldCount, LettersDoubt, QuoteDoubt, QuoteFault, ShownDoubt, TextDoubts};
pub use workbook::Workbook;
