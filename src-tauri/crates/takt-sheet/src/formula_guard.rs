//! Apostrophes that prevent a spreadsheet from reading texts of a csv as formulas. [`remove_formula_guards`] removes
//! exactly the apostrophes that [`add_formula_guards`] inserts, also from a text that already had some.
//!
//! A spreadsheet may split a csv at semicolons or tabs although it was written with commas. Quotes don't protect the
//! text after such a character, so a formula that begins there is guarded as well.

use std::borrow::Cow;

const GUARD: char = '\'';
/// First characters of a formula, including the full-width ones of Japanese keyboards.
const FORMULA_SIGNS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];
/// Characters after which a spreadsheet may begin another cell.
const CELL_BREAKS: [char; 4] = [';', '\t', '\n', '\r'];
/// Characters that some spreadsheets drop at the start of a cell before they look for a formula.
const IGNORED_AT_START: [char; 3] = ['\t', '\n', '\r'];

/// Returns a text that no spreadsheet reads as a formula. Numbers aren't changed.
pub(crate) fn add_formula_guards(text: &str) -> Cow<'_, str> {
    let is_number = || text.parse::<f64>().is_ok_and(f64::is_finite);
    let starts = find_formula_starts(text);
    if starts.is_empty() || is_number() {
        return Cow::Borrowed(text);
    }
    let mut guarded = String::with_capacity(text.len() + starts.len());
    let mut copied = 0;
    for start in starts {
        guarded.push_str(text.get(copied..start).unwrap_or_default());
        guarded.push(GUARD);
        copied = start;
    }
    guarded.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(guarded)
}

/// Reverses [`add_formula_guards`].
pub(crate) fn remove_formula_guards(text: &str) -> Cow<'_, str> {
    if !text.contains(GUARD) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut copied = 0;
    for start in find_formula_starts(text) {
        if let Some(rest) = text.get(start..).and_then(|rest| rest.strip_prefix(GUARD)) {
            plain.push_str(text.get(copied..start).unwrap_or_default());
            copied = text.len() - rest.len();
        }
    }
    plain.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(plain)
}

/// Returns a text without its first apostrophe if that looks like a guard, or `None` for any other text.
#[must_use]
pub fn strip_formula_guard(text: &str) -> Option<&str> {
    text.strip_prefix(GUARD).filter(|_| begins_formula(text))
}

/// Returns the text of a formula that is only a text, such as `="00123"`. Excel and other programs write it into a csv
/// to preserve the zeros. Returns `None` for any other formula.
pub(crate) fn parse_text_formula(text: &str) -> Option<String> {
    let quoted = text.trim_end_matches(' ').strip_prefix("=\"")?.strip_suffix('"')?;
    // A quote within the text is doubled.
    let is_one_text = quoted.split("\"\"").all(|part| !part.contains('"'));
    is_one_text.then(|| quoted.replace("\"\"", "\""))
}

/// Returns the positions where a formula may begin, ascending. Apostrophes there make no difference, so a guarded text
/// has the same positions.
fn find_formula_starts(text: &str) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut is_sign_next = false;
    // Scans from the end, so that a long run of spaces is passed only once.
    for (at, character) in text.char_indices().rev() {
        if is_sign_next && CELL_BREAKS.contains(&character) {
            starts.push(at + character.len_utf8());
        }
        // Quotes are doubled within a csv's quotes, and an empty pair of them may precede a formula.
        if character != '"' && !can_precede_sign(character) {
            is_sign_next = FORMULA_SIGNS.contains(&character);
        }
    }
    if begins_formula(text) {
        starts.push(0);
    }
    starts.reverse();
    starts
}

fn begins_formula(text: &str) -> bool {
    text.trim_start_matches(can_precede_sign).starts_with(FORMULA_SIGNS)
        || text.trim_start_matches(GUARD).starts_with(IGNORED_AT_START)
}

/// Returns true for white space and apostrophes, which may precede the sign of a formula.
fn can_precede_sign(character: char) -> bool {
    character == GUARD || character.is_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_be_a_formula_is_guarded() {
        let cases = [
            ("=1+1", "'=1+1"),
            ("-Sheet", "'-Sheet"),
            ("+Pole", "'+Pole"),
            ("=> see", "'=> see"),
            ("@4 bar", "'@4 bar"),
            ("＝1", "'＝1"),
            ("－x", "'－x"),
            ("  =1", "'  =1"),
            ("\tx", "'\tx"),
            ("\rx", "'\rx"),
            (";=1+41;", ";'=1+41;"),
            ("a\n\"\"=1", "a\n'\"\"=1"),
            ("a;b;;-c", "a;b;;'-c"),
            ("'-5", "''-5"),
            ("''-5", "'''-5"),
            ("' =", "'' ="),
        ];
        for (text, guarded) in cases {
            assert_eq!(add_formula_guards(text), guarded);
            assert_eq!(remove_formula_guards(guarded), text);
        }
        for text in
            ["", "-7", "+5", "-1e5", "'", "'n Sync", "5' pipe", "a - b", "a=b", "10;20", "\"-x\"", "5'-6'", "it's"]
        {
            assert_eq!((add_formula_guards(text), remove_formula_guards(text)), (text.into(), text.into()));
        }
        assert_eq!(add_formula_guards("-inf"), "'-inf");
    }

    #[test]
    fn a_formula_that_is_a_text_is_that_text() {
        for (text, expected) in [
            ("=\"00123\"", Some("00123")),
            ("=\"\"", Some("")),
            ("=\"5\"\" pipe\"", Some("5\" pipe")),
            ("=\"a\"&\"b\"", None),
            ("=\"", None),
            ("=1+1", None),
            ("= \"a\"", None),
            ("\"a\"", None),
        ] {
            assert_eq!(parse_text_formula(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn an_apostrophe_that_looks_like_a_guard_is_known() {
        assert_eq!(strip_formula_guard("'-5"), Some("-5"));
        assert_eq!(strip_formula_guard("'n Sync"), None);
        assert_eq!(strip_formula_guard("-5"), None);
    }

    /// Every text of up to six of these characters.
    #[test]
    fn what_is_guarded_is_unguarded() {
        let letters = ['\'', '=', ';', '\t', '"', 'a', '5'];
        let mut texts = vec![String::new()];
        for length in 0..6 {
            let longer = texts.iter().filter(|text| text.chars().count() == length);
            let longer: Vec<String> = longer.flat_map(|text| letters.map(|letter| format!("{text}{letter}"))).collect();
            texts.extend(longer);
        }
        for text in texts {
            assert_eq!(remove_formula_guards(&add_formula_guards(&text)), text);
        }
    }

    /// Work that grows with the square of the text would take minutes here.
    #[test]
    fn a_hostile_text_is_guarded_in_one_pass() {
        let text = "\n'".repeat(500_000);
        assert_eq!(remove_formula_guards(&add_formula_guards(&text)), text);
    }
}
