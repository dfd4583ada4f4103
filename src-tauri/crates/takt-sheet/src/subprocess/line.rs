//! The messages between the two processes.

use serde::{Deserialize, Serialize};

use crate::{Cell, CellKind, Limits, Measure, ReaderProcess, Sheet, SheetError, shape::Merge, sheet::SheetBuilder};

/// The request to the child. The file's bytes follow it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ReadRequest {
    pub(super) bytes: u64,
    /// If absent, the list of sheets is requested.
    pub(super) sheet: Option<String>,
    pub(super) memory: u64,
    sheets: usize,
    cells: u64,
    rows: u32,
    columns: u32,
    text_bytes: usize,
}

impl ReadRequest {
    pub(super) fn new(bytes: &[u8], sheet: Option<&str>, process: &ReaderProcess, limits: &Limits) -> Self {
        Self {
            bytes: bytes.len() as u64,
            sheet: sheet.map(str::to_owned),
            memory: process.memory_bytes,
            sheets: limits.sheets,
            cells: limits.cells,
            rows: limits.rows,
            columns: limits.columns,
            text_bytes: limits.text_bytes,
        }
    }

    pub(super) fn limits(&self) -> Limits {
        Limits {
            sheets: self.sheets,
            cells: self.cells,
            rows: self.rows,
            columns: self.columns,
            text_bytes: self.text_bytes,
            ..Limits::default()
        }
    }
}

/// A message from the child.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ChildMessage {
    Sheet {
        name: String,
        visible: bool,
    },
    /// The 1-based number, whether the row is hidden, and the cells with content as column, kind, flags, bits and text.
    Row(u32, bool, Vec<(u32, CellKind, u8, u64, String)>),
    /// The first and last row, 1-based, then the first and last column.
    Merged(u32, u32, u32, u32),
    HiddenColumn(u32),
    End,
    Failed(ChildError),
}

impl ChildMessage {
    /// Returns all messages of a sheet. The last one is [`Self::End`].
    pub(super) fn from_sheet(sheet: &Sheet) -> impl Iterator<Item = Self> + '_ {
        let rows = sheet.rows.iter().map(|row| {
            let cells = (0..).zip(&row.cells).filter(|(_, cell)| !cell.is_empty() || cell.is_formula_without_value());
            let parts = cells.map(|(column, cell)| {
                let (kind, flags, bits, text) = cell.as_ref().parts();
                (column, kind, flags, bits, text.to_owned())
            });
            Self::Row(row.number, row.hidden, parts.collect())
        });
        let merged = sheet
            .merges
            .iter()
            .map(|merge| Self::Merged(merge.first_row, merge.last_row, merge.first_column, merge.last_column));
        let hidden = sheet.hidden_columns.iter().map(|&column| Self::HiddenColumn(column));
        rows.chain(merged).chain(hidden).chain(std::iter::once(Self::End))
    }

    pub(super) fn put(self, builder: &mut SheetBuilder<'_>) -> Result<(), SheetError> {
        match self {
            Self::Row(number, hidden, cells) => {
                if hidden {
                    builder.shape.hide_rows(number, number);
                }
                for (column, kind, flags, bits, text) in cells {
                    builder.put(
                        number.saturating_sub(1),
                        column,
                        Cell::from_parts(kind, flags, bits, text).as_ref(),
                    )?;
                }
            }
            Self::Merged(first_row, last_row, first_column, last_column) => {
                builder.shape.merge(Merge { first_row, last_row, first_column, last_column });
            }
            Self::HiddenColumn(column) => builder.shape.hide_columns(column, column),
            Self::Sheet { .. } | Self::End | Self::Failed(_) => {}
        }
        Ok(())
    }
}

/// The errors that a child can send.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ChildError {
    Protected,
    RightsManaged,
    TooLarge(Measure, u64),
    Damaged(String),
    Repeated { sheet: String, row: u32, column: Option<u32> },
    NoSuchSheet(String),
    OldExcel,
}

impl From<SheetError> for ChildError {
    fn from(error: SheetError) -> Self {
        match error {
            SheetError::Protected => Self::Protected,
            SheetError::RightsManaged => Self::RightsManaged,
            SheetError::TooLarge { what, limit } => Self::TooLarge(what, limit),
            SheetError::NoSuchSheet(name) => Self::NoSuchSheet(name),
            SheetError::UnsupportedFormat { .. } => Self::OldExcel,
            SheetError::Damaged(cause) => Self::Damaged(cause),
            SheetError::Repeated { sheet, row, column } => Self::Repeated { sheet, row, column },
            other => Self::Damaged(other.to_string()),
        }
    }
}

impl From<ChildError> for SheetError {
    fn from(error: ChildError) -> Self {
        match error {
            ChildError::Protected => Self::Protected,
            ChildError::RightsManaged => Self::RightsManaged,
            ChildError::TooLarge(what, limit) => Self::TooLarge { what, limit },
            ChildError::NoSuchSheet(name) => Self::NoSuchSheet(name),
            ChildError::Damaged(cause) => Self::Damaged(cause),
            ChildError::Repeated { sheet, row, column } => Self::Repeated { sheet, row, column },
            ChildError::OldExcel => Self::UnsupportedFormat { what: crate::UnsupportedFormat::OldExcel },
        }
    }
}
