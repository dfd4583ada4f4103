//! Characters that are invisible, and can make two names look the same.

/// Returns true for spaces other than tabs and line ends.
#[must_use]
pub fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// Returns true for characters that no code contains on purpose, except a zero byte, which makes a text unreadable.
#[must_use]
pub fn is_invisible(letter: char) -> bool {
    letter != ' ' && is_space(letter)
        || is_direction_control(letter)
        || letter.is_control() && letter != '\0'
        || matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Returns true for embeddings, overrides and isolates, which change a text's display order.
#[must_use]
pub fn is_direction_control(letter: char) -> bool {
    matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Escapes invisible characters, so that users can see why similar names differ.
#[must_use]
pub fn escape_invisible(text: &str) -> String {
    let escape =
        |letter: char| if is_invisible(letter) { letter.escape_unicode().to_string() } else { letter.to_string() };
    text.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_written_out() {
        assert_eq!(escape_invisible("Werk Süd 1"), "Werk Süd 1");
        assert_eq!(escape_invisible("W\u{202e}orks\u{200b}"), "W\\u{202e}orks\\u{200b}");
    }
}
