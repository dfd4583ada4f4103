//! Sample workbooks, dated for the day on which they're opened, since past dates would all cause warnings.

use std::{fmt::Display, fs, path::PathBuf};

use jiff::{
    ToSpan,
    civil::{Date, Weekday, date},
};
use takt_core::{Code, Problem};
use takt_journal::private_file::create_private_folder;
use takt_sheet::{
    CellValue, Limits, SheetError, Workbook,
    writer::{shift_dates, write_atomically},
};
use takt_sites::PRACTICE;

use crate::{drafts::Drafts, import_sites::ImportSites};

/// The Monday on which the samples' planned dates begin. Reported work is dated before it.
const FIRST_MONDAY: Date = date(2026, 11, 23);
const DAYS_PER_WEEK: i32 = 7;

impl ImportSites {
    /// Writes a sample into Takt's home, where the user can find and edit it. Its dates are in the practice plant's
    /// weeks around today. An existing file is replaced, unless the user changed it or has a draft of it.
    ///
    /// # Errors
    ///
    /// - [`Code::WriteFailed`]: the file can't be written.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn write_sample(&self, file: &str, sample: &[u8]) -> Result<PathBuf, Problem> {
        let today = self.sites.local_time(PRACTICE)?.date();
        let path = self.home.samples().join(file);
        let failed = |error: &dyn Display| {
            Problem::new(Code::WriteFailed).parameter("file", path.display().to_string()).details(error)
        };
        let shifted = shift_sample(sample, today).map_err(|error| failed(&error))?;
        if let Ok(existing) = fs::read(&path)
            && (existing == shifted || is_changed(&existing, sample) || Drafts::new(&self.imports).has_draft(&path)?)
        {
            return Ok(path);
        }
        let written = create_private_folder(&self.home.samples())
            .and_then(|()| write_atomically(&path, |file| file.write_all(&shifted)));
        written.map_err(|error| failed(&error)).map(|()| path.clone())
    }
}

/// Returns the sample for a day. Its dates are moved by whole weeks, so that weekdays stay.
fn shift_sample(sample: &[u8], today: Date) -> Result<Vec<u8>, SheetError> {
    let dates = read_dates(sample)?;
    let Some(last) = dates.iter().max() else { return Ok(sample.to_vec()) };
    // Plans begin on the next Monday, and reports end before this week's Monday.
    let first =
        if *last < FIRST_MONDAY { monday_of_week(today) } else { monday_of_week(today).saturating_add(1.week()) };
    shift_dates(sample, days_between(FIRST_MONDAY, first))
}

/// Returns true if the user changed a file that was made from this sample.
fn is_changed(existing: &[u8], sample: &[u8]) -> bool {
    let first = |bytes| read_dates(bytes).ok()?.first().copied();
    let moved = first(sample).zip(first(existing)).map_or(0, |(before, after)| days_between(before, after));
    moved % DAYS_PER_WEEK != 0 || shift_dates(sample, moved).ok().as_deref() != Some(existing)
}

/// Returns all dates in the workbook, in the order of its cells.
fn read_dates(workbook: &[u8]) -> Result<Vec<Date>, SheetError> {
    let limits = Limits::default();
    let workbook = Workbook::from_bytes(workbook, "sample.xlsx", &limits)?;
    let mut dates = Vec::new();
    for sheet in workbook.sheets() {
        for row in &workbook.read(&sheet.name, &limits, &|| false)?.rows {
            dates.extend(row.cells.iter().filter_map(|cell| match cell.value() {
                CellValue::DateTime(at) => Some(at.date()),
                _ => None,
            }));
        }
    }
    Ok(dates)
}

fn monday_of_week(day: Date) -> Date {
    if day.weekday() == Weekday::Monday { day } else { day.nth_weekday(-1, Weekday::Monday).unwrap_or(day) }
}

fn days_between(from: Date, to: Date) -> i32 {
    from.until(to).map_or(0, |span| span.get_days())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Covers a Monday, midweek, a Sunday, a future year, and a clock that is behind.
    #[test]
    fn a_sample_plans_from_the_next_monday_and_reports_before_this_one() {
        let planned = include_bytes!("../../../../tests/data/samples/work-orders.sync.xlsx");
        let done = include_bytes!("../../../../tests/data/samples/work-orders.execution.xlsx");
        for (today, monday) in [
            (date(2027, 3, 15), date(2027, 3, 15)),
            (date(2026, 11, 26), date(2026, 11, 23)),
            (date(2028, 3, 5), date(2028, 2, 28)),
            (date(2025, 1, 1), date(2024, 12, 30)),
        ] {
            let next = monday.saturating_add(1.week());
            let (before, after) =
                (read_dates(planned).unwrap(), read_dates(&shift_sample(planned, today).unwrap()).unwrap());
            assert_eq!(after.iter().min(), Some(&next), "{today}");
            let moved = days_between(FIRST_MONDAY, next);
            assert!(before.iter().zip(&after).all(|(before, after)| days_between(*before, *after) == moved), "{today}");
            assert_eq!(before.len(), after.len());
            let done = read_dates(&shift_sample(done, today).unwrap()).unwrap();
            assert!(done.iter().all(|day| *day < monday && *day >= monday.saturating_sub(2.weeks())), "{today}");
        }
    }

    #[test]
    fn a_sample_without_dates_stays_as_it_is() {
        let sample = include_bytes!("../../../../tests/data/samples/materials.sync.xlsx");
        assert_eq!(shift_sample(sample, date(2027, 3, 15)).unwrap(), sample);
    }

    #[test]
    fn what_somebody_changed_is_told_from_what_is_as_it_was_made() {
        let sample = include_bytes!("../../../../tests/data/samples/work-orders.sync.xlsx");
        let other = include_bytes!("../../../../tests/data/samples/work-orders.planning-dates.xlsx");
        for today in [date(2026, 11, 20), date(2026, 12, 28), date(2027, 3, 15)] {
            let made = shift_sample(sample, today).unwrap();
            assert!(!is_changed(&made, sample), "{today}");
            assert!(is_changed(&shift_dates(&made, 1).unwrap(), sample), "{today}");
            assert!(is_changed(&shift_sample(other, today).unwrap(), sample), "{today}");
        }
        assert!(is_changed(b"no workbook", sample));
    }
}
