//! The order in which people expect texts: WO-9 before WO-10, `a` beside `A` and `ä`.

/// Bytes whose order is that of the text. Texts that differ only in case, accents or leading zeros have the same.
pub(super) fn key(text: &str) -> Vec<u8> {
    let mut made = Vec::with_capacity(text.len() + 4);
    let mut letters = text.trim().chars().peekable();
    while let Some(letter) = letters.next() {
        if !letter.is_ascii_digit() {
            add(&mut made, letter);
            continue;
        }
        let mut digits = String::from(letter);
        while let Some(next) = letters.next_if(char::is_ascii_digit) {
            digits.push(next);
        }
        let digits = digits.trim_start_matches('0');
        // A longer number is a larger one: its length goes first, where a digit would stand.
        made.push(b'0');
        made.extend(u32::try_from(digits.len()).unwrap_or(u32::MAX).to_be_bytes());
        made.extend(digits.bytes());
    }
    made
}

fn add(made: &mut Vec<u8>, letter: char) {
    let mut room = [0; 4];
    for low in letter.to_lowercase() {
        made.extend(base(low).encode_utf8(&mut room).bytes());
    }
}

/// The letter without its accent, for the languages that Takt speaks.
fn base(letter: char) -> char {
    match letter {
        'à'..='å' => 'a',
        'ç' => 'c',
        'è'..='ë' => 'e',
        'ì'..='ï' => 'i',
        'ñ' => 'n',
        'ò'..='ö' | 'ø' => 'o',
        'ù'..='ü' => 'u',
        'ý' | 'ÿ' => 'y',
        'ß' => 's',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_texts_count_as_numbers() {
        let mut texts = ["WO-10", "wo-9", "WO-100", "", "Öl", "P", "WO-9a", "o", "WO-", "Z", "7", "12", "-1"];
        texts.sort_by_key(|text| key(text));
        assert_eq!(texts, ["", "-1", "7", "12", "o", "Öl", "P", "WO-", "wo-9", "WO-9a", "WO-10", "WO-100", "Z"]);
        assert_eq!(key("WO-007"), key("wo-7"));
        assert!(key("99999999999999999999999") < key("100000000000000000000000"));
    }
}
