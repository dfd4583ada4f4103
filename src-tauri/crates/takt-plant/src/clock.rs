//! The plant's own time. It follows the real time until you speed it up, stop it or move it ahead.
//!
//! Tokens and rate limits follow the real time.
//! Leaves the public methods that set the clock to `clock_control`, and what happens as time passes to `simulation`.

use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::PlantError;

/// The highest speed of the plant's time.
pub(crate) const MAX_SPEED: f64 = 10_000.0;

/// How the plant's time passes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "state")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum Pace {
    /// As fast as real time, without simulating the day.
    Idle,
    /// `speed` times as fast as real time, and the day is simulated.
    Running { speed: f64 },
    /// Not at all.
    Stopped,
}

/// The saved state of a clock: its pace, and its time at a moment of real time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct ClockState {
    pub(crate) pace: Pace,
    pub(crate) outside: Timestamp,
    pub(crate) inside: Timestamp,
}

impl FromStr for Pace {
    type Err = PlantError;

    /// Parses `idle`, `stopped`, or a multiple of real time, for example `60`.
    fn from_str(text: &str) -> Result<Self, PlantError> {
        match (text, text.parse::<f64>()) {
            ("idle", _) => Ok(Self::Idle),
            ("stopped", _) => Ok(Self::Stopped),
            (_, Ok(speed)) if speed > 0.0 && speed <= MAX_SPEED => Ok(Self::Running { speed }),
            _ => Err(PlantError::Pace(text.to_owned())),
        }
    }
}

/// Converts real time to the plant's time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlantClock {
    pace: Pace,
    /// A moment of real time. `inside` is the plant's time at that moment.
    outside: Timestamp,
    inside: Timestamp,
}

impl PlantClock {
    pub(crate) fn new(pace: Pace, outside: Timestamp) -> Self {
        Self { pace, outside, inside: outside }
    }

    /// Returns the clock's state at the real time `outside`.
    pub(crate) fn state(&self, outside: Timestamp) -> ClockState {
        ClockState { pace: self.pace, outside, inside: self.at(outside) }
    }

    /// Restores a clock after the plant was off. Time passed at real speed meanwhile, unless the clock was stopped.
    pub(crate) fn restarted(state: ClockState, outside: Timestamp) -> Self {
        let off = Self {
            pace: if state.pace == Pace::Stopped { Pace::Stopped } else { Pace::Idle },
            outside: state.outside,
            inside: state.inside,
        };
        Self { pace: state.pace, outside, inside: off.at(outside) }
    }

    /// Restores a clock from exactly that state, as if no real time had passed.
    pub(crate) fn resumed(state: ClockState, outside: Timestamp) -> Self {
        Self { pace: state.pace, outside, inside: state.inside }
    }

    pub(crate) fn pace(&self) -> Pace {
        self.pace
    }

    /// Returns the plant's time at the real time `outside`.
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

    /// Changes the pace from the present time on.
    pub(crate) fn set_pace(&mut self, pace: Pace, outside: Timestamp) {
        *self = Self { pace, outside, inside: self.at(outside) };
    }

    /// Moves the plant's time to `inside` and keeps the pace.
    pub(crate) fn set(&mut self, inside: Timestamp, outside: Timestamp) {
        *self = Self { pace: self.pace, outside, inside };
    }
}
