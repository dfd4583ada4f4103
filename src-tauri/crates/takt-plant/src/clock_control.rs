//! How a person sets the plant's clock: faster, still, or as outside.

use crate::{Pace, Plant, clock::FASTEST};

impl Plant {
    /// Lets the plant's time pass `speed` times as fast as outside, and the day play by itself. Speeds beyond 10,000 are
    /// taken as that, and those that are none as 1.
    pub fn run(&self, speed: f64) {
        let speed = if speed > 0.0 { speed.min(FASTEST) } else { 1.0 };
        self.pace(Pace::Running { speed });
    }

    /// Lets the plant's time stand still.
    pub fn stop_clock(&self) {
        self.pace(Pace::Stopped);
    }

    /// Lets the plant's time flow as outside, and nobody work but whoever is told to.
    pub fn idle(&self) {
        self.pace(Pace::Idle);
    }

    fn pace(&self, pace: Pace) {
        let now = self.now();
        let clock = *self.clock.lock();
        if clock.pace() == Pace::Idle {
            // Nobody worked until now, and nobody makes up for it.
            self.day.skip_to(clock.at(now));
        }
        self.clock.lock().set_pace(pace, now);
        self.day.paced();
        self.persist_clock();
    }
}
