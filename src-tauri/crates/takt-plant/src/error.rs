//! The errors of the plant itself. Responses to invalid requests are in `answer`.

use std::path::PathBuf;

use takt_contract::ContractError;

/// The reason why a plant can't be built, started or changed.
#[derive(Debug, thiserror::Error)]
pub enum PlantError {
    #[error("the contract can't be used: {0}")]
    Contract(#[from] ContractError),
    #[error("the contract lacks the operation `{0}`, or what the plant needs of it")]
    Operation(String),
    #[error("the contract lacks the assumption `{0}`, or what the plant needs of it")]
    Assumption(String),
    #[error("the schema `{schema}` of the contract can't be compiled: {reason}")]
    Schema { schema: String, reason: String },
    #[error("the GraphQL schema can't be built: {0}")]
    GraphQl(String),
    #[error("`{0}` is not a time zone: {1}")]
    TimeZone(String, jiff::Error),
    #[error("a date lies outside the calendar: {0}")]
    Calendar(#[from] jiff::Error),
    #[error("a row can't be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("can't listen on {address}: {source}")]
    Listen { address: std::net::SocketAddr, source: std::io::Error },
    #[error("the system gives no random bytes: {0}")]
    Random(getrandom::Error),
    #[error("`{0}` is no fault that the plant can make")]
    UnknownFault(String),
    #[error("`{0}` is not a probability between 0 and 1")]
    Probability(String),
    #[error("`{0}` is not a number of milliseconds")]
    Latency(String),
    #[error("`{0}` is not a rate limit such as 600/60")]
    RateLimit(String),
    #[error("`{0}` is not a size: small, factory or large")]
    Size(String),
    #[error("the folder `{path}` can't be used for the plant's data ({source}): make it writable, or name another")]
    DataFolder { path: PathBuf, source: std::io::Error },
    #[error("another plant uses the folder `{0}`: stop that one, or name another folder")]
    DataInUse(PathBuf),
    #[error("`{0}` is no plant's file: name another folder, or move the file away")]
    DataForeign(PathBuf),
    #[error(
        "`{path}` was written by a newer plant (format {found}, this one knows {known}): use that version, or name another folder"
    )]
    DataNewer { path: PathBuf, found: u32, known: u32 },
    #[error("`{path}` is damaged ({reason}): move it away to begin anew, or put a copy back")]
    DataDamaged { path: PathBuf, reason: String },
    #[error(
        "`{path}` holds a plant with the {property} {stored}, not {requested}: ask for {stored}, or name another folder"
    )]
    DataDiffers { path: PathBuf, property: &'static str, stored: String, requested: String },
    #[error("`{path}` can't be read or written: {source}")]
    DataFile { path: PathBuf, source: rusqlite::Error },
    #[error("`{0}` has a name that isn't Unicode: name another folder")]
    DataName(PathBuf),
    #[error("the plant's file failed: {0}")]
    Sqlite(#[from] rusqlite::Error),
    #[error("the plant has stopped, and keeps nothing any more")]
    Stopped,
    #[error("`{0}` is no name for a snapshot: up to 64 letters, digits, - and _")]
    SnapshotName(String),
    #[error("there is a snapshot `{0}` already, whose name differs in its capitals only")]
    SnapshotTaken(String),
    #[error("there is no snapshot `{0}`")]
    UnknownSnapshot(String),
    #[error("there are {0} snapshots already: delete one first")]
    TooManySnapshots(usize),
    #[error("`{0}` is not a pace of the clock: idle, stopped, or a speed above 0 and at most 10000")]
    Pace(String),
    #[error("the plant's clock goes forward only, and at most 366 days at once")]
    Advance,
    #[error("the plant knows no user `{0}`")]
    UnknownUser(String),
    #[error("`{0}` is not a redirect address: it must be absolute, without a fragment")]
    RedirectUri(String),
    #[error("`{0}` is not an http or https address to which events can be sent")]
    Target(String),
}

impl PlantError {
    /// Returns whether the data folder can't be used. Then a plant with another folder or without one can still start.
    #[must_use]
    pub fn is_about_data(&self) -> bool {
        matches!(
            self,
            Self::DataFolder { .. }
                | Self::DataInUse(_)
                | Self::DataForeign(_)
                | Self::DataNewer { .. }
                | Self::DataDamaged { .. }
                | Self::DataDiffers { .. }
                | Self::DataFile { .. }
                | Self::DataName(_)
                | Self::Sqlite(_)
        )
    }
}
