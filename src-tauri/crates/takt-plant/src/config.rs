//! How a plant is to be: seed, size, clock, limits, faults. Reading it from a command line is takt-cli's.

use std::{fmt, path::PathBuf, str::FromStr, sync::Arc, time::Duration};

use jiff::Timestamp;

use takt_contract::Contract;

use crate::{Fault, Pace, PlantError, Target, copy::PlantCopy};

/// Where the plant takes the time from.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// How many rows the seed makes.
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

    /// `600/60`: requests per seconds.
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

/// How long the plant waits for those whom it tells of events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryTiming {
    /// How long an event waits after each attempt that failed; it is given up after the attempt that follows the last.
    pub waits: Vec<Duration>,
    /// How long an answer may take.
    pub answer: Duration,
    /// How long a target isn't asked after it didn't answer a question properly.
    pub rest: Duration,
}

/// Everything that decides how a plant behaves. Same configuration and same clock: same plant, but for its secrets.
#[derive(Clone)]
pub struct PlantConfig {
    pub seed: u64,
    pub size: Size,
    /// IANA name; date-times without an offset are in it.
    pub time_zone: String,
    pub clock: Clock,
    /// How the plant's own time passes at the start.
    pub pace: Pace,
    pub rate_limit: RateLimit,
    pub token_lifetime: Duration,
    /// The most items that a batch may have; more are refused with 413 (assumed: batch-limit).
    pub batch_limit: usize,
    pub faults: Vec<Fault>,
    pub fault_seed: u64,
    /// The only addresses to which the sign-in page sends a browser back, compared exactly but for a port on loopback.
    pub redirect_uris: Vec<String>,
    /// Who is told of events from the start.
    pub targets: Vec<Target>,
    /// The folder in which the plant keeps its state, so that it survives a restart; without one it lives in memory.
    pub data: Option<PathBuf>,
    /// How many bytes the log keeps of requests that change something; without a number 256 MB on disk, 24 MB in memory.
    pub log_bytes: Option<u64>,
    /// How long the plant waits for targets; none: as the contract assumes (`event-delivery`, `event-unanswered-check`).
    pub delivery_timing: Option<DeliveryTiming>,
    /// The rows to begin with; without them the seed invents some.
    pub copy: Option<Arc<PlantCopy>>,
    /// The contract that requests and answers follow; without it the built-in one.
    pub contract: Option<Arc<Contract>>,
}

impl PlantConfig {
    /// The defaults, with the time from `clock`.
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
