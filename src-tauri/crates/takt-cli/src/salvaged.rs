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
    match (salvage.file, salvage.backup_at.is_some()) {
        (SalvagedFile::Journal, false) => "salvaged.journal",
        (SalvagedFile::Journal, true) => "salvaged.journal-backup",
        (SalvagedFile::Events, false) => "salvaged.events",
        (SalvagedFile::Events, true) => "salvaged.events-backup",
        (SalvagedFile::Preferences, false) => "salvaged.preferences",
        (SalvagedFile::Preferences, true) => "salvaged.preferences-backup",
    }
}

fn places(salvage: &SalvageView) -> Vec<(&'static str, String)> {
    let backup = salvage.backup_at.as_deref().map(results::moment).unwrap_or_default();
    vec![("file", plain(&salvage.damaged_file)), ("at", backup)]
}
