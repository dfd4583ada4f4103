//! Storage across restarts: one SQLite file in the data folder with state, log, clock and grants, and snapshots next to
//! it.
//!
//! Owns the file. Every change is one transaction with its log entry, so that a kill leaves both consistent.
//! Leaves the moment of saving to `change`, log entries to `log`, and snapshot names to `snapshot`.

mod file;
mod grants;
mod log;
mod meta;
mod rows;
mod snapshots;

use std::{
    fmt,
    fs::File,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use jiff::tz::TimeZone;
use parking_lot::Mutex;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use takt_contract::Contract;

use crate::{
    PlantConfig, PlantError,
    clock::ClockState,
    copy::CopyReport,
    grants::{ChangedGrant, Grants},
    log_entry::{LogEntry, LogLine, LogRing, assign_number},
    secret, seed,
    store::{Changes, Store},
};

/// The open file of a running plant.
pub(crate) struct Persistence {
    folder: PathBuf,
    path: PathBuf,
    reader: Mutex<Connection>,
    /// None once the plant has stopped.
    writer: Mutex<Option<Writer>>,
}

struct Writer {
    connection: Connection,
    fill: log::FillLevel,
    /// Released last, after the connection is closed.
    _lock: File,
}

/// The configuration, contract and time zone that a state is built from.
pub(crate) struct Origin<'a> {
    pub(crate) config: &'a PlantConfig,
    pub(crate) contract: &'a Contract,
    pub(crate) zone: &'a TimeZone,
}

/// The state that a plant starts with.
pub(crate) struct InitialState {
    /// None without a data folder.
    pub(crate) persistence: Option<Arc<Persistence>>,
    pub(crate) store: Store,
    /// None if no clock was saved.
    pub(crate) clock: Option<ClockState>,
    pub(crate) client_secret: String,
    pub(crate) control_key: String,
    pub(crate) grants: Grants,
    /// The number of the latest log entry.
    pub(crate) logged: u64,
    /// The report on the copy that it starts with.
    pub(crate) copied: Option<CopyReport>,
}

impl InitialState {
    /// Loads the state from the folder's file. Without a folder or a file, builds it from the seed.
    pub(crate) fn load(config: &PlantConfig, contract: &Contract, zone: &TimeZone) -> Result<Self, PlantError> {
        let Some(folder) = &config.data else {
            let (store, copied) = seed::build_with_report(contract, config, zone)?;
            return Ok(Self {
                persistence: None,
                store,
                copied,
                clock: None,
                client_secret: secret::random()?,
                control_key: secret::random()?,
                grants: Grants::default(),
                logged: 0,
            });
        };
        let opened = file::open(folder)?;
        Self::from_file(folder, opened, config, contract, zone)
            .map_err(|error| file::with_path(&file::path(folder), error))
    }

    fn from_file(
        folder: &Path,
        opened: file::OpenedFile,
        config: &PlantConfig,
        contract: &Contract,
        zone: &TimeZone,
    ) -> Result<Self, PlantError> {
        let file::OpenedFile { mut writer, reader, lock, is_new } = opened;
        let path = file::path(folder);
        let (store, copied) = if is_new {
            create_initial(&mut writer, config, contract, zone)?
        } else {
            meta::check_origin(&writer, &path, config)?;
            (rows::read_all(&writer, &path, contract, zone)?, None)
        };
        let cleared_at = meta::get_parsed(&writer, &path, meta::LOG_NUMBER)?.unwrap_or_default();
        let fill = log::FillLevel::read(&writer, config.log_bytes.unwrap_or(log::DEFAULT_WRITE_BYTES))?;
        Ok(Self {
            store,
            copied,
            clock: meta::get_parsed(&writer, &path, meta::CLOCK)?,
            client_secret: meta::required(&writer, &path, meta::CLIENT_SECRET)?,
            control_key: meta::required(&writer, &path, meta::CONTROL_KEY)?,
            grants: grants::read(&writer)?,
            logged: log::latest_number(&writer)?.max(cleared_at),
            persistence: Some(Arc::new(Persistence {
                folder: folder.to_path_buf(),
                path,
                reader: Mutex::new(reader),
                writer: Mutex::new(Some(Writer { connection: writer, fill, _lock: lock })),
            })),
        })
    }
}

/// Builds the initial state and saves it in a new file.
fn create_initial(
    writer: &mut Connection,
    config: &PlantConfig,
    contract: &Contract,
    zone: &TimeZone,
) -> Result<(Store, Option<CopyReport>), PlantError> {
    let (store, copied) = seed::build_with_report(contract, config, zone)?;
    let transaction = writer.transaction()?;
    file::create_tables(&transaction, file::APPLICATION)?;
    meta::write_origin(&transaction, config, contract, zone)?;
    meta::put(&transaction, meta::CLIENT_SECRET, &secret::random()?)?;
    meta::put(&transaction, meta::CONTROL_KEY, &secret::random()?)?;
    rows::write_all(&transaction, &store)?;
    transaction.commit()?;
    Ok((store, copied))
}

