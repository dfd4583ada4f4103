//! Characters that a person can't see, and that make a name another name.

/// Spaces other than tabs and line ends.
#[must_use]
pub fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// Characters that no code contains on purpose. A zero byte isn't among them: it makes a text unreadable.
#[must_use]
pub fn is_invisible(letter: char) -> bool {
    letter != ' ' && is_space(letter)
        || is_direction(letter)
        || letter.is_control() && letter != '\0'
        || matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Embeddings, overrides and isolates: they change the order in which a text is shown.
#[must_use]
pub fn is_direction(letter: char) -> bool {
    matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// With an escape for each of them, so that a person sees why a name isn't the one that it seems to be.
#[must_use]
pub fn escaped(text: &str) -> String {
    let shown =
        |letter: char| if is_invisible(letter) { letter.escape_unicode().to_string() } else { letter.to_string() };
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_written_out() {
        assert_eq!(escaped("Werk Süd 1"), "Werk Süd 1");
        assert_eq!(escaped("W\u{202e}orks\u{200b}"), "W\\u{202e}orks\\u{200b}");
    }
}
