//! Writes a sample as the CSV that Excel exports with German settings: semicolons, decimal commas, Windows-1252, and
//! CRLF.

use csv::{Terminator, WriterBuilder};
use encoding_rs::WINDOWS_1252;

use super::{
    error::SamplesError,
    table::{Cell, Table},
};

pub(super) fn build(table: &Table) -> Result<Vec<u8>, SamplesError> {
    let failed = |source| SamplesError::Text { file: table.operation.to_owned(), source };
    let mut writer = WriterBuilder::new().delimiter(b';').terminator(Terminator::CRLF).from_writer(Vec::new());
    writer.write_record(table.columns.iter().map(|column| encode_windows_1252(column.heading))).map_err(failed)?;
    for row in &table.rows {
        writer.write_record(row.iter().map(|cell| encode_windows_1252(&cell_text(cell)))).map_err(failed)?;
    }
    writer.into_inner().map_err(|error| failed(error.into_error().into()))
}

fn encode_windows_1252(text: &str) -> Vec<u8> {
    WINDOWS_1252.encode(text).0.into_owned()
}

/// Formats a cell as Excel displays it with German settings.
fn cell_text(cell: &Cell) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Text(text) => text.clone(),
        Cell::Number(number) => number.to_string().replace('.', ","),
        Cell::Moment(moment) => moment.strftime("%d.%m.%Y %H:%M").to_string(),
        Cell::Minutes(minutes) => format!("{}:{:02}", minutes / 60, minutes % 60),
        Cell::Flag(flag) => if *flag { "WAHR" } else { "FALSCH" }.to_owned(),
        Cell::Broken { shows, .. } => (*shows).to_owned(),
    }
}
