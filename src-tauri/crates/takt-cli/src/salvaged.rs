//! A damaged file was replaced: every command says so until somebody has said that they know.

use takt_engine::{
    Engine, Problem,
    maintenance::{SalvageView, SalvagedFile},
};

use crate::{
    console::{Console, plain},
    results,
};

pub(crate) fn print_salvaged(engine: &Engine, console: &Console) -> Result<(), Problem> {
    let salvages = engine.maintenance().salvages()?;
    for salvage in &salvages {
        console.remark(key(salvage), &places(salvage));
        if let Some((key, places)) = counts(salvage) {
            console.remark(key, &places);
        }
        for (submission, rows) in &salvage.missing_rows {
            let places = [("submission", submission.to_string()), ("count", rows.to_string())];
            console.remark("salvaged.missing", &places);
        }
    }
    if !salvages.is_empty() {
        console.remark("salvaged.until-seen", &[]);
    }
    Ok(())
}

fn key(salvage: &SalvageView) -> &'static str {
    let is_empty = salvage.counts.is_some_and(|counts| counts.recovered == 0);
    match (salvage.file, salvage.backup_at.is_some()) {
        (SalvagedFile::Journal, false) if is_empty => "salvaged.journal-nothing",
        (SalvagedFile::Events, false) if is_empty => "salvaged.events-nothing",
        (SalvagedFile::Journal, false) => "salvaged.journal",
        (SalvagedFile::Journal, true) => "salvaged.journal-backup",
        (SalvagedFile::Events, false) => "salvaged.events",
        (SalvagedFile::Events, true) => "salvaged.events-backup",
        (SalvagedFile::Preferences, false) => "salvaged.preferences",
        (SalvagedFile::Preferences, true) => "salvaged.preferences-backup",
    }
}

/// How much is there again, and how much isn't.
fn counts(salvage: &SalvageView) -> Option<(&'static str, Vec<(&'static str, String)>)> {
    let counts = salvage.counts?;
    let key = match (salvage.file, counts.lost.is_some()) {
        (SalvagedFile::Journal, true) => "salvaged.counts",
        (SalvagedFile::Journal, false) => "salvaged.counts-unknown",
        (SalvagedFile::Events, true) => "salvaged.events-counts",
        (SalvagedFile::Events, false) => "salvaged.events-counts-unknown",
        (SalvagedFile::Preferences, _) => return None,
    };
    let places = [
        ("recovered", counts.recovered),
        ("rows", counts.rows),
        ("missing", counts.lost_rows),
        ("lost", counts.lost.unwrap_or_default()),
    ];
    Some((key, places.map(|(name, count)| (name, count.to_string())).to_vec()))
}

fn places(salvage: &SalvageView) -> Vec<(&'static str, String)> {
    let backup = salvage.backup_at.as_deref().map(results::moment).unwrap_or_default();
    vec![("file", plain(&salvage.damaged_file)), ("at", backup)]
}
