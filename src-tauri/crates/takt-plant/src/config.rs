//! The configuration of a plant: seed, size, clock, limits, faults. takt-cli reads it from the command line.

use std::{fmt, path::PathBuf, str::FromStr, sync::Arc, time::Duration};

use jiff::Timestamp;
use takt_contract::Contract;

use crate::{Fault, Pace, PlantError, Target, copy::PlantCopy};

/// A function that returns the current time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The number of rows that the seed generates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Size {
    /// Hundreds of orders.
    #[default]
    Small,
    /// 50,000 orders.
    Factory,
    /// 1,000,000 materials.
    Large,
}

impl fmt::Display for Size {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Small => "small",
            Self::Factory => "factory",
            Self::Large => "large",
        })
    }
}

impl FromStr for Size {
    type Err = PlantError;

    fn from_str(text: &str) -> Result<Self, PlantError> {
        match text {
            "small" => Ok(Self::Small),
            "factory" => Ok(Self::Factory),
            "large" => Ok(Self::Large),
            other => Err(PlantError::Size(other.to_owned())),
        }
    }
}

/// Requests allowed per access token in a window of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    pub requests: u32,
    pub window: Duration,
}

impl Default for RateLimit {
    fn default() -> Self {
        Self { requests: 600, window: Duration::from_secs(60) }
    }
}

impl FromStr for RateLimit {
    type Err = PlantError;

    /// Parses requests and seconds, for example `600/60`.
    fn from_str(text: &str) -> Result<Self, PlantError> {
        let wrong = || PlantError::RateLimit(text.to_owned());
        let (requests, seconds) = text.split_once('/').ok_or_else(wrong)?;
        let requests = requests.trim().parse().map_err(|_| wrong())?;
        let seconds: u32 = seconds.trim().parse().map_err(|_| wrong())?;
        if requests == 0 || seconds == 0 {
            return Err(wrong());
        }
        Ok(Self { requests, window: Duration::from_secs(seconds.into()) })
    }
}

/// The times for delivering events to targets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryTiming {
    /// The waits after each failed attempt. The delivery fails if the attempt after the last wait fails.
    pub waits: Vec<Duration>,
    /// The longest wait for a response.
    pub answer: Duration,
    /// The time for which a target gets no checks (events 10 and 11) after it didn't answer one properly.
    pub rest: Duration,
}

/// Everything that determines a plant's behavior. The same configuration and clock give the same plant, except for its
/// secrets.
#[derive(Clone)]
pub struct PlantConfig {
    pub seed: u64,
    pub size: Size,
    /// IANA name. Date-times without an offset are in this time zone.
    pub time_zone: String,
    pub clock: Clock,
    /// The pace of the plant's own time at the start.
    pub pace: Pace,
    pub rate_limit: RateLimit,
    pub token_lifetime: Duration,
    /// The most items of a batch. Larger batches are refused with 413 (assumed: batch-limit).
    pub batch_limit: usize,
    pub faults: Vec<Fault>,
    pub fault_seed: u64,
    /// The only addresses to which the sign-in page redirects. They are compared exactly, except for a port on
    /// loopback.
    pub redirect_uris: Vec<String>,
    /// The targets of events at the start.
    pub targets: Vec<Target>,
    /// The folder for the plant's state. Without one, the state is in memory and a restart loses it.
    pub data: Option<PathBuf>,
    /// The bytes that the log may use for requests that change something. By default 256 MB on disk, 24 MB in memory.
    pub log_bytes: Option<u64>,
    /// The times for deliveries. By default those of the contract (`event-delivery`, `event-unanswered-check`).
    pub delivery_timing: Option<DeliveryTiming>,
    /// The rows to start with. By default the seed invents them.
    pub copy: Option<Arc<PlantCopy>>,
    /// The contract of requests and responses. By default the built-in one.
    pub contract: Option<Arc<Contract>>,
}

impl PlantConfig {
    /// Returns the default configuration with the time from `clock`.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self {
            seed: 1,
            size: Size::default(),
            time_zone: "UTC".to_owned(),
            clock,
            pace: Pace::Idle,
            rate_limit: RateLimit::default(),
            token_lifetime: Duration::from_secs(3600),
            batch_limit: 10_000,
            faults: Vec::new(),
            fault_seed: 1,
            data: None,
            log_bytes: None,
            redirect_uris: (47821..=47828).map(|port| format!("http://127.0.0.1:{port}/callback")).collect(),
            targets: Vec::new(),
            delivery_timing: None,
            copy: None,
            contract: None,
        }
    }
}

impl Default for PlantConfig {
    fn default() -> Self {
        Self::new(Arc::new(Timestamp::now))
    }
}

impl fmt::Debug for PlantConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("PlantConfig")
            .field("seed", &self.seed)
            .field("size", &self.size)
            .field("time_zone", &self.time_zone)
            .field("pace", &self.pace)
            .field("rate_limit", &self.rate_limit)
            .field("token_lifetime", &self.token_lifetime)
            .field("batch_limit", &self.batch_limit)
            .field("faults", &self.faults)
            .field("fault_seed", &self.fault_seed)
            .field("redirect_uris", &self.redirect_uris)
            .field("targets", &self.targets)
            .field("data", &self.data)
            .field("log_bytes", &self.log_bytes)
            .finish_non_exhaustive()
    }
}
