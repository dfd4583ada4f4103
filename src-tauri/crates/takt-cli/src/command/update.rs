//! `takt update`: whether there is a newer Takt.

use std::path;

use serde_json::json;
use takt_engine::update::{UpdateCheck, Updates};

use crate::{
    arguments::UpdateCheckArguments,
    console::{Console, plain},
    ending::{ExitStatus, Failure},
    session,
};

pub(super) async fn check(arguments: &UpdateCheckArguments, console: &Console) -> Result<ExitStatus, Failure> {
    let channel = match &arguments.channel {
        Some(place) => from_here(place),
        None => {
            let set = Updates::of(&*session::engine(console)?).settings()?.channel;
            set.ok_or_else(|| Failure::Usage("update.no-channel", Vec::new()))?
        }
    };
    let check = Updates::ask(&channel, console.texts.language).await?;
    if arguments.json {
        console.json(&json!(check));
    } else {
        print(&check, console);
    }
    Ok(ExitStatus::Done)
}

/// A file may be named as seen from the folder that the command runs in.
fn from_here(place: &str) -> String {
    if place.contains("://") {
        return place.to_owned();
    }
    path::absolute(place).map_or_else(|_| place.to_owned(), |whole| whole.display().to_string())
}

fn print(check: &UpdateCheck, console: &Console) {
    let text = |key: &str, places: &[(&str, String)]| console.line(&console.texts.text(key, places));
    let UpdateCheck { installed, newer, release } = check;
    if !newer {
        return text("update.current", &[("installed", installed.clone())]);
    }
    let places = [("version", release.version.clone()), ("installed", installed.clone())];
    match &release.date {
        Some(date) => text("update.newer-since", &[&places[..], &[("date", date.clone())]].concat()),
        None => text("update.newer", &places),
    }
    for line in release.notes.iter().flat_map(|notes| notes.lines()) {
        console.line(&format!("  {}", plain(line)));
    }
    if let Some(address) = &release.download {
        text("update.download", &[("address", plain(address))]);
    }
}
