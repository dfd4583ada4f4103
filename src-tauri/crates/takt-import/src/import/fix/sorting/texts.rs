//! Texts in small letters as a sort compares them: by a few bytes at a time.

/// Bytes of a text in a head. A head that has all the bytes that are left ends with their number, which is this one at most;
/// else the text goes on.
pub(super) const GOES_ON: usize = 7;
const MORE: u64 = 8;

/// Texts by number; those of a part stand one after the other.
#[derive(Debug, Default)]
pub(super) struct LowerTexts {
    parts: Vec<PartTexts>,
    /// More numbers than any part has texts.
    stride: u32,
}

/// The texts of a part.
#[derive(Debug, Default)]
pub(super) struct PartTexts {
    text: String,
    /// Where each text ends.
    ends: Vec<u32>,
}

impl PartTexts {
    /// Takes a text as it is, to be lowered by [`Self::lower`] where it is ASCII.
    pub(super) fn push(&mut self, text: &str) {
        if text.is_ascii() {
            self.text.push_str(text);
        } else {
            self.text.push_str(&text.to_lowercase());
        }
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
    }

    pub(super) fn lower(&mut self) {
        self.text.make_ascii_lowercase();
    }

    fn get(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |&start| start as usize);
        let end = self.ends.get(at).map_or(0, |&end| end as usize);
        self.text.as_bytes().get(start..end).unwrap_or_default()
    }
}

impl LowerTexts {
    pub(super) fn new(parts: Vec<PartTexts>) -> Self {
        let most = parts.iter().map(|part| part.ends.len()).max().unwrap_or_default();
        Self { parts, stride: u32::try_from(most).unwrap_or(u32::MAX).max(1) }
    }

    /// The number of a part's first text.
    pub(super) fn first(&self, part: u32) -> u32 {
        part * self.stride
    }

    fn get(&self, number: u32) -> &[u8] {
        let part = self.parts.get((number / self.stride) as usize);
        part.map(|part| part.get((number % self.stride) as usize)).unwrap_or_default()
    }

    /// What a text has from a byte on.
    pub(super) fn behind(&self, number: u32, depth: usize) -> &[u8] {
        self.get(number).get(depth..).unwrap_or_default()
    }

    /// How many of the first bytes a text has in common with another one, behind the same place: so many at most.
    pub(super) fn in_common(&self, first: &[u8], most: usize, number: u32, depth: usize) -> usize {
        let (first, text) = (first.get(..most).unwrap_or_default(), self.behind(number, depth));
        if text.starts_with(first) {
            return most;
        }
        first.iter().zip(text).take_while(|(a, b)| a == b).count()
    }

    /// The bytes from one on, as a number that is ordered as they are.
    pub(super) fn head(&self, number: u32, depth: usize) -> u64 {
        let text = self.behind(number, depth);
        if let Some(&first) = text.first_chunk() {
            return u64::from_be_bytes(first) & !0xFF | MORE;
        }
        let bytes = text.iter().fold(0, |head, &byte| head << 8 | u64::from(byte));
        // Of no bytes at all every one is shifted out.
        let left = u64::BITS - 8 * u32::try_from(text.len()).unwrap_or_default();
        bytes.checked_shl(left).unwrap_or_default() | text.len() as u64
    }
}

/// True where there are bytes behind those of the head.
pub(super) fn goes_on(head: u64) -> bool {
    head & 0xFF == MORE
}
