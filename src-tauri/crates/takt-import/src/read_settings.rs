//! Settings for reading files, set at program start.

use std::{path::PathBuf, sync::OnceLock};

use takt_sheet::{Limits, ReaderProcess, usual_encoding};

/// Settings for reading files. They apply to files that are opened afterwards.
#[derive(Debug, Default)]
pub struct ReadSettings {
    /// The folder for copies of large files while they're open. If `None`, the files are in memory.
    copy_folder: Option<PathBuf>,
    /// Size limits, and the process that reads xls files. Until it's set, they're read in this process.
    limits: OnceLock<Limits>,
    /// The default encoding of texts on this computer. Until it's set, Western European.
    default_encoding: OnceLock<&'static str>,
    reads_in_place: OnceLock<()>,
    refuses_links: OnceLock<()>,
}

impl ReadSettings {
    pub(crate) fn new(copy_folder: Option<PathBuf>) -> Self {
        Self { copy_folder, ..Self::default() }
    }

    /// Sets the process for files whose reading can't be bounded in this process. Later calls have no effect.
    pub fn set_reader_process(&self, reader_process: Option<ReaderProcess>) {
        let _set = self.limits.set(Limits { reader_process, ..Limits::default() });
    }

    /// Sets the default encoding of texts to the encoding of a locale, for example `pl_PL`. It's used if a text doesn't
    /// show its encoding. Later calls have no effect.
    pub fn set_default_encoding_for(&self, locale: &str) {
        if let Some(encoding) = usual_encoding(locale) {
            let _set = self.default_encoding.set(encoding);
        }
    }

    /// Reads large files in place from now on, as described at [`Limits::reads_in_place`]. Views then have no hash.
    pub fn enable_reading_in_place(&self) {
        let _set = self.reads_in_place.set(());
    }

    /// Refuses to read files through links from now on, as described at [`Limits::refuses_links`].
    pub fn refuse_links(&self) {
        let _set = self.refuses_links.set(());
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits {
            copy_folder: self.copy_folder.clone(),
            usual_encoding: self.default_encoding.get().copied(),
            reads_in_place: self.reads_in_place.get().is_some(),
            refuses_links: self.refuses_links.get().is_some(),
            ..self.limits.get().cloned().unwrap_or_default()
        }
    }
}
