//! `takt storage` and `takt purge`: the size of the home folder, the retention of rows and events, and their removal.

use takt_engine::{
    Engine,
    maintenance::{PurgeView, Retention, StorageView},
};

use crate::{
    arguments::{PurgeArguments, Schedule, StorageArguments},
    console::{Console, sanitize},
    exit_codes::{ExitStatus, Failure},
    results, session,
};

const MEGABYTE: u64 = 1_000_000;

pub(super) fn show(arguments: &StorageArguments, console: &Console) -> Result<ExitStatus, Failure> {
    let engine = session::open_local_engine(console)?;
    if arguments.seen {
        engine.maintenance().confirm_salvages()?;
    }
    change_retention(&engine, arguments)?;
    let storage = engine.maintenance().storage()?;
    if arguments.json {
        console.print_json(&storage);
    } else {
        print_storage(&storage, console);
    }
    Ok(ExitStatus::Done)
}

fn change_retention(engine: &Engine, arguments: &StorageArguments) -> Result<(), Failure> {
    let before = engine.maintenance().retention()?;
    let after = Retention {
        rows_days: arguments.keep_rows.map_or(before.rows_days, |limit| limit.0),
        events_days: arguments.keep_events.map_or(before.events_days, |limit| limit.0),
        most_megabytes: arguments.max_size.map_or(before.most_megabytes, |limit| limit.0),
        scheduled: arguments.schedule.map_or(before.scheduled, |schedule| schedule == Schedule::Daily),
    };
    if after != before {
        engine.maintenance().set_retention(&after)?;
    }
    Ok(())
}

fn print_storage(storage: &StorageView, console: &Console) {
    let text = |key: &str, parameters: &[(&str, String)]| console.texts.text(key, parameters);
    let limit = |limit: Option<u32>, key: &str, none: &str| match limit {
        Some(limit) => text(key, &[("count", limit.to_string())]),
        None => text(none, &[]),
    };
    let row = |key: &str, value: String| vec![text(key, &[]), value];
    let keep = &storage.retention;
    let schedule = if keep.scheduled { "storage.daily" } else { "storage.by-hand" };
    console.print_table(&[
        row("storage.journal", megabytes(storage.journal_bytes)),
        row("storage.events", megabytes(storage.events_bytes)),
        row("storage.logs", megabytes(storage.logs_bytes)),
        row("storage.unverified", megabytes(storage.unverified_bytes)),
        row("storage.keep-rows", limit(keep.rows_days, "storage.days", "storage.forever")),
        row("storage.keep-events", limit(keep.events_days, "storage.days", "storage.forever")),
        row("storage.max-size", limit(keep.most_megabytes, "storage.megabytes", "storage.unlimited")),
        row("storage.purge", text(schedule, &[])),
    ]);
    if let Some(since) = &storage.unverified_omitted_since {
        let parameters = [("count", storage.unverified_omitted.to_string()), ("since", results::format_time(since))];
        console.print_remark("storage.unverified-omitted", &parameters);
    }
    let counts = [("daily", storage.daily_kept.to_string()), ("updates", storage.before_updates_kept.to_string())];
    console.print_text("storage.backup-rule", &counts);
    for backup in &storage.backups {
        let parameters = [
            ("at", results::format_time(&backup.at)),
            ("file", sanitize(&backup.path)),
            ("size", megabytes(backup.bytes)),
        ];
        console.print_text("storage.backup", &parameters);
    }
}

pub(super) fn purge(arguments: &PurgeArguments, console: &Console) -> Result<ExitStatus, Failure> {
    let engine = session::open_local_engine(console)?;
    if arguments.unverified {
        let view = engine.maintenance().purge_unverified(!arguments.yes)?;
        if arguments.json {
            console.print_json(&view);
        } else {
            let key = if view.dry_run { "purge.would-unverified" } else { "purge.done-unverified" };
            console.print_text(key, &purge_parameters(&view));
        }
        return Ok(ExitStatus::Done);
    }
    let requested = Retention {
        rows_days: arguments.rows_older_than,
        events_days: arguments.events_older_than,
        most_megabytes: arguments.max_size,
        scheduled: false,
    };
    let rule = if requested == Retention::default() { engine.maintenance().retention()? } else { requested };
    if (Retention { scheduled: false, ..rule }) == Retention::default() {
        return Err(Failure::Usage("purge.no-rule", Vec::new()));
    }
    let view = engine.maintenance().purge(&rule, !arguments.yes)?;
    if arguments.json {
        console.print_json(&view);
    } else {
        print_purge(&view, console);
    }
    Ok(ExitStatus::Done)
}

fn purge_parameters(view: &PurgeView) -> [(&'static str, String); 6] {
    [
        ("submissions", view.submissions.to_string()),
        ("rows", view.rows.to_string()),
        ("requests", view.requests.to_string()),
        ("events", view.events.to_string()),
        ("before", megabytes(view.bytes_before)),
        ("after", megabytes(view.bytes_after)),
    ]
}

fn print_purge(view: &PurgeView, console: &Console) {
    console.print_text(if view.dry_run { "purge.would" } else { "purge.done" }, &purge_parameters(view));
    if view.changes > 0 {
        let key = if view.dry_run { "purge.would-changes" } else { "purge.done-changes" };
        console.print_text(key, &[("changes", view.changes.to_string())]);
    }
}

fn megabytes(bytes: u64) -> String {
    let tenths = bytes * 10 / MEGABYTE;
    format!("{}.{} MB", tenths / 10, tenths % 10)
}
