//! Reads and writes whole files: those of the writer, files packed by hand, and damaged ones.

#![expect(clippy::unwrap_used, reason = "a test that can't go on fails")]
#![expect(clippy::print_stdout, reason = "seeds and times belong to a test's report")]

mod binary;
mod calamine_faults;
mod corpus;
mod cut_off;
mod damage;
mod excel;
mod foreign;
mod large;
mod legacy;
mod markup;
mod moments;
mod namespaces;
mod nasty;
mod notes;
mod open_document;
mod password;
mod referee;
mod regular;
mod regular_ods;
mod repeated;
mod shape;
mod subprocess;
mod support;
mod text;
mod writing;
mod xlsb_parts;
mod xlsx_parts;
