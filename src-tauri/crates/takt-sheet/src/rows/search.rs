//! Rows that show a text somewhere, letter case ignored. Texts are searched as they lie, one after the other; numbers and dates
//! are only written out where their letters could make it.

use memchr::memmem::Finder;

use super::{RowSpan, column::Column, packed_texts::PackedTexts, part::Part};
use crate::{CellKind, CellRef, TICKS_PER_SECOND, cell::is_shown_by_format, serial::parts_of};

const NUMBER: &[u8] = b"0123456789.-+e";
const MOMENT: &[u8] = b"0123456789:-. ";
const BOOLEANS: [&str; 2] = ["true", "false"];
const TICKS: u64 = TICKS_PER_SECOND.unsigned_abs();
/// Above it a number may be shown with an exponent.
const PLAIN: f64 = 1e15;

/// Letters of a day, of a day with a time, and of one with seconds, too.
const DAY: usize = 10;
const DAY_AND_MINUTE: usize = 16;
const LONGEST: usize = 19;

/// What is looked for.
struct Needle<'n> {
    /// In small letters.
    text: &'n str,
    finder: Finder<'n>,
    /// Made of letters that numbers are written with; likewise dates and durations.
    of_number: bool,
    of_moment: bool,
    /// Dates show it in the day, and nowhere else.
    of_day: bool,
    has_point: bool,
    has_letters: bool,
}

impl RowSpan<'_> {
    /// The positions, ascending, of the rows of which a cell shows this text. An empty text stands in every row.
    #[must_use]
    pub fn showing(self, text: &str) -> Vec<u32> {
        let text = text.to_lowercase();
        let needle = Needle::new(&text);
        let found = self.parts(&[], |part| {
            let mut hits = vec![text.is_empty(); part.len()];
            let mut room = Vec::new();
            part.packed().for_each(|(_, column)| needle.mark(part, column, &mut hits, &mut room));
            if part.patched {
                needle.mark_patched(self, part, &mut hits);
            }
            let hits = (part.first()..).zip(hits).filter(|(_, hit)| *hit);
            hits.filter_map(|(position, _)| u32::try_from(position).ok()).collect::<Vec<_>>()
        });
        found.concat()
    }
}

impl<'n> Needle<'n> {
    fn new(text: &'n str) -> Self {
        let made_of = |letters: &[u8]| text.bytes().all(|byte| letters.contains(&byte));
        // In a number a minus stands before everything or in the exponent.
        let has_inner_minus = text.as_bytes().windows(2).any(|pair| pair[1] == b'-' && pair[0] != b'e');
        let of_moment = made_of(MOMENT);
        Self {
            text,
            finder: Finder::new(text.as_bytes()),
            of_number: made_of(NUMBER) && !has_inner_minus,
            of_moment,
            of_day: of_moment && text.contains('-') && !text.contains([' ', ':']),
            has_point: text.contains('.'),
            has_letters: text.bytes().any(|byte| byte.is_ascii_lowercase()),
        }
    }

    /// `room` is used again and again.
    fn mark(&self, part: &Part<'_>, packed: &[u8], hits: &mut [bool], room: &mut Vec<u8>) {
        if !Column::has_text(packed) && !self.may_stand_in_values() {
            return;
        }
        let mut hit = |place: u16| {
            if let Some(hit) = part.at(place).and_then(|at| hits.get_mut(at)) {
                *hit = true;
            }
        };
        if let Some(mut texts) = PackedTexts::open(packed, room) {
            if self.has_letters {
                texts.lower();
            }
            texts.search(self.text.len(), |text| self.finder.find(text), hit);
            return;
        }
        let column = Column::unpack(packed);
        if column.text().is_ascii() {
            self.mark_texts(&column, &mut hit);
            self.mark_others(&column, &mut hit);
        } else {
            let shows = |place: &u16| column.cell(*place).is_some_and(|cell| self.is_shown(cell));
            column.places().iter().copied().filter(shows).for_each(hit);
        }
    }

    /// All texts at once; what begins in one and ends in the next is none.
    fn mark_texts(&self, column: &Column, hit: &mut impl FnMut(u16)) {
        let text = column.text().to_ascii_lowercase();
        let mut from = 0;
        while let Some(found) = text.as_bytes().get(from..).and_then(|rest| self.finder.find(rest)) {
            let start = from + found;
            let at = column.ends().partition_point(|&end| end as usize <= start);
            let (Some(&end), Some(&place)) = (column.ends().get(at), column.places().get(at)) else { return };
            if start + self.text.len() <= end as usize {
                hit(place);
                from = end as usize;
            } else {
                from = start + 1;
            }
        }
    }

