//! Reads spreadsheets into typed cells and writes typed cells to files.
//!
//! This crate detects the actual format of a file, enforces limits against hostile files, and returns each cell's kind,
//! value and the text that Excel shows. It never interprets cells for the service, and has no texts for users.
//!
//! | part | purpose |
//! |---|---|
//! | [`Workbook`] | an opened file, read sheet by sheet within [`Limits`] |
//! | [`Sheet`], [`Rows`], [`Cell`] | the content of a sheet |
//! | [`TextForm`], [`TextDoubts`] | how a text file is read, and what is ambiguous in it |
//! | [`ReaderProcess`] | the separate process for xls files that may need much memory |
//! | [`writer`] | writes workbooks, csv, notes next to rows, and blank workbooks |
//!
//! Kinds and values don't change on the way through a file. Here, the text `007` doesn't become a number.
//!
//! ```
//! use takt_sheet::{
//!     CellKind, Limits, Workbook,
//!     writer::{OutColumn, OutSheet, write_workbook},
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let file = folder.path().join("materials.xlsx");
//! let columns = ["Code", "Quantity"].map(OutColumn::new).to_vec();
//! let rows = vec![vec!["007".into(), 2.5.into()]];
//! write_workbook(&file, &[OutSheet { name: "Materials".to_owned(), columns, rows, ..OutSheet::default() }])?;
//!
//! let workbook = Workbook::open(&file, &Limits::default())?;
//! let sheet = workbook.read("Materials", &Limits::default(), &|| false)?;
//! let code = sheet.rows.cell(1, 0).ok_or("the second row is empty")?;
//! assert_eq!((code.kind(), &*code.shown()), (CellKind::Text, "007"));
//! # Ok(())
//! # }
//! ```

mod address;
mod ambiguity;
mod binary_values;
mod cell;
mod cell_batch;
mod cell_error;
mod compound;
mod csv_dialect;
mod error;
mod file_kind;
mod formula_guard;
mod iso_time;
mod layout;
mod limits;
mod markup;
mod namespaces;
mod number_format;
mod open_document;
mod package;
mod panic_guard;
mod part_buffer;
mod password;
mod progress;
mod regular_xml;
mod row_numbers;
mod rows;
mod serial;
mod shared_texts;
mod sheet;
mod source;
mod subprocess;
mod text;
mod workbook;
pub mod writer;
mod xls;
mod xlsb;
mod xlsx;
mod xml_text;

pub use address::{CellAddress, column_index, column_letters};
pub use ambiguity::{EncodingDoubt, FieldCount, QuoteDoubt, QuoteFault, ShownTextDoubt, TextDoubts};
pub use cell::{Cell, CellKind, CellRef, CellValue, UNREADABLE_VALUE};
pub use cell_error::is_error_text;
pub use error::{LimitKind, SheetError, UnsupportedFormat};
pub use file_kind::FileKind;
pub use formula_guard::strip_formula_guard;
pub use layout::MergedRange;
pub use limits::{Limits, ReaderProcess};
pub use progress::ReadProgress;
pub use rows::{BlockRow, ColumnCells, ColumnTexts, RowBatch, RowBlock, RowIter, RowReader, RowSpan, Rows, SheetRow};
pub use serial::TICKS_PER_SECOND;
pub use sheet::{Sheet, SheetEntry};
pub use source::SourceReader;
pub use subprocess::{READER_PROCESS_ARGUMENT, run_if_reader_process};
pub use text::{ENCODINGS, Quotes, Separator, TextChoice, TextForm, usual_encoding};
pub use workbook::Workbook;
