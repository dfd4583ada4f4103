//! Files that people opened, with the drafts of their edits. Identified by content, so that a changed file isn't
//! mistaken for the earlier one.

use jiff::Timestamp;
use serde_json::Value;

use crate::database::{Connection, DatabaseError, OptionalExtension, Row, params};
use crate::{Journal, JournalError, SubmissionId};

/// The maximum number of listed files without a draft. The oldest is removed first.
const MAX_LISTED: u32 = 40;

/// A file as it was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentFile {
    /// The hexadecimal SHA-256 of its content.
    pub hash: String,
    pub path: String,
    /// The name without the folder.
    pub file: String,
    /// The size in bytes.
    pub size: u64,
    /// The modification time of the file system.
    pub modified: Timestamp,
    pub opened: Timestamp,
}

/// The summary of a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftSummary {
    pub changed: Timestamp,
    /// The site to which the rows are to be sent.
    pub site: Option<String>,
    /// The number of cells that differ from the file.
    pub edited: u32,
    /// The number of rows that are left out.
    pub excluded: u32,
}

/// A stored draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftRecord {
    pub summary: DraftSummary,
    pub body: Value,
}

/// A file with its draft and its last submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedFile {
    pub file: RecentFile,
    pub draft: Option<DraftSummary>,
    /// The last submission of its rows.
    pub sent: Option<SubmissionId>,
}

/// Reads and changes the list of files that people opened.
#[derive(Debug, Clone, Copy)]
pub struct RecentFiles<'a>(&'a Journal);

impl<'a> RecentFiles<'a> {
    /// Returns access to the files of a journal.
    #[must_use]
    pub fn new(journal: &'a Journal) -> Self {
        Self(journal)
    }

