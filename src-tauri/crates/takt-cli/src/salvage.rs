//! Reports of damaged files that were replaced. Every command prints them until the user acknowledges them.

use takt_engine::{
    Engine, Problem,
    maintenance::{SalvageView, SalvagedFile},
};

use crate::{
    console::{Console, sanitize},
    results,
};

pub(crate) fn print_salvages(engine: &Engine, console: &Console) -> Result<(), Problem> {
    let salvages = engine.maintenance().salvages()?;
    for salvage in &salvages {
        console.print_remark(text_key(salvage), &file_parameters(salvage));
        if let Some((key, parameters)) = counts_text(salvage) {
            console.print_remark(key, &parameters);
        }
        for (submission, rows) in &salvage.missing_rows {
            let parameters = [("submission", submission.to_string()), ("count", rows.to_string())];
            console.print_remark("salvaged.missing", &parameters);
        }
    }
    if !salvages.is_empty() {
        console.print_remark("salvaged.until-seen", &[]);
    }
    Ok(())
}

fn text_key(salvage: &SalvageView) -> &'static str {
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

/// Returns the key and parameters of the text about recovered and lost data.
fn counts_text(salvage: &SalvageView) -> Option<(&'static str, Vec<(&'static str, String)>)> {
    let counts = salvage.counts?;
    let key = match (salvage.file, counts.lost.is_some()) {
        (SalvagedFile::Journal, true) => "salvaged.counts",
        (SalvagedFile::Journal, false) => "salvaged.counts-unknown",
        (SalvagedFile::Events, true) => "salvaged.events-counts",
        (SalvagedFile::Events, false) => "salvaged.events-counts-unknown",
        (SalvagedFile::Preferences, _) => return None,
    };
    let parameters = [
        ("recovered", counts.recovered),
        ("rows", counts.rows),
        ("missing", counts.lost_rows),
        ("lost", counts.lost.unwrap_or_default()),
    ];
    Some((key, parameters.map(|(name, count)| (name, count.to_string())).to_vec()))
}

fn file_parameters(salvage: &SalvageView) -> Vec<(&'static str, String)> {
    let backup = salvage.backup_at.as_deref().map(results::format_time).unwrap_or_default();
    vec![("file", sanitize(&salvage.damaged_file)), ("at", backup)]
}