    fn mark_others(&self, column: &Column, hit: &mut impl FnMut(u16)) {
        if column.is_text() || !self.may_stand_in_values() {
            return;
        }
        let mut text = Vec::with_capacity(LONGEST);
        for (place, kind, flags, bits) in column.values() {
            let has_own = matches!(kind, CellKind::Text | CellKind::Error | CellKind::Empty);
            if has_own || is_shown_by_format(flags) || !self.may_stand_in(kind, bits) {
                continue;
            }
            text.clear();
            let shows = match self.written(kind, bits, &mut text) {
                Some(()) => self.finder.find(&text).is_some(),
                None => column.cell(place).is_some_and(|cell| self.is_shown(cell)),
            };
            if shows {
                hit(place);
            }
        }
    }

    /// As much of what is shown as may show it.
    fn written(&self, kind: CellKind, bits: u64, text: &mut Vec<u8>) -> Option<()> {
        match kind {
            CellKind::DateTime if self.of_day => {
                date_time(bits.cast_signed(), text)?;
                text.truncate(DAY);
                Some(())
            }
            _ => written(kind, bits, text),
        }
    }

    fn may_stand_in_values(&self) -> bool {
        self.of_number || self.of_moment || BOOLEANS.iter().any(|value| value.contains(self.text))
    }

    /// False where the value can't show it: its letters tell.
    fn may_stand_in(&self, kind: CellKind, bits: u64) -> bool {
        match kind {
            CellKind::Number => {
                let value = f64::from_bits(bits);
                self.of_number && !(self.has_point && value.fract() == 0.0 && value.abs() < PLAIN)
            }
            CellKind::DateTime => self.of_moment && !(self.has_point && bits.cast_signed() % 1000 == 0),
            CellKind::Duration => {
                self.of_moment && !(self.has_point && bits.cast_signed().unsigned_abs().is_multiple_of(TICKS))
            }
            CellKind::Boolean => BOOLEANS.iter().any(|value| value.contains(self.text)),
            _ => true,
        }
    }

    fn is_shown(&self, cell: CellRef<'_>) -> bool {
        cell.shown().to_lowercase().contains(self.text)
    }

    /// What a fixed row shows is found anew.
    fn mark_patched(&self, span: RowSpan<'_>, part: &Part<'_>, hits: &mut [bool]) {
        let mut reader = span.reader();
        for (at, hit) in hits.iter_mut().enumerate().filter(|(at, _)| part.is_patched(*at)) {
            let Some(row) = reader.get(part.first() + at) else { continue };
            *hit = row.cells.iter().any(|cell| self.is_shown(cell.as_ref()));
        }
    }
}

/// What [`CellRef::shown`] shows, where that is quickly written.
fn written(kind: CellKind, bits: u64, text: &mut Vec<u8>) -> Option<()> {
    match kind {
        CellKind::Number => number(f64::from_bits(bits), text),
        CellKind::DateTime => date_time(bits.cast_signed(), text),
        CellKind::Duration => duration(bits.cast_signed(), text),
        _ => None,
    }
}

/// Up to four decimals.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be whole and below 1e15")]
fn number(value: f64, text: &mut Vec<u8>) -> Option<()> {
    let scaled = value.abs() * 1e4;
    if scaled.fract() != 0.0 || scaled >= 1e15 || scaled / 1e4 != value.abs() {
        return None;
    }
    let (whole, mut decimals) = (scaled as u64 / 10_000, scaled as u64 % 10_000);
    if value < 0.0 {
        text.push(b'-');
    }
    digits(whole, 1, text);
    let mut places = 4;
    while decimals > 0 && decimals % 10 == 0 {
        decimals /= 10;
        places -= 1;
    }
    if decimals > 0 {
        text.push(b'.');
        digits(decimals, places, text);
    }
    Some(())
}

