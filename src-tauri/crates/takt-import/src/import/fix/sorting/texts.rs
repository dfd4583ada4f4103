//! Texts in small letters as a sort compares them: by a few bytes at a time.

/// Bytes of a text in a head. A head that has all the bytes that are left ends with their number, which is this one at most;
/// else the text goes on.
pub(super) const GOES_ON: usize = 7;
const MORE: u64 = 8;
const AT_ONCE: usize = 32;
/// The bit by which a small letter differs from its capital one.
const CASE: u8 = 0x20;

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
    text: Vec<u8>,
    /// Where each text ends.
    ends: Vec<u32>,
    /// Bytes that all begin with, once they are lowered.
    common: usize,
}

impl PartTexts {
    /// Takes a text as it is, to be lowered by [`Self::lower`] where it is ASCII.
    pub(super) fn push(&mut self, text: &str) {
        if text.is_ascii() {
            self.text.extend_from_slice(text.as_bytes());
        } else {
            self.text.extend_from_slice(text.to_lowercase().as_bytes());
        }
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
    }

    pub(super) fn reserve(&mut self, texts: usize) {
        self.ends.reserve_exact(texts);
    }

    /// Many bytes at once, which the compiler doesn't make of the standard library's way.
    pub(super) fn lower(&mut self) {
        let (chunks, rest) = self.text.as_chunks_mut::<AT_ONCE>();
        for chunk in chunks {
            *chunk = chunk.map(|byte| byte | if byte.is_ascii_uppercase() { CASE } else { 0 });
        }
        rest.make_ascii_lowercase();
        let first = self.get(0);
        self.common = self.iter().fold(first.len(), |most, text| in_common(first, most, text));
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// All of them, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let text = self.text.get(start..end as usize).unwrap_or_default();
            start = end as usize;
            text
        })
    }

    fn get(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |&start| start as usize);
        let end = self.ends.get(at).map_or(0, |&end| end as usize);
        self.text.get(start..end).unwrap_or_default()
    }

    fn prefix(&self) -> Option<&[u8]> {
        self.text.get(..self.common).filter(|_| !self.ends.is_empty())
    }
}

impl LowerTexts {
    pub(super) fn new(parts: Vec<PartTexts>) -> Self {
        let most = parts.iter().map(PartTexts::len).max().unwrap_or_default();
        Self { parts, stride: u32::try_from(most).unwrap_or(u32::MAX).max(1) }
    }

    /// Bytes that all texts begin with.
    pub(super) fn common(&self) -> usize {
        let mut prefixes = self.parts.iter().filter_map(PartTexts::prefix);
        let first = prefixes.next().unwrap_or_default();
        prefixes.fold(first.len(), |most, prefix| in_common(first, most, prefix))
    }

    /// Each part with the number of its first text.
    pub(super) fn parts(&self) -> impl Iterator<Item = (u32, &PartTexts)> {
        (0..).step_by(self.stride as usize).zip(&self.parts)
    }

    /// What a text has from a byte on.
    pub(super) fn behind(&self, number: u32, depth: usize) -> &[u8] {
        let part = self.parts.get((number / self.stride) as usize);
        let text = part.map(|part| part.get((number % self.stride) as usize)).unwrap_or_default();
        text.get(depth..).unwrap_or_default()
    }
}

/// How many of the first bytes of a text another one has, too: so many at most.
pub(super) fn in_common(first: &[u8], most: usize, text: &[u8]) -> usize {
    let first = first.get(..most).unwrap_or_default();
    if text.starts_with(first) {
        return most;
    }
    first.iter().zip(text).take_while(|(a, b)| a == b).count()
}

/// A text's first bytes as a number that is ordered as they are.
pub(super) fn head(text: &[u8]) -> u64 {
    if let Some(&first) = text.first_chunk() {
        return u64::from_be_bytes(first) & !0xFF | MORE;
    }
    let bytes = text.iter().fold(0, |head, &byte| head << 8 | u64::from(byte));
    // Of no bytes at all every one is shifted out.
    let left = u64::BITS - 8 * u32::try_from(text.len()).unwrap_or_default();
    bytes.checked_shl(left).unwrap_or_default() | text.len() as u64
}

/// True where there are bytes behind those of the head.
pub(super) fn goes_on(head: u64) -> bool {
    head & 0xFF == MORE
}
