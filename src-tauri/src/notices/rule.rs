//! The rules that select events for notifications, and the text of a notification.

use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::inbox::EventLine;

use crate::preferences::Language;

/// A rule. An event must match all fields that are set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub(crate) struct NoticeRule {
    pub(crate) on: bool,
    /// The service's numbers of the kinds of events.
    pub(crate) kinds: Vec<i32>,
    /// A part of the station's code or name.
    pub(crate) station: String,
    /// A part of the first order's code.
    pub(crate) order: String,
    /// A part of the employee's badge or name.
    pub(crate) employee: String,
}

impl NoticeRule {
    pub(crate) fn matches(&self, event: &EventLine) -> bool {
        let kind = self.kinds.is_empty() || event.kind.is_some_and(|kind| self.kinds.contains(&kind));
        self.on
            && kind
            && contains_text(&self.station, &[&event.station, &event.station_name])
            && contains_text(&self.order, &[&event.order])
            && contains_text(&self.employee, &[&event.employee, &event.person])
    }
}

fn contains_text(needle: &str, texts: &[&Option<String>]) -> bool {
    let needle = needle.trim().to_lowercase();
    needle.is_empty()
        || texts.iter().any(|text| text.as_deref().is_some_and(|text| text.to_lowercase().contains(&needle)))
}

/// Returns a notification's title and text, without markup.
pub(super) fn notification_text(event: &EventLine, language: Language, unknown: &str) -> (String, String) {
    let title = event.names.as_ref().map_or(unknown, |names| match language {
        Language::En => &names.en,
        Language::De => &names.de,
        Language::Es => &names.es,
        Language::Pt => &names.pt,
    });
    let station = event.station_name.as_ref().or(event.station.as_ref());
    let person = event.person.as_ref().or(event.employee.as_ref());
    let parts: Vec<_> =
        [event.order.as_ref(), station, person].into_iter().flatten().map(|part| without_markup(part)).collect();
    (without_markup(title), parts.join(" · "))
}

/// Removes markup from the service's text, since some desktops render it, and limits its length.
pub(super) fn without_markup(text: &str) -> String {
    text.chars().filter(|character| !matches!(character, '<' | '>' | '&')).take(120).collect()
}

#[cfg(test)]
mod tests {
    use takt_engine::inbox::{EventState, SignatureState};

    use super::*;

    fn event() -> EventLine {
        EventLine {
            id: 7,
            site: "practice".to_owned(),
            received: "2026-11-22T10:00:00Z".to_owned(),
            state: EventState::Sound,
            kind: Some(2),
            name: None,
            names: None,
            station: Some("WS-04".to_owned()),
            station_name: Some("Press <b>4</b>".to_owned()),
            employee: Some("1007".to_owned()),
            person: None,
            description: None,
            order: Some("WO-12".to_owned()),
            orders: 1,
            signed: SignatureState::Unchecked,
            replay: false,
            copies: 0,
            allowed: None,
            answered_by: None,
        }
    }

    #[test]
    fn all_that_is_said_must_fit() {
        let any = NoticeRule { on: true, ..NoticeRule::default() };
        assert!(any.matches(&event()) && !NoticeRule::default().matches(&event()), "one that is off fits nothing");
        assert!(NoticeRule { kinds: vec![1, 2], ..any.clone() }.matches(&event()));
        assert!(!NoticeRule { kinds: vec![1], ..any.clone() }.matches(&event()));
        assert!(
            NoticeRule { station: " press".to_owned(), employee: "007".to_owned(), ..any.clone() }.matches(&event())
        );
        assert!(!NoticeRule { station: "press".to_owned(), order: "WO-13".to_owned(), ..any }.matches(&event()));
    }

    #[test]
    fn what_is_told_is_no_markup() {
        let (title, text) = notification_text(&event(), Language::De, "?");
        assert_eq!((title.as_str(), text.as_str()), ("?", "WO-12 · Press b4/b · 1007"));
    }
}
