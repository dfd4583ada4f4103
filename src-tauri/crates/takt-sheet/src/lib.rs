//! Spreadsheets in and out: bytes to typed cells, typed cells to files.
//!
//! Owns looking at what a file really is, the budgets that hold hostile files, and the cell as the file has it: kind, value
//! and the text that Excel shows. Leaves to others: what a cell means for the service, and every word that people read.

mod address;
mod apart;
mod binary_value;
mod cell;
mod compound;
mod error;
mod legacy;
mod limits;
mod markup;
mod number_format;
mod open_document;
mod package;
mod panic_text;
mod password;
mod rows;
mod serial;
mod shape;
mod shared_texts;
mod sheet;
mod sniff;
mod source;
mod text;
mod watch;
mod workbook;
mod writer;
mod xlsb;
mod xlsx;
mod xml_text;

pub use address::{column_index, column_letters};
pub use apart::{Apart, READ_APART, read_if_called};
pub use cell::{Cell, CellKind, CellRef, CellValue};
pub use error::{Dress, Measure, SheetError};
pub use limits::Limits;
pub use rows::{Part, PartRow, RowIter, RowReader, RowSpan, Rows};
pub use serial::TICKS_PER_SECOND;
pub use shape::Merge;
pub use sheet::{Sheet, SheetEntry, SheetRow};
pub use sniff::Kind;
pub use source::SourceReader;
pub use text::usual_encoding;
pub use text::{ENCODINGS, LettersDoubt, QuoteDoubt, QuoteFault, Quotes, Separator, TextChoice, TextDoubts, TextForm};
pub use watch::Glimpse;
pub use workbook::Workbook;
pub use writer::{Annotated, NoteColumn, RowNote, SheetNotes, annotate, annotated_extension};
pub use writer::{Blank, BlankBound, BlankColumn, BlankForm, write_blank};
pub use writer::{
    OutCell, OutColumn, OutSheet, OutStream, workbook_bytes, write_csv, write_csv_bytes, write_csv_streamed,
    write_whole, write_workbook, write_workbook_beside, write_workbook_dated, write_workbook_of,
    write_workbook_streamed,
};
pub use writer::{WholeFile, csv_heading, csv_row};
