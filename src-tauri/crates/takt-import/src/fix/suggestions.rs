//! Suggests the accepted values of a field that are nearest to a text.

use takt_contract::FieldKind;

use super::super::target::Target;
use takt_browse::reference::{folded, is_another_number};

const MAX_SUGGESTIONS: usize = 5;
/// Up to this number of values, all are suggested. If there are more, only similar ones are.
const MAX_FULL_CHOICE: usize = 4;
const MIN_LIKENESS: f64 = 0.6;
/// Minimum likeness of a value to be the intended one. It must also lead the next value by [`MIN_LEAD`].
const MIN_CLEAR_LIKENESS: f64 = 0.8;
const MIN_LEAD: f64 = 0.03;

/// Returns values, nearest first. `site_codes` returns the codes that the site knows for a field, given its path and
/// the text.
pub(crate) fn suggestions(target: &Target, text: &str, site_codes: &dyn Fn(&str, &str) -> Vec<String>) -> Vec<String> {
    let text = text.trim();
    let closed: Vec<String> = if target.kind == FieldKind::Boolean {
        vec!["true".to_owned(), "false".to_owned()]
    } else {
        target.limits.values.clone()
    };
    let mut found = nearest_values(text, &closed);
    for code in site_codes(&target.path, text) {
        if !found.contains(&code) {
            found.push(code);
        }
    }
    found.retain(|value| value != text);
    found.truncate(MAX_SUGGESTIONS);
    found
}

/// Returns the nearest value if it's near enough and clearly ahead of the others.
pub(crate) fn clear_suggestion(
    target: &Target,
    text: &str,
    site_codes: &dyn Fn(&str, &str) -> Vec<String>,
) -> Option<String> {
    let wanted = text.trim().to_lowercase();
    let number = folded(text);
    let score = |value: &String| strsim::jaro_winkler(&wanted, &value.to_lowercase());
    let mut found = suggestions(target, text, site_codes).into_iter();
    let near = |first: &String| score(first) >= MIN_CLEAR_LIKENESS && !is_another_number(&number, &folded(first));
    let first = found.next().filter(|first| !wanted.is_empty() && near(first))?;
    found.all(|other| score(&other) + MIN_LEAD <= score(&first)).then_some(first)
}

fn nearest_values(text: &str, values: &[String]) -> Vec<String> {
    let wanted = text.to_lowercase();
    let likeness = |value: &String| strsim::jaro_winkler(&wanted, &value.to_lowercase());
    let mut scored: Vec<(f64, &String)> = values.iter().map(|value| (likeness(value), value)).collect();
    scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let all = values.len() <= MAX_FULL_CHOICE;
    scored.into_iter().filter(|(score, _)| all || *score >= MIN_LIKENESS).map(|(_, value)| value.clone()).collect()
}
