//! Rows as a file: a workbook, csv, or the JSON as it came.

use std::{io, path::Path};

use serde_json::Value;
use takt_sheet::{OutColumn, OutSheet, write_csv, write_whole, write_workbook_beside};

use super::{ExportFormat, exported, table, unknown};
use crate::{Code, Engine, Problem};

/// Characters that Excel takes in a sheet's name.
const LONGEST_NAME: usize = 31;

impl Engine {
    /// Writes rows of an operation's answer at a site. A workbook remembers them as they were. An existing file is replaced only by a complete one.
    pub fn export_rows(
        &self,
        site: &str,
        operation: &str,
        rows: &[Value],
        format: ExportFormat,
        path: &Path,
    ) -> Result<(), Problem> {
        let found = self.contract().operation(operation).and_then(|operation| operation.answer.as_ref());
        let shape = found.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", operation))?;
        let file = path.display().to_string();
        if format == ExportFormat::Json {
            return write_json(path, rows)
                .map_err(|cause| Problem::new(Code::WriteFailed).parameter("file", file).details(cause));
        }
        let columns = table::columns(shape, &unknown(rows, shape));
        let sheet = OutSheet {
            name: operation.chars().take(LONGEST_NAME).collect(),
            title: Vec::new(),
            columns: columns.iter().map(|column| OutColumn::new(column.heading.clone())).collect(),
            rows: rows.iter().map(|row| columns.iter().map(|column| column.value(row)).collect()).collect(),
        };
        let written = match format {
            ExportFormat::Xlsx => {
                let hidden: Vec<OutSheet> = exported::sheet((site, operation), self.now(), rows).into_iter().collect();
                write_workbook_beside(path, &[sheet], &hidden)
            }
            ExportFormat::Csv | ExportFormat::Json => write_csv(path, &sheet),
        };
        written.map_err(|error| Problem::of_sheet(&file, error))
    }
}

fn write_json(path: &Path, rows: &[Value]) -> io::Result<()> {
    write_whole(path, |out| {
        serde_json::to_writer_pretty(&mut *out, rows)?;
        out.write_all(b"\n")
    })
}
