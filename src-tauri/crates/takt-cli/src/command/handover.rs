//! `takt handover` and `takt bundle`: what is handed to the next shift, and to whoever helps.

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
        Some(text) => moment(&text)?,
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

/// The begin of a span of time: a date-time with an offset, or by this computer's clock, or a number of hours before now.
pub(super) fn moment(text: &str) -> Result<String, Failure> {
    let text = text.trim();
    if let Some(hours) = text.strip_suffix('h').and_then(|hours| hours.parse::<i64>().ok()).filter(|hours| *hours >= 0)
    {
        return Ok(hours_ago(hours.min(24 * 366)));
    }
    // Of a time that the clock skips or repeats, the earlier moment: the span then contains all of it.
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
        assert_eq!(moment("2026-11-22T06:00:00+01:00").unwrap(), "2026-11-22T05:00:00Z");
        for local in ["2026-11-22", "2026-11-22 06:00", "2026-11-22T06:00:30", "8h"] {
            assert!(moment(local).unwrap().ends_with('Z'), "{local}");
        }
        assert!(moment("yesterday").is_err() && moment("-3h").is_err());
    }
}
