//! The configuration of a plant, for example its seed, size, clock, limits and faults. takt-cli parses it from the
//! command line.

use std::{fmt, path::PathBuf, str::FromStr, sync::Arc, time::Duration};

use jiff::Timestamp;
use takt_contract::Contract;

use crate::{Fault, Pace, PlantError, Target, copy::PlantCopy};

/// Returns the current time. Tests replace it.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The number of rows that the seed generates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Size {
    /// Several hundred orders.
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

/// The number of requests per access token that are allowed in a window.
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

    /// Parses the number of requests and the window in seconds, for example `600/60`.
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

/// The timing of deliveries to targets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryTiming {
    /// The waits after failed attempts. If the attempt after the last wait fails, the delivery fails.
    pub retry_waits: Vec<Duration>,
    /// The timeout of a target's response.
    pub response_timeout: Duration,
    /// The time without checks (events 10 and 11) after a target failed to reply to one.
    pub check_pause: Duration,
}

/// The inputs that determine a plant's behavior. Plants with the same configuration and clock are equal, except for
/// secrets.
#[derive(Clone)]
pub struct PlantConfig {
    pub seed: u64,
    pub size: Size,
    /// An IANA time zone. It applies to date-times without an offset.
    pub time_zone: String,
    pub clock: Clock,
    /// The pace of the plant's clock at the start.
    pub pace: Pace,
    pub rate_limit: RateLimit,
    pub token_lifetime: Duration,
    /// The maximum number of items in a batch. Larger batches are rejected with 413 (assumed: batch-limit).
    pub batch_limit: usize,
    pub faults: Vec<Fault>,
    pub fault_seed: u64,
    /// The redirect addresses that the sign-in page accepts. They are compared exactly, except for the port of a
    /// loopback address.
    pub redirect_uris: Vec<String>,
    pub targets: Vec<Target>,
    /// The folder for the plant's state. Without a folder, a restart loses the state.
    pub data: Option<PathBuf>,
    /// The maximum size in bytes of log entries of writes. By default 256 MB on disk, or 24 MB in memory.
    pub log_bytes: Option<u64>,
    /// The timing of deliveries. By default, it is that of the contract (`event-delivery`, `event-unanswered-check`).
    pub delivery_timing: Option<DeliveryTiming>,
    /// The rows to start with. By default, the seed invents rows.
    pub copy: Option<Arc<PlantCopy>>,
    /// The contract for requests and responses. By default, it is the built-in contract.
    pub contract: Option<Arc<Contract>>,
}

impl PlantConfig {
    /// Returns the default configuration with this clock.
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
