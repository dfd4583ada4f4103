//! The faults that the plant can inject: names, probabilities and dice. Their effects are in `api::fault_injection`.

use std::{fmt, str::FromStr, time::Duration};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::PlantError;

/// A kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// 500 before anything is applied.
    Error500,
    /// Like [`Self::Error500`], with a stack trace as from a development environment.
    Error500Dev,
    /// 429 with `retryAfter` in seconds.
    Limit429Seconds,
    /// 429 with `retryAfter` in milliseconds.
    Limit429Milliseconds,
    /// 429 with the wait only in a `Retry-After` header.
    Limit429Header,
    /// 429 without a wait.
    Limit429Bare,
    /// The connection closes before anything is applied.
    DropBeforeApply,
    /// The connection closes after everything is applied.
    ApplyThenDrop,
    /// A gateway answers 502 after everything is applied.
    ApplyThen502,
    /// Everything is applied, and a 200 breaks off in the middle of its body.
    Truncate,
    /// No response ever, and nothing is applied.
    Stall,
    /// The request's access token expires.
    ExpireToken,
    /// The refresh token of the request's sign-in is revoked.
    RevokeRefresh,
    /// The sign-in page accepts a redirect address only with the registered port.
    ExactRedirect,
    /// The sign-in page requires `grant_type`, which the specification lists there.
    DemandGrantType,
    /// Some items of a batch are refused, each with a reason.
    RejectItem,
    /// Everything is applied, and some results are missing in the response.
    ResultsMissing,
    /// Everything is applied, and the results are in another order.
    ResultsReordered,
    /// Everything is applied, and the counts don't add up.
    WrongCounts,
    /// Everything is applied, and a 200 isn't JSON.
    NotJson,
}

const NAMES: [(FaultKind, &str); 20] = [
    (FaultKind::Error500, "error-500"),
    (FaultKind::Error500Dev, "error-500-dev"),
    (FaultKind::Limit429Seconds, "limit-429-s"),
    (FaultKind::Limit429Milliseconds, "limit-429-ms"),
    (FaultKind::Limit429Header, "limit-429-header"),
    (FaultKind::Limit429Bare, "limit-429-bare"),
    (FaultKind::DropBeforeApply, "drop-before-apply"),
    (FaultKind::ApplyThenDrop, "apply-then-drop"),
    (FaultKind::ApplyThen502, "apply-then-502"),
    (FaultKind::Truncate, "truncate"),
    (FaultKind::Stall, "stall"),
    (FaultKind::ExpireToken, "expire-token"),
    (FaultKind::RevokeRefresh, "revoke-refresh"),
    (FaultKind::ExactRedirect, "exact-redirect"),
    (FaultKind::DemandGrantType, "demand-grant-type"),
    (FaultKind::RejectItem, "reject-item"),
    (FaultKind::ResultsMissing, "results-missing"),
    (FaultKind::ResultsReordered, "results-reordered"),
    (FaultKind::WrongCounts, "wrong-counts"),
    (FaultKind::NotJson, "not-json"),
];

impl FaultKind {
    /// Returns the name on the command line, in the control interface and in the log.
    #[must_use]
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    /// Returns every kind, in the order of the documentation.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.iter().map(|(kind, _)| *kind)
    }

    /// Whether it affects the sign-in page and no request of the service.
    pub(crate) fn affects_sign_in(self) -> bool {
        matches!(self, Self::ExactRedirect | Self::DemandGrantType)
    }

    /// Whether it only makes sense for a response with a result per item.
    pub(crate) fn needs_batch(self) -> bool {
        matches!(self, Self::RejectItem | Self::ResultsMissing | Self::ResultsReordered | Self::WrongCounts)
    }
}

/// One fault with its probability, for example `error-500:0.1` or `latency=50`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// Delays every request.
    Latency(Duration),
    /// Affects a request with this probability.
    Sometimes(FaultKind, f64),
}

impl Fault {
    /// Parses `KIND:PROBABILITY`, `KIND` (always), or `latency=MS`.
    ///
    /// # Errors
    ///
    /// - [`PlantError::UnknownFault`]: the plant can't make this fault.
    /// - [`PlantError::Probability`]: the text after `:` isn't a number between 0 and 1.
    /// - [`PlantError::Latency`]: the text after `latency=` isn't a number of milliseconds.
    pub fn parse(text: &str) -> Result<Self, PlantError> {
        let text = text.trim();
        if let Some(milliseconds) = text.strip_prefix("latency=") {
            let milliseconds: u32 = milliseconds.parse().map_err(|_| PlantError::Latency(milliseconds.to_owned()))?;
            return Ok(Self::Latency(Duration::from_millis(milliseconds.into())));
        }
        let (name, odds) = text.split_once(':').unwrap_or((text, "1"));
        let kind = NAMES.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind);
        let kind = kind.ok_or_else(|| PlantError::UnknownFault(name.to_owned()))?;
        match odds.parse::<f64>() {
            Ok(odds) if (0.0..=1.0).contains(&odds) => Ok(Self::Sometimes(kind, odds)),
            _ => Err(PlantError::Probability(odds.to_owned())),
        }
    }
}

impl FromStr for Fault {
    type Err = PlantError;

    fn from_str(text: &str) -> Result<Self, PlantError> {
        Self::parse(text)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Latency(latency) => write!(formatter, "latency={}", latency.as_millis()),
            Self::Sometimes(kind, odds) => write!(formatter, "{}:{odds}", kind.name()),
        }
    }
}

/// The faults in force, and the seeded dice that decide which requests they affect.
#[derive(Debug)]
pub(crate) struct Dice {
    faults: Vec<Fault>,
    seed: u64,
    random: ChaCha8Rng,
}

impl Dice {
    pub(crate) fn new(faults: Vec<Fault>, seed: u64) -> Self {
        Self { faults, seed, random: ChaCha8Rng::seed_from_u64(seed) }
    }

    pub(crate) fn faults(&self) -> &[Fault] {
        &self.faults
    }

    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    pub(crate) fn latency(&self) -> Duration {
        self.faults.iter().fold(Duration::ZERO, |sum, fault| match fault {
            Fault::Latency(latency) => sum + *latency,
            Fault::Sometimes(..) => sum,
        })
    }

    /// Decides at random which fault the next request gets. Each fault uses one random number, so its probability
    /// doesn't depend on the other faults.
    pub(crate) fn roll(&mut self, fits: impl Fn(FaultKind) -> bool) -> Option<FaultKind> {
        let mut hit = None;
        for fault in &self.faults {
            if let Fault::Sometimes(kind, odds) = fault {
                let struck = self.random.random::<f64>() < *odds;
                if struck && hit.is_none() && fits(*kind) {
                    hit = Some(*kind);
                }
            }
        }
        hit
    }

    /// Decides at random whether the given fault occurs. Other faults don't use up random numbers.
    pub(crate) fn roll_kind(&mut self, wanted: FaultKind) -> bool {
        let mut struck = false;
        for fault in &self.faults {
            if let Fault::Sometimes(kind, odds) = fault
                && *kind == wanted
            {
                struck |= self.random.random::<f64>() < *odds;
            }
        }
        struck
    }

    /// Returns the items that a fault affects, as `count` flags: about a third, at least one.
    pub(crate) fn choose_items(&mut self, count: usize) -> Vec<bool> {
        let mut struck: Vec<bool> = (0..count).map(|_| self.random.random::<f64>() < 1.0 / 3.0).collect();
        if count > 0 && !struck.contains(&true) {
            let chosen = self.random.random_range(0..count);
            struck[chosen] = true;
        }
        struck
    }
}
