//! The arguments that name a file and how to read it.

use std::path::PathBuf;

use clap::Args;
use takt_engine::import::TextReading;

/// A workbook, and the options for reading it.
#[derive(Debug, Default, Args)]
pub(crate) struct ImportArguments {
    /// Workbook (xlsx, xlsm, xlsb, xls, ods or csv)
    pub(crate) file: PathBuf,
    /// Sheet to read. Without it, all sheets with rows, in dependency order
    #[arg(long)]
    pub(crate) sheet: Option<String>,
    /// Sheet to send first, then second and so on (repeatable). Sheets that it refers to are always sent before it
    #[arg(long, value_name = "SHEET", conflicts_with = "sheet")]
    pub(crate) order: Vec<String>,
    /// JSON file that maps columns to fields, for one or several sheets (repeatable)
    #[arg(long, value_name = "FILE")]
    pub(crate) mapping: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadingArguments,
}

/// The options for reading a file.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ReadingArguments {
    /// Skip rows that are hidden in Excel
    #[arg(long)]
    pub(crate) skip_hidden: bool,
    /// Read a last row with totals like other rows
    #[arg(long)]
    pub(crate) keep_totals: bool,
    /// Copy the value of merged cells to each row that they cover
    #[arg(long)]
    pub(crate) fill_merged: bool,
    /// Excel's number of the header row. Without it, the header row is detected
    #[arg(long, value_name = "ROW", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) header_row: Option<u32>,
    /// Number of rows with column names, 1 to 3. The last of them is the header row
    #[arg(long, alias = "heading-rows", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=3))]
    pub(crate) header_rows: Option<u32>,
    #[command(flatten)]
    pub(crate) text: TextArguments,
}

/// The options for reading a text file. Absent ones are detected.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct TextArguments {
    /// Encoding of a text file, for example windows-1252, macintosh or cp850. Without it, the encoding is detected
    #[arg(long, value_name = "NAME")]
    pub(crate) encoding: Option<String>,
    /// Separator of a text file, one of ; , | tab none. Without it, the separator is detected
    #[arg(long, value_name = "CHARACTER")]
    pub(crate) separator: Option<String>,
    /// Read quotes in a text file as ordinary characters. Without it, they enclose cells
    #[arg(long)]
    pub(crate) quotes_as_text: bool,
}

impl TextArguments {
    /// Returns the choices for reading a text file, or `None` if there are none.
    pub(crate) fn reading(&self) -> Option<TextReading> {
        let reading = TextReading {
            encoding: self.encoding.clone(),
            separator: self.separator.as_deref().map(|given| parse_separator(given).to_owned()),
            quotes_as_text: self.quotes_as_text,
        };
        (reading != TextReading::default()).then_some(reading)
    }
}

/// Translates the names `tab` and `none`, since a tab and an empty text are hard to type in a terminal.
fn parse_separator(given: &str) -> &str {
    match given {
        "tab" | "\\t" => "\t",
        "none" => "",
        other => other,
    }
}
