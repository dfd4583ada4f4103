//! Which pairs of letters stand in the texts of a column: a text that holds another one holds its pairs, too. What lacks one
//! needn't be unpacked for being searched.
//!
//! Pairs are told apart by their hash and without letter case, so that a few seem to be there that aren't.

/// How many pairs are told apart, as a power of two.
const BITS: u32 = 9;
/// Bytes that they take.
pub(super) const SIZE: usize = 1 << (BITS - 3);
/// Pairs whose numbers are made at once, which costs less than one after the other.
const AT_ONCE: usize = 64;
/// The bit by which a small letter differs from its capital one, in both letters.
const CASE: u16 = 0x2020;
/// Letters beyond ASCII that become letters of ASCII in small.
const BECOME_ASCII: [char; 2] = ['İ', '\u{212A}'];

/// The pairs in these texts, which stand one after the other.
pub(super) fn of(texts: &str) -> [u8; SIZE] {
    if !texts.is_ascii() && texts.contains(BECOME_ASCII) {
        return [u8::MAX; SIZE];
    }
    let mut seen = [false; 1 << BITS];
    let (mut bytes, mut pairs) = (texts.as_bytes(), [0; AT_ONCE]);
    // The last byte of a block begins the first pair of the next one.
    while let Some(block) = bytes.first_chunk::<{ AT_ONCE + 1 }>() {
        for (place, pair) in pairs.iter_mut().zip(block.array_windows()) {
            *place = hash(*pair);
        }
        pairs.iter().for_each(|&pair| seen[usize::from(pair)] = true);
        bytes = bytes.get(AT_ONCE..).unwrap_or_default();
    }
    bytes.array_windows().for_each(|pair| seen[usize::from(hash(*pair))] = true);
    let mut pairs = [0; SIZE];
    for (byte, seen) in pairs.iter_mut().zip(seen.as_chunks::<8>().0) {
        *byte = seen.iter().fold(0, |byte, &seen| byte << 1 | u8::from(seen));
    }
    pairs
}

/// The pairs of a text that is looked for.
pub(super) struct WantedPairs(Vec<usize>);

impl WantedPairs {
    /// Of a text in small letters. What lies beyond ASCII is left out: lowering changes more than a bit of it.
    pub(super) fn of(text: &str) -> Self {
        let pairs = text.as_bytes().array_windows().filter(|pair: &&[u8; 2]| pair.is_ascii());
        let mut wanted: Vec<usize> = pairs.map(|pair| usize::from(hash(*pair))).collect();
        wanted.sort_unstable();
        wanted.dedup();
        Self(wanted)
    }

    /// False where no text of those with these pairs holds it.
    pub(super) fn may_stand_in(&self, pairs: &[u8]) -> bool {
        self.0.iter().all(|pair| pairs.get(pair / 8).is_none_or(|byte| byte >> (7 - pair % 8) & 1 == 1))
    }
}

/// Below two to the power of [`BITS`].
fn hash(pair: [u8; 2]) -> u16 {
    (u16::from_le_bytes(pair) | CASE).wrapping_mul(0x9E37) >> (u16::BITS - BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_text_holds_may_stand_in_it() {
        let texts = ["Frame ASSEMBLY 012345", "Größe_[x]@Y", "İstanbul", "\u{212A}elvin 5K", "ΟΔΟΣ 7a", "\0\u{1}z"];
        for text in texts {
            let (pairs, small) = (of(text), text.to_lowercase());
            for from in (0..small.len()).filter(|&from| small.is_char_boundary(from)) {
                for part in (from..=small.len()).filter_map(|to| small.get(from..to)) {
                    assert!(WantedPairs::of(part).may_stand_in(&pairs), "{part:?} in {text:?}");
                }
            }
        }
        for part in ["customer", "assembly 1", "13.75", "2036-03"] {
            assert!(!WantedPairs::of(part).may_stand_in(&of(texts[0])), "{part}");
        }
    }

    /// A pair is seen wherever it stands, also where one block ends and the next begins.
    #[test]
    fn no_pair_is_passed_over() {
        for length in [2, 3, AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, AT_ONCE + 2, 3 * AT_ONCE + 5] {
            for at in 0..length - 1 {
                let text = format!("{}xy{}", "a".repeat(at), "a".repeat(length - at - 2));
                assert!(WantedPairs::of("xy").may_stand_in(&of(&text)), "{at} of {length}");
                assert_eq!(of(&text), of(&format!("{text}xy")[..length]), "{at} of {length}");
            }
        }
        assert_eq!(of("a"), of(""));
    }

    #[test]
    fn few_letters_become_ascii() {
        for letter in ('\u{80}'..=char::MAX).filter(|letter| !BECOME_ASCII.contains(letter)) {
            assert!(letter.to_lowercase().all(|small| !small.is_ascii()), "{letter:?}");
        }
    }
}
