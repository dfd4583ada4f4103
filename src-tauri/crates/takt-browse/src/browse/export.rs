//! Rows as a file: a workbook, csv, or the JSON as it came. Written row by row.

use std::{io, path::Path, sync::Arc};

use serde::{
    Deserialize, Serialize,
    ser::{SerializeSeq, Serializer},
};
use serde_json::{Map, Value};
use takt_contract::Shape;
use takt_sheet::writer::{OutColumn, OutStream, write_csv_streamed, write_whole, write_workbook_streamed};

use super::{
    Arrangement, RowSet, export_snapshot,
    table::{self, TableColumn},
    unknown,
};
use takt_core::{Code, ExportFormat, Problem};

use crate::Browse;

/// Characters that Excel takes in a sheet's name.
const MAX_NAME_LENGTH: usize = 31;
/// Rows of a set that are read at a time.
const CHUNK: usize = 1_000;

/// Which rows and columns of a set go into a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ExportRequest {
    pub format: ExportFormat,
    /// Their paths in their order; empty for all that there are. JSON has whole rows then.
    pub columns: Vec<String>,
    /// Which rows, in which order.
    pub arrangement: Arrangement,
    /// Only these rows, in this order; empty for all that the arrangement shows.
    pub positions: Vec<u32>,
}

/// Rows on their way into a file.
struct ExportRows<'a> {
    site: &'a str,
    operation: &'a str,
    count: usize,
    /// The rows from the start, as often as they are needed.
    rows: &'a dyn Fn() -> Box<dyn Iterator<Item = Value> + 'a>,
    columns: Vec<TableColumn>,
    /// True where JSON has only the columns.
    narrowed: bool,
}

impl Browse {
    /// Writes rows of an operation's answer at a site. A workbook remembers them as they were. An existing file is replaced
    /// only by a complete one.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the contract has no such operation, or it answers no rows.
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
        let shape = self.answer_shape(site, operation)?;
        let columns = table::columns(&shape, &unknown(rows, &shape));
        let all = || Box::new(rows.iter().cloned()) as Box<dyn Iterator<Item = Value>>;
        let going = ExportRows { site, operation, count: rows.len(), rows: &all, columns, narrowed: false };
        self.export(&going, format, path)
    }

    /// Writes rows of a set: those that a table shows, in its order.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the contract doesn't know the set's operation any more.
    /// - [`Code::WriteFailed`]: the file can't be written.
    /// - [`Code::FileTooLarge`]: a workbook can't hold that many rows.
    pub fn export_set(&self, set: &RowSet, wish: &ExportRequest, path: &Path) -> Result<(), Problem> {
        let positions: Arc<[u32]> = if wish.positions.is_empty() {
            self.arrange(set, &wish.arrangement)?.positions
        } else {
            wish.positions.as_slice().into()
        };
        let columns = chosen(&self.answer_shape(set.site(), set.operation())?, &set.unknown(), &wish.columns);
        let all = || {
            let chunks = positions.chunks(CHUNK).flat_map(|chunk| set.pick(chunk));
            Box::new(chunks.filter(|row| !row.is_null())) as Box<dyn Iterator<Item = Value>>
        };
        let going = ExportRows {
            site: set.site(),
            operation: set.operation(),
            count: positions.len(),
            rows: &all,
            columns,
            narrowed: !wish.columns.is_empty(),
        };
        self.export(&going, wish.format, path)
    }

    fn export(&self, going: &ExportRows<'_>, format: ExportFormat, path: &Path) -> Result<(), Problem> {
        let file = path.display().to_string();
        let written = match format {
            ExportFormat::Json => {
                return write_json(path, going)
                    .map_err(|cause| Problem::new(Code::WriteFailed).parameter("file", file).details(cause));
            }
            ExportFormat::Csv => write_csv_streamed(path, going.sheet()),
            ExportFormat::Xlsx => {
                let address = self.sites.address_of(going.site);
                let place =
                    export_snapshot::ExportOrigin { site: going.site, list: going.operation, address: &address };
                let hidden = export_snapshot::stream(place, (self.clock)(), going.count, (going.rows)());
                write_workbook_streamed(path, &self.home.copies(), going.sheet(), hidden)
            }
        };
        written.map_err(|error| Problem::of_sheet(&file, error))
    }
}

impl ExportRows<'_> {
    fn sheet(&self) -> OutStream<'_> {
        let name = self.operation;
        let cells = |row: Value| self.columns.iter().map(|column| column.value(&row)).collect();
        OutStream {
            name: name.get(..name.floor_char_boundary(MAX_NAME_LENGTH)).unwrap_or(name),
            columns: self.columns.iter().map(|column| OutColumn::new(column.heading.clone())).collect(),
            rows: Box::new((self.rows)().map(cells)),
        }
    }
}

/// Columns by their names in that order; all where none is named.
fn chosen(shape: &Shape, unknown: &[String], names: &[String]) -> Vec<TableColumn> {
    let all = table::columns(shape, unknown);
    if names.is_empty() {
        return all;
    }
    names.iter().filter_map(|name| all.iter().find(|column| column.heading == *name).cloned()).collect()
}

fn write_json(path: &Path, going: &ExportRows<'_>) -> io::Result<()> {
    write_whole(path, |out| {
        let mut writer = serde_json::Serializer::pretty(&mut *out);
        let mut list = writer.serialize_seq(None)?;
        for row in (going.rows)() {
            list.serialize_element(&if going.narrowed { narrow(&row, &going.columns) } else { row })?;
        }
        list.end()?;
        out.write_all(b"\n")
    })
}

/// A row with only these columns, nested as it came.
fn narrow(row: &Value, columns: &[TableColumn]) -> Value {
    let mut made = Map::new();
    for column in columns {
        if let Some(value) = column.find(row) {
            put(&mut made, column.path(), value.clone());
        }
    }
    Value::Object(made)
}

fn put(members: &mut Map<String, Value>, path: &[String], value: Value) {
    match path {
        [] => {}
        [last] => {
            members.insert(last.clone(), value);
        }
        [first, rest @ ..] => {
            let inner = members.entry(first.clone()).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}
