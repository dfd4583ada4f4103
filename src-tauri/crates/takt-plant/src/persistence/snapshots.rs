//! Snapshots in the folder: one file each, with the state only. A snapshot is complete or absent.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use rusqlite::OpenFlags;

use super::{Origin, Persistence, file, meta, rows};
use crate::{PlantError, clock::ClockState, store::Store};

/// The application ID of a snapshot, `TKSN`.
const APPLICATION: u32 = 0x544B_534E;

impl Persistence {
    /// Copies the saved state of one moment. Changes can continue meanwhile.
    pub(crate) fn snapshot(&self, name: &str, clock: &ClockState) -> Result<(), PlantError> {
        let path = self.snapshot_path(name);
        let temporary = path.with_extension("new");
        let unusable = |source| PlantError::DataFolder { path: self.snapshots_folder(), source };
        fs::create_dir_all(self.snapshots_folder()).map_err(unusable)?;
        remove_if_exists(&temporary).map_err(unusable)?;
        file::create_private(&temporary).map_err(unusable)?;
        if let Err(error) = self.copy_to(&temporary, clock) {
            // Removes the incomplete copy.
            let _ = remove_if_exists(&temporary);
            return Err(file::with_path(&temporary, error));
        }
        fs::rename(&temporary, path).map_err(unusable)
    }

    fn copy_to(&self, temporary: &Path, clock: &ClockState) -> Result<(), PlantError> {
        let mut connection = file::connect(temporary, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let nameless = || PlantError::DataName(self.path().to_path_buf());
        connection.execute("ATTACH DATABASE ?1 AS plant", [self.path().to_str().ok_or_else(nameless)?])?;
        let transaction = connection.transaction()?;
        file::create_tables(&transaction, APPLICATION)?;
        transaction.execute_batch(
            "INSERT INTO main.rows SELECT * FROM plant.rows;
             INSERT INTO main.templates SELECT * FROM plant.templates;
             INSERT INTO main.supplies SELECT * FROM plant.supplies;
             INSERT INTO main.meta SELECT * FROM plant.meta
                WHERE name IN ('seed', 'size', 'timeZone', 'grown', 'contract', 'lastId');",
        )?;
        meta::put(&transaction, meta::CLOCK, &serde_json::to_string(clock)?)?;
        transaction.commit()?;
        Ok(())
    }

    /// Reads a snapshot.
    pub(crate) fn read_snapshot(&self, name: &str, origin: &Origin<'_>) -> Result<(Store, ClockState), PlantError> {
        let path = self.snapshot_path(name);
        if !path.is_file() {
            return Err(PlantError::UnknownSnapshot(name.to_owned()));
        }
        let read = || {
            let connection = file::connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
            if file::check(&connection, &path, APPLICATION)? == 0 {
                return Err(PlantError::DataForeign(path.clone()));
            }
            meta::check_origin(&connection, &path, origin.config)?;
            let store = rows::read_all(&connection, &path, origin.contract, origin.zone)?;
            let clock = meta::get_parsed(&connection, &path, meta::CLOCK)?;
            Ok((store, clock.ok_or_else(|| file::damaged(&path, "it has no clock"))?))
        };
        read().map_err(|error| file::with_path(&path, error))
    }

    /// Returns the names of the snapshots, in order.
    pub(crate) fn snapshots(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.snapshots_folder()) else { return Vec::new() };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let ours = paths.filter(|path| path.extension().is_some_and(|extension| extension == "sqlite"));
        let mut names: Vec<String> =
            ours.filter_map(|path| path.file_stem()?.to_str()?.strip_prefix(PREFIX).map(str::to_owned)).collect();
        names.sort();
        names
    }

    /// Removes a snapshot. Returns false if it doesn't exist.
    pub(crate) fn delete_snapshot(&self, name: &str) -> Result<bool, PlantError> {
        let path = self.snapshot_path(name);
        match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(PlantError::DataFolder { path: self.snapshots_folder(), source }),
        }
    }

    fn snapshots_folder(&self) -> PathBuf {
        self.folder().join("snapshots")
    }

    fn snapshot_path(&self, name: &str) -> PathBuf {
        self.snapshots_folder().join(format!("{PREFIX}{name}.sqlite"))
    }
}

/// Precedes each name, because some systems reserve names of files.
const PREFIX: &str = "state-";

fn remove_if_exists(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
