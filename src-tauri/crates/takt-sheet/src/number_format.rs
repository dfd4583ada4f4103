//! Number formats that show more than a number's digits: `00000`, `"WO-"000000`, `000-000`.
//!
//! Only these are rendered, since a code in such a cell is what its format shows. Grouping, decimals and currencies depend on
//! the reader's country and are left alone: there the number itself is the truth.

/// The longest code that is made up of a format.
const MOST_DIGITS: usize = 40;

/// A format of literals and `0` placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CodeFormat {
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    /// Shows a digit, and 0 where there is none.
    Zero,
    /// Shows a digit where there is one.
    Digit,
    Literal(char),
}

impl CodeFormat {
    /// `None` for every format that isn't one of these.
    pub(crate) fn parse(code: &str) -> Option<Self> {
        let mut pieces = Vec::new();
        let mut characters = code.chars();
        while let Some(character) = characters.next() {
            match character {
                '0' => pieces.push(Piece::Zero),
                '#' => pieces.push(Piece::Digit),
                '"' => loop {
                    match characters.next()? {
                        '"' => break,
                        quoted => pieces.push(Piece::Literal(quoted)),
                    }
                },
                '\\' => pieces.push(Piece::Literal(characters.next()?)),
                '-' | ' ' | '(' | ')' | '+' => pieces.push(Piece::Literal(character)),
                ';' => break,
                _ => return None,
            }
        }
        let zeros = pieces.iter().filter(|piece| **piece == Piece::Zero).count();
        let literals = pieces.iter().any(|piece| matches!(piece, Piece::Literal(_)));
        let speaks = zeros >= 2 || (zeros == 1 && literals);
        (speaks && pieces.len() <= MOST_DIGITS).then_some(Self { pieces })
    }

    /// What the cell shows; `None` where the number itself says as much.
    pub(crate) fn show(&self, value: f64) -> Option<String> {
        if value < 0.0 || value.fract() != 0.0 || value >= 1e15 {
            return None;
        }
        let plain = format!("{value:.0}");
        let mut digits: Vec<char> = plain.chars().collect();
        let places = self.pieces.iter().filter(|piece| !matches!(piece, Piece::Literal(_))).count();
        let mut shown = Vec::new();
        let mut left = places;
        for piece in self.pieces.iter().rev() {
            match piece {
                Piece::Literal(character) => shown.push(*character),
                Piece::Zero => shown.push(digits.pop().unwrap_or('0')),
                Piece::Digit => shown.extend(digits.pop()),
            }
            if !matches!(piece, Piece::Literal(_)) {
                left -= 1;
                // The first placeholder takes all digits that are left.
                if left == 0 {
                    shown.extend(digits.drain(..).rev());
                }
            }
        }
        let shown: String = shown.iter().rev().collect();
        (shown != plain).then_some(shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(format: &str, value: f64) -> Option<String> {
        CodeFormat::parse(format)?.show(value)
    }

    #[test]
    fn codes_are_shown_with_what_their_format_adds() {
        assert_eq!(show("00000", 123.0).as_deref(), Some("00123"));
        assert_eq!(show("00000", 1_234_567.0), None);
        assert_eq!(show("000-000", 123_456.0).as_deref(), Some("123-456"));
        assert_eq!(show("000-000", 9_123_456.0).as_deref(), Some("9123-456"));
        assert_eq!(show("\"WO-\"000000", 260_001.0).as_deref(), Some("WO-260001"));
        assert_eq!(show("\\A0", 7.0).as_deref(), Some("A7"));
        assert_eq!(show("0000;-0000", 5.0).as_deref(), Some("0005"));
    }

    #[test]
    fn all_other_formats_are_left_alone() {
        for format in
            ["General", "0", "0.00", "#,##0", "0%", "@", "[h]:mm", "yyyy-mm-dd", "0.00E+00", "\"open", "# ?/?"]
        {
            assert_eq!(show(format, 12.0), None, "{format}");
        }
        assert_eq!(show("00000", -1.0), None);
        assert_eq!(show("00000", 1.5), None);
    }
}
