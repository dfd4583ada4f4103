//! The mark that some programs put before a text in UTF-8. JSON doesn't know it (RFC 8259, 8.1), and lets a reader pass over it.

const MARK: &[u8] = "\u{feff}".as_bytes();

/// The bytes of a text without the mark.
#[must_use]
pub fn without_byte_order_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(MARK).unwrap_or(text)
}

/// A text without the mark.
#[must_use]
pub fn text_without_byte_order_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_mark_at_the_beginning_is_passed_over() {
        assert_eq!(without_byte_order_mark("\u{feff}{}".as_bytes()), b"{}");
        assert_eq!(without_byte_order_mark(b"{}"), b"{}");
        assert_eq!((text_without_byte_order_mark("\u{feff}a"), text_without_byte_order_mark("a")), ("a", "a"));
        assert_eq!(without_byte_order_mark("\u{feff}\u{feff}".as_bytes()), MARK);
    }
}
