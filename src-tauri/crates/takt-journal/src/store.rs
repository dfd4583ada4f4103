//! One SQLite file: its connections, and how a change is written.
//!
//! One connection reads and can do nothing else. Another writes; it is opened with the first change, so that whoever only
//! looks takes no lock from those who write, and can look where nothing can be written. Changes that come while another is
//! being written go together (`group`).

use std::path::{Path, PathBuf};

use parking_lot::{Mutex, MutexGuard};

use crate::connection::{self, Reader};
use crate::database::{Connection, Transaction};
use crate::group::Group;
use crate::presence::{self, Presence};
use crate::private::open_private_file;
use crate::salvage::{self, Salvage};
use crate::schema::Schema;
use crate::writer::{Patience, Writer};
use crate::{FileFault, JournalError, backup};
use jiff::Timestamp;

const OLDEST_SQLITE: i32 = 3_051_003;

/// A file that several processes may hold open.
#[derive(Debug)]
pub(crate) struct Store {
    path: PathBuf,
    /// Backups of this version or an earlier one may hold secrets.
    secrets_until: u32,
    // Goes before the writer: whoever closes the file last brings its log in, and who only reads can't.
    reader: Mutex<Reader>,
    writer: Writer,
    group: Group,
    _presence: Presence,
}

impl Store {
    /// Opens the file. Only where it is missing, or has an earlier version, it is written to: it is made, or its schema is
    /// brought up to date. Its folder must be there.
    pub(crate) fn open(path: &Path, schema: &Schema) -> Result<Self, JournalError> {
        if rusqlite::version_number() < OLDEST_SQLITE {
            return Err(JournalError::SqliteTooOld { found: rusqlite::version() });
        }
        salvage::complete(path)?;
        let presence = Presence::of(path);
        if !is_current(path, schema)? {
            bring_up_to_date(path, schema)?;
        }
        Ok(Self {
            path: path.to_path_buf(),
            secrets_until: schema.secrets_until,
            reader: Mutex::new(Reader::open(path)?),
            writer: Writer::new(path),
            group: Group::default(),
            _presence: presence,
        })
    }

    /// As [`Store::open`]; a file that is damaged, or was found to be when it was last open, is replaced by what can be read of it.
    /// Where another process has it open, that is for later.
    pub(crate) fn open_or_salvage(
        path: &Path,
        schema: &Schema,
        at: Timestamp,
    ) -> Result<(Self, Option<Salvage>), JournalError> {
        let salvaged = if presence::is_marked(path) { salvage::salvage(path, schema, at)? } else { None };
        match Self::open(path, schema) {
            Err(error) if error.trouble() == Some(FileFault::Damaged) && salvaged.is_none() => {
                let salvaged = salvage::salvage(path, schema, at)?.ok_or(error)?;
                Ok((Self::open(path, schema)?, Some(salvaged)))
            }
            opened => opened.map(|store| (store, salvaged)),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn back_up_daily(&self, at: Timestamp) -> Result<Option<PathBuf>, JournalError> {
        let made = self.noticing(backup::daily(&self.path, at))?;
        if made.is_some() {
            backup::forget_secrets(&self.path, self.secrets_until);
        }
        Ok(made)
    }

    /// Nothing happens where little would be won.
    pub(crate) fn shrink(&self) -> Result<(), JournalError> {
        let unused = self.read(|connection| {
            let number = |name: &str| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0));
            Ok(number("freelist_count")? * 4 > number("page_count")?)
        })?;
        if unused { self.scrub().map(drop) } else { Ok(()) }
    }

    /// Whoever opens a file next in which something can't be read replaces it.
    fn noticing<T>(&self, result: Result<T, JournalError>) -> Result<T, JournalError> {
        if let Err(error) = &result
            && error.trouble() == Some(FileFault::Damaged)
        {
            presence::mark_damaged(&self.path);
        }
        result
    }

    /// Runs `change` in one transaction that takes the write lock at its start: a later upgrade from reading to writing
    /// would fail at once and ignore the busy handler.
    pub(crate) fn write<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        self.noticing(self.writer.write(Patience::Once, change))
    }

    /// As [`Store::write`], but in one transaction with what others write at this moment: one commit, one wait for the
    /// disk. `change` is undone by itself where it fails.
    pub(crate) fn write_together<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        self.noticing(self.group.write(&|changes| self.writer.write(Patience::Long, changes), change))
    }

    /// Whether somebody of this process waits to write.
    pub(crate) fn is_waited_for(&self) -> bool {
        self.writer.is_waited_for()
    }

    /// What `work` writes meanwhile may be much in one transaction.
    pub(crate) fn with_bulk_cache<T>(&self, work: impl FnOnce() -> Result<T, JournalError>) -> Result<T, JournalError> {
        self.writer.with(|connection| Ok(connection::set_page_cache(connection, true)?))?;
        let done = work();
        self.writer.with(|connection| Ok(connection::set_page_cache(connection, false)?))?;
        done
    }

    /// Builds the file anew without what was deleted in it, and empties the log beside it. False where others hold it.
    pub(crate) fn scrub(&self) -> Result<bool, JournalError> {
        self.writer.with(|writer| {
            writer.execute_batch("VACUUM")?;
            let busy: i64 = writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
            Ok(busy == 0)
        })
    }

    pub(crate) fn read<T>(
        &self,
        question: impl FnOnce(&Connection<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        let result = question(&Connection::Sqlite(lock_reader(&self.reader).current()));
        self.noticing(result)
    }
}

/// A panic elsewhere leaves nothing behind in a connection that only reads.
fn lock_reader(reader: &Mutex<Reader>) -> MutexGuard<'_, Reader> {
    reader.lock()
}

/// False where the file is missing, empty or of an earlier version.
fn is_current(path: &Path, schema: &Schema) -> Result<bool, JournalError> {
    let length = match path.metadata() {
        Ok(found) => found.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => 0,
        Err(source) => return Err(JournalError::Io { path: path.to_path_buf(), source }),
    };
    if length == 0 {
        return Ok(false);
    }
    let mut reader = Reader::open(path)?;
    // One transaction: another Takt may be making the file at this moment.
    let look = reader.current().unchecked_transaction()?;
    let found = schema.check(&look, path)?;
    Ok(found == schema.version())
}

fn bring_up_to_date(path: &Path, schema: &Schema) -> Result<(), JournalError> {
    // Before SQLite makes it open to others; what lies beside it takes its mode.
    drop(open_private_file(path).map_err(|source| JournalError::Io { path: path.to_path_buf(), source })?);
    let mut writer = connection::to_write(path)?;
    // Of no effect once there is something in the file.
    writer.pragma_update(None, "page_size", schema.page)?;
    // One transaction: another Takt may be making the file at this moment.
    let look = writer.transaction()?;
    let found = schema.check(&look, path)?;
    drop(look);
    if found > 0 && found < schema.version() {
        backup::before_update(path, found)?;
    }
    connection::use_wal(&writer)?;
    schema.migrate(&mut writer, path)
}

/// Bytes of pages that hold something.
pub(crate) fn used_bytes(connection: &Connection<'_>) -> Result<u64, JournalError> {
    let number = |name| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0));
    let pages = number("page_count")? - number("freelist_count")?;
    Ok((pages * number("page_size")?).unsigned_abs())
}
