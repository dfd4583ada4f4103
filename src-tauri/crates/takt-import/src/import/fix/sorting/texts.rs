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

/// The texts of a part, of which no more is kept than a sort may still ask for.
#[derive(Debug, Default)]
pub(super) struct PartTexts {
    /// Empty, as are the ends, where the heads say everything.
    text: Vec<u8>,
    /// Where each text ends.
    ends: Vec<u32>,
    /// What all begin with, once they are lowered.
    prefix: Vec<u8>,
    /// What each has behind the prefix.
    heads: Vec<u64>,
}

impl PartTexts {
    /// Of texts that stand one after the other. Absent where one is empty, may have spaces around it or isn't ASCII.
    pub(super) fn of(text: &str, ends: &[u32]) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut start = 0;
        let is_plain = text.is_ascii()
            && ends.iter().all(|&end| {
                let text = bytes.get(start..end as usize).unwrap_or_default();
                start = end as usize;
                [text.first(), text.last()].iter().all(|byte| byte.is_some_and(u8::is_ascii_graphic))
            });
        let mut texts = is_plain.then(|| Self { text: bytes.to_vec(), ends: ends.to_vec(), ..Self::default() })?;
        texts.lower();
        Some(texts)
    }

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
        let common = self.iter().fold(first.len(), |most, text| in_common(first, most, text));
        self.prefix = first.get(..common).unwrap_or_default().to_vec();
        self.read_heads(common);
    }

    /// From a byte on. Texts behind which nothing can be asked for are let go.
    fn read_heads(&mut self, depth: usize) {
        let mut start = 0;
        let heads = self.ends.iter().map(|&end| {
            let text = start + depth..end as usize;
            start = end as usize;
            head_at(self.text.get(text.start..).unwrap_or_default(), text.len())
        });
        self.heads = heads.collect();
        if !self.heads.iter().any(|&head| goes_on(head)) {
            (self.text, self.ends) = (Vec::new(), Vec::new());
        }
    }

    /// The heads from a byte on, up to which all texts are the same. They are given away.
    pub(super) fn take_heads(&mut self, depth: usize) -> Vec<u64> {
        let before = self.prefix.get(depth..).unwrap_or_default();
        if !before.is_empty() {
            let first = head(before);
            let joined = || self.heads.iter().map(|&rest| joined(first, rest)).collect::<Option<_>>();
            if let Some(joined) = self.ends.is_empty().then(joined).flatten() {
                self.heads = joined;
            } else {
                self.restore();
                self.read_heads(depth);
            }
        }
        std::mem::take(&mut self.heads)
    }

    /// The texts of heads that say everything.
    fn restore(&mut self) {
        if !self.ends.is_empty() {
            return;
        }
        for head in &self.heads {
            let rest = head.to_be_bytes();
            self.text.extend_from_slice(&self.prefix);
            self.text.extend_from_slice(rest.get(..length(*head)).unwrap_or_default());
            self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.heads.len()
    }

    /// All of them, in order.
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
    pub(super) fn parts_mut(&mut self) -> impl Iterator<Item = (u32, &mut PartTexts)> {
        (0..).step_by(self.stride as usize).zip(&mut self.parts)
    }

    /// True where a text has more bytes than its head.
    pub(super) fn go_on(&self) -> bool {
        self.parts.iter().any(|part| !part.ends.is_empty())
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

/// The same for the first so many of these bytes.
fn head_at(bytes: &[u8], length: usize) -> u64 {
    match bytes.first_chunk() {
        Some(&first) if length <= GOES_ON => u64::from_be_bytes(first) & !(u64::MAX >> (8 * length)) | length as u64,
        _ => head(bytes.get(..length).unwrap_or_default()),
    }
}

/// The head of two texts, one behind the other; absent where it doesn't say everything.
fn joined(first: u64, rest: u64) -> Option<u64> {
    let (before, all) = (length(first), length(first) + length(rest));
    (all <= GOES_ON).then(|| first & !0xFF | (rest & !0xFF) >> (8 * before) | all as u64)
}

/// Bytes that a head has; more than it can have where the text goes on.
fn length(head: u64) -> usize {
    (head & 0xFF) as usize
}

/// True where there are bytes behind those of the head.
pub(super) fn goes_on(head: u64) -> bool {
    head & 0xFF == MORE
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts that were let go come back as they are asked for, from any byte on that they have in common.
    #[test]
    fn heads_are_those_of_the_texts() {
        let longest = "wo-1000";
        for rests in [&["", "1", "12", "123"][..], &["1", "2", "1234567"], &["12345678", "2", ""], &["", ""], &["x"]] {
            for common in (0..=longest.len()).map(|length| &longest[..length]) {
                let texts: Vec<String> = rests.iter().map(|rest| format!("{common}{rest}")).collect();
                for depth in 0..=common.len() {
                    let mut part = PartTexts::default();
                    texts.iter().for_each(|text| part.push(&text.to_uppercase()));
                    part.lower();
                    let expected: Vec<u64> = texts.iter().map(|text| head(&text.as_bytes()[depth..])).collect();
                    assert_eq!(part.take_heads(depth), expected, "{texts:?} from {depth}");
                    if expected.iter().any(|&head| goes_on(head)) {
                        assert!(part.iter().eq(texts.iter().map(String::as_bytes)), "{texts:?}");
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
            assert_eq!(PartTexts::of(text, ends).is_some(), fits, "{text:?}");
        }
    }
}
