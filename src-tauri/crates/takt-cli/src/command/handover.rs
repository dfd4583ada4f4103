//! `takt handover` and `takt bundle`: the workbook for the next shift, and the file for support.

use std::path::PathBuf;

use jiff::{Timestamp, ToSpan, ZonedDateTime, civil::DateTime, tz::TimeZone};
use takt_engine::history::BundleChoice;

use crate::{
    arguments::{BundleArguments, HandoverArguments},
    console::{Console, plain},
    ending::{ExitStatus, Failure},
    session,
};

const SHIFT_HOURS: i64 = 8;

pub(super) fn write(arguments: HandoverArguments, console: &Console) -> Result<ExitStatus, Failure> {
    let since = match arguments.since {
        Some(text) => parse_start(&text)?,
        None => hours_ago(SHIFT_HOURS),
    };
    let out = arguments.out.unwrap_or_else(|| PathBuf::from("handover.xlsx"));
    let runs = session::engine(console)?.history().save_handover(&since, &TimeZone::system(), &out)?;
    console.remark("handover.done", &[("file", plain(&out.display().to_string())), ("runs", runs.to_string())]);
    Ok(ExitStatus::Done)
}

pub(super) fn bundle(arguments: BundleArguments, console: &Console) -> Result<ExitStatus, Failure> {
    let choice = BundleChoice { submissions: arguments.submissions, addresses: arguments.addresses };
    let out = arguments.out.unwrap_or_else(|| PathBuf::from("takt-support.zip"));
    session::engine_with_keychain(console)?.history().save_bundle(&choice, &out)?;
    console.remark("bundle.done", &[("file", plain(&out.display().to_string()))]);
    Ok(ExitStatus::Done)
}

/// Parses the start of a period: a date-time with an offset or in local time, or a number of hours before now such as
/// `8h`.
pub(super) fn parse_start(text: &str) -> Result<String, Failure> {
    let text = text.trim();
    if let Some(hours) = text.strip_suffix('h').and_then(|hours| hours.parse::<i64>().ok()).filter(|hours| *hours >= 0)
    {
        return Ok(hours_ago(hours.min(24 * 366)));
    }
    // If the clock skips or repeats a local time, the earlier moment is used, so that the period contains all of it.
    let local = |at: DateTime| TimeZone::system().to_ambiguous_timestamp(at).earlier().ok();
    let date = || text.parse::<jiff::civil::Date>().ok().map(|date| date.to_datetime(jiff::civil::Time::midnight()));
    let found = text.parse::<Timestamp>().ok();
    let found = found.or_else(|| text.parse::<DateTime>().ok().or_else(date).and_then(local));
    found.map(|at| at.to_string()).ok_or_else(|| Failure::Usage("history.no-date", vec![("text", plain(text))]))
}

fn hours_ago(hours: i64) -> String {
    let then = ZonedDateTime::now().checked_sub(hours.hours());
    then.map_or(Timestamp::UNIX_EPOCH, |then| then.timestamp()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_people_write_them() {
        assert_eq!(parse_start("2026-11-22T06:00:00+01:00").unwrap(), "2026-11-22T05:00:00Z");
        for local in ["2026-11-22", "2026-11-22 06:00", "2026-11-22T06:00:30", "8h"] {
            assert!(parse_start(local).unwrap().ends_with('Z'), "{local}");
        }
        assert!(parse_start("yesterday").is_err() && parse_start("-3h").is_err());
    }
}
