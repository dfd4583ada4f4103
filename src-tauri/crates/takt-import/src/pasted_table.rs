//! Tables that the user pasted, stored as files, so that they can be imported like any other file.

use std::{fs, path::PathBuf, time::SystemTime};

use takt_core::{Code, Problem};
use takt_journal::private_file::create_private_folder;
use takt_sheet::writer::write_atomically;

use crate::{drafts::Drafts, import_sites::ImportSites};

/// Maximum size of a pasted table in bytes.
const MAX_PASTED_SIZE: usize = 64 * 1024 * 1024;
/// Pasted tables to keep. Older ones are removed, unless they have a draft.
const MAX_PASTED_TABLES: usize = 20;
/// Marks a text file as UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl ImportSites {
    /// Writes a pasted table, as spreadsheets copy it: rows in lines, cells separated by tabs. Returns the file's path.
    /// `name` is the start of the file's name in the user's language, followed by the chosen site's time.
    ///
    /// # Errors
    ///
    /// - [`Code::FileTooLarge`]: the table exceeds the size limit.
    /// - [`Code::WriteFailed`]: the file can't be written.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn write_pasted_table(&self, name: &str, text: &str) -> Result<PathBuf, Problem> {
        if text.len() > MAX_PASTED_SIZE {
            return Err(Problem::new(Code::FileTooLarge).parameter("file", name));
        }
        let time = self.sites.local_time(&self.sites.selected_site()?.name)?;
        let letters = |letter: &char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_');
        let name: String = name.chars().filter(letters).collect();
        let folder = self.home.pasted_tables();
        let path = folder.join(format!("{name} {}.tsv", time.strftime("%Y-%m-%d %H.%M.%S")));
        self.remove_old_tables();
        let written = create_private_folder(&folder).and_then(|()| {
            write_atomically(&path, |file| {
                file.write_all(BYTE_ORDER_MARK)?;
                file.write_all(text.as_bytes())
            })
        });
        let failed =
            |error| Problem::new(Code::WriteFailed).parameter("file", path.display().to_string()).details(error);
        written.map_err(failed)?;
        Ok(path)
    }

    /// Removes the oldest tables without a draft, so that there is room for another one. A failure doesn't prevent pasting.
    fn remove_old_tables(&self) {
        let entries = fs::read_dir(self.home.pasted_tables()).into_iter().flatten().flatten();
        let changed = |path: &PathBuf| fs::metadata(path).and_then(|file| file.modified());
        let mut tables: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        tables.sort_by_cached_key(|path| changed(path).unwrap_or(SystemTime::UNIX_EPOCH));
        let surplus = (tables.len() + 1).saturating_sub(MAX_PASTED_TABLES);
        let drafts = Drafts::new(&self.imports);
        for table in tables.iter().take(surplus) {
            // A table that can't be checked is kept.
            if !drafts.has_draft(table).unwrap_or(true)
                && let Err(error) = fs::remove_file(table)
            {
                tracing::warn!(%error, "a pasted table can't be removed");
            }
        }
    }
}
