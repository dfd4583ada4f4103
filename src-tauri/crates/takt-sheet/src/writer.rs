//! Writes files: results, exports and samples. A file is written completely or not at all.

mod annotation;
mod atomic;
mod blank;
mod csv;
mod date_shift;
mod element;
mod excel;
mod notes;
mod out_sheet;
mod package_edit;
mod sheet_edit;
mod sheet_xml;

pub use self::{
    annotation::{AnnotatedCopy, annotated_extension, write_annotated_copy},
    atomic::{AtomicFile, write_atomically},
    blank::{BlankBound, BlankColumn, BlankFormat, BlankWorkbook, write_blank_workbook},
    csv::{CsvStyle, csv_heading, csv_row, write_csv, write_csv_bytes, write_csv_streamed},
    date_shift::shift_dates,
    excel::{
        workbook_bytes, write_streamed_sheets, write_workbook, write_workbook_streamed, write_workbook_with_date,
        write_workbook_with_hidden,
    },
    notes::{NoteColumn, RowNote, SheetNotes},
    out_sheet::{OutCell, OutColumn, OutSheet, OutStream},
    sheet_xml::is_truncated_text,
};
