//! The file formats of workbooks.

use serde::Serialize;

/// The file format of a workbook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileKind {
    /// Xlsx or xlsm.
    Xlsx,
    Xlsb,
    Xls,
    Ods,
    /// Csv, tsv and similar text files.
    Text,
    /// A web page with tables, which many ERP systems write with the extension `.xls`.
    Html,
    /// An XML spreadsheet of 2003.
    XmlSpreadsheet,
}
