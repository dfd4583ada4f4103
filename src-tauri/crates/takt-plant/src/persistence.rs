//! Storage across restarts, in a data folder. One SQLite file has the state, log, clock and grants, and each snapshot
//! has its own file.
//!
//! Every change is saved in one transaction with its log entry, so that both are consistent after a kill. A snapshot is
//! complete or absent. `plant` decides when to save. Log entries are in `log`, names of snapshots in `snapshot`.

mod file;
mod grants;
mod log;
mod rows;

use std::{
    fmt,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use jiff::{civil::Date, tz::TimeZone};
use parking_lot::Mutex;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
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

/// The application ID of a snapshot, `TKSN`.
const SNAPSHOT_APPLICATION: u32 = 0x544B_534E;
/// The prefix of snapshot files, since some systems reserve file names.
const SNAPSHOT_PREFIX: &str = "state-";

/// The open files of a running plant.
pub(crate) struct Persistence {
    folder: PathBuf,
    path: PathBuf,
    reader: Mutex<Connection>,
    /// None after the plant has stopped.
    writer: Mutex<Option<Writer>>,
}

struct Writer {
    connection: Connection,
    fill: log::FillLevel,
    /// Declared last, so that it is released after the connections are closed.
    _lock: File,
}

/// The inputs that determine a plant's initial rows.
pub(crate) struct Origin<'a> {
    pub(crate) config: &'a PlantConfig,
    pub(crate) contract: &'a Contract,
    pub(crate) zone: &'a TimeZone,
}

/// The state with which a plant starts.
pub(crate) struct InitialState {
    /// None without a data folder.
    pub(crate) persistence: Option<Arc<Persistence>>,
    pub(crate) store: Store,
    /// None if no clock was saved.
    pub(crate) clock: Option<ClockState>,
    pub(crate) client_secret: String,
    pub(crate) control_key: String,
    pub(crate) state_id: String,
    /// The plant's date at which the rows were created.
    pub(crate) created_on: Date,
    pub(crate) grants: Grants,
    /// The number of the latest log entry.
    pub(crate) last_log_number: u64,
    /// Set if the plant starts with a copy of a site.
    pub(crate) copy_report: Option<CopyReport>,
}

impl InitialState {
    /// Loads the state from the data folder. Without a folder or a file, builds the state from the seed or copy.
    pub(crate) fn load(config: &PlantConfig, contract: &Contract, zone: &TimeZone) -> Result<Self, PlantError> {
        let Some(folder) = &config.data else {
            let (store, copy_report) = seed::build_store_with_report(contract, config, zone)?;
            return Ok(Self {
                persistence: None,
                store,
                copy_report,
                clock: None,
                client_secret: secret::generate()?,
                control_key: secret::generate()?,
                state_id: secret::generate()?,
                created_on: zone.to_datetime((config.clock)()).date(),
                grants: Grants::default(),
                last_log_number: 0,
            });
        };
        let opened = file::open_file(folder)?;
        Self::from_file(folder, opened, config, contract, zone)
            .map_err(|error| file::add_path_to_error(&file::file_path(folder), error))
    }

    fn from_file(
        folder: &Path,
        opened: file::OpenedFile,
        config: &PlantConfig,
        contract: &Contract,
        zone: &TimeZone,
    ) -> Result<Self, PlantError> {
        let file::OpenedFile { mut writer, reader, lock, is_new } = opened;
        let path = file::file_path(folder);
        let (store, copy_report) = if is_new {
            create_initial(&mut writer, config, contract, zone)?
        } else {
            file::check_origin(&writer, &path, config)?;
            (rows::read_store(&writer, &path, contract, zone)?, None)
        };
        let cleared_at = file::parse_property(&writer, &path, file::LOG_NUMBER)?.unwrap_or_default();
        let fill = log::FillLevel::read(&writer, config.log_bytes.unwrap_or(log::DEFAULT_WRITE_BYTES))?;
        Ok(Self {
            store,
            copy_report,
            clock: file::parse_property(&writer, &path, file::CLOCK)?,
            client_secret: file::require_property(&writer, &path, file::CLIENT_SECRET)?,
            control_key: file::require_property(&writer, &path, file::CONTROL_KEY)?,
            state_id: load_state_id(&writer)?,
            created_on: file::read_creation_date(&writer, &path)?,
            grants: grants::read_grants(&writer)?,
            last_log_number: log::latest_number(&writer)?.max(cleared_at),
            persistence: Some(Arc::new(Persistence {
                folder: folder.to_path_buf(),
                path,
                reader: Mutex::new(reader),
                writer: Mutex::new(Some(Writer { connection: writer, fill, _lock: lock })),
            })),
        })
    }
}

