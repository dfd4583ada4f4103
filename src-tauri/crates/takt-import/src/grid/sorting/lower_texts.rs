//! Lowercase texts, which a sort compares a few bytes at a time.

/// Number of a text's bytes in a head. A head's last byte is the number of its text bytes, or [`CONTINUES`] if the text
/// continues.
pub(super) const HEAD_BYTES: usize = 7;
const CONTINUES: u64 = 8;
const CHUNK_BYTES: usize = 32;
/// The bit in which lowercase and uppercase letters differ.
const CASE_BIT: u8 = 0x20;

/// Texts by number. The texts of a block are consecutive.
#[derive(Debug, Default)]
pub(super) struct LowerTexts {
    blocks: Vec<BlockTexts>,
    /// Numbers per block, at least as many as any block has texts.
    stride: u32,
}

/// The texts of a block, reduced to the bytes that a sort may still need.
#[derive(Debug, Default)]
pub(super) struct BlockTexts {
    /// Empty, like `ends`, if the heads contain everything.
    text: Vec<u8>,
    /// By text, the index after its last byte.
    ends: Vec<u32>,
    /// The common prefix of all texts, in lowercase.
    prefix: Vec<u8>,
    /// Each text's head after the prefix.
    heads: Vec<u64>,
}

impl BlockTexts {
    /// Creates the block from concatenated texts, which end at `ends`. Returns `None` if a text is empty, may have
    /// surrounding spaces or isn't ASCII.
    pub(super) fn from_ascii(text: &str, ends: &[u32]) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut start = 0;
        let is_plain = text.is_ascii()
            && ends.iter().all(|&end| {
                let text = bytes.get(start..end as usize).unwrap_or_default();
                start = end as usize;
                [text.first(), text.last()].iter().all(|byte| byte.is_some_and(u8::is_ascii_graphic))
            });
        let mut texts = is_plain.then(|| Self { text: bytes.to_vec(), ends: ends.to_vec(), ..Self::default() })?;
        texts.lowercase();
        Some(texts)
    }

    /// Adds a text. [`Self::lowercase`] lowercases ASCII texts later.
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

    /// Lowercases all texts and reads their heads. Works on chunks, since the compiler doesn't vectorize the standard
    /// library's function.
    pub(super) fn lowercase(&mut self) {
        let (chunks, rest) = self.text.as_chunks_mut::<CHUNK_BYTES>();
        for chunk in chunks {
            *chunk = chunk.map(|byte| byte | if byte.is_ascii_uppercase() { CASE_BIT } else { 0 });
        }
        rest.make_ascii_lowercase();
        let first = self.get(0);
        let common = self.iter().fold(first.len(), |limit, text| common_prefix_len(first, limit, text));
        self.prefix = first.get(..common).unwrap_or_default().to_vec();
        self.read_heads(common);
    }

    /// Reads the heads from a byte on. Drops the texts if the heads contain everything.
    fn read_heads(&mut self, depth: usize) {
        let mut start = 0;
        let heads = self.ends.iter().map(|&end| {
            let text = start + depth..end as usize;
            start = end as usize;
            head_of_length(self.text.get(text.start..).unwrap_or_default(), text.len())
        });
        self.heads = heads.collect();
        if !self.heads.iter().any(|&head| is_continued(head)) {
            (self.text, self.ends) = (Vec::new(), Vec::new());
        }
    }

    /// Takes the heads that start at byte `depth`. All texts must be equal before it.
    pub(super) fn take_heads(&mut self, depth: usize) -> Vec<u64> {
        let before = self.prefix.get(depth..).unwrap_or_default();
        if !before.is_empty() {
            let first = head(before);
            let joined = || self.heads.iter().map(|&rest| join_heads(first, rest)).collect::<Option<_>>();
            if let Some(joined) = self.ends.is_empty().then(joined).flatten() {
                self.heads = joined;
            } else {
                self.restore_texts();
                self.read_heads(depth);
            }
        }
        std::mem::take(&mut self.heads)
    }

    /// Restores the texts from heads that contain everything.
    fn restore_texts(&mut self) {
        if !self.ends.is_empty() {
            return;
        }
        for head in &self.heads {
            let rest = head.to_be_bytes();
            self.text.extend_from_slice(&self.prefix);
            self.text.extend_from_slice(rest.get(..head_len(*head)).unwrap_or_default());
            self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.heads.len()
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
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
        Some(&*self.prefix).filter(|_| !self.heads.is_empty())
    }
}

impl LowerTexts {
    pub(super) fn new(blocks: Vec<BlockTexts>) -> Self {
        let limit = blocks.iter().map(BlockTexts::len).max().unwrap_or_default();
        Self { blocks, stride: u32::try_from(limit).unwrap_or(u32::MAX).max(1) }
    }

