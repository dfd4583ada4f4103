//! Settings for reading files, set at program start.

use std::{path::PathBuf, sync::OnceLock};

use takt_sheet::{Limits, ReaderProcess, usual_encoding};

#[derive(Debug, Default)]
pub struct FileReading {
    /// The folder for copies of large files while they're open. If `None`, the files are in memory.
    copies: Option<PathBuf>,
    /// Size limits, and the process that reads xls files. Until it's set, they're read in this process.
    limits: OnceLock<Limits>,
    /// The default encoding of texts on this computer. Until it's set, Western European.
    usual_encoding: OnceLock<&'static str>,
    reads_in_place: OnceLock<()>,
    refuses_links: OnceLock<()>,
}

impl FileReading {
    pub(crate) fn new(copies: Option<PathBuf>) -> Self {
        Self { copies, ..Self::default() }
    }

    /// Sets the process for files whose reading can't be bounded in this process. Later calls have no effect.
    pub fn set_reader(&self, reader_process: Option<ReaderProcess>) {
        let _set = self.limits.set(Limits { reader_process, ..Limits::default() });
    }

    /// Sets the default encoding of texts to the encoding of a locale, for example `pl_PL`. It's used if a text doesn't
    /// show its encoding. Later calls have no effect.
    pub fn prefer_encoding_of(&self, locale: &str) {
        if let Some(encoding) = usual_encoding(locale) {
            let _set = self.usual_encoding.set(encoding);
        }
    }

    /// Reads large files in place from now on, as described at [`Limits::reads_in_place`]. Views then have no hash.
    pub fn read_in_place(&self) {
        let _set = self.reads_in_place.set(());
    }

    /// Refuses to read files through links from now on, as described at [`Limits::refuses_links`].
    pub fn refuse_links(&self) {
        let _set = self.refuses_links.set(());
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits {
            copies: self.copies.clone(),
            usual_encoding: self.usual_encoding.get().copied(),
            reads_in_place: self.reads_in_place.get().is_some(),
            refuses_links: self.refuses_links.get().is_some(),
            ..self.limits.get().cloned().unwrap_or_default()
        }
    }
}
