//! How many notifications there are: a few one by one, and the rest of a minute as one.

use std::time::{Duration, Instant};

use takt_engine::inbox::EventLine;

/// So many a minute are told one by one.
const SINGLE: usize = 4;
const PACE_PERIOD: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Notice {
    One(Box<EventLine>),
    /// So many that weren't told one by one.
    Many(usize),
}

/// Begins a minute with its first notification.
#[derive(Debug, Default)]
pub(super) struct Pace {
    begun: Option<Instant>,
    single: usize,
    rest: usize,
}

impl Pace {
    /// What is told now, of what came and of what waited.
    pub(super) fn take(&mut self, now: Instant, came: Vec<EventLine>) -> Vec<Notice> {
        let mut told = Vec::new();
        if self.begun.is_some_and(|begun| now.duration_since(begun) >= PACE_PERIOD) {
            if self.rest > 0 {
                told.push(Notice::Many(self.rest));
            }
            *self = Self::default();
        }
        for event in came {
            self.begun.get_or_insert(now);
            if self.single < SINGLE {
                self.single += 1;
                told.push(Notice::One(Box::new(event)));
            } else {
                self.rest += 1;
            }
        }
        told
    }

    /// How long what waits may wait at most; none where nothing does.
    pub(super) fn due(&self) -> Option<Duration> {
        let begun = self.begun.filter(|_| self.rest > 0)?;
        Some((begun + PACE_PERIOD).saturating_duration_since(Instant::now()))
    }
}

#[cfg(test)]
mod tests {
    use takt_engine::inbox::{EventState, SignatureState};

    use super::*;

    fn events(count: usize) -> Vec<EventLine> {
        let one = EventLine {
            id: 1,
            site: String::new(),
            received: String::new(),
            state: EventState::Sound,
            kind: None,
            name: None,
            names: None,
            station: None,
            station_name: None,
            employee: None,
            person: None,
            description: None,
            order: None,
            orders: 0,
            signed: SignatureState::Unchecked,
            replay: false,
            copies: 0,
            allowed: None,
            answered_by: None,
        };
        vec![one; count]
    }

    #[test]
    fn a_flood_is_a_few_and_then_one_word() {
        let (mut pace, now) = (Pace::default(), Instant::now());
        assert_eq!(pace.take(now, events(3)).len(), 3);
        assert_eq!(pace.due(), None, "nothing waits");
        assert_eq!(pace.take(now, events(500)).len(), 1, "the fourth");
        assert!(pace.due().is_some_and(|due| due <= PACE_PERIOD));
        assert_eq!(pace.take(now + Duration::from_secs(59), events(1)), []);
        assert_eq!(pace.take(now + PACE_PERIOD, Vec::new()), [Notice::Many(500)]);
        assert_eq!(pace.take(now + PACE_PERIOD, events(1)).len(), 1, "a new minute");
        assert_eq!(pace.take(now + PACE_PERIOD * 3, Vec::new()), [], "nothing waited");
    }
}
