//! The arguments that name a file and how to read it.

use std::path::PathBuf;

use clap::Args;
use takt_engine::import::TextReading;

/// A workbook, and how to read it.
#[derive(Debug, Default, Args)]
pub(crate) struct ImportArguments {
    /// xlsx, xlsm, xlsb, xls, ods or csv
    pub(crate) file: PathBuf,
    /// The sheet to read; without it all that hold rows, in the order of what refers to what
    #[arg(long)]
    pub(crate) sheet: Option<String>,
    /// The sheet whose rows go first; may be repeated for those that come next. What a sheet refers to goes before it all the same
    #[arg(long, value_name = "SHEET", conflicts_with = "sheet")]
    pub(crate) order: Vec<String>,
    /// Which column is which field, as JSON, of one sheet or of several; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) mapping: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadingArguments,
}

/// How a file is read, where it could be read otherwise.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ReadingArguments {
    /// Leaves out the rows that Excel hides
    #[arg(long)]
    pub(crate) skip_hidden: bool,
    /// Reads a last row of totals like any other
    #[arg(long)]
    pub(crate) keep_totals: bool,
    /// Puts what merged cells hold into each row that they cover
    #[arg(long)]
    pub(crate) fill_merged: bool,
    /// The row that holds the column names, as Excel numbers it; without it what was found
    #[arg(long, value_name = "ROW", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) header_row: Option<u32>,
    /// How many rows the column names take, 1 to 3; the last of them is the header row
    #[arg(long, alias = "heading-rows", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=3))]
    pub(crate) header_rows: Option<u32>,
    #[command(flatten)]
    pub(crate) text: TextArguments,
}

/// How a text file is read. What is absent is found.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct TextArguments {
    /// Of a text file, for example windows-1252, macintosh or cp850; without it what was found
    #[arg(long, value_name = "NAME")]
    pub(crate) encoding: Option<String>,
    /// Of a text file: one of ; , | tab none; without it what was found
    #[arg(long, value_name = "CHARACTER")]
    pub(crate) separator: Option<String>,
    /// Of a text file: reads quotes as letters like any other; without it they enclose cells
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
