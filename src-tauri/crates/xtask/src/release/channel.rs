//! The files of the update channel. Takt requests `takt.json`, and Tauri's updater reads `updater.json` with a signed
//! package for each system. The release's owner publishes both.
//!
//! `TAKT_RELEASE_DOWNLOAD` is the https address under which the files will be published.

use serde_json::{Map, Value, json};

use super::{changelog, files, signature};
use crate::{console::print, error::XtaskError};

const DOWNLOAD_VARIABLE: &str = "TAKT_RELEASE_DOWNLOAD";
/// The updater's names of systems with updates, and the name endings of their packages.
const SYSTEMS: [(&str, &str); 3] =
    [("windows-x86_64", "-setup.exe"), ("darwin-aarch64", ".app.tar.gz"), ("linux-x86_64", ".AppImage")];

pub(super) fn write() -> Result<(), XtaskError> {
    let Ok(address) = std::env::var(DOWNLOAD_VARIABLE) else {
        print(&format!("! no channel is written: {DOWNLOAD_VARIABLE} names no address"));
        return Ok(());
    };
    let address = address.trim_end_matches('/');
    let section = changelog::read()?;
    let mut platforms = Map::new();
    for file in files::files()? {
        let name = files::file_name(&file);
        let system = SYSTEMS.iter().find(|(_, ending)| name.ends_with(ending));
        if let (Some((system, _)), Some(signature)) = (system, signature::updater_signature(&file)?) {
            platforms
                .insert((*system).to_owned(), json!({ "signature": signature, "url": format!("{address}/{name}") }));
        }
    }
    let version = env!("CARGO_PKG_VERSION");
    let mut channel = json!({
        "version": version, "date": section.date, "notes": { "en": section.text }, "download": address,
    });
    if !platforms.is_empty() {
        channel["updater"] = Value::from(format!("{address}/updater.json"));
        let updater = json!({ "version": version, "notes": section.text, "pub_date": format!("{}T00:00:00Z", section.date), "platforms": platforms });
        files::write("updater.json", &format!("{updater:#}\n"))?;
    }
    files::write("takt.json", &format!("{channel:#}\n"))
}
