//! Invisible characters, which planners can't see but which make codes differ. Defines which are reported, and how
//! texts are shown and cleaned.

use std::borrow::Cow;

pub(crate) use takt_core::invisible::{is_invisible, is_space};

use takt_core::invisible::is_direction_control;

/// Returns true if a character is reported. Free text may contain tabs, line ends, joiners, variation selectors, soft
/// hyphens, direction marks and no-break spaces.
fn is_reported(letter: char, is_code: bool) -> bool {
    if is_code { is_invisible(letter) } else { is_misplaced(letter) }
}

/// Returns true for control characters, and for invisible characters without a use in free text.
fn is_misplaced(letter: char) -> bool {
    let is_control = letter.is_control() && !matches!(letter, '\0' | '\t' | '\n' | '\r');
    is_control
        || is_direction_control(letter)
        || matches!(letter,
            '\u{200b}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}')
}

/// Returns the first character that is reported.
pub(crate) fn find_reported_character(text: &str, is_code: bool) -> Option<char> {
    text.chars().find(|&letter| is_reported(letter, is_code))
}

/// Trims spaces and invisible characters at the edges of a text.
pub(crate) fn trim_blank(text: &str) -> &str {
    // Fast path for nearly all texts.
    match text.as_bytes() {
        [b'!'..=b'~'] | [b'!'..=b'~', .., b'!'..=b'~'] => text,
        _ => text.trim_matches(|letter: char| letter.is_whitespace() || is_invisible(letter)),
    }
}

/// Like [`trim_blank`], without copying a text that is borrowed.
pub(crate) fn trim_blank_cow(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(trim_blank(text)),
        Cow::Owned(text) => Cow::Owned(trim_blank(&text).to_owned()),
    }
}

/// Removes the reported characters. Reported spaces and line ends become a plain space.
pub(crate) fn remove_reported_characters(text: &str, is_code: bool) -> String {
    let letters = text.chars().filter_map(|letter| match is_reported(letter, is_code) {
        true if letter.is_whitespace() => Some(' '),
        true => None,
        false => Some(letter),
    });
    let cleaned: String = letters.collect();
    if is_code { trim_blank(&cleaned).to_owned() } else { cleaned }
}

/// Shows each reported character by its code point and name, for example `WO-12⟨U+200B zero width space⟩34`. Shows at
/// most `max_length` characters, including the first reported one.
pub(crate) fn reveal_invisible(text: &str, is_code: bool, max_length: usize) -> String {
    let first = text.chars().position(|letter| is_reported(letter, is_code)).unwrap_or_default();
    let skipped = if first < max_length { 0 } else { first - max_length / 2 };
    let mut shown = if skipped > 0 { "…".to_owned() } else { String::new() };
    let mut letters = text.chars().skip(skipped);
    for letter in letters.by_ref().take(max_length) {
        if is_reported(letter, is_code) {
            shown.push_str(&format!("⟨{}⟩", describe_character(letter)));
        } else {
            shown.push(letter);
        }
    }
    if letters.next().is_some() {
        shown.push('…');
    }
    shown
}

/// Returns the code point and Unicode name, for example `U+200B zero width space`.
pub(crate) fn describe_character(letter: char) -> String {
    let name = match letter {
        '\t' => "tab",
        '\n' => "line feed",
        '\r' => "carriage return",
        '\u{a0}' => "no-break space",
        '\u{ad}' => "soft hyphen",
        '\u{34f}' => "combining grapheme joiner",
        '\u{61c}' => "Arabic letter mark",
        '\u{2007}' => "figure space",
        '\u{2009}' => "thin space",
        '\u{200b}' => "zero width space",
        '\u{200c}' => "zero width non-joiner",
        '\u{200d}' => "zero width joiner",
        '\u{200e}' => "left-to-right mark",
        '\u{200f}' => "right-to-left mark",
        '\u{2028}' => "line separator",
        '\u{2029}' => "paragraph separator",
        '\u{202a}' => "left-to-right embedding",
        '\u{202b}' => "right-to-left embedding",
        '\u{202c}' => "pop directional formatting",
        '\u{202d}' => "left-to-right override",
        '\u{202e}' => "right-to-left override",
        '\u{202f}' => "narrow no-break space",
        '\u{2060}' => "word joiner",
        '\u{2066}' => "left-to-right isolate",
        '\u{2067}' => "right-to-left isolate",
        '\u{2068}' => "first strong isolate",
        '\u{2069}' => "pop directional isolate",
        '\u{3000}' => "ideographic space",
        '\u{fe00}'..='\u{fe0f}' => "variation selector",
        '\u{feff}' => "zero width no-break space",
        _ if is_space(letter) => "space",
        _ if letter.is_control() => "control character",
        _ => "invisible character",
    };
    format!("U+{:04X} {name}", u32::from(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_free_text_report_different_characters() {
        let listed = "\u{200c}\u{200d}\u{200e}\u{200f}\u{ad}\u{fe0f}\u{a0}\u{202f}\t\n\r";
        for letter in listed.chars() {
            assert!(is_reported(letter, true) && !is_reported(letter, false), "{letter:?}");
        }
        let misplaced = "\u{1}\u{7}\u{b}\u{c}\u{1a}\u{7f}\u{85}\u{200b}\u{2028}\u{2029}\u{2060}\u{feff}";
        let directions = ('\u{202a}'..='\u{202e}').chain('\u{2066}'..='\u{2069}');
        for letter in misplaced.chars().chain(directions) {
            assert!(is_reported(letter, true) && is_reported(letter, false), "{letter:?}");
        }
        for letter in " aÄ-_/٣中\0é".chars() {
            assert!(!is_reported(letter, true), "{letter:?}");
        }
        assert_eq!(find_reported_character("❤\u{fe0f}👩\u{200d}🔧 می\u{200c}خواهم", false), None);
    }

    #[test]
    fn a_text_is_shown_and_cleaned() {
        assert_eq!(reveal_invisible("WO-12\u{200b}34", true, 80), "WO-12⟨U+200B zero width space⟩34");
        assert_eq!(remove_reported_characters("\u{feff}WO-12\u{200b}34\u{a0}", true), "WO-1234");
        assert_eq!(remove_reported_characters("WO\u{a0}12\n34", true), "WO 12 34");
        assert_eq!(remove_reported_characters("a\u{202e}b\u{200d}c", false), "ab\u{200d}c");
        let long = format!("{}\u{ad}b", "a".repeat(200));
        let shown = reveal_invisible(&long, true, 80);
        assert!(shown.contains("⟨U+00AD soft hyphen⟩b") && shown.starts_with('…') && shown.len() < 150, "{shown}");
        assert_eq!(trim_blank("\u{200e} 12\u{200b}"), "12");
        assert_eq!(trim_blank("\0"), "\0");
    }
}
