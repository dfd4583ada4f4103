//! What survives a restart, in one SQLite file of a folder that the person names: the state, the log, the clock, who is
//! signed in, and beside it the snapshots.
//!
//! Owns the file. Every change is one transaction, together with what the log says of it: a kill at any moment leaves both in
//! step. Leaves to `change` when something is written, to `log` what an entry says, to `snapshot` what a name may be.

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
    grants::{Grants, Touched},
    log_entry::{LogEntry, LogLine, LogRing, numbered},
    secret, seed,
    store::{Changes, Store},
};

/// The file of a plant that lives.
pub(crate) struct Persistence {
    folder: PathBuf,
    path: PathBuf,
    reader: Mutex<Connection>,
    /// None once the plant has stopped.
    writer: Mutex<Option<Writer>>,
}

struct Writer {
    connection: Connection,
    fill: log::Fill,
    /// Released last, after the connection is closed.
    _lock: File,
}

/// What a state is grown from.
pub(crate) struct Origin<'a> {
    pub(crate) config: &'a PlantConfig,
    pub(crate) contract: &'a Contract,
    pub(crate) zone: &'a TimeZone,
}

/// What a plant starts with.
pub(crate) struct InitialState {
    /// None where it lives in memory.
    pub(crate) persistence: Option<Arc<Persistence>>,
    pub(crate) store: Store,
    /// Absent if none was set.
    pub(crate) clock: Option<ClockState>,
    pub(crate) client_secret: String,
    pub(crate) control_key: String,
    pub(crate) grants: Grants,
    /// The number of the latest log entry.
    pub(crate) logged: u64,
    /// What became of the rows of a copy that it begins with.
    pub(crate) copied: Option<CopyReport>,
}

