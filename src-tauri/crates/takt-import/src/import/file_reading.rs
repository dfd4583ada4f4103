//! How files are read, as set at the program's start.

use std::{path::PathBuf, sync::OnceLock};

use takt_sheet::{Limits, ReaderProcess, usual_encoding};

#[derive(Debug, Default)]
pub struct FileReading {
    /// Where large files are copied while they are open; absent: they are held in memory.
    copies: Option<PathBuf>,
    /// How much of a file is taken on, and where xls files are read; until it is set, here.
    limits: OnceLock<Limits>,
    /// The encoding that texts have on this computer where nothing in them tells; until it is set, Western Europe's.
    usual_encoding: OnceLock<&'static str>,
    reads_in_place: OnceLock<()>,
    refuses_links: OnceLock<()>,
}

impl FileReading {
    pub(super) fn new(copies: Option<PathBuf>) -> Self {
        Self { copies, ..Self::default() }
    }

    /// From now on files that can't be bounded in this process are read in another. Only the first call counts.
    pub fn set_reader(&self, reader_process: Option<ReaderProcess>) {
        let _set = self.limits.set(Limits { reader_process, ..Limits::default() });
    }

    /// From now on texts whose encoding nothing tells are read as those of a computer with this locale, for example `pl_PL`.
    /// Only the first call counts.
    pub fn prefer_encoding_of(&self, locale: &str) {
        if let Some(encoding) = usual_encoding(locale) {
            let _set = self.usual_encoding.set(encoding);
        }
    }

    /// From now on files are only looked at: large ones are read where they are, as [`Limits::reads_in_place`] says, and views
    /// have no hash.
    pub fn read_in_place(&self) {
        let _set = self.reads_in_place.set(());
    }

    /// From now on no file is read through a link, as [`Limits::refuses_links`] says.
    pub fn refuse_links(&self) {
        let _set = self.refuses_links.set(());
    }

    pub(super) fn limits(&self) -> Limits {
        Limits {
            copies: self.copies.clone(),
            usual_encoding: self.usual_encoding.get().copied(),
            reads_in_place: self.reads_in_place.get().is_some(),
            refuses_links: self.refuses_links.get().is_some(),
            ..self.limits.get().cloned().unwrap_or_default()
        }
    }
}
