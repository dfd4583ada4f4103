//! The repository's text files for the checks, without build output and installed packages.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::error::XtaskError;

const EXCLUDED_FOLDERS: [&str; 7] = [".git", "target", "node_modules", "dist", "gen", "generated", ".vite"];
/// The size limit in bytes. Larger files are data, and aren't checked.
const MAX_BYTES: u64 = 2 * 1024 * 1024;

#[derive(Debug, Clone)]
pub(crate) struct Text {
    /// The path relative to the repository's root, with forward slashes.
    pub(crate) path: String,
    pub(crate) text: String,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Tree {
    root: PathBuf,
    texts: Vec<Text>,
}

impl Tree {
    pub(crate) fn read(root: &Path) -> Result<Self, XtaskError> {
        let mut tree = Self { root: root.to_path_buf(), texts: Vec::new() };
        tree.walk(root)?;
        tree.texts.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(tree)
    }

    /// Creates a tree from paths and contents, for tests.
    #[cfg(test)]
    pub(crate) fn from_files(files: &[(&str, &str)]) -> Self {
        let text = |(path, text): &(&str, &str)| Text { path: (*path).to_owned(), text: (*text).to_owned() };
        Self { root: PathBuf::new(), texts: files.iter().map(text).collect() }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn texts(&self) -> &[Text] {
        &self.texts
    }

    pub(crate) fn text(&self, path: &str) -> Result<&str, XtaskError> {
        self.file(path).map(|file| file.text.as_str())
    }

    pub(crate) fn file(&self, path: &str) -> Result<&Text, XtaskError> {
        self.texts
            .iter()
            .find(|text| text.path == path)
            .ok_or_else(|| XtaskError::Missing(format!("{path} is missing")))
    }

    /// Returns the files whose path starts with `folder` and ends with `ending`.
    pub(crate) fn files_in<'a>(&'a self, folder: &'a str, ending: &'a str) -> impl Iterator<Item = &'a Text> {
        self.texts.iter().filter(move |text| text.path.starts_with(folder) && text.path.ends_with(ending))
    }

    fn walk(&mut self, folder: &Path) -> Result<(), XtaskError> {
        for entry in fs::read_dir(folder).map_err(XtaskError::file(folder))? {
            let entry = entry.map_err(XtaskError::file(folder))?;
            let name = entry.file_name();
            let path = entry.path();
            let kind = entry.file_type().map_err(XtaskError::file(&path))?;
            if kind.is_dir() {
                if !EXCLUDED_FOLDERS.iter().any(|excluded| name == *excluded) {
                    self.walk(&path)?;
                }
            } else if kind.is_file() && entry.metadata().is_ok_and(|found| found.len() <= MAX_BYTES) {
                let bytes = fs::read(&path).map_err(XtaskError::file(&path))?;
                if let Ok(text) = String::from_utf8(bytes) {
                    self.texts.push(Text { path: path_from_root(&self.root, &path), text });
                }
            }
        }
        Ok(())
    }
}

fn path_from_root(root: &Path, path: &Path) -> String {
    let parts = path.strip_prefix(root).unwrap_or(path).components();
    parts.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}
