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
    annotation::{Annotated, annotate, annotated_extension},
    atomic::{AtomicFile, write_atomically},
    blank::{Blank, BlankBound, BlankColumn, BlankForm, write_blank},
    csv::{csv_heading, csv_row, write_csv, write_csv_bytes, write_csv_streamed},
    date_shift::shift_dates,
    excel::{
        workbook_bytes, write_workbook, write_workbook_dated, write_workbook_streamed, write_workbook_streams,
        write_workbook_with_hidden,
    },
    notes::{NoteColumn, RowNote, SheetNotes},
    out_sheet::{OutCell, OutColumn, OutSheet, OutStream},
    sheet_xml::is_cut,
};
