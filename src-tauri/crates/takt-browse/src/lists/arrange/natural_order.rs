//! Sorts texts naturally: WO-9 before WO-10, `a` next to `A` and `ä`.

use takt_core::folding::fold;

/// Returns a byte key with the text's order. Texts that differ only in case, accents or leading zeros have the same
/// key.
pub(super) fn natural_key(text: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(text.len() + 4);
    let text = fold(text.trim());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if !letter.is_ascii_digit() {
            key.extend(letter.encode_utf8(&mut [0; 4]).bytes());
            continue;
        }
        let mut digits = String::from(letter);
        while let Some(next) = letters.next_if(char::is_ascii_digit) {
            digits.push(next);
        }
        let digits = digits.trim_start_matches('0');
        // A longer number is larger, so its length precedes the digits.
        key.push(b'0');
        key.extend(u32::try_from(digits.len()).unwrap_or(u32::MAX).to_be_bytes());
        key.extend(digits.bytes());
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_texts_count_as_numbers() {
        let mut texts = ["WO-10", "wo-9", "WO-100", "", "Öl", "P", "WO-9a", "o", "WO-", "Z", "7", "12", "-1"];
        texts.sort_by_key(|text| natural_key(text));
        assert_eq!(texts, ["", "-1", "7", "12", "o", "Öl", "P", "WO-", "wo-9", "WO-9a", "WO-10", "WO-100", "Z"]);
        assert_eq!(natural_key("WO-007"), natural_key("wo-7"));
        assert_eq!(natural_key("Čeněk Łęcki Ørsted"), natural_key("cenek lecki orsted"));
        assert_eq!(natural_key("Straße"), natural_key("STRASSE"));
        assert!(natural_key("99999999999999999999999") < natural_key("100000000000000000000000"));
    }
}