/// To the second.
fn date_time(milliseconds: i64, text: &mut Vec<u8>) -> Option<()> {
    let (year, month, day, seconds) = parts_of(milliseconds)?;
    let mut letters = *b"0000-00-00 00:00:00";
    let [y1, y2, y3, y4, _, m1, m2, _, d1, d2, _, h1, h2, _, n1, n2, _, s1, s2] = &mut letters;
    for (tens, ones, value) in [
        (y1, y2, year / 100),
        (y3, y4, year % 100),
        (m1, m2, month),
        (d1, d2, day),
        (h1, h2, seconds / 3600),
        (n1, n2, seconds / 60 % 60),
        (s1, s2, seconds % 60),
    ] {
        // Each is below 100.
        (*tens, *ones) = (*tens + (value / 10) as u8, *ones + (value % 10) as u8);
    }
    let shown = if seconds == 0 {
        DAY
    } else if seconds.is_multiple_of(60) {
        DAY_AND_MINUTE
    } else {
        LONGEST
    };
    text.extend_from_slice(letters.get(..shown)?);
    Some(())
}

fn duration(ticks: i64, text: &mut Vec<u8>) -> Option<()> {
    if ticks < 0 || !ticks.unsigned_abs().is_multiple_of(TICKS) {
        return None;
    }
    let seconds = ticks.unsigned_abs() / TICKS;
    digits(seconds / 3600, 2, text);
    text.push(b':');
    digits(seconds / 60 % 60, 2, text);
    text.push(b':');
    digits(seconds % 60, 2, text);
    Some(())
}

/// At least so many.
fn digits(mut value: u64, least: usize, text: &mut Vec<u8>) {
    let start = text.len();
    while value > 0 || text.len() - start < least {
        text.push(b'0' + (value % 10) as u8);
        value /= 10;
    }
    text.get_mut(start..).unwrap_or_default().reverse();
}

#[cfg(test)]
mod tests {
    use crate::{Cell, SheetRow, rows::Rows, serial::from_milliseconds};

    #[test]
    fn what_is_written_is_what_is_shown() {
        let mut text = Vec::new();
        let mut check = |cell: &Cell| {
            text.clear();
            let (kind, _, bits, _) = cell.as_ref().parts();
            if super::written(kind, bits, &mut text).is_some() {
                assert_eq!(String::from_utf8_lossy(&text), cell.shown());
            }
        };
        for value in [0.0, -0.0, 1.0, -1.5, 13.75, 0.0001, -0.0001, 99_999_999_999.5, 0.1, 0.3, 1e15, 1e-7, 123.456_78]
        {
            check(&Cell::number(value));
        }
        for step in -3_000..3_000_i64 {
            check(&Cell::date_time(from_milliseconds(step * 12_345_678_987)));
            check(&Cell::date_time(from_milliseconds(step * 3_600_000)));
            check(&Cell::duration(step * 36_070_000_000));
            check(&Cell::duration(step * 123_456));
        }
    }

    /// Whatever is found by parts is found cell by cell.
    #[test]
    fn the_search_finds_what_cells_show() {
        let mut state = 5_u64;
        println!("seed {state}");
        let mut next = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut cell = move |column: u64| match (column + next(2) * next(5)) % 7 {
            0 => Cell::text(["Ab", "aB c", "GRÖSSE", "b", "ab-12", ""][next(6) as usize]),
            1 => Cell::number(next(50) as f64 / 4.0),
            2 => Cell::date_time(from_milliseconds((next(1_000) * 3_600_000).cast_signed())),
            3 => Cell::duration((next(100) * 36_000_000_000).cast_signed()),
            4 => Cell::boolean(next(2) == 0),
            5 => Cell::number_shown(7.0, "007"),
            _ => Cell::default(),
        };
        let row = |number| SheetRow { number, cells: (0..6).map(&mut cell).collect(), hidden: number % 9 == 0 };
        let mut rows = Rows::of((1..6_000).map(row));
        rows.set(77, 3, Cell::text("Größe fixed"));
        rows.set(78, 9, Cell::text("beyond"));
        for leaves_out in [false, true] {
            if leaves_out {
                rows.retain(|_, hidden| !hidden);
            }
            let span = rows.below(3);
            let texts =
                ["ab", "B", "größe", "ba", "2.5", ".", "-", "00", "-01", "-01-", "1970-01-0", "01-02 1", "true"];
            for text in texts.into_iter().chain(["12:0", "c", "", "fixed", "beyond", "1.0", "7.", "e-", "-1", "0-0"]) {
                let shows = |row: &SheetRow| {
                    row.cells.iter().any(|cell| cell.shown().to_lowercase().contains(&text.to_lowercase()))
                };
                let expected: Vec<u32> =
                    (0..).zip(span.iter()).filter(|(_, row)| text.is_empty() || shows(row)).map(|(at, _)| at).collect();
                assert!(span.showing(text) == expected, "{text:?}");
            }
        }
    }
}
