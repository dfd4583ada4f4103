//! What a person may have meant: the nearest of the values that a field takes.

use takt_contract::FieldKind;

use super::super::target::Target;
use takt_browse::reference::{folded, is_another_number};

const MAX_SUGGESTIONS: usize = 5;
/// Up to so many values a field's whole choice is shown, nearest first; beyond, only what is like the text.
const SMALL_CHOICE: usize = 4;
const LIKE: f64 = 0.6;
/// From here on a value is taken for the one that was meant, if it is ahead of the next one by the margin.
const CLEAR: f64 = 0.8;
const MARGIN: f64 = 0.03;

/// The nearest first. `known` are codes that the field is known to take at the site, by field path and text.
pub(crate) fn suggestions(target: &Target, text: &str, known: &dyn Fn(&str, &str) -> Vec<String>) -> Vec<String> {
    let text = text.trim();
    let closed: Vec<String> = if target.kind == FieldKind::Boolean {
        vec!["true".to_owned(), "false".to_owned()]
    } else {
        target.limits.values.clone()
    };
    let mut found = near(text, &closed);
    for code in known(&target.path, text) {
        if !found.contains(&code) {
            found.push(code);
        }
    }
    found.retain(|value| value != text);
    found.truncate(MAX_SUGGESTIONS);
    found
}

/// The nearest, where it is near and nothing else is nearly as near.
pub(crate) fn clear_suggestion(
    target: &Target,
    text: &str,
    known: &dyn Fn(&str, &str) -> Vec<String>,
) -> Option<String> {
    let wanted = text.trim().to_lowercase();
    let number = folded(text);
    let score = |value: &String| strsim::jaro_winkler(&wanted, &value.to_lowercase());
    let mut found = suggestions(target, text, known).into_iter();
    let near = |first: &String| score(first) >= CLEAR && !is_another_number(&number, &folded(first));
    let first = found.next().filter(|first| !wanted.is_empty() && near(first))?;
    found.all(|other| score(&other) + MARGIN <= score(&first)).then_some(first)
}

fn near(text: &str, values: &[String]) -> Vec<String> {
    let wanted = text.to_lowercase();
    let likeness = |value: &String| strsim::jaro_winkler(&wanted, &value.to_lowercase());
    let mut scored: Vec<(f64, &String)> = values.iter().map(|value| (likeness(value), value)).collect();
    scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let all = values.len() <= SMALL_CHOICE;
    scored.into_iter().filter(|(score, _)| all || *score >= LIKE).map(|(_, value)| value.clone()).collect()
}
