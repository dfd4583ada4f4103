//! Limits single notifications to a few per minute. Further events of that minute share one notification.

use std::time::{Duration, Instant};

use takt_engine::inbox::EventLine;

/// The maximum number of notifications about one event per period.
const MAX_SINGLE_PER_PERIOD: usize = 4;
const PERIOD: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Notice {
    One(Box<EventLine>),
    /// The number of events in a period that had no notification.
    Many(usize),
}

/// Counts the notifications in a period, which starts with its first event.
#[derive(Debug, Default)]
pub(super) struct NoticeThrottle {
    period_start: Option<Instant>,
    shown: usize,
    deferred: usize,
}

impl NoticeThrottle {
    /// Returns the notifications to show now, for new events and for an elapsed period.
    pub(super) fn next_notices(&mut self, now: Instant, events: Vec<EventLine>) -> Vec<Notice> {
        let mut notices = Vec::new();
        if self.period_start.is_some_and(|period_start| now.duration_since(period_start) >= PERIOD) {
            if self.deferred > 0 {
                notices.push(Notice::Many(self.deferred));
            }
            *self = Self::default();
        }
        for event in events {
            self.period_start.get_or_insert(now);
            if self.shown < MAX_SINGLE_PER_PERIOD {
                self.shown += 1;
                notices.push(Notice::One(Box::new(event)));
            } else {
                self.deferred += 1;
            }
        }
        notices
    }

    /// Returns the time until deferred events are notified, or `None` if there are none.
    pub(super) fn time_until_due(&self) -> Option<Duration> {
        let period_start = self.period_start.filter(|_| self.deferred > 0)?;
        Some((period_start + PERIOD).saturating_duration_since(Instant::now()))
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
        let (mut throttle, now) = (NoticeThrottle::default(), Instant::now());
        assert_eq!(throttle.next_notices(now, events(3)).len(), 3);
        assert_eq!(throttle.time_until_due(), None, "nothing waits");
        assert_eq!(throttle.next_notices(now, events(500)).len(), 1, "the fourth");
        assert!(throttle.time_until_due().is_some_and(|due| due <= PERIOD));
        assert_eq!(throttle.next_notices(now + Duration::from_secs(59), events(1)), []);
        assert_eq!(throttle.next_notices(now + PERIOD, Vec::new()), [Notice::Many(500)]);
        assert_eq!(throttle.next_notices(now + PERIOD, events(1)).len(), 1, "a new minute");
        assert_eq!(throttle.next_notices(now + PERIOD * 3, Vec::new()), [], "nothing waited");
    }
}