/// Returns the ID of the state. A file of an earlier version gets one.
fn load_state_id(writer: &Connection) -> Result<String, PlantError> {
    match file::get_property(writer, file::STATE_ID)? {
        Some(id) => Ok(id),
        None => {
            let id = secret::generate()?;
            file::put_property(writer, file::STATE_ID, &id)?;
            Ok(id)
        }
    }
}

/// Builds the initial state and saves it in a new file.
fn create_initial(
    writer: &mut Connection,
    config: &PlantConfig,
    contract: &Contract,
    zone: &TimeZone,
) -> Result<(Store, Option<CopyReport>), PlantError> {
    let (store, copy_report) = seed::build_store_with_report(contract, config, zone)?;
    let transaction = writer.transaction()?;
    file::create_tables(&transaction, file::APPLICATION)?;
    file::write_origin(&transaction, config, contract, zone)?;
    file::put_property(&transaction, file::CLIENT_SECRET, &secret::generate()?)?;
    file::put_property(&transaction, file::CONTROL_KEY, &secret::generate()?)?;
    rows::write_store(&transaction, &store)?;
    transaction.commit()?;
    Ok((store, copy_report))
}

impl Persistence {
    /// Saves changes and the log entry of their request in one transaction. Assigns a number to the entry.
    pub(crate) fn save_changes(
        &self,
        store: &Store,
        changes: &Changes,
        clock: &ClockState,
        entry: Option<(&mut LogEntry, &AtomicU64)>,
    ) -> Result<(), PlantError> {
        self.run_transaction(|transaction, fill| {
            rows::write_changes(transaction, store, changes)?;
            file::put_property(transaction, file::CLOCK, &serde_json::to_string(clock)?)?;
            let Some((entry, number_counter)) = entry else { return Ok(None) };
            let line = assign_number(entry, number_counter)?;
            Ok(Some(fill.add(transaction, &[(LogRing::Writes, line)])?))
        })
    }

    /// Replaces the whole state, which gets a new ID. With `emptied_at`, also clears the log, whose numbering continues
    /// from there.
    pub(crate) fn replace_state(
        &self,
        origin: Option<&Origin<'_>>,
        store: &Store,
        clock: ClockState,
        state_id: &str,
        emptied_at: Option<&AtomicU64>,
    ) -> Result<(), PlantError> {
        self.run_transaction(|transaction, fill| {
            rows::write_store(transaction, store)?;
            file::put_property(transaction, file::STATE_ID, state_id)?;
            if let Some(Origin { config, contract, zone }) = origin {
                file::write_origin(transaction, config, contract, zone)?;
            }
            file::put_property(transaction, file::CLOCK, &serde_json::to_string(&clock)?)?;
            let Some(number_counter) = emptied_at else { return Ok(None) };
            let number = number_counter.load(Ordering::Relaxed);
            file::put_property(transaction, file::LOG_NUMBER, &number.to_string())?;
            Ok(Some(fill.clear(transaction)?))
        })
    }

    pub(crate) fn save_clock(&self, clock: &ClockState) -> Result<(), PlantError> {
        let text = serde_json::to_string(clock)?;
        self.run_transaction(|transaction, _| file::put_property(transaction, file::CLOCK, &text).map(|()| None))
    }

    pub(crate) fn save_log_lines(&self, lines: &[(LogRing, LogLine)]) -> Result<(), PlantError> {
        self.run_transaction(|transaction, fill| fill.add(transaction, lines).map(Some))
    }

    /// Saves the log entry of a request without changes. Assigns a number to the entry.
    pub(crate) fn save_log_entry(&self, entry: &mut LogEntry, number_counter: &AtomicU64) -> Result<(), PlantError> {
        self.run_transaction(|transaction, fill| {
            let line = assign_number(entry, number_counter)?;
            fill.add(transaction, &[(LogRing::Writes, line)]).map(Some)
        })
    }

    /// Adds the response status to an entry that was saved with its change.
    pub(crate) fn save_response_status(&self, number: u64, status: u16) -> Result<(), PlantError> {
        self.run_transaction(|transaction, _| log::write_status(transaction, number, status).map(|()| None))
    }

    pub(crate) fn save_grants(&self, grants: &Grants, changed: &[ChangedGrant]) -> Result<(), PlantError> {
        self.run_transaction(|transaction, _| grants::write_grants(transaction, grants, changed).map(|()| None))
    }

    /// Returns the number of the latest entry after running transactions have ended, so that all entries up to it are
    /// saved.
    pub(crate) fn saved_number(&self, number_counter: &AtomicU64) -> u64 {
        let _writer_lock = self.writer.lock();
        number_counter.load(Ordering::Relaxed)
    }

    /// Like [`log::read_chunk`], for this file.
    pub(crate) fn read_log_chunk(
        &self,
        after: u64,
        until: u64,
        bytes: usize,
    ) -> Result<(Vec<LogLine>, bool), PlantError> {
        let read = log::read_chunk(&self.reader.lock(), after, until, bytes);
        read.map_err(|error| file::add_path_to_error(&self.path, error))
    }

