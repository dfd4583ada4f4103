//! Writes the measured workbook as xlsx with shared strings and as csv. The files are written once and stored in the
//! bench's folder.

use std::{
    fs::{self, File},
    io::{self, BufWriter},
    path::{Path, PathBuf},
};

use jiff::{ToSpan, civil::DateTime};
use rust_xlsxwriter::{Format, Workbook, Worksheet, XlsxError};

use crate::{
    error::{BenchError, unexpected_result},
    import::readers::hidden_program_on,
    import::rows::{COLUMNS, HEADINGS, Value, expected_errors, row},
    process::{folder, run_captured},
};

/// The first day of the rows' dates. It's in the future, since a start in the past would be a finding in every row.
const FIRST_DAY: DateTime = DateTime::constant(2036, 1, 1, 0, 0, 0, 0);
/// Excel's serial number of that day.
pub(crate) const FIRST_SERIAL: f64 = 49_675.0;
pub(crate) const MINUTES_PER_DAY: f64 = 24.0 * 60.0;
pub(crate) const MAKE_ROWS: &str = "make-rows";

/// The version of the files' content, which is part of their names. Increase it if the content changes.
const CONTENT_VERSION: u32 = 3;

/// The same rows as xlsx and csv.
#[derive(Debug)]
pub(crate) struct Files {
    pub(crate) rows: u32,
    /// The number of errors in them.
    pub(crate) errors: u32,
    pub(crate) xlsx: PathBuf,
    pub(crate) csv: PathBuf,
}

impl Files {
    /// Writes missing files in a separate process, because the system adds the bench's own memory to that of its
    /// children.
    pub(crate) fn prepare(rows: u32, seed: u64) -> Result<Self, BenchError> {
        let folder = folder().join("import");
        let mut command = hidden_program_on(MAKE_ROWS, &folder)?;
        command.args([rows.to_string(), seed.to_string()]);
        run_captured(command)?;
        Self::prepare_in(&folder, rows, seed)
    }

    pub(crate) fn prepare_in(folder: &Path, rows: u32, seed: u64) -> Result<Self, BenchError> {
        fs::create_dir_all(folder).map_err(BenchError::file(folder))?;
        let file = |ending: &str| folder.join(format!("orders-{rows}-{seed}-{CONTENT_VERSION}.{ending}"));
        let files = Self { rows, errors: expected_errors(rows), xlsx: file("xlsx"), csv: file("csv") };
        write_once(&files.xlsx, |path| {
            write_xlsx(path, rows, seed).map_err(|error| unexpected_result("the workbook", &error.to_string()))
        })?;
        write_once(&files.csv, |path| {
            write_csv(path, (0..rows).map(|number| row(seed, number))).map_err(BenchError::file(path))
        })?;
        Ok(files)
    }
}

/// Writes a missing file under a temporary name first, so that it is complete or missing.
pub(crate) fn write_once(path: &Path, make: impl FnOnce(&Path) -> Result<(), BenchError>) -> Result<(), BenchError> {
    if path.is_file() {
        return Ok(());
    }
    let growing = path.with_extension("growing");
    make(&growing)?;
    fs::rename(&growing, path).map_err(BenchError::file(path))
}

fn write_xlsx(path: &Path, rows: u32, seed: u64) -> Result<(), XlsxError> {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet_with_low_memory()?;
    sheet.set_name("Orders")?;
    for (column, heading) in (0..).zip(HEADINGS) {
        sheet.write_string(0, column, heading)?;
    }
    let formats = CellFormats {
        date_time: Format::new().set_num_format("yyyy-mm-dd hh:mm"),
        duration: Format::new().set_num_format("[h]:mm"),
    };
    for number in 0..rows {
        for (column, value) in (0..).zip(row(seed, number)) {
            formats.write(sheet, number + 1, column, value)?;
        }
    }
    workbook.save(path)
}

struct CellFormats {
    date_time: Format,
    duration: Format,
}

impl CellFormats {
    #[expect(clippy::cast_precision_loss, reason = "minutes of a few years")]
    fn write(&self, sheet: &mut Worksheet, row: u32, column: u16, value: Value) -> Result<(), XlsxError> {
        match value {
            Value::Empty => return Ok(()),
            Value::Text(text) => sheet.write_string(row, column, text)?,
            Value::Number(number) => sheet.write_number(row, column, number)?,
            Value::Moment(minutes) => {
                let serial = FIRST_SERIAL + minutes as f64 / MINUTES_PER_DAY;
                sheet.write_number_with_format(row, column, serial, &self.date_time)?
            }
            Value::Minutes(minutes) => {
                sheet.write_number_with_format(row, column, minutes as f64 / MINUTES_PER_DAY, &self.duration)?
            }
            Value::Flag(flag) => sheet.write_boolean(row, column, flag)?,
        };
        Ok(())
    }
}

fn write_csv(path: &Path, rows: impl Iterator<Item = [Value; COLUMNS]>) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(BufWriter::new(File::create(path)?));
    writer.write_record(HEADINGS)?;
    for row in rows {
        writer.write_record(row.map(csv_value))?;
    }
    writer.flush()
}

/// Writes a csv with rows that `row` makes from the seed and their numbers.
pub(crate) fn prepare_csv(
    name: &str,
    rows: u32,
    seed: u64,
    row: fn(u64, u32) -> [Value; COLUMNS],
) -> Result<PathBuf, BenchError> {
    let path = folder().join("import").join(format!("{name}-{rows}-{seed}-{CONTENT_VERSION}.csv"));
    write_once(&path, |path| {
        write_csv(path, (0..rows).map(|number| row(seed, number))).map_err(BenchError::file(path))
    })?;
    Ok(path)
}

fn csv_value(value: Value) -> String {
    match value {
        Value::Empty => String::new(),
        Value::Text(text) => text,
        Value::Number(number) => number.to_string(),
        Value::Moment(minutes) => date_time_text(minutes),
        Value::Minutes(minutes) => format!("{}:{:02}", minutes / 60, minutes % 60),
        Value::Flag(flag) => flag.to_string(),
    }
}

pub(crate) fn date_time_text(minutes: i64) -> String {
    FIRST_DAY.saturating_add(minutes.minutes()).strftime("%Y-%m-%d %H:%M").to_string()
}

#[expect(clippy::cast_precision_loss, reason = "minutes of a few years")]
pub(crate) fn to_days(minutes: i64) -> f64 {
    minutes as f64 / MINUTES_PER_DAY
}
