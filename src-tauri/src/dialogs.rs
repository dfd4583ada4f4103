//! Native dialogs (rfd). Titles come from the page, in the window's language.
//!
//! For automation, environment variables can choose a site's document (`TAKT_OPEN_DOCUMENT`) and a site file
//! (`TAKT_OPEN_SITE_FILE`) in advance.

use std::{
    env,
    io::{Write, stderr},
    path::{Path, PathBuf},
};

use parking_lot::Mutex;
use takt_engine::{ExportFormat, Language, Problem, Words};
use tauri::{AppHandle, Manager, Runtime};

use crate::state::AppStateAccess;

/// The file extension of saved mappings and exported rules.
const MAPPING_EXTENSION: &str = "json";
/// The environment variable with the path of an OpenAPI document, which is used instead of a dialog.
const DOCUMENT_VARIABLE: &str = "TAKT_OPEN_DOCUMENT";
/// The environment variable with the path of a site file, which is used instead of a dialog.
const SITE_FILE_VARIABLE: &str = "TAKT_OPEN_SITE_FILE";

/// The folder in which file dialogs start: the one of the last file that the user opened or saved.
#[derive(Debug)]
pub(crate) struct DialogFolder {
    last: Mutex<Option<PathBuf>>,
    /// Takt's own folder. Its files, for example the samples, don't move the dialogs there.
    home: PathBuf,
}

impl DialogFolder {
    pub(crate) fn new(home: &Path) -> Self {
        Self { last: Mutex::default(), home: home.to_owned() }
    }

    pub(crate) fn remember(&self, file: &Path) {
        if let Some(folder) = file.parent().filter(|folder| folder.is_absolute() && !folder.starts_with(&self.home)) {
            *self.last.lock() = Some(folder.to_owned());
        }
    }

    /// Returns the folder, or `otherwise` if there is none or it no longer exists.
    fn start(&self, otherwise: Option<PathBuf>) -> Option<PathBuf> {
        self.last.lock().clone().filter(|folder| folder.is_dir()).or(otherwise)
    }
}

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

/// Asks the user to confirm a text. Returns true only if the user chose OK.
pub(crate) async fn confirm(text: &str) -> bool {
    let dialog = rfd::AsyncMessageDialog::new().set_level(rfd::MessageLevel::Warning).set_title("Takt");
    let answered = dialog.set_description(text).set_buttons(rfd::MessageButtons::OkCancel).show().await;
    answered == rfd::MessageDialogResult::Ok
}

/// Reports why Takt can't start, in a dialog and on standard error.
pub fn fatal(reason: &str) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialogs_start_next_to_the_users_last_file() {
        let (home, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let folder = DialogFolder::new(home.path());
        let documents = PathBuf::from("/documents");
        assert_eq!(folder.start(Some(documents.clone())), Some(documents.clone()));
        folder.remember(&work.path().join("week.xlsx"));
        assert_eq!(folder.start(Some(documents.clone())).as_deref(), Some(work.path()));
        folder.remember(&home.path().join("samples").join("materials.xlsx"));
        assert_eq!(folder.start(None).as_deref(), Some(work.path()), "a sample isn't the user's file");
        let other = work.path().join("other");
        std::fs::create_dir(&other).unwrap();
        folder.remember(&other.join("week.xlsx"));
        std::fs::remove_dir(&other).unwrap();
        assert_eq!(folder.start(Some(documents.clone())), Some(documents), "the folder is gone");
    }
}
