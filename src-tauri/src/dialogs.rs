//! Native dialogs (rfd). Titles come from the page, in the window's language.
//!
//! For automation, environment variables can choose a site's document (`TAKT_OPEN_DOCUMENT`) and a site file
//! (`TAKT_OPEN_SITE_FILE`) in advance.

use std::{
    env,
    io::{Write, stderr},
    path::PathBuf,
};

use takt_engine::{ExportFormat, Language, Problem, Words};
use tauri::{AppHandle, Manager, Runtime};

use crate::state::AppStateAccess;

/// The file extension of saved mappings and exported rules.
const MAPPING_EXTENSION: &str = "json";
/// The environment variable with the path of an OpenAPI document, which is used instead of a dialog.
const DOCUMENT_VARIABLE: &str = "TAKT_OPEN_DOCUMENT";
/// The environment variable with the path of a site file, which is used instead of a dialog.
const SITE_FILE_VARIABLE: &str = "TAKT_OPEN_SITE_FILE";

/// Creates a dialog that starts where the user's files are.
fn file_dialog<R: Runtime>(app: &AppHandle<R>, title: &str) -> rfd::AsyncFileDialog {
    let dialog = rfd::AsyncFileDialog::new().set_title(title);
    match app.app_state().dialog_folder.start(app.path().document_dir().ok()) {
        Some(folder) => dialog.set_directory(folder),
        None => dialog,
    }
}

/// Lets the user choose a workbook. Returns `None` if the dialog was canceled.
pub(crate) async fn pick_workbook<R: Runtime>(app: &AppHandle<R>, title: &str, filter: &str) -> Option<PathBuf> {
    file_dialog(app, title)
        .add_filter(filter, &["xlsx", "xlsm", "xlsb", "xls", "ods", "csv", "tsv", "txt"])
        .pick_file()
        .await
        .map(|file| file.path().to_path_buf())
}

/// Lets the user choose a saved mapping or exported rules. Returns `None` if the dialog was canceled.
pub(crate) async fn pick_mapping<R: Runtime>(app: &AppHandle<R>, title: &str) -> Option<PathBuf> {
    let dialog = file_dialog(app, title).add_filter(MAPPING_EXTENSION, &[MAPPING_EXTENSION]);
    dialog.pick_file().await.map(|file| file.path().to_path_buf())
}

/// Lets the user choose an OpenAPI document. Returns `None` if the dialog was canceled.
pub(crate) async fn pick_document<R: Runtime>(app: &AppHandle<R>, title: &str) -> Option<PathBuf> {
    if let Some(chosen) = env::var_os(DOCUMENT_VARIABLE).filter(|path| !path.is_empty()) {
        return Some(chosen.into());
    }
    let dialog = file_dialog(app, title).add_filter("OpenAPI", &["json", "yaml", "yml"]);
    dialog.pick_file().await.map(|file| file.path().to_path_buf())
}

/// Lets the user choose a site file. Returns `None` if the dialog was canceled.
pub(crate) async fn pick_site_file<R: Runtime>(app: &AppHandle<R>, title: &str) -> Option<PathBuf> {
    if let Some(chosen) = env::var_os(SITE_FILE_VARIABLE).filter(|path| !path.is_empty()) {
        return Some(chosen.into());
    }
    let dialog = file_dialog(app, title).add_filter("Takt", &["json"]);
    dialog.pick_file().await.map(|file| file.path().to_path_buf())
}

/// Lets the user choose where to save a mapping. Returns `None` if the dialog was canceled.
pub(crate) async fn save_mapping<R: Runtime>(app: &AppHandle<R>, title: &str, name: &str) -> Option<PathBuf> {
    save_with_extension(app, title, name, MAPPING_EXTENSION).await
}

/// Lets the user choose where to save a file. The format's extension is added if it is missing.
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

/// Like [`save_as`], but with a given extension. The saved file can be opened afterwards.
pub(crate) async fn save_with_extension<R: Runtime>(
    app: &AppHandle<R>,
    title: &str,
    name: &str,
    extension: &str,
) -> Option<PathBuf> {
    let file = file_dialog(app, title)
        .set_file_name(format!("{name}.{extension}"))
        .add_filter(extension, &[extension])
        .save_file()
        .await?;
    let path = file.path().to_path_buf();
    let path = if path.extension().is_some() { path } else { path.with_extension(extension) };
    app.app_state().saved_files.grant(&path);
    app.app_state().dialog_folder.remember(&path);
    Some(path)
}

/// The texts of a question's buttons.
#[derive(Debug, Clone)]
pub(crate) struct DialogButtons {
    /// A verb that says what happens.
    pub(crate) confirm: String,
    pub(crate) cancel: String,
}

/// Asks the user to confirm a text. Returns true only if the user chose the confirming button.
pub(crate) async fn confirm(text: &str, buttons: &DialogButtons) -> bool {
    let dialog = rfd::AsyncMessageDialog::new().set_level(rfd::MessageLevel::Warning).set_title("Takt");
    let custom = rfd::MessageButtons::OkCancelCustom(buttons.confirm.clone(), buttons.cancel.clone());
    let answered = dialog.set_description(text).set_buttons(custom).show().await;
    answered == rfd::MessageDialogResult::Custom(buttons.confirm.clone())
}

/// Reports why Takt can't start, in a dialog and on standard error.
pub fn show_fatal_error(reason: &str) {
    tracing::error!(reason, "Takt can't start");
    // Standard error is written first, since the dialog fails without a display.
    let _ = writeln!(stderr(), "{reason}");
    rfd::MessageDialog::new().set_level(rfd::MessageLevel::Error).set_title("Takt").set_description(reason).show();
}

/// Returns a problem's text in the system's language. The window's language isn't known before the window opens.
pub(crate) fn localized_text(problem: &Problem) -> String {
    let language = sys_locale::get_locale().and_then(|locale| Language::from_tag(&locale)).unwrap_or(Language::En);
    let words = Words::load(language);
    let mut parameters = problem.parameters.clone();
    // The problem's own parameter contains the obstacle in English.
    if let Some(obstacle) = parameters.get("obstacle") {
        let obstacle_text = words.text(&["obstacle", obstacle], &parameters);
        parameters.insert("what".to_owned(), obstacle_text);
    }
    let title = words.problem_title(problem.code, &parameters);
    format!("{title}\n{}", words.problem_hint(problem.code, &parameters))
}