    /// Records that a file was opened. Its draft stays.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn record_opened(&self, file: &RecentFile) -> Result<(), JournalError> {
        self.0.write_own(|transaction| {
            transaction.execute(
                "INSERT INTO recent_file (hash, path, file, size, modified, opened) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT (hash) DO UPDATE SET path = excluded.path, file = excluded.file, size = excluded.size,
                     modified = excluded.modified, opened = excluded.opened",
                params![
                    file.hash,
                    file.path,
                    file.file,
                    i64::try_from(file.size).unwrap_or(i64::MAX),
                    file.modified.to_string(),
                    file.opened.to_string()
                ],
            )?;
            // Earlier contents of the same path without a draft are removed from the list.
            transaction.execute(
                "DELETE FROM recent_file WHERE path = ?1 AND hash <> ?2 AND draft IS NULL",
                params![file.path, file.hash],
            )?;
            transaction.execute(
                "DELETE FROM recent_file WHERE draft IS NULL AND hash NOT IN
                     (SELECT hash FROM recent_file WHERE draft IS NULL ORDER BY julianday(opened) DESC LIMIT ?1)",
                [MAX_LISTED],
            )?;
            Ok(())
        })
    }

    /// Returns files with a draft first, then the others. Each group has the newest file first.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn list(&self) -> Result<Vec<ListedFile>, JournalError> {
        let rows: Vec<ListedRow> = self.0.read_own(|connection| {
            let sql =
                "SELECT hash, path, file, size, modified, opened, changed, site, edited, excluded FROM recent_file
                ORDER BY draft IS NULL, julianday(COALESCE(changed, opened)) DESC";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([], ListedRow::read)?.collect::<Result<_, _>>()?;
            Ok(rows)
        })?;
        let mut listed = rows.into_iter().map(ListedRow::into_file).collect::<Result<Vec<_>, _>>()?;
        let hashes: Vec<String> = listed.iter().map(|file| file.file.hash.clone()).collect();
        let sent = self.0.read_shared_or_copy(|connection| {
            hashes.iter().map(|hash| last_submission(connection, hash)).collect::<Result<Vec<_>, _>>()
        })?;
        for (file, sent) in listed.iter_mut().zip(sent) {
            file.sent = sent;
        }
        Ok(listed)
    }

    /// Returns the file with this content, or none if it isn't listed.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn find(&self, hash: &str) -> Result<Option<ListedFile>, JournalError> {
        Ok(self.list()?.into_iter().find(|listed| listed.file.hash == hash))
    }

    /// Returns the draft for this content, or none if there is none.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn draft(&self, hash: &str) -> Result<Option<DraftRecord>, JournalError> {
        let body: Option<Option<String>> = self.0.read_own(|connection| {
            let mut statement = connection.prepare_cached("SELECT draft FROM recent_file WHERE hash = ?1")?;
            Ok(statement.query_row([hash], |row| row.get(0)).optional()?)
        })?;
        let Some(body) = body.flatten() else { return Ok(None) };
        let Some(summary) = self.find(hash)?.and_then(|listed| listed.draft) else { return Ok(None) };
        Ok(Some(DraftRecord { summary, body: serde_json::from_str(&body)? }))
    }

    /// Stores a draft, and replaces an earlier one for the same content. Returns false if the file isn't listed.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn store_draft(&self, hash: &str, draft: &DraftRecord) -> Result<bool, JournalError> {
        let body = serde_json::to_string(&draft.body)?;
        let DraftSummary { changed, site, edited, excluded } = &draft.summary;
        self.0.write_own(|transaction| {
            let sql = "UPDATE recent_file SET changed = ?2, site = ?3, edited = ?4, excluded = ?5, draft = ?6 WHERE hash = ?1";
            let stored = transaction.execute(sql, params![hash, changed.to_string(), site, edited, excluded, body])?;
            Ok(stored > 0)
        })
    }

    /// Removes the draft, but not the file. Returns false if there was none.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn discard_draft(&self, hash: &str) -> Result<bool, JournalError> {
        self.0.write_own(|transaction| {
            let sql = "UPDATE recent_file SET changed = NULL, site = NULL, edited = 0, excluded = 0, draft = NULL
                WHERE hash = ?1 AND draft IS NOT NULL";
            Ok(transaction.execute(sql, [hash])? > 0)
        })
    }

    /// Removes a file with its draft. Returns false if it wasn't listed.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn forget(&self, hash: &str) -> Result<bool, JournalError> {
        self.0.write_own(|transaction| Ok(transaction.execute("DELETE FROM recent_file WHERE hash = ?1", [hash])? > 0))
    }
}

/// A row of the table, before its values are converted.
struct ListedRow {
    texts: [String; 5],
    size: i64,
    draft: (Option<String>, Option<String>, u32, u32),
}

impl ListedRow {
    fn read(row: Row<'_>) -> Result<Self, DatabaseError> {
        Ok(Self {
            texts: [row.get(0)?, row.get(1)?, row.get(2)?, row.get(4)?, row.get(5)?],
            size: row.get(3)?,
            draft: (row.get(6)?, row.get(7)?, row.get(8)?, row.get(9)?),
        })
    }

    fn into_file(self) -> Result<ListedFile, JournalError> {
        let [hash, path, file, modified, opened] = self.texts;
        let (changed, site, edited, excluded) = self.draft;
        let draft = match changed {
            Some(changed) => Some(DraftSummary { changed: changed.parse()?, site, edited, excluded }),
            None => None,
        };
        let size = u64::try_from(self.size).unwrap_or_default();
        let file = RecentFile { hash, path, file, size, modified: modified.parse()?, opened: opened.parse()? };
        Ok(ListedFile { file, draft, sent: None })
    }
}

/// Returns the last submission of rows of a file with this content.
fn last_submission(connection: &Connection<'_>, hash: &str) -> Result<Option<SubmissionId>, JournalError> {
    let sql = "SELECT id FROM submission WHERE hash = ?1 AND (relation IS NULL OR relation <> 'undo')
               ORDER BY id DESC LIMIT 1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([hash])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    Ok(Some(row.get(0)?))
}
