//! Checks values against the limits of their field.

use crate::{mark::Note, reading::ReadValue, target::Target};
use takt_core::finding::FindingCode;

/// Returns the finding for the limit that a value violates.
pub(crate) fn violated_limit(field: &Target, value: &ReadValue<'_>) -> Option<(FindingCode, Note)> {
    let limits = &field.limits;
    if let Some(number) = value.number() {
        if let Some(bound) = limits.exclusive_minimum.filter(|&bound| number <= bound) {
            return Some((FindingCode::NotAbove, Note::Limit(bound)));
        }
        if let Some(bound) = limits.minimum.filter(|&bound| number < bound) {
            return Some((FindingCode::BelowMinimum, Note::Limit(bound)));
        }
        return limits
            .maximum
            .filter(|&bound| number > bound)
            .map(|bound| (FindingCode::AboveMaximum, Note::Limit(bound)));
    }
    let ReadValue::Text(text) = value else { return None };
    if let Some(bound) =
        limits.max_length.filter(|&bound| text.len() > bound as usize && text.chars().count() > bound as usize)
    {
        return Some((FindingCode::TooLong, Note::Limit(f64::from(bound))));
    }
    let allowed = limits.values.is_empty() || limits.values.iter().any(|allowed| allowed == text.as_ref());
    (!allowed).then_some((FindingCode::NotAllowed, Note::None))
}
