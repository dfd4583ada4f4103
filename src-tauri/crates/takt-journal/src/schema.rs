//! The schemas of the files: their versions, oldest first, and the updates from one to the next.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::JournalError;

/// The journal's file: submissions and everything else except events.
pub(crate) const JOURNAL: Schema = Schema {
    // `TAKT`
    application_id: 0x5441_4B54,
    page_size: 4096,
    updates: &[
        include_str!("schema/1.sql"),
        include_str!("schema/2.sql"),
        include_str!("schema/3.sql"),
        include_str!("schema/4.sql"),
        include_str!("schema/5.sql"),
        include_str!("schema/6.sql"),
        include_str!("schema/7.sql"),
        include_str!("schema/8.sql"),
        include_str!("schema/9.sql"),
        include_str!("schema/10.sql"),
        include_str!("schema/11.sql"),
        include_str!("schema/12.sql"),
        include_str!("schema/13.sql"),
        include_str!("schema/14.sql"),
        include_str!("schema/15.sql"),
    ],
    renamed: &[
        RenamedColumn { table: "submission", from: "in_doubt", to: "unconfirmed" },
        RenamedColumn { table: "attempt", from: "in_doubt", to: "unconfirmed" },
        RenamedColumn { table: "item", from: "fate", to: "result" },
    ],
    rebuilt_prefixes: &[],
    counts_rows: true,
    // Older sites' addresses could contain proxy passwords, and older responses secrets.
    secrets_until: 6,
};

/// The inbox's file: events.
pub(crate) const INBOX: Schema = Schema {
    // `TAKI`
    application_id: 0x5441_4B49,
    // An event takes a few thousand bytes. A small page would hold one event and stay half empty.
    page_size: 16_384,
    updates: &[
        include_str!("schema/inbox-1.sql"),
        include_str!("schema/inbox-2.sql"),
        include_str!("schema/inbox-3.sql"),
    ],
    renamed: &[],
    rebuilt_prefixes: &["reading", "known", "named", "event_text", "floor"],
    counts_rows: false,
    // Older versions stored headers unredacted.
    secrets_until: 1,
};

/// The versions of one kind of file, and the updates between them.
#[derive(Debug)]
pub(crate) struct Schema {
    /// SQLite's application ID, which distinguishes this kind of file from others.
    application_id: u32,
    /// The page size of a new file, in bytes.
    pub(crate) page_size: u32,
    /// The updates. Index 0 leads from an empty file to version 1. Never change a released update: add a new one.
    updates: &'static [&'static str],
    /// Columns that have another name in older files.
    pub(crate) renamed: &'static [RenamedColumn],
    /// Prefixes of the names of tables that can be rebuilt from the others.
    pub(crate) rebuilt_prefixes: &'static [&'static str],
    /// True if the file has submissions, whose counters are recomputed after damage.
    pub(crate) counts_rows: bool,
    /// Files up to this version may contain secrets.
    pub(crate) secrets_until: u32,
}

/// A column that had another name in older files.
#[derive(Debug)]
pub(crate) struct RenamedColumn {
    pub(crate) table: &'static str,
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
}

impl Schema {
    /// Updates the file to this Takt's schema. Refuses a newer schema and files of another kind.
    pub(crate) fn migrate(&self, connection: &mut Connection, path: &Path) -> Result<(), JournalError> {
        // The version is read inside the transaction, because two processes may open a new file at once.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let version = self.check(&transaction, path)?;
        let newest_version = self.version();
        for update in self.updates.iter().skip(version as usize) {
            transaction.execute_batch(update)?;
        }
        if version < newest_version {
            transaction.pragma_update(None, "application_id", self.application_id)?;
            transaction.pragma_update(None, "user_version", newest_version)?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Returns the file's schema version, or an error if this Takt can't use it. Changes nothing.
    pub(crate) fn check(&self, connection: &Connection, path: &Path) -> Result<u32, JournalError> {
        let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let application_id: u32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
        let tables: u32 = connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |row| row.get(0))?;
        if application_id != self.application_id && (version > 0 || tables > 0) {
            return Err(JournalError::NotAJournal { path: path.to_path_buf() });
        }
        let newest_version = self.version();
        if version > newest_version {
            Err(JournalError::Newer { found: version, known: newest_version })
        } else {
            Ok(version)
        }
    }

    /// Returns the version that this Takt writes.
    pub(crate) fn version(&self) -> u32 {
        u32::try_from(self.updates.len()).unwrap_or(u32::MAX)
    }
}
