//! Exports rows to a file, row by row: a workbook, CSV, or JSON as received.

use std::io;
use std::path::Path;
use std::sync::Arc;

use serde::ser::{SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use takt_contract::RowSchema;
use takt_core::{Code, ExportFormat, Problem};
use takt_sheet::writer::{
    CsvStyle, OutColumn, OutStream, write_atomically, write_csv_streamed, write_workbook_streamed,
};

use crate::lists::arrangement::Arrangement;
use crate::lists::export_snapshot;
use crate::lists::list_reader::Browse;
use crate::lists::row_set::RowSet;
use crate::lists::table::{self, TableColumn};

/// The most characters that Excel accepts in a sheet's name.
const MAX_SHEET_NAME_LENGTH: usize = 31;
/// The number of rows of a set that are read at a time.
const CHUNK_ROWS: usize = 1_000;

/// The rows and columns of a set to export.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ExportRequest {
    pub format: ExportFormat,
    /// Whether a csv file has semicolons and decimal commas instead of commas and decimal points.
    pub decimal_comma: bool,
    /// The columns' paths in order, or empty for all. If empty, JSON contains complete rows.
    pub columns: Vec<String>,
    /// The headings in a workbook or csv file, one for each of `columns`. Empty for the paths. Headings that occur twice
    /// are followed by their paths.
    pub headings: Vec<String>,
    /// The rows and their order.
    pub arrangement: Arrangement,
    /// The positions of the only rows to export, in this order. Empty for all rows of the arrangement.
    pub positions: Vec<u32>,
}

/// Rows to export.
struct ExportRows<'a> {
    site: &'a str,
    operation: &'a str,
    count: usize,
    /// Iterates over the rows from the start. May be called several times.
    rows: &'a dyn Fn() -> Box<dyn Iterator<Item = Value> + 'a>,
    columns: Vec<TableColumn>,
    /// True if JSON contains only the columns.
    only_columns: bool,
}

impl Browse {
    /// Exports rows of an operation's response. A workbook also stores a snapshot of the rows. An existing file is only
    /// replaced by a complete one.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the contract has no such operation, or the operation returns no rows.
    /// - [`Code::WriteFailed`]: the file can't be written.
    /// - [`Code::FileTooLarge`]: a workbook can't hold that many rows.
    pub fn export_rows(
        &self,
        site: &str,
        operation: &str,
        rows: &[Value],
        format: ExportFormat,
        path: &Path,
    ) -> Result<(), Problem> {
        let shape = self.row_shape(site, operation)?;
        let columns = table::columns(&shape, &table::unknown_members(rows, &shape));
        let all = || Box::new(rows.iter().cloned()) as Box<dyn Iterator<Item = Value>>;
        let export = ExportRows { site, operation, count: rows.len(), rows: &all, columns, only_columns: false };
        self.export(&export, format, CsvStyle::Commas, path)
    }

    /// Exports the rows of a set that a table shows, in its order.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the contract no longer has the set's operation.
    /// - [`Code::WriteFailed`]: the file can't be written.
    /// - [`Code::FileTooLarge`]: a workbook can't hold that many rows.
    pub fn export_set(&self, set: &RowSet, request: &ExportRequest, path: &Path) -> Result<(), Problem> {
        let positions: Arc<[u32]> = if request.positions.is_empty() {
            self.arrange(set, &request.arrangement)?.positions
        } else {
            request.positions.as_slice().into()
        };
        let shape = self.row_shape(set.site(), set.operation())?;
        let columns = select_columns(&shape, &set.unknown(), &request.columns, &request.headings);
        let all = || {
            let chunks = positions.chunks(CHUNK_ROWS).flat_map(|chunk| set.rows_at(chunk));
            Box::new(chunks.filter(|row| !row.is_null())) as Box<dyn Iterator<Item = Value>>
        };
        let export = ExportRows {
            site: set.site(),
            operation: set.operation(),
            count: positions.len(),
            rows: &all,
            columns,
            only_columns: !request.columns.is_empty(),
        };
        let csv_style = if request.decimal_comma { CsvStyle::Semicolons } else { CsvStyle::Commas };
        self.export(&export, request.format, csv_style, path)
    }

    fn export(
        &self,
        export: &ExportRows<'_>,
        format: ExportFormat,
        csv_style: CsvStyle,
        path: &Path,
    ) -> Result<(), Problem> {
        let file = path.display().to_string();
        let written = match format {
            ExportFormat::Json => {
                return write_json(path, export)
                    .map_err(|cause| Problem::new(Code::WriteFailed).parameter("file", file).details(cause));
            }
            ExportFormat::Csv => write_csv_streamed(path, export.sheet(), csv_style),
            ExportFormat::Xlsx => {
                let address = self.sites.site_address(export.site)?;
                let origin =
                    export_snapshot::ExportOrigin { site: export.site, list: export.operation, address: &address };
                let snapshot = export_snapshot::snapshot_stream(origin, (self.clock)(), export.count, (export.rows)());
                write_workbook_streamed(path, &self.home.copies(), export.sheet(), snapshot)
            }
        };
        written.map_err(|error| Problem::from_sheet_error(&file, error))
    }
}

impl ExportRows<'_> {
    fn sheet(&self) -> OutStream<'_> {
        let name = self.operation;
        let cells = |row: Value| self.columns.iter().map(|column| column.value(&row)).collect();
        OutStream {
            name: name.get(..name.floor_char_boundary(MAX_SHEET_NAME_LENGTH)).unwrap_or(name),
            columns: self.columns.iter().map(|column| OutColumn::new(column.heading.clone())).collect(),
            rows: Box::new((self.rows)().map(cells)),
        }
    }
}

/// Returns the columns with these paths in this order, or all if there are no paths.
fn select_columns(shape: &RowSchema, unknown: &[String], paths: &[String], headings: &[String]) -> Vec<TableColumn> {
    let all = table::columns(shape, unknown);
    if paths.is_empty() {
        return all;
    }
    let is_unique = |heading: &str| headings.iter().filter(|other| *other == heading).count() == 1;
    let column = |(position, path): (usize, &String)| {
        let column = all.iter().find(|column| column.heading == *path)?;
        let heading = match headings.get(position) {
            Some(heading) if is_unique(heading) => heading.clone(),
            Some(heading) => format!("{heading} ({path})"),
            None => path.clone(),
        };
        Some(column.with_heading(heading))
    };
    paths.iter().enumerate().filter_map(column).collect()
}

fn write_json(path: &Path, export: &ExportRows<'_>) -> io::Result<()> {
    write_atomically(path, |out| {
        let mut writer = serde_json::Serializer::pretty(&mut *out);
        let mut list = writer.serialize_seq(None)?;
        for row in (export.rows)() {
            list.serialize_element(&if export.only_columns { select_members(&row, &export.columns) } else { row })?;
        }
        list.end()?;
        out.write_all(b"\n")
    })
}

/// Returns a row with only these columns, nested as received.
fn select_members(row: &Value, columns: &[TableColumn]) -> Value {
    let mut object = Map::new();
    for column in columns {
        if let Some(value) = column.find(row) {
            insert_at_path(&mut object, column.path(), value.clone());
        }
    }
    Value::Object(object)
}

fn insert_at_path(members: &mut Map<String, Value>, path: &[String], value: Value) {
    match path {
        [] => {}
        [last] => {
            members.insert(last.clone(), value);
        }
        [first, rest @ ..] => {
            let inner = members.entry(first.clone()).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(inner) = inner {
                insert_at_path(inner, rest, value);
            }
        }
    }
}
