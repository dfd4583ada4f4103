//! The faults that the plant can inject, with their names and probabilities. Their effects are in
//! `api::fault_injection`.

use std::{fmt, str::FromStr, time::Duration};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::PlantError;

/// A kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// A 500 response. Nothing is applied.
    Error500,
    /// Like [`Self::Error500`], with a stack trace as in a development environment.
    Error500Dev,
    /// A 429 response with `retryAfter` in seconds.
    Limit429Seconds,
    /// A 429 response with `retryAfter` in milliseconds.
    Limit429Milliseconds,
    /// A 429 response with the wait only in a `Retry-After` header.
    Limit429Header,
    /// A 429 response without a wait.
    Limit429Bare,
    /// The connection is closed. Nothing is applied.
    DropBeforeApply,
    /// Everything is applied, then the connection is closed.
    ApplyThenDrop,
    /// Everything is applied, then a gateway sends a 502 response.
    ApplyThen502,
    /// Everything is applied, but the 200 response ends in the middle of its body.
    Truncate,
    /// The plant never responds, and nothing is applied.
    Stall,
    /// The request's access token expires.
    ExpireToken,
    /// The refresh token of the sign-in is revoked.
    RevokeRefresh,
    /// A redirect address is accepted only with the registered port.
    ExactRedirect,
    /// The sign-in page requires `grant_type`, as specified.
    DemandGrantType,
    /// Some items of a batch are rejected, each with a reason.
    RejectItem,
    /// Everything is applied, but the response lacks some results.
    ResultsMissing,
    /// Everything is applied, but the results have another order.
    ResultsReordered,
    /// Everything is applied, but the counts don't match the results.
    WrongCounts,
    /// Everything is applied, but the 200 response isn't JSON.
    NotJson,
}

const FAULT_NAMES: [(FaultKind, &str); 20] = [
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
        FAULT_NAMES.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    /// Returns all kinds, in the order of the documentation.
    pub fn all() -> impl Iterator<Item = Self> {
        FAULT_NAMES.iter().map(|(kind, _)| *kind)
    }

    /// Returns whether it affects only the sign-in page, not the service.
    pub(crate) fn affects_sign_in(self) -> bool {
        matches!(self, Self::ExactRedirect | Self::DemandGrantType)
    }

    /// Returns whether it requires a response with a result per item.
    pub(crate) fn needs_batch(self) -> bool {
        matches!(self, Self::RejectItem | Self::ResultsMissing | Self::ResultsReordered | Self::WrongCounts)
    }
}

/// A fault with its probability, for example `error-500:0.1` or `latency=50`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// Delays every request.
    Latency(Duration),
    /// Affects each request with this probability, from 0 to 1.
    Sometimes(FaultKind, f64),
}

impl Fault {
    /// Parses `KIND:PROBABILITY`, `KIND` (affects all requests), or `latency=MS`.
    ///
    /// # Errors
    ///
    /// - [`PlantError::UnknownFault`]: there is no such kind.
    /// - [`PlantError::Probability`]: the text after `:` isn't a number between 0 and 1.
    /// - [`PlantError::Latency`]: the text after `latency=` isn't a number of milliseconds.
    pub fn parse(text: &str) -> Result<Self, PlantError> {
        let text = text.trim();
        if let Some(milliseconds) = text.strip_prefix("latency=") {
            let milliseconds: u32 = milliseconds.parse().map_err(|_| PlantError::Latency(milliseconds.to_owned()))?;
            return Ok(Self::Latency(Duration::from_millis(milliseconds.into())));
        }
        let (name, probability) = text.split_once(':').unwrap_or((text, "1"));
        let kind = FAULT_NAMES.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind);
        let kind = kind.ok_or_else(|| PlantError::UnknownFault(name.to_owned()))?;
        match probability.parse::<f64>() {
            Ok(probability) if (0.0..=1.0).contains(&probability) => Ok(Self::Sometimes(kind, probability)),
            _ => Err(PlantError::Probability(probability.to_owned())),
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
            Self::Sometimes(kind, probability) => write!(formatter, "{}:{probability}", kind.name()),
        }
    }
}

/// Selects faults for requests at random. Contains the current faults and the random numbers.
#[derive(Debug)]
pub(crate) struct FaultSelector {
    faults: Vec<Fault>,
    seed: u64,
    random: ChaCha8Rng,
}

impl FaultSelector {
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

    /// Chooses the fault for the next request at random. Each fault uses one random number, so that its probability
    /// doesn't depend on other faults.
    pub(crate) fn choose_fault(&mut self, fits: impl Fn(FaultKind) -> bool) -> Option<FaultKind> {
        let mut chosen_fault = None;
        for fault in &self.faults {
            if let Fault::Sometimes(kind, probability) = fault {
                let affected = self.random.random::<f64>() < *probability;
                if affected && chosen_fault.is_none() && fits(*kind) {
                    chosen_fault = Some(*kind);
                }
            }
        }
        chosen_fault
    }

    /// Returns whether this fault affects the next request. Other faults don't use random numbers.
    pub(crate) fn affects_next_request(&mut self, wanted: FaultKind) -> bool {
        let mut affected = false;
        for fault in &self.faults {
            if let Fault::Sometimes(kind, probability) = fault
                && *kind == wanted
            {
                affected |= self.random.random::<f64>() < *probability;
            }
        }
        affected
    }

    /// Returns a flag for each of `count` items that is true if a fault affects it. About a third is affected, at least
    /// one.
    pub(crate) fn choose_affected_items(&mut self, count: usize) -> Vec<bool> {
        let mut affected: Vec<bool> = (0..count).map(|_| self.random.random::<f64>() < 1.0 / 3.0).collect();
        if count > 0 && !affected.contains(&true) {
            let chosen = self.random.random_range(0..count);
            affected[chosen] = true;
        }
        affected
    }
}
