//! Spreadsheets in and out: bytes to typed cells, typed cells to files.
//!
//! Owns looking at what a file really is, the budgets that hold hostile files, and the cell as the file has it: kind, value
//! and the text that Excel shows. Leaves to others: what a cell means for the service, and every word that people read.
//!
//! | part | what it does |
//! |---|---|
//! | [`Workbook`] | a file, opened and read sheet by sheet within [`Limits`] |
//! | [`Sheet`], [`Rows`], [`Cell`] | what was read |
//! | [`TextForm`], [`TextDoubts`] | how a text is read, and what may be meant otherwise |
//! | [`ReaderProcess`] | the process of its own in which xls files are read that may want much memory |
//! | [`writer`] | files that are written: workbooks, csv, notes beside rows, blank workbooks |

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
pub use rows::{ColumnCells, ColumnTexts, Part, PartRow, RowIter, RowReader, RowSpan, Rows};
pub use serial::TICKS_PER_SECOND;
pub use shape::Merge;
pub use sheet::{Sheet, SheetEntry};
pub use source::SourceReader;
pub use subprocess::run_if_reader_process;
pub use text::usual_encoding;
pub use text::{ENCODINGS, Quotes, Separator, TextChoice, TextForm};
pub use text_doubts::{CellPlace, FieldCount, LettersDoubt, QuoteDoubt, QuoteFault, ShownDoubt, TextDoubts};
pub use workbook::Workbook;
