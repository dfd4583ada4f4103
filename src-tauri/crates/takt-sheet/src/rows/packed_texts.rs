//! A packed column of nothing but texts, as a search looks at it: no cell of it is made.

use super::{
    column::{ONE_HEAD, PackedColumn},
    lengths::{next_length, put_length},
};
use crate::{CellKind, cell::head};

const AT_ONCE: usize = 32;
/// The bit by which a small letter differs from its capital one, in ASCII as in Latin-1.
const CASE: u8 = 0x20;
/// What À to ß and à to ÿ begin with in UTF-8, and how × goes on, which is no letter. Only Þ and those before are capital ones.
const LATIN: u8 = 0xC3;
const TIMES_SIGN: u8 = 0x97;
const LAST_CAPITAL: u8 = 0x9E;

/// The texts of a column, one after the other.
pub(super) struct PackedTexts<'b> {
    column: PackedColumn<'b>,
    /// Lengths and texts where lowering changed a length.
    other: Option<&'b [u8]>,
    /// Bytes of the lengths, which stand before the texts.
    head: usize,
}

impl<'b> PackedTexts<'b> {
    /// The column back where it holds anything else.
    pub(super) fn of(column: PackedColumn<'b>) -> Result<Self, PackedColumn<'b>> {
        let is_text =
            column.flags & ONE_HEAD != 0 && column.values.is_empty() && column.heads == [head(CellKind::Text, 0)];
        match lengths(column.count, column.texts).filter(|_| is_text) {
            Some(head) => Ok(Self { column, other: None, head }),
            None => Err(column),
        }
    }

    /// Small letters in place of capital ones. `room` is used again and again.
    pub(super) fn lower(&mut self, room: &'b mut Vec<u8>) {
        let text = self.column.texts.get_mut(self.head..).unwrap_or_default();
        if text.is_ascii() {
            lower_ascii(text);
        } else if is_latin(text) {
            lower_ascii(text);
            lower_latin(text);
        } else {
            room.clear();
            self.head = self.lower_each(room);
            self.other = Some(room);
        }
    }

    /// Each text by itself, since the letters around it decide how a letter is lowered.
    fn lower_each(&self, room: &mut Vec<u8>) -> usize {
        let (mut lengths, mut rest) = self.parts();
        let mut lowered = String::with_capacity(rest.len());
        for _ in 0..self.column.count {
            let (text, left) = rest.split_at(next_length(&mut lengths).unwrap_or_default() as usize);
            rest = left;
            let start = lowered.len();
            lowered.push_str(&std::str::from_utf8(text).unwrap_or_default().to_lowercase());
            put_length(u32::try_from(lowered.len() - start).unwrap_or(u32::MAX), room);
        }
        let head = room.len();
        room.extend(lowered.as_bytes());
        head
    }

    /// Lengths and texts.
    fn parts(&self) -> (&[u8], &[u8]) {
        self.other.unwrap_or(&*self.column.texts).split_at_checked(self.head).unwrap_or_default()
    }

    /// Calls `hit` with the place of each cell whose text holds what `find` finds from an offset on, and which has this length.
    pub(super) fn search(&self, length: usize, find: impl Fn(&[u8]) -> Option<usize>, mut hit: impl FnMut(u16)) {
        let (mut lengths, text) = self.parts();
        // Of the cell that is looked at: its number, and where its text ends.
        let (mut at, mut end) = (0, next_length(&mut lengths).unwrap_or_default() as usize);
        let mut from = 0;
        while let Some(found) = text.get(from..).and_then(&find) {
            let start = from + found;
            while end <= start {
                let Some(next) = next_length(&mut lengths) else { return };
                (at, end) = (at + 1, end + next as usize);
            }
            // What begins in one text and ends in the next is none.
            if start + length <= end {
                self.column.place(at).into_iter().for_each(&mut hit);
                from = end;
            } else {
                from = start + 1;
            }
        }
    }
}

/// The bytes that so many lengths take; absent where the texts behind them have others.
fn lengths(count: usize, texts: &[u8]) -> Option<usize> {
    let mut rest = texts;
    let mut length = 0_usize;
    for _ in 0..count {
        length = length.checked_add(next_length(&mut rest)? as usize)?;
    }
    (length == rest.len()).then(|| texts.len() - rest.len())
}

/// Many at once, which the compiler doesn't make of the standard library's way.
fn lower_ascii(text: &mut [u8]) {
    let (chunks, rest) = text.as_chunks_mut::<AT_ONCE>();
    for chunk in chunks {
        for byte in chunk {
            *byte |= if byte.is_ascii_uppercase() { CASE } else { 0 };
        }
    }
    rest.make_ascii_lowercase();
}

/// True where nothing but letters up to ÿ changes by being lowered.
fn is_latin(text: &[u8]) -> bool {
    if text.iter().all(|&byte| byte <= LATIN) {
        return true;
    }
    let stays = |letter: char| letter <= 'ÿ' || letter.to_lowercase().eq([letter]);
    std::str::from_utf8(text).is_ok_and(|text| text.chars().all(stays))
}

fn lower_latin(text: &mut [u8]) {
    let mut before = 0;
    for byte in text {
        let is_capital = before == LATIN && *byte <= LAST_CAPITAL && *byte != TIMES_SIGN;
        before = *byte;
        *byte |= if is_capital { CASE } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Cell,
        rows::{column::Column, pack_room::PackRoom},
    };

    fn found(texts: &[String], needle: &str, lowers: bool) -> Vec<u16> {
        let mut column = Column::default();
        for (place, text) in (0..).step_by(3).zip(texts).filter(|(_, text)| !text.is_empty()) {
            column.put(place, Cell::text(text.as_str()).as_ref());
        }
        let mut packed = Vec::new();
        column.pack(0, &mut packed, &mut PackRoom::default());
        let (mut raw, mut room, mut found) = (Vec::new(), Vec::new(), Vec::new());
        let mut packed = PackedTexts::of(PackedColumn::open(&packed, &mut raw).unwrap()).ok().unwrap();
        if lowers {
            packed.lower(&mut room);
        }
        let finder = memchr::memmem::Finder::new(needle);
        packed.search(needle.len(), |text| finder.find(text), |place| found.push(place / 3));
        found
    }

    #[test]
    fn texts_are_lowered_as_the_standard_library_does() {
        let all: Vec<String> = (0..=0x3FF).filter_map(char::from_u32).map(|letter| format!("A{letter}Z")).collect();
        let latin: Vec<String> = ('\0'..='ÿ').map(|letter| format!("{letter}É")).collect();
        let odd =
            ["ΟΔΟΣ", "ΣΑΣ", "İstanbul", "\u{212A}elvin", "Größe – 5 €", "STRAẞE", "Ö", "ö\u{308}"].map(str::to_owned);
        for texts in [&all[..], &latin, &odd, &odd[4..5]] {
            for text in texts.iter().chain(&odd) {
                let needle = text.to_lowercase();
                let shows = |text: &String| text.to_lowercase().contains(&needle);
                let expected: Vec<u16> = (0..).zip(texts).filter(|(_, text)| shows(text)).map(|(at, _)| at).collect();
                assert_eq!(found(texts, &needle, true), expected, "{text:?}");
            }
        }
    }

    /// A text without letters is looked for as the texts lie.
    #[test]
    fn nothing_but_letters_is_made_by_lowering() {
        for letter in '\u{80}'..=char::MAX {
            assert!(letter.to_lowercase().all(|small| !small.is_ascii() || small.is_ascii_lowercase()), "{letter:?}");
        }
    }
}
