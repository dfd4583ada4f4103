//! The sample workbooks in `tests/data/samples`, which resemble planners' files and have a few wrong rows each.
//!
//! Owns the list of files and their mistakes. The practice plant must accept all other rows. The content depends on one
//! seed and fixed dates, so the bytes are the same on every machine.

mod csv_export;
mod dice;
mod error;
mod floor;
mod inspections;
mod links;
mod manifest;
mod materials;
mod mistake;
mod orders;
mod table;
#[cfg(test)]
mod tests;
mod workbook;

use std::{fs, path::Path};

use table::Table;

pub(crate) use dice::SEED;
pub(crate) use error::SamplesError;
pub(crate) use manifest::SampleFile;

/// The file format in which a sample is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileFormat {
    Workbook,
    /// CSV with semicolons, decimal commas and Windows-1252.
    Text,
}

/// Writes every sample into the folder. Creates the folder if it is missing.
pub(crate) fn generate(out_dir: &Path) -> Result<Vec<SampleFile>, SamplesError> {
    crate::console::print(&format!("samples from seed {SEED}"));
    fs::create_dir_all(out_dir).map_err(|source| SamplesError::File { path: out_dir.to_path_buf(), source })?;
    let mut all = Vec::new();
    for (format, table) in tables() {
        let (sample_file, bytes) = match format {
            FileFormat::Workbook => (table.sample_file("xlsx"), workbook::build(&table)?),
            FileFormat::Text => (table.sample_file("csv"), csv_export::build(&table)?),
        };
        write(&out_dir.join(&sample_file.file), &bytes)?;
        all.push(sample_file);
    }
    write(&out_dir.join(manifest::FILE), &manifest::build(&all)?)?;
    Ok(all)
}

fn tables() -> Vec<(FileFormat, Table)> {
    vec![
        (FileFormat::Workbook, orders::sync()),
        (FileFormat::Workbook, orders::execution()),
        (FileFormat::Workbook, orders::properties()),
        (FileFormat::Workbook, orders::planning_dates()),
        (FileFormat::Workbook, materials::sync()),
        (FileFormat::Workbook, materials::stock()),
        (FileFormat::Text, materials::counted_stock()),
        (FileFormat::Workbook, materials::consumed_lots()),
        (FileFormat::Workbook, inspections::sync()),
        (FileFormat::Workbook, inspections::execution()),
        (FileFormat::Workbook, inspections::properties()),
        (FileFormat::Workbook, inspections::processes()),
        (FileFormat::Workbook, links::delete()),
    ]
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), SamplesError> {
    fs::write(path, bytes).map_err(|source| SamplesError::File { path: path.to_path_buf(), source })
}
