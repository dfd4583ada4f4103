//! Which pairs of letters stand in the texts of a column: a text that holds another one holds its pairs, too. What lacks one
//! needn't be unpacked for being searched.
//!
//! Pairs are told apart by their hash and without letter case, so that a few seem to be there that aren't.

/// How many pairs are told apart, as a power of two.
const BITS: u32 = 9;
/// Bytes that they take.
pub(super) const SIZE: usize = 1 << (BITS - 3);
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
    for pair in texts.as_bytes().array_windows() {
        seen[hash(*pair)] = true;
    }
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
        let mut wanted: Vec<usize> = pairs.map(|pair| hash(*pair)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        Self(wanted)
    }

    /// False where no text of those with these pairs holds it.
    pub(super) fn may_stand_in(&self, pairs: &[u8]) -> bool {
        self.0.iter().all(|pair| pairs.get(pair / 8).is_none_or(|byte| byte >> (7 - pair % 8) & 1 == 1))
    }
}

fn hash(pair: [u8; 2]) -> usize {
    usize::from((u16::from_le_bytes(pair) | CASE).wrapping_mul(0x9E37) >> (u16::BITS - BITS))
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

    #[test]
    fn few_letters_become_ascii() {
        for letter in ('\u{80}'..=char::MAX).filter(|letter| !BECOME_ASCII.contains(letter)) {
            assert!(letter.to_lowercase().all(|small| !small.is_ascii()), "{letter:?}");
        }
    }
}
