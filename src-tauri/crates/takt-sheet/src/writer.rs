//! Writes files: results, exports and samples. A file is written completely or not at all.

mod annotation;
mod atomic;
mod blank;
mod csv;
mod element;
mod excel;
mod inline;
mod notes;
mod out_sheet;
mod package_edit;
mod package_parts;
mod plain_sheet;
mod retype;
mod sheet_edit;
mod sheet_survey;
mod shift;
mod stream;

pub use annotation::{Annotated, annotate, annotated_extension};
pub use atomic::{WholeFile, write_whole};
pub use blank::{Blank, BlankBound, BlankColumn, BlankForm, write_blank};
pub use csv::{csv_heading, csv_row, write_csv, write_csv_bytes};
pub use excel::{workbook_bytes, write_workbook, write_workbook_beside, write_workbook_dated};
pub use inline::is_cut;
pub use notes::{NoteColumn, RowNote, SheetNotes};
pub use out_sheet::{OutCell, OutColumn, OutSheet};
pub use shift::shift_dates;
pub use stream::{OutStream, write_csv_streamed, write_workbook_of, write_workbook_streamed};
