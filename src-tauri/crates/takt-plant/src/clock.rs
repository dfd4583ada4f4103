//! The plant's time. It passes like real time until a user speeds it up, stops it or moves it ahead.
//!
//! Tokens and rate limits use real time. The public methods and the simulation are in `simulation`.

use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::PlantError;

/// The maximum multiple of real time.
pub(crate) const MAX_SPEED: f64 = 10_000.0;

/// The speed at which the plant's time passes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "state")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum Pace {
    /// Time passes like real time. The day isn't simulated.
    Idle,
    /// Time passes `speed` times as fast as real time. The day is simulated.
    Running { speed: f64 },
    /// Time doesn't pass.
    Stopped,
}

/// The saved state of a clock: its pace, and its time at a certain real time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct ClockState {
    pub(crate) pace: Pace,
    #[serde(rename = "outside")]
    real_time: Timestamp,
    #[serde(rename = "inside")]
    plant_time: Timestamp,
}

impl FromStr for Pace {
    type Err = PlantError;

    /// Parses `idle`, `stopped`, or a multiple of real time such as `60`.
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
    /// The real time at which the plant's time was `plant_time`.
    real_time: Timestamp,
    plant_time: Timestamp,
}

impl PlantClock {
    pub(crate) fn new(pace: Pace, real_time: Timestamp) -> Self {
        Self { pace, real_time, plant_time: real_time }
    }

    /// Returns the state of the clock at `real_time`.
    pub(crate) fn state(&self, real_time: Timestamp) -> ClockState {
        ClockState { pace: self.pace, real_time, plant_time: self.plant_time_at(real_time) }
    }

    /// Restores the clock of a plant that was off. Meanwhile, time passed like real time, unless the clock was stopped.
    pub(crate) fn restart(state: ClockState, real_time: Timestamp) -> Self {
        let off = Self {
            pace: if state.pace == Pace::Stopped { Pace::Stopped } else { Pace::Idle },
            real_time: state.real_time,
            plant_time: state.plant_time,
        };
        Self { pace: state.pace, real_time, plant_time: off.plant_time_at(real_time) }
    }

    /// Restores a clock in exactly this state, as if no time had passed.
    pub(crate) fn restore(state: ClockState, real_time: Timestamp) -> Self {
        Self { pace: state.pace, real_time, plant_time: state.plant_time }
    }

    pub(crate) fn pace(&self) -> Pace {
        self.pace
    }

    /// Returns the plant's time at `real_time`.
    pub(crate) fn plant_time_at(&self, real_time: Timestamp) -> Timestamp {
        let passed = real_time.duration_since(self.real_time);
        let plant_time = match self.pace {
            Pace::Stopped => SignedDuration::ZERO,
            Pace::Idle => passed,
            Pace::Running { speed } => {
                SignedDuration::try_from_secs_f64(passed.as_secs_f64() * speed).unwrap_or(SignedDuration::ZERO)
            }
        };
        self.plant_time.saturating_add(plant_time).unwrap_or(Timestamp::MAX)
    }

    /// Changes the pace without changing the current time.
    pub(crate) fn set_pace(&mut self, pace: Pace, real_time: Timestamp) {
        *self = Self { pace, real_time, plant_time: self.plant_time_at(real_time) };
    }

    /// Sets the plant's time without changing the pace.
    pub(crate) fn set_time(&mut self, plant_time: Timestamp, real_time: Timestamp) {
        *self = Self { pace: self.pace, real_time, plant_time };
    }
}
