//! Files that people opened, and the drafts of what they made of them: known by content, so that a file that was changed since
//! isn't taken for the one before.

use jiff::Timestamp;
use serde_json::Value;

use crate::database::{Connection, DatabaseError, OptionalExtension, Row, params};
use crate::{Journal, JournalError, SubmissionId};

/// Files without a draft that stay listed; the oldest goes first.
const MAX_LISTED: u32 = 40;

/// A file as it was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentFile {
    /// Hexadecimal SHA-256 of its content.
    pub hash: String,
    pub path: String,
    /// Its name without the folder.
    pub file: String,
    /// Bytes.
    pub size: u64,
    /// As the file system says.
    pub modified: Timestamp,
    pub opened: Timestamp,
}

/// How a draft looks from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftSummary {
    pub changed: Timestamp,
    /// The site that the rows are for.
    pub site: Option<String>,
    /// Cells that hold something else than the file.
    pub edited: u32,
    /// Rows that are left out.
    pub excluded: u32,
}

/// A draft as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftRecord {
    pub summary: DraftSummary,
    pub body: Value,
}

/// The last submission of a file's rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentFile {
    pub submission: SubmissionId,
    pub site: String,
    pub started: Timestamp,
    pub accepted: u32,
    pub total: u32,
}

/// A file with what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedFile {
    pub file: RecentFile,
    pub draft: Option<DraftSummary>,
    pub sent: Option<SentFile>,
}

/// Files that people opened.
#[derive(Debug, Clone, Copy)]
pub struct RecentFiles<'a>(&'a Journal);

impl<'a> RecentFiles<'a> {
    /// Those of a journal, with their drafts.
    #[must_use]
    pub fn of(journal: &'a Journal) -> Self {
        Self(journal)
    }

    /// Writes down that a file was opened. Its draft stays.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn opened(&self, file: &RecentFile) -> Result<(), JournalError> {
        self.0.own_write(|transaction| {
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
            // An earlier content of the same file without a draft isn't worth listing.
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

    /// Those with a draft first, then the last opened ones.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn list(&self) -> Result<Vec<ListedFile>, JournalError> {
        let rows: Vec<Listed> = self.0.own_read(|connection| {
            let sql =
                "SELECT hash, path, file, size, modified, opened, changed, site, edited, excluded FROM recent_file
                ORDER BY draft IS NULL, julianday(COALESCE(changed, opened)) DESC";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([], Listed::of)?.collect::<Result<_, _>>()?;
            Ok(rows)
        })?;
        let mut listed = rows.into_iter().map(Listed::file).collect::<Result<Vec<_>, _>>()?;
        let hashes: Vec<String> = listed.iter().map(|file| file.file.hash.clone()).collect();
        let sent = self.0.read_or_own(|connection| {
            hashes.iter().map(|hash| sent(connection, hash)).collect::<Result<Vec<_>, _>>()
        })?;
        for (file, sent) in listed.iter_mut().zip(sent) {
            file.sent = sent;
        }
        Ok(listed)
    }

    /// The file with this content.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn find(&self, hash: &str) -> Result<Option<ListedFile>, JournalError> {
        Ok(self.list()?.into_iter().find(|listed| listed.file.hash == hash))
    }

    /// The draft for this content.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn draft(&self, hash: &str) -> Result<Option<DraftRecord>, JournalError> {
        let body: Option<Option<String>> = self.0.own_read(|connection| {
            let mut statement = connection.prepare_cached("SELECT draft FROM recent_file WHERE hash = ?1")?;
            Ok(statement.query_row([hash], |row| row.get(0)).optional()?)
        })?;
        let Some(body) = body.flatten() else { return Ok(None) };
        let Some(summary) = self.find(hash)?.and_then(|listed| listed.draft) else { return Ok(None) };
        Ok(Some(DraftRecord { summary, body: serde_json::from_str(&body)? }))
    }

    /// Keeps a draft in place of an earlier one for the same content. False where the file isn't known.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn store_draft(&self, hash: &str, draft: &DraftRecord) -> Result<bool, JournalError> {
        let body = serde_json::to_string(&draft.body)?;
        let DraftSummary { changed, site, edited, excluded } = &draft.summary;
        self.0.own_write(|transaction| {
            let sql = "UPDATE recent_file SET changed = ?2, site = ?3, edited = ?4, excluded = ?5, draft = ?6 WHERE hash = ?1";
            let stored = transaction.execute(sql, params![hash, changed.to_string(), site, edited, excluded, body])?;
            Ok(stored > 0)
        })
    }

    /// Forgets the draft; the file stays listed. False where there was none.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn discard_draft(&self, hash: &str) -> Result<bool, JournalError> {
        self.0.own_write(|transaction| {
            let sql = "UPDATE recent_file SET changed = NULL, site = NULL, edited = 0, excluded = 0, draft = NULL
                WHERE hash = ?1 AND draft IS NOT NULL";
            Ok(transaction.execute(sql, [hash])? > 0)
        })
    }

    /// Forgets a file with its draft. False where it wasn't known.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn forget(&self, hash: &str) -> Result<bool, JournalError> {
        self.0.own_write(|transaction| Ok(transaction.execute("DELETE FROM recent_file WHERE hash = ?1", [hash])? > 0))
    }
}

/// A row as the file has it.
struct Listed {
    texts: [String; 5],
    size: i64,
    draft: (Option<String>, Option<String>, u32, u32),
}

impl Listed {
    fn of(row: Row<'_>) -> Result<Self, DatabaseError> {
        Ok(Self {
            texts: [row.get(0)?, row.get(1)?, row.get(2)?, row.get(4)?, row.get(5)?],
            size: row.get(3)?,
            draft: (row.get(6)?, row.get(7)?, row.get(8)?, row.get(9)?),
        })
    }

    fn file(self) -> Result<ListedFile, JournalError> {
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

/// The last submission of rows of a file with this content.
fn sent(connection: &Connection<'_>, hash: &str) -> Result<Option<SentFile>, JournalError> {
    let sql = "SELECT id, site, started, accepted, total FROM submission WHERE hash = ?1 ORDER BY id DESC LIMIT 1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([hash])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    Ok(Some(SentFile {
        submission: row.get(0)?,
        site: row.get(1)?,
        started: row.get::<_, String>(2)?.parse()?,
        accepted: row.get(3)?,
        total: row.get(4)?,
    }))
}
