//! The plant's own time: it flows with the time outside until a person runs it faster, stops it, or moves it ahead.
//! Tokens and limits don't follow it: they are the outside world's.
//!
//! Owns the clock. Leaves to `clock_control` how a person sets it, and to `simulation` what happens while it passes.

use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::PlantError;

/// The fastest that the plant's time may run.
pub(crate) const FASTEST: f64 = 10_000.0;

/// How the plant's time passes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "state")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum Pace {
    /// As outside; nobody works on the floor but whoever is told to.
    Idle,
    /// So many times as fast as outside, and the day plays by itself.
    Running { speed: f64 },
    /// Not at all.
    Stopped,
}

/// The plant's clock as it can be put aside: its pace, and its time at a moment outside.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct ClockState {
    pub(crate) pace: Pace,
    pub(crate) outside: Timestamp,
    pub(crate) inside: Timestamp,
}

impl FromStr for Pace {
    type Err = PlantError;

    /// `idle`, `stopped`, or how many times as fast as outside, for example `60`.
    fn from_str(text: &str) -> Result<Self, PlantError> {
        match (text, text.parse::<f64>()) {
            ("idle", _) => Ok(Self::Idle),
            ("stopped", _) => Ok(Self::Stopped),
            (_, Ok(speed)) if speed > 0.0 && speed <= FASTEST => Ok(Self::Running { speed }),
            _ => Err(PlantError::Pace(text.to_owned())),
        }
    }
}

/// Reads the plant's time off the time outside.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlantClock {
    pace: Pace,
    /// A moment outside, and the plant's time at it.
    outside: Timestamp,
    inside: Timestamp,
}

impl PlantClock {
    pub(crate) fn new(pace: Pace, outside: Timestamp) -> Self {
        Self { pace, outside, inside: outside }
    }

    /// The clock as it stands when it is `outside` outside.
    pub(crate) fn state(&self, outside: Timestamp) -> ClockState {
        ClockState { pace: self.pace, outside, inside: self.at(outside) }
    }

    /// A clock that goes on after the plant was off: while it was, time passed as outside, unless the clock was stopped.
    pub(crate) fn restarted(state: ClockState, outside: Timestamp) -> Self {
        let off = Self {
            pace: if state.pace == Pace::Stopped { Pace::Stopped } else { Pace::Idle },
            outside: state.outside,
            inside: state.inside,
        };
        Self { pace: state.pace, outside, inside: off.at(outside) }
    }

    /// A clock that goes on from exactly that state, as if no time had passed outside.
    pub(crate) fn resumed(state: ClockState, outside: Timestamp) -> Self {
        Self { pace: state.pace, outside, inside: state.inside }
    }

    pub(crate) fn pace(&self) -> Pace {
        self.pace
    }

    /// The plant's time when it is `outside` outside.
    pub(crate) fn at(&self, outside: Timestamp) -> Timestamp {
        let passed = outside.duration_since(self.outside);
        let inside = match self.pace {
            Pace::Stopped => SignedDuration::ZERO,
            Pace::Idle => passed,
            Pace::Running { speed } => {
                SignedDuration::try_from_secs_f64(passed.as_secs_f64() * speed).unwrap_or(SignedDuration::ZERO)
            }
        };
        self.inside.saturating_add(inside).unwrap_or(Timestamp::MAX)
    }

    /// Goes on from the present time at another pace.
    pub(crate) fn set_pace(&mut self, pace: Pace, outside: Timestamp) {
        *self = Self { pace, outside, inside: self.at(outside) };
    }

    /// Moves the plant's time to `inside`; the pace stays.
    pub(crate) fn set(&mut self, inside: Timestamp, outside: Timestamp) {
        *self = Self { pace: self.pace, outside, inside };
    }
}
