//! The files' schemas: their versions, oldest first, and the step from one to the next.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::JournalError;

/// The journal: what was sent, and what is kept beside.
pub(crate) const JOURNAL: Schema = Schema {
    // `TAKT`
    application: 0x5441_4B54,
    page: 4096,
    steps: &[
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
    views: &[],
    counts_rows: true,
    // Proxies' passwords stood in the sites' addresses, and secrets in what was answered.
    secrets_until: 6,
};

/// The inbox: what came.
pub(crate) const INBOX: Schema = Schema {
    // `TAKI`
    application: 0x5441_4B49,
    // An event has some thousand bytes: a small page would hold one, and stay half empty.
    page: 16_384,
    steps: &[
        include_str!("schema/inbox-1.sql"),
        include_str!("schema/inbox-2.sql"),
        include_str!("schema/inbox-3.sql"),
    ],
    renamed: &[],
    views: &["reading", "known", "named", "event_text", "floor"],
    counts_rows: false,
    // Headers were kept as they came.
    secrets_until: 1,
};

/// How one kind of file is made, and brought from one version to the next.
#[derive(Debug)]
pub(crate) struct Schema {
    /// The file's application id.
    application: u32,
    /// Bytes of a page, of a new file.
    pub(crate) page: u32,
    /// Index 0 leads from an empty file to version 1. Never change one that was released: add the next.
    steps: &'static [&'static str],
    /// Columns that older files have under another name.
    pub(crate) renamed: &'static [RenamedColumn],
    /// How the names of tables begin that are made again from the others.
    pub(crate) views: &'static [&'static str],
    /// Its submissions count their rows.
    pub(crate) counts_rows: bool,
    /// Files up to this version may hold secrets.
    pub(crate) secrets_until: u32,
}

/// A column that had another name once.
#[derive(Debug)]
pub(crate) struct RenamedColumn {
    pub(crate) table: &'static str,
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
}

impl Schema {
    /// Brings the file to this Takt's schema; refuses a newer one and files of another kind.
    pub(crate) fn migrate(&self, connection: &mut Connection, path: &Path) -> Result<(), JournalError> {
        // The version is read inside the transaction: two Takts may open a new file at once.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let version = self.check(&transaction, path)?;
        let newest_version = self.version();
        for step in self.steps.iter().skip(version as usize) {
            transaction.execute_batch(step)?;
        }
        if version < newest_version {
            transaction.pragma_update(None, "application_id", self.application)?;
            transaction.pragma_update(None, "user_version", newest_version)?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// The file's schema version, where this Takt may touch it. Changes nothing.
    pub(crate) fn check(&self, connection: &Connection, path: &Path) -> Result<u32, JournalError> {
        let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let application: u32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
        let tables: u32 = connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |row| row.get(0))?;
        if application != self.application && (version > 0 || tables > 0) {
            return Err(JournalError::NotAJournal { path: path.to_path_buf() });
        }
        let newest_version = self.version();
        if version > newest_version {
            Err(JournalError::Newer { found: version, known: newest_version })
        } else {
            Ok(version)
        }
    }

    /// The version that this Takt writes.
    pub(crate) fn version(&self) -> u32 {
        u32::try_from(self.steps.len()).unwrap_or(u32::MAX)
    }
}
