//! The methods that set the pace of the plant's clock.

use crate::{Pace, Plant, clock::MAX_SPEED};

impl Plant {
    /// Runs the plant's time `speed` times as fast as real time, and simulates the day. Speeds above 10,000 count as
    /// 10,000. Speeds that aren't positive count as 1.
    pub fn run(&self, speed: f64) {
        let speed = if speed > 0.0 { speed.min(MAX_SPEED) } else { 1.0 };
        self.pace(Pace::Running { speed });
    }

    /// Stops the plant's time.
    pub fn stop_clock(&self) {
        self.pace(Pace::Stopped);
    }

    /// Lets the plant's time follow the real time, without simulating the day.
    pub fn idle(&self) {
        self.pace(Pace::Idle);
    }

    fn pace(&self, pace: Pace) {
        let now = self.now();
        let clock = *self.clock.lock();
        if clock.pace() == Pace::Idle {
            // The simulation was off until now, and doesn't catch up.
            self.day.skip_to(clock.at(now));
        }
        self.clock.lock().set_pace(pace, now);
        self.day.notify_pace_change();
        self.persist_clock();
    }
}