    /// Returns the number of bytes that all texts start with.
    pub(super) fn common_prefix_len(&self) -> usize {
        let mut prefixes = self.blocks.iter().filter_map(BlockTexts::prefix);
        let first = prefixes.next().unwrap_or_default();
        prefixes.fold(first.len(), |limit, prefix| common_prefix_len(first, limit, prefix))
    }

    /// Returns each block with the number of its first text.
    pub(super) fn blocks_mut(&mut self) -> impl Iterator<Item = (u32, &mut BlockTexts)> {
        (0..).step_by(self.stride as usize).zip(&mut self.blocks)
    }

    /// Returns true if a text has more bytes than its head.
    pub(super) fn has_continuation(&self) -> bool {
        self.blocks.iter().any(|block| !block.ends.is_empty())
    }

    /// Returns a text's bytes from `depth` on.
    pub(super) fn suffix(&self, number: u32, depth: usize) -> &[u8] {
        let block = self.blocks.get((number / self.stride) as usize);
        let text = block.map(|block| block.get((number % self.stride) as usize)).unwrap_or_default();
        text.get(depth..).unwrap_or_default()
    }
}

/// Returns the length of the common prefix of two texts, at most `limit`.
pub(super) fn common_prefix_len(first: &[u8], limit: usize, text: &[u8]) -> usize {
    let first = first.get(..limit).unwrap_or_default();
    if text.starts_with(first) {
        return limit;
    }
    first.iter().zip(text).take_while(|(a, b)| a == b).count()
}

/// Returns a text's first bytes as a number with the same order.
pub(super) fn head(text: &[u8]) -> u64 {
    if let Some(&first) = text.first_chunk() {
        return u64::from_be_bytes(first) & !0xFF | CONTINUES;
    }
    let bytes = text.iter().fold(0, |head, &byte| head << 8 | u64::from(byte));
    // Without any bytes, the shift is 64 and all bits are shifted out.
    let unused_bits = u64::BITS - 8 * u32::try_from(text.len()).unwrap_or_default();
    bytes.checked_shl(unused_bits).unwrap_or_default() | text.len() as u64
}

/// Like [`head`], but for the first `length` bytes.
fn head_of_length(bytes: &[u8], length: usize) -> u64 {
    match bytes.first_chunk() {
        Some(&first) if length <= HEAD_BYTES => u64::from_be_bytes(first) & !(u64::MAX >> (8 * length)) | length as u64,
        _ => head(bytes.get(..length).unwrap_or_default()),
    }
}

/// Joins the heads of two consecutive texts. Returns `None` if they don't fit into one head.
fn join_heads(first: u64, rest: u64) -> Option<u64> {
    let (before, all) = (head_len(first), head_len(first) + head_len(rest));
    (all <= HEAD_BYTES).then(|| first & !0xFF | (rest & !0xFF) >> (8 * before) | all as u64)
}

/// Returns the number of bytes in a head, or [`CONTINUES`] if the text continues.
fn head_len(head: u64) -> usize {
    (head & 0xFF) as usize
}

/// Returns true if the text continues after the head.
pub(super) fn is_continued(head: u64) -> bool {
    head & 0xFF == CONTINUES
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dropped texts are restored, from any byte of their common prefix on.
    #[test]
    fn heads_are_those_of_the_texts() {
        let longest = "wo-1000";
        for rests in [&["", "1", "12", "123"][..], &["1", "2", "1234567"], &["12345678", "2", ""], &["", ""], &["x"]] {
            for common in (0..=longest.len()).map(|length| &longest[..length]) {
                let texts: Vec<String> = rests.iter().map(|rest| format!("{common}{rest}")).collect();
                for depth in 0..=common.len() {
                    let mut block = BlockTexts::default();
                    texts.iter().for_each(|text| block.push(&text.to_uppercase()));
                    block.lowercase();
                    let expected: Vec<u64> = texts.iter().map(|text| head(&text.as_bytes()[depth..])).collect();
                    assert_eq!(block.take_heads(depth), expected, "{texts:?} from {depth}");
                    if expected.iter().any(|&head| is_continued(head)) {
                        assert!(block.iter().eq(texts.iter().map(String::as_bytes)), "{texts:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn only_plain_texts_are_taken_at_once() {
        for (text, ends, fits) in [
            ("aBc", &[1, 3][..], true),
            ("a c", &[3], true),
            ("a c", &[2, 3], false),
            (" ab", &[3], false),
            ("ab", &[0, 2], false),
            ("aä", &[3], false),
        ] {
            assert_eq!(BlockTexts::from_ascii(text, ends).is_some(), fits, "{text:?}");
        }
    }
}
