//! Where separators and line ends stand in a text: found for many bytes at once, and then told one after the other.

/// Bytes that are looked at at once: one for each bit of a word.
const AT_ONCE: usize = 64;
const WORD: usize = 8;
/// Keeps of the bytes of a word one bit each, all at different places, and adds the bytes up.
const BIT_OF_EACH: u64 = 0x8040_2010_0804_0201;
const SUM: u64 = 0x0101_0101_0101_0101;
/// No byte of a text.
const NOTHING: u8 = 0xFF;

/// The places of a separator, `\n` and `\r`.
#[derive(Debug)]
pub(super) struct Specials {
    separator: u8,
    /// Where the bytes begin that were looked at last.
    base: usize,
    /// A bit for each of them that was found.
    found: u64,
}

impl Specials {
    pub(super) fn new(separator: u8) -> Self {
        // As if behind every text: nothing was looked at yet.
        Self { separator, base: usize::MAX - AT_ONCE, found: 0 }
    }

    /// The next one at this place or behind it; the text's end where there is none. Always asked with the same text.
    #[inline]
    pub(super) fn next(&mut self, text: &[u8], at: usize) -> usize {
        let ahead = at.wrapping_sub(self.base);
        let mut found = if ahead < AT_ONCE { self.found >> ahead << ahead } else { self.look(text, at) };
        while found == 0 {
            let next = self.base + AT_ONCE;
            if next >= text.len() {
                return text.len();
            }
            found = self.look(text, next);
        }
        self.base + found.trailing_zeros() as usize
    }

    /// Looks at the bytes from this place on.
    #[inline]
    fn look(&mut self, text: &[u8], at: usize) -> u64 {
        let rest = text.get(at..).unwrap_or_default();
        let found = if let Some(block) = rest.first_chunk() {
            self.of_block(block)
        } else {
            let mut block = [NOTHING; AT_ONCE];
            block.iter_mut().zip(rest).for_each(|(place, byte)| *place = *byte);
            self.of_block(&block)
        };
        (self.base, self.found) = (at, found);
        found
    }

    /// Written so that the compiler compares many bytes at once, on every processor.
    #[inline]
    fn of_block(&self, block: &[u8; AT_ONCE]) -> u64 {
        let mask = |is: bool| if is { u8::MAX } else { 0 };
        // A loop: of `map` the compiler makes a call for each byte.
        let mut found = [0; AT_ONCE];
        for (found, &byte) in found.iter_mut().zip(block) {
            *found = mask(byte == self.separator) | mask(byte == b'\n') | mask(byte == b'\r');
        }
        let (words, _) = found.as_chunks::<WORD>();
        words.iter().rev().fold(0, |bits, word| {
            bits << WORD | (u64::from_le_bytes(*word) & BIT_OF_EACH).wrapping_mul(SUM) >> (u64::BITS - u8::BITS)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_found() {
        let mut state = 3_u64;
        println!("seed {state}");
        let mut next = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for round in 0..2_000 {
            let share = 1 + next(60);
            let letters = b";\n\r\x3A\x3C\xBB\x8D\x0B\0\x7F,";
            let text: Vec<u8> =
                (0..next(400)).map(|_| if next(share) == 0 { letters[next(letters.len())] } else { b'a' }).collect();
            let separator = [b';', 0, b','][round % 3];
            let mut specials = Specials::new(separator);
            let mut at = 0;
            while at <= text.len() {
                let expected = text.iter().skip(at).position(|byte| [separator, b'\n', b'\r'].contains(byte));
                let expected = expected.map_or(text.len(), |found| at + found);
                assert_eq!(specials.next(&text, at), expected, "{text:?} from {at}");
                // On by a few bytes, or to behind what was found, or back.
                at = match next(8) {
                    0 => at.saturating_sub(next(100)),
                    1 => at + next(150),
                    _ => expected + 1,
                };
            }
        }
    }
}
