//! Reads and writes whole files: written by Takt, packed by hand, and damaged.

#![expect(clippy::unwrap_used, reason = "a test that can't go on fails")]
#![expect(clippy::print_stdout, reason = "seeds and times belong to a test's report")]

mod binary;
mod calamine_comparison;
mod calamine_faults;
mod corpus;
mod cut_off_xls;
mod damage;
mod excel;
mod foreign_programs;
mod hostile_files;
mod iso_dates;
mod large_files;
mod layout;
mod markup;
mod namespaces;
mod open_document;
mod password;
mod regular_ods;
mod regular_xlsx;
mod repeated_cells;
mod row_notes;
mod subprocess;
mod support;
mod text;
mod writing;
mod xls;
mod xlsb_parts;
mod xlsx_parts;
