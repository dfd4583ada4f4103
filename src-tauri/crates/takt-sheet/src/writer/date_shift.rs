//! Moves the dates of a workbook by whole days. Everything else in it stays unchanged.

use std::io::{BufReader, Cursor, Read, Write};

use quick_xml::{
    Reader, Writer,
    events::{BytesStart, BytesText, Event},
};
use zip::ZipWriter;

use super::{atomic, element::attribute, package_edit::part_options};
use crate::{CellKind, Limits, SheetError, package, source::Source, xlsx};

/// Returns the bytes of an xlsx with all dates moved by `days`. Only numbers with a date format are dates.
///
/// # Errors
/// If the bytes aren't an xlsx that can be read.
pub fn shift_dates(original: &[u8], days: i32) -> Result<Vec<u8>, SheetError> {
    if days == 0 {
        return Ok(original.to_vec());
    }
    let source = Source::from_bytes(original);
    let mut package = package::open(&source)?;
    let dates = xlsx::DateCells::read(&mut package, &Limits::default())?;
    let mut written = ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..package.len() {
        let part = package.by_index_raw(index).map_err(SheetError::damaged)?;
        let name = part.name().map_err(SheetError::damaged)?.into_owned();
        if dates.is_sheet(&name) {
            drop(part);
            written.start_file(&*name, part_options()).map_err(atomic::write_error)?;
            let xml = package.by_index(index).map_err(SheetError::damaged)?;
            shift_sheet(BufReader::new(xml), &mut written, &dates, days)?;
        } else {
            written.raw_copy_file(part).map_err(atomic::write_error)?;
        }
    }
    Ok(written.finish().map_err(atomic::write_error)?.into_inner())
}

fn shift_sheet(
    xml: BufReader<impl Read>,
    out: impl Write,
    dates: &xlsx::DateCells,
    days: i32,
) -> Result<(), SheetError> {
    let (mut reader, mut writer) = (Reader::from_reader(xml), Writer::new(out));
    // The format of the current cell if it has a number, and whether its value is being read.
    let (mut format, mut is_value) = (None, false);
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        let event = reader.read_event_into(&mut buffer).map_err(SheetError::damaged)?;
        match &event {
            Event::Eof => return Ok(()),
            Event::Start(start) if start.local_name().as_ref() == "c" => format = number_format(start),
            Event::Start(start) => is_value = start.local_name().as_ref() == "v",
            Event::End(_) => is_value = false,
            Event::Text(text) if is_value => {
                let value = text.xml10_content().trim().parse::<f64>().ok();
                let date = value.zip(format).filter(|&(value, format)| dates.kind(format, value) == CellKind::DateTime);
                if let Some((value, _)) = date {
                    let moved = (value + f64::from(days)).to_string();
                    writer.write_event(Event::Text(BytesText::new(&moved))).map_err(atomic::write_error)?;
                    continue;
                }
            }
            _ => {}
        }
        writer.write_event(event).map_err(atomic::write_error)?;
    }
}

/// Returns the index of a cell's format, or `None` if the cell has no number.
fn number_format(cell: &BytesStart<'_>) -> Option<usize> {
    let is_number = attribute(cell, "t").is_none_or(|kind| kind == "n");
    is_number.then(|| attribute(cell, "s").and_then(|format| format.parse().ok()).unwrap_or_default())
}
