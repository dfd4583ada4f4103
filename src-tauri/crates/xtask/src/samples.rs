//! The sample workbooks under `tests/data/samples`: what planners send, with a few rows wrong on purpose.
//!
//! Owns which files there are and what is wrong in them. Codes, headings and mistakes are chosen so that the practice plant takes
//! the rest. Everything comes from one seed and fixed dates: the same bytes on every machine. Leaves reading them to the product.

mod dice;
mod floor;
mod inspections;
mod links;
mod manifest;
mod materials;
mod orders;
mod package;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod workbook;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::Serialize;

use table::{Mistake, Table};

/// What the dice start from.
pub(crate) const SEED: u64 = 20_261_123;

/// A file that was written, and what a reader of it must find.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Written {
    pub(crate) file: String,
    pub(crate) operation: &'static str,
    /// Of the headings; `sap` where they are the technical names of an export.
    pub(crate) language: &'static str,
    /// Absent for text files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sheet: Option<&'static str>,
    /// 1-based, as Excel shows it.
    pub(crate) heading_row: u32,
    /// Rows below the heading.
    pub(crate) rows: usize,
    pub(crate) wrong: Vec<Mistake>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum SamplesError {
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{file}: {source}")]
    Workbook { file: String, source: rust_xlsxwriter::XlsxError },
    #[error("{file}: {source}")]
    Text { file: String, source: csv::Error },
    #[error("the list of samples: {0}")]
    List(#[from] serde_json::Error),
}

/// How a sample is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Workbook,
    /// Semicolons, decimal commas, Windows-1252.
    Text,
}

/// Writes every sample into the folder, which is made where there is none.
pub(crate) fn generate(out_dir: &Path) -> Result<Vec<Written>, SamplesError> {
    crate::console::print(&format!("samples from seed {SEED}"));
    fs::create_dir_all(out_dir).map_err(|source| SamplesError::File { path: out_dir.to_path_buf(), source })?;
    let mut all = Vec::new();
    for (form, table) in tables() {
        let (written, bytes) = match form {
            Form::Workbook => (table.written("xlsx"), workbook::bytes(&table)?),
            Form::Text => (table.written("csv"), text::bytes(&table)?),
        };
        write(&out_dir.join(&written.file), &bytes)?;
        all.push(written);
    }
    write(&out_dir.join(manifest::FILE), &manifest::bytes(&all)?)?;
    Ok(all)
}

fn tables() -> Vec<(Form, Table)> {
    vec![
        (Form::Workbook, orders::sync()),
        (Form::Workbook, orders::execution()),
        (Form::Workbook, orders::properties()),
        (Form::Workbook, orders::planning_dates()),
        (Form::Workbook, materials::sync()),
        (Form::Workbook, materials::stock()),
        (Form::Text, materials::counted_stock()),
        (Form::Workbook, materials::consumed_lots()),
        (Form::Workbook, inspections::sync()),
        (Form::Workbook, inspections::execution()),
        (Form::Workbook, inspections::properties()),
        (Form::Workbook, inspections::processes()),
        (Form::Workbook, links::delete()),
    ]
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), SamplesError> {
    fs::write(path, bytes).map_err(|source| SamplesError::File { path: path.to_path_buf(), source })
}
