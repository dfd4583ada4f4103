//! `takt update`: checks for a newer version of Takt, and sets the update channel.

use std::path;

use serde_json::json;
use takt_engine::update::{UpdateCheck, Updates};

use crate::{
    arguments::UpdateCheckArguments,
    console::{Console, sanitize},
    exit_codes::{ExitStatus, Failure},
    session,
};

pub(super) async fn check(arguments: &UpdateCheckArguments, console: &Console) -> Result<ExitStatus, Failure> {
    let channel = match &arguments.channel {
        Some(channel) => absolute_channel(channel),
        None => {
            let set = Updates::new(&*session::open_local_engine(console)?).settings()?.channel;
            set.ok_or_else(|| Failure::Usage("update.no-channel", Vec::new()))?
        }
    };
    let check = Updates::check_channel(&channel, console.texts.language).await?;
    if arguments.json {
        console.print_json(&json!(check));
    } else {
        print_check(&check, console);
    }
    Ok(ExitStatus::Done)
}

/// Makes the path of a file channel absolute. Addresses remain unchanged.
fn absolute_channel(channel: &str) -> String {
    if channel.contains("://") {
        return channel.to_owned();
    }
    path::absolute(channel).map_or_else(|_| channel.to_owned(), |absolute| absolute.display().to_string())
}

fn print_check(check: &UpdateCheck, console: &Console) {
    let text = |key: &str, parameters: &[(&str, String)]| console.print_line(&console.texts.text(key, parameters));
    let UpdateCheck { installed, newer, release } = check;
    if !newer {
        return text("update.current", &[("installed", installed.clone())]);
    }
    let parameters = [("version", release.version.clone()), ("installed", installed.clone())];
    match &release.date {
        Some(date) => text("update.newer-since", &[&parameters[..], &[("date", date.clone())]].concat()),
        None => text("update.newer", &parameters),
    }
    for line in release.notes.iter().flat_map(|notes| notes.lines()) {
        console.print_line(&format!("  {}", sanitize(line)));
    }
    if let Some(address) = &release.download {
        text("update.download", &[("address", sanitize(address))]);
    }
}
