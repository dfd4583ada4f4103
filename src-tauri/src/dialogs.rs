//! Native dialogs (rfd). Titles come from the window's language through the commands.
//!
//! Who starts Takt can choose a site's document (`TAKT_OPEN_DOCUMENT`) and a site file (`TAKT_OPEN_SITE_FILE`) beforehand, for
//! automation.

use std::{
    env,
    io::{Write, stderr},
    path::PathBuf,
};

use takt_engine::{ExportFormat, Language, Problem, Words};
use tauri::{AppHandle, Runtime};

use crate::state::AppStateAccess;

/// The extension of mappings.
const MAPPING: &str = "json";
/// The document that is opened without a dialog.
const DOCUMENT: &str = "TAKT_OPEN_DOCUMENT";
/// The site file that is opened without a dialog.
const SITE_FILE: &str = "TAKT_OPEN_SITE_FILE";

/// Lets a person choose a workbook; `None` where the dialog was cancelled.
pub(crate) async fn pick_workbook(title: &str, filter: &str) -> Option<PathBuf> {
    rfd::AsyncFileDialog::new()
        .set_title(title)
        .add_filter(filter, &["xlsx", "xlsm", "xlsb", "xls", "ods", "csv", "tsv", "txt"])
        .pick_file()
        .await
        .map(|file| file.path().to_path_buf())
}

/// Lets a person choose a mapping that was kept as a file.
pub(crate) async fn pick_mapping(title: &str) -> Option<PathBuf> {
    let dialog = rfd::AsyncFileDialog::new().set_title(title).add_filter(MAPPING, &[MAPPING]);
    dialog.pick_file().await.map(|file| file.path().to_path_buf())
}

/// Lets a person choose an OpenAPI document.
pub(crate) async fn pick_document(title: &str) -> Option<PathBuf> {
    if let Some(chosen) = env::var_os(DOCUMENT).filter(|path| !path.is_empty()) {
        return Some(chosen.into());
    }
    let dialog = rfd::AsyncFileDialog::new().set_title(title).add_filter("OpenAPI", &["json", "yaml", "yml"]);
    dialog.pick_file().await.map(|file| file.path().to_path_buf())
}

/// Lets a person choose a site that a colleague kept as a file.
pub(crate) async fn pick_site_file(title: &str) -> Option<PathBuf> {
    if let Some(chosen) = env::var_os(SITE_FILE).filter(|path| !path.is_empty()) {
        return Some(chosen.into());
    }
    let dialog = rfd::AsyncFileDialog::new().set_title(title).add_filter("Takt", &["json"]);
    dialog.pick_file().await.map(|file| file.path().to_path_buf())
}

/// Lets a person choose where to keep a mapping.
pub(crate) async fn save_mapping<R: Runtime>(app: &AppHandle<R>, title: &str, name: &str) -> Option<PathBuf> {
    save_with_extension(app, title, name, MAPPING).await
}

/// Lets a person choose where to save; the format's extension is added where it is missing.
pub(crate) async fn save_as<R: Runtime>(
    app: &AppHandle<R>,
    title: &str,
    name: &str,
    format: ExportFormat,
) -> Option<PathBuf> {
    let extension = match format {
        ExportFormat::Xlsx => "xlsx",
        ExportFormat::Csv => "csv",
        ExportFormat::Json => "json",
    };
    save_with_extension(app, title, name, extension).await
}

/// The same for an extension that the content decides. What is saved there can be opened afterwards.
pub(crate) async fn save_with_extension<R: Runtime>(
    app: &AppHandle<R>,
    title: &str,
    name: &str,
    extension: &str,
) -> Option<PathBuf> {
    let file = rfd::AsyncFileDialog::new()
        .set_title(title)
        .set_file_name(format!("{name}.{extension}"))
        .add_filter(extension, &[extension])
        .save_file()
        .await?;
    let path = file.path().to_path_buf();
    let path = if path.extension().is_some() { path } else { path.with_extension(extension) };
    app.app_state().saved_files.grant(&path);
    Some(path)
}

/// Has a person confirm something; true only where they did.
pub(crate) async fn confirm(text: &str) -> bool {
    let dialog = rfd::AsyncMessageDialog::new().set_level(rfd::MessageLevel::Warning).set_title("Takt");
    let answered = dialog.set_description(text).set_buttons(rfd::MessageButtons::OkCancel).show().await;
    answered == rfd::MessageDialogResult::Ok
}

/// Tells why Takt can't start, where there is no window yet to say it in.
pub fn fatal(reason: &str) {
    tracing::error!(reason, "Takt can't start");
    // Also on standard error, because a dialog needs a display.
    let _ = writeln!(stderr(), "{reason}");
    rfd::MessageDialog::new().set_level(rfd::MessageLevel::Error).set_title("Takt").set_description(reason).show();
}

/// A problem in the system's language, where no person could choose one yet.
pub(crate) fn in_words(problem: &Problem) -> String {
    let language = sys_locale::get_locale().and_then(|locale| Language::from_tag(&locale)).unwrap_or(Language::En);
    let words = Words::load(language);
    let mut parameters = problem.parameters.clone();
    // A problem carries what stands in the way in English.
    if let Some(obstacle) = parameters.get("obstacle") {
        let what = words.text(&["obstacle", obstacle], &parameters);
        parameters.insert("what".to_owned(), what);
    }
    let title = words.problem_title(problem.code, &parameters);
    format!("{title}\n{}", words.problem_hint(problem.code, &parameters))
}
