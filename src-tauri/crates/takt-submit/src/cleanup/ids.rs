//! Template IDs as users type them: `1, 4, 7-12`.

use std::collections::HashSet;

use takt_core::{Code, Problem};

use super::view::{Ids, saturating_u32};

/// Limits the size of a set, because each template takes a request.
const MAX_IDS: usize = 2_000;
/// 2^53. JavaScript represents every whole number up to this one exactly.
const MAX_ID: i64 = 9_007_199_254_740_992;

/// Parses template IDs in the order in which they were typed, each once. Ranges include both ends.
///
/// # Errors
///
/// [`Code::InvalidInput`]: the text has no number, a part is neither a number nor a range, or there are too many IDs.
pub fn parse_template_ids(text: &str) -> Result<Vec<i64>, Problem> {
    let invalid = |what: &str| Problem::new(Code::InvalidInput).parameter("what", what);
    let mut seen = HashSet::new();
    let mut ids = Vec::new();
    for part in split_parts(text) {
        let (first, last) = parse_range(&part).ok_or_else(|| invalid(&part))?;
        for id in first..=last {
            if seen.insert(id) {
                ids.push(id);
            }
            if ids.len() > MAX_IDS {
                return Err(invalid(&part));
            }
        }
    }
    if ids.is_empty() { Err(invalid(text.trim())) } else { Ok(ids) }
}

/// Formats template IDs in ascending order: `1-3, 7`.
#[must_use]
pub fn format_template_ids(ids: &[i64]) -> String {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    let runs = ids.chunk_by(|one, next| one.checked_add(1) == Some(*next));
    let written = runs.filter_map(|run| match run {
        [] => None,
        [one] => Some(one.to_string()),
        [first, last] => Some(format!("{first}, {last}")),
        [first, .., last] => Some(format!("{first}-{last}")),
    });
    written.collect::<Vec<_>>().join(", ")
}

impl Ids {
    pub(super) fn new(ids: &[i64]) -> Self {
        Self { count: saturating_u32(ids.len()), text: format_template_ids(ids) }
    }
}

/// Splits the text at commas, semicolons and blanks. Blanks around a dash don't split.
fn split_parts(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut blank = false;
    for character in text.chars() {
        let character = if matches!(character, '–' | '—' | '‑') { '-' } else { character };
        if character.is_whitespace() {
            blank = true;
            continue;
        }
        let separates = matches!(character, ',' | ';');
        let after_dash = parts.last().is_some_and(|part| part.ends_with('-'));
        if separates || (blank && character != '-' && !after_dash) {
            parts.push(String::new());
        }
        blank = false;
        if !separates && let Some(part) = parts.last_mut() {
            part.push(character);
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn parse_range(part: &str) -> Option<(i64, i64)> {
    let (first, last) = part.split_once('-').unwrap_or((part, part));
    let (first, last) = (parse_id(first)?, parse_id(last)?);
    (first <= last).then_some((first, last))
}

fn parse_id(text: &str) -> Option<i64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|id| digits && *id <= MAX_ID)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges() {
        let read = |text| parse_template_ids(text).unwrap_or_default();
        assert_eq!(read("1, 4, 7-12"), [1, 4, 7, 8, 9, 10, 11, 12]);
        assert_eq!(read(" 3;3\n2 1 - 3 "), [3, 2, 1]);
        assert_eq!(read("20–22,"), [20, 21, 22]);
        assert_eq!(read("007"), [7]);
        assert_eq!(read("5-5"), [5]);
    }

    #[test]
    fn ids_are_written_as_they_are_read() {
        for (ids, text) in [
            (&[][..], ""),
            (&[7], "7"),
            (&[3, 1, 2, 2, 9], "1-3, 9"),
            (&[5, 6], "5, 6"),
            (&[1, 3, 4, 5, 6, 305], "1, 3-6, 305"),
        ] {
            assert_eq!(format_template_ids(ids), text);
        }
        let ids = parse_template_ids("1-200, 305").unwrap_or_default();
        assert_eq!(parse_template_ids(&format_template_ids(&ids)).unwrap_or_default(), ids);
    }

    #[test]
    fn invalid_ids_are_named() {
        for (text, what) in [
            ("", ""),
            (" , ", ","),
            ("1, x", "x"),
            ("12-7", "12-7"),
            ("-4", "-4"),
            ("1-2-3", "1-2-3"),
            ("1.5", "1.5"),
            ("99999999999999999999", "99999999999999999999"),
            ("9007199254740993", "9007199254740993"),
            ("1-2001", "1-2001"),
            ("1-9007199254740992", "1-9007199254740992"),
        ] {
            let found = parse_template_ids(text);
            let named = found.as_ref().err().and_then(|problem| problem.parameters.get("what").cloned());
            assert_eq!(named.as_deref(), Some(what), "{text}: {found:?}");
        }
    }
}