    /// Returns the latest `count` entries, newest first.
    pub(crate) fn read_latest_log(&self, count: usize) -> Result<Vec<LogLine>, PlantError> {
        log::read_latest(&self.reader.lock(), count).map_err(|error| file::add_path_to_error(&self.path, error))
    }

    /// Closes the file. Later attempts to save fail.
    pub(crate) fn close(&self) {
        drop(self.writer.lock().take());
    }

    /// Runs `work` in a transaction. The fill level of the log is updated only after the commit.
    fn run_transaction(
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
        let filled = write().map_err(|error| file::add_path_to_error(&self.path, error))?;
        *fill = filled.unwrap_or(*fill);
        Ok(())
    }

    /// Copies the saved state at one point in time. Changes can continue meanwhile.
    pub(crate) fn save_snapshot(&self, name: &str, clock: &ClockState) -> Result<(), PlantError> {
        let path = self.snapshot_path(name);
        let temporary = path.with_extension("new");
        let unusable = |source| PlantError::DataFolder { path: self.snapshots_folder(), source };
        fs::create_dir_all(self.snapshots_folder()).map_err(unusable)?;
        remove_if_exists(&temporary).map_err(unusable)?;
        file::create_private_file(&temporary).map_err(unusable)?;
        if let Err(error) = self.copy_to(&temporary, clock) {
            // A remaining incomplete copy has no effect, so this error is ignored.
            let _ = remove_if_exists(&temporary);
            return Err(file::add_path_to_error(&temporary, error));
        }
        fs::rename(&temporary, path).map_err(unusable)
    }

    fn copy_to(&self, temporary: &Path, clock: &ClockState) -> Result<(), PlantError> {
        let mut connection = file::open_connection(temporary, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let nameless = || PlantError::DataName(self.path.to_path_buf());
        connection.execute("ATTACH DATABASE ?1 AS plant", [self.path.to_str().ok_or_else(nameless)?])?;
        let transaction = connection.transaction()?;
        file::create_tables(&transaction, SNAPSHOT_APPLICATION)?;
        transaction.execute_batch(
            "INSERT INTO main.rows SELECT * FROM plant.rows;
             INSERT INTO main.templates SELECT * FROM plant.templates;
             INSERT INTO main.supplies SELECT * FROM plant.supplies;
             INSERT INTO main.meta SELECT * FROM plant.meta
                WHERE name IN ('seed', 'size', 'timeZone', 'grown', 'contract', 'lastId');",
        )?;
        file::put_property(&transaction, file::CLOCK, &serde_json::to_string(clock)?)?;
        transaction.commit()?;
        Ok(())
    }

    /// Returns the rows and the clock of a snapshot.
    pub(crate) fn read_snapshot(&self, name: &str, origin: &Origin<'_>) -> Result<(Store, ClockState), PlantError> {
        let path = self.snapshot_path(name);
        if !path.is_file() {
            return Err(PlantError::UnknownSnapshot(name.to_owned()));
        }
        let read = || {
            let connection = file::open_connection(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
            if file::check_format(&connection, &path, SNAPSHOT_APPLICATION)? == 0 {
                return Err(PlantError::DataForeign(path.clone()));
            }
            file::check_origin(&connection, &path, origin.config)?;
            let store = rows::read_store(&connection, &path, origin.contract, origin.zone)?;
            let clock = file::parse_property(&connection, &path, file::CLOCK)?;
            Ok((store, clock.ok_or_else(|| file::damage_error(&path, "it has no clock"))?))
        };
        read().map_err(|error| file::add_path_to_error(&path, error))
    }

    /// Returns the names of all snapshots, in alphabetical order. Empty if the folder can't be read.
    pub(crate) fn snapshot_names(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.snapshots_folder()) else { return Vec::new() };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let ours = paths.filter(|path| path.extension().is_some_and(|extension| extension == "sqlite"));
        let mut names: Vec<String> = ours
            .filter_map(|path| path.file_stem()?.to_str()?.strip_prefix(SNAPSHOT_PREFIX).map(str::to_owned))
            .collect();
        names.sort();
        names
    }

    /// Deletes a snapshot. Returns false if it doesn't exist.
    pub(crate) fn delete_snapshot(&self, name: &str) -> Result<bool, PlantError> {
        let path = self.snapshot_path(name);
        match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(PlantError::DataFolder { path: self.snapshots_folder(), source }),
        }
    }

    fn snapshots_folder(&self) -> PathBuf {
        self.folder.join("snapshots")
    }

    fn snapshot_path(&self, name: &str) -> PathBuf {
        self.snapshots_folder().join(format!("{SNAPSHOT_PREFIX}{name}.sqlite"))
    }
}

impl fmt::Debug for Persistence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Persistence").field("path", &self.path).finish_non_exhaustive()
    }
}

fn remove_if_exists(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
