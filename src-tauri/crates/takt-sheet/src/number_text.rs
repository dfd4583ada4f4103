//! Numbers as files write them.

/// Parses a number. Integers of up to fifteen digits take a faster path, with the same result.
pub(crate) fn parse_number(text: &str) -> Option<f64> {
    if (1..=15).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let integer = text.bytes().fold(0_u64, |sum, digit| sum * 10 + u64::from(digit - b'0'));
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        return Some(integer as f64);
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_what_the_language_reads() {
        for text in ["", "0", "007", "999999999999999", "1000000000000001", "-1.5E3", "1e400", "inf", "1,5", "٣"] {
            assert_eq!(parse_number(text), text.parse().ok(), "{text}");
        }
    }
}