impl Persistence {
    fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self) -> &Path {
        &self.path
    }

    /// Saves changes and the request's log entry in one transaction. Numbers the entry.
    pub(crate) fn commit(
        &self,
        store: &Store,
        changes: &Changes,
        clock: &ClockState,
        entry: Option<(&mut LogEntry, &AtomicU64)>,
    ) -> Result<(), PlantError> {
        self.transact(|transaction, fill| {
            rows::write_changes(transaction, store, changes)?;
            meta::put(transaction, meta::CLOCK, &serde_json::to_string(clock)?)?;
            let Some((entry, numbers)) = entry else { return Ok(None) };
            let line = assign_number(entry, numbers)?;
            Ok(Some(fill.add(transaction, &[(LogRing::Writes, line)])?))
        })
    }

    /// Replaces the whole state. With `emptied_at` also clears the log, whose numbers continue from there.
    pub(crate) fn replace(
        &self,
        origin: Option<&Origin<'_>>,
        store: &Store,
        clock: ClockState,
        emptied_at: Option<&AtomicU64>,
    ) -> Result<(), PlantError> {
        self.transact(|transaction, fill| {
            rows::write_all(transaction, store)?;
            if let Some(Origin { config, contract, zone }) = origin {
                meta::write_origin(transaction, config, contract, zone)?;
            }
            meta::put(transaction, meta::CLOCK, &serde_json::to_string(&clock)?)?;
            let Some(numbers) = emptied_at else { return Ok(None) };
            let number = numbers.load(Ordering::Relaxed);
            meta::put(transaction, meta::LOG_NUMBER, &number.to_string())?;
            Ok(Some(fill.clear(transaction)?))
        })
    }

    /// Saves the clock.
    pub(crate) fn save_clock(&self, clock: &ClockState) -> Result<(), PlantError> {
        let text = serde_json::to_string(clock)?;
        self.transact(|transaction, _| meta::put(transaction, meta::CLOCK, &text).map(|()| None))
    }

    /// Saves log entries.
    pub(crate) fn save_log(&self, lines: &[(LogRing, LogLine)]) -> Result<(), PlantError> {
        self.transact(|transaction, fill| fill.add(transaction, lines).map(Some))
    }

    /// Saves the entry of a request without changes, and numbers it.
    pub(crate) fn save_write(&self, entry: &mut LogEntry, numbers: &AtomicU64) -> Result<(), PlantError> {
        self.transact(|transaction, fill| {
            let line = assign_number(entry, numbers)?;
            fill.add(transaction, &[(LogRing::Writes, line)]).map(Some)
        })
    }

    /// Adds the status to an entry that was saved with its change.
    pub(crate) fn save_status(&self, number: u64, status: u16) -> Result<(), PlantError> {
        self.transact(|transaction, _| log::set_status(transaction, number, status).map(|()| None))
    }

    /// Saves the changed grants.
    pub(crate) fn save_grants(&self, grants: &Grants, changed: &[ChangedGrant]) -> Result<(), PlantError> {
        self.transact(|transaction, _| grants::write(transaction, grants, changed).map(|()| None))
    }

    /// Returns the number of the latest entry once no transaction is running, so that all up to it are saved.
    pub(crate) fn saved_number(&self, numbers: &AtomicU64) -> u64 {
        let _writer_lock = self.writer.lock();
        numbers.load(Ordering::Relaxed)
    }

    /// Like [`log::chunk`], with this file's reader.
    pub(crate) fn log_chunk(&self, after: u64, until: u64, bytes: usize) -> Result<(Vec<LogLine>, bool), PlantError> {
        let read = log::chunk(&self.reader.lock(), after, until, bytes);
        read.map_err(|error| file::with_path(&self.path, error))
    }

    /// Returns the latest entries, newest first.
    pub(crate) fn log_latest(&self, count: usize) -> Result<Vec<LogLine>, PlantError> {
        log::latest(&self.reader.lock(), count).map_err(|error| file::with_path(&self.path, error))
    }

    /// Closes the file. Nothing is saved after this.
    pub(crate) fn close(&self) {
        drop(self.writer.lock().take());
    }

    /// Runs `work` in a transaction. The log's fill level is updated only after the commit.
    fn transact(
        &self,
        work: impl FnOnce(&Transaction<'_>, &log::FillLevel) -> Result<Option<log::FillLevel>, PlantError>,
    ) -> Result<(), PlantError> {
        let mut writer = self.writer.lock();
        let Writer { connection, fill, .. } = writer.as_mut().ok_or(PlantError::Stopped)?;
        let write = || {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let filled = work(&transaction, fill)?;
            transaction.commit()?;
            Ok(filled)
        };
        let filled = write().map_err(|error| file::with_path(&self.path, error))?;
        *fill = filled.unwrap_or(*fill);
        Ok(())
    }
}

impl fmt::Debug for Persistence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Persistence").field("path", &self.path).finish_non_exhaustive()
    }
}
