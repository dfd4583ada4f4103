//! Addresses of cells, and column letters as Excel shows them.

/// A cell's row and column in its sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellAddress {
    /// 1-based, as Excel shows it.
    pub row: u32,
    /// 0-based.
    pub column: u32,
}

/// Returns the letters of a 0-based column: `A` for 0, `Z` for 25, `AA` for 26, `XFD` for 16383.
#[must_use]
pub fn column_letters(index: u32) -> String {
    let mut letters = Vec::new();
    let mut rest = u64::from(index) + 1;
    while rest > 0 {
        let digit = (rest - 1) % 26;
        letters.push(b'A' + u8::try_from(digit).unwrap_or_default());
        rest = (rest - 1) / 26;
    }
    letters.iter().rev().map(|&letter| char::from(letter)).collect()
}

/// Returns the 0-based index of a column from its letters in either case, or `None` if they aren't column letters.
#[must_use]
pub fn column_index(letters: &str) -> Option<u32> {
    if letters.is_empty() || letters.len() > 6 || !letters.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    let number = letters.bytes().fold(0, |sum, byte| sum * 26 + u32::from(byte.to_ascii_uppercase() - b'A') + 1);
    Some(number - 1)
}
