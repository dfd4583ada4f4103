//! The forms in which workbooks are stored.

use serde::Serialize;

/// The form in which a workbook is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileKind {
    /// Also xlsm.
    Xlsx,
    Xlsb,
    Xls,
    Ods,
    /// csv, tsv and their like.
    Text,
    /// A web page with tables, as many ERP systems write it under the name `.xls`.
    Html,
    /// An XML spreadsheet of 2003.
    XmlSpreadsheet,
}