impl InitialState {
    /// From the folder's file. Without a folder, and in one without a file, the plant grows from its seed.
    pub(crate) fn of(config: &PlantConfig, contract: &Contract, zone: &TimeZone) -> Result<Self, PlantError> {
        let Some(folder) = &config.data else {
            let (store, copied) = seed::reported(contract, config, zone)?;
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
        Self::from_file(folder, opened, config, contract, zone).map_err(|error| file::about(&file::path(folder), error))
    }

    fn from_file(
        folder: &Path,
        opened: file::Opened,
        config: &PlantConfig,
        contract: &Contract,
        zone: &TimeZone,
    ) -> Result<Self, PlantError> {
        let file::Opened { mut writer, reader, lock, is_new } = opened;
        let path = file::path(folder);
        let (store, copied) = if is_new {
            fill(&mut writer, config, contract, zone)?
        } else {
            meta::fits(&writer, &path, config)?;
            (rows::read_all(&writer, &path, contract, zone)?, None)
        };
        let cleared_at = meta::parsed(&writer, &path, meta::LOG_NUMBER)?.unwrap_or_default();
        let fill = log::Fill::read(&writer, config.log_bytes.unwrap_or(log::WRITES_KEPT))?;
        Ok(Self {
            store,
            copied,
            clock: meta::parsed(&writer, &path, meta::CLOCK)?,
            client_secret: meta::needed(&writer, &path, meta::CLIENT_SECRET)?,
            control_key: meta::needed(&writer, &path, meta::CONTROL_KEY)?,
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

/// Grows what a new file holds.
fn fill(
    writer: &mut Connection,
    config: &PlantConfig,
    contract: &Contract,
    zone: &TimeZone,
) -> Result<(Store, Option<CopyReport>), PlantError> {
    let (store, copied) = seed::reported(contract, config, zone)?;
    let transaction = writer.transaction()?;
    file::make(&transaction, file::APPLICATION)?;
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

    /// Keeps what changed, and what the request's entry says was applied, in one step. The entry gets its number.
    pub(crate) fn commit(
        &self,
        store: &Store,
        changes: &Changes,
        clock: &ClockState,
        entry: Option<(&mut LogEntry, &AtomicU64)>,
    ) -> Result<(), PlantError> {
        self.write(|transaction, fill| {
            rows::write_changes(transaction, store, changes)?;
            meta::put(transaction, meta::CLOCK, &serde_json::to_string(clock)?)?;
            let Some((entry, numbers)) = entry else { return Ok(None) };
            let line = numbered(entry, numbers)?;
            Ok(Some(fill.add(transaction, &[(LogRing::Writes, line)])?))
        })
    }

    /// Keeps another state in place of all, and with `emptied_at` an empty log whose numbers go on from there.
    pub(crate) fn replace(
        &self,
        origin: Option<&Origin<'_>>,
        store: &Store,
        clock: ClockState,
        emptied_at: Option<&AtomicU64>,
    ) -> Result<(), PlantError> {
        self.write(|transaction, fill| {
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

    /// Keeps how the clock goes.
    pub(crate) fn clock(&self, clock: &ClockState) -> Result<(), PlantError> {
        let text = serde_json::to_string(clock)?;
        self.write(|transaction, _| meta::put(transaction, meta::CLOCK, &text).map(|()| None))
    }

    /// Keeps log entries.
    pub(crate) fn log(&self, lines: &[(LogRing, LogLine)]) -> Result<(), PlantError> {
        self.write(|transaction, fill| fill.add(transaction, lines).map(Some))
    }

    /// Keeps the entry of a request that applied nothing. It gets its number.
    pub(crate) fn log_write(&self, entry: &mut LogEntry, numbers: &AtomicU64) -> Result<(), PlantError> {
        self.write(|transaction, fill| {
            let line = numbered(entry, numbers)?;
            fill.add(transaction, &[(LogRing::Writes, line)]).map(Some)
        })
    }

    /// Completes an entry that was kept together with what it applied.
    pub(crate) fn answer(&self, number: u64, status: u16) -> Result<(), PlantError> {
        self.write(|transaction, _| log::answer(transaction, number, status).map(|()| None))
    }

    /// Keeps who is signed in.
    pub(crate) fn grants(&self, grants: &Grants, touched: &[Touched]) -> Result<(), PlantError> {
        self.write(|transaction, _| grants::write(transaction, grants, touched).map(|()| None))
    }

    /// The number of the latest entry, once everything up to it is kept.
    pub(crate) fn settled(&self, numbers: &AtomicU64) -> u64 {
        let _nobody_writes = self.writer.lock();
        numbers.load(Ordering::Relaxed)
    }

    /// See [`log::piece`].
    pub(crate) fn log_piece(&self, after: u64, until: u64, bytes: usize) -> Result<(Vec<LogLine>, bool), PlantError> {
        let read = log::piece(&self.reader.lock(), after, until, bytes);
        read.map_err(|error| file::about(&self.path, error))
    }

    /// The latest entries, newest first.
    pub(crate) fn log_latest(&self, count: usize) -> Result<Vec<LogLine>, PlantError> {
        log::latest(&self.reader.lock(), count).map_err(|error| file::about(&self.path, error))
    }

    /// Lets go of the folder. Nothing is kept after this.
    pub(crate) fn close(&self) {
        drop(self.writer.lock().take());
    }

    /// Runs `work` in one transaction. How full the log is changes only once that is committed.
    fn write(
        &self,
        work: impl FnOnce(&Transaction<'_>, &log::Fill) -> Result<Option<log::Fill>, PlantError>,
    ) -> Result<(), PlantError> {
        let mut writer = self.writer.lock();
        let Writer { connection, fill, .. } = writer.as_mut().ok_or(PlantError::Stopped)?;
        let write = || {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let filled = work(&transaction, fill)?;
            transaction.commit()?;
            Ok(filled)
        };
        let filled = write().map_err(|error| file::about(&self.path, error))?;
        *fill = filled.unwrap_or(*fill);
        Ok(())
    }
}

impl fmt::Debug for Persistence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Persistence").field("path", &self.path).finish_non_exhaustive()
    }
}
