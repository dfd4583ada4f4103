//! Whether numbers, dates and the like show a text. A column has the same values, days and times again and again: what was
//! found for one is remembered, and most are never written out.

use memchr::memmem::Finder;

use super::Outline;
use crate::{CellKind, CellRef, TICKS_PER_SECOND, cell::is_shown_by_format, serial::parts_of};

const NUMBER: &[u8] = b"0123456789.-+e";
const MOMENT: &[u8] = b"0123456789:-. ";
const TICKS: u64 = TICKS_PER_SECOND.unsigned_abs();
const MILLISECONDS_PER_DAY: i64 = 86_400_000;
/// Above it a number may be shown with an exponent.
const PLAIN: f64 = 1e15;

/// Values that are remembered at a time, as a power of two.
const REMEMBERED: u32 = 13;
const DAYS: usize = 1024;
const TIMES: usize = 86_400;

/// What is known of a value, a day or a time. Zero is what memory begins with.
const UNKNOWN: u8 = 0;
const MISSES: u8 = 1;
const SHOWS: u8 = 2;
/// A day that isn't shown like others.
const ODD: u8 = 3;

/// Numbers, dates, durations and booleans towards one text.
pub(super) struct ShownValues<'n> {
    /// In small letters.
    text: &'n str,
    finder: &'n Finder<'n>,
    /// Made of letters that numbers are written with; likewise dates and durations.
    of_number: bool,
    of_moment: bool,
    has_point: bool,
    /// Where a day must end and a time must begin with something.
    halves: Option<(&'n str, &'n str)>,
    /// No and yes.
    booleans: [bool; 2],
    numbers: Remembered,
    durations: Remembered,
    /// By the day's last bits: which one it is and what is known of it.
    days: Vec<(i64, u8)>,
    /// By second of the day, whole minutes beside each other.
    times: Vec<u8>,
    room: Vec<u8>,
}

/// Values by a part of their hash. A later one takes the place of an earlier one.
#[derive(Default)]
struct Remembered(Vec<(u64, u8)>);

impl<'n> ShownValues<'n> {
    pub(super) fn new(text: &'n str, finder: &'n Finder<'n>) -> Self {
        let made_of = |letters: &[u8]| text.bytes().all(|byte| letters.contains(&byte));
        // In a number a minus stands before everything or in the exponent.
        let has_inner_minus = text.as_bytes().windows(2).any(|pair| pair[1] == b'-' && pair[0] != b'e');
        Self {
            text,
            finder,
            of_number: made_of(NUMBER) && !has_inner_minus,
            of_moment: made_of(MOMENT),
            has_point: text.contains('.'),
            halves: text.split_once(' '),
            booleans: ["false", "true"].map(|shown| shown.contains(text)),
            numbers: Remembered::default(),
            durations: Remembered::default(),
            days: Vec::new(),
            times: Vec::new(),
            room: Vec::new(),
        }
    }

    /// False where no value of a column can show it: the letters tell.
    pub(super) fn may_stand_in(&self, column: Outline<'_>) -> bool {
        let has = |kind| column.has_kind(kind);
        let fits = !self.has_point || column.has_fraction();
        (fits && self.of_number && has(CellKind::Number))
            || (fits && self.of_moment && (has(CellKind::DateTime) || has(CellKind::Duration)))
            || (self.booleans.contains(&true) && has(CellKind::Boolean))
    }

    /// Whether a value shows it that has no text of its own.
    pub(super) fn shows(&mut self, kind: CellKind, flags: u8, bits: u64) -> bool {
        match kind {
            _ if is_shown_by_format(flags) => false,
            CellKind::Number => {
                let value = f64::from_bits(bits);
                let is_whole = || value.fract() == 0.0 && value.abs() < PLAIN;
                self.of_number && !(self.has_point && is_whole()) && self.number(bits)
            }
            CellKind::DateTime => self.of_moment && self.date_time(bits.cast_signed()),
            CellKind::Duration => self.of_moment && self.duration(bits),
            CellKind::Boolean => self.booleans[usize::from(bits != 0)],
            CellKind::Text | CellKind::Error | CellKind::Empty => false,
        }
    }

    fn number(&mut self, bits: u64) -> bool {
        let Self { numbers, room, finder, text, .. } = self;
        numbers.knows(bits, || {
            room.clear();
            match number(f64::from_bits(bits), room) {
                Some(()) => finder.find(room).is_some(),
                None => is_shown(CellKind::Number, bits, text),
            }
        })
    }

    fn duration(&mut self, bits: u64) -> bool {
        let Self { durations, room, finder, text, .. } = self;
        durations.knows(bits, || {
            room.clear();
            match duration(bits.cast_signed(), room) {
                Some(()) => finder.find(room).is_some(),
                None => is_shown(CellKind::Duration, bits, text),
            }
        })
    }

    /// A day and a time stand apart, with a space between: a text without one lies in one of them.
    fn date_time(&mut self, milliseconds: i64) -> bool {
        let day = milliseconds.div_euclid(MILLISECONDS_PER_DAY);
        let rest = milliseconds.rem_euclid(MILLISECONDS_PER_DAY);
        let found = self.day(day);
        if found == ODD || rest % 1000 != 0 {
            return is_shown(CellKind::DateTime, milliseconds.cast_unsigned(), self.text);
        }
        match self.halves {
            Some(_) => rest > 0 && found == SHOWS && self.time(rest / 1000),
            None => found == SHOWS || (rest > 0 && self.time(rest / 1000)),
        }
    }

    fn day(&mut self, day: i64) -> u8 {
        if self.days.is_empty() {
            self.days = vec![(0, UNKNOWN); DAYS];
        }
        #[expect(clippy::cast_possible_truncation, reason = "below the number of days")]
        let Some(place) = self.days.get_mut(day.rem_euclid(DAYS as i64) as usize) else { return ODD };
        if place.1 == UNKNOWN || place.0 != day {
            self.room.clear();
            let written = day.checked_mul(MILLISECONDS_PER_DAY).and_then(|at| write_day(at, &mut self.room));
            let found = match (written, self.halves) {
                (None, _) => ODD,
                (_, Some((end, _))) => known(self.room.ends_with(end.as_bytes())),
                (_, None) => known(self.finder.find(&self.room).is_some()),
            };
            *place = (day, found);
        }
        place.1
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below the seconds of a day")]
    fn time(&mut self, second: i64) -> bool {
        if self.times.is_empty() {
            self.times = vec![UNKNOWN; TIMES];
        }
        let second = second as usize;
        let Some(place) = self.times.get_mut(second % 60 * (TIMES / 60) + second / 60) else { return false };
        if *place == UNKNOWN {
            self.room.clear();
            write_time(second as u64, &mut self.room);
            *place = known(match self.halves {
                Some((_, begin)) => self.room.starts_with(begin.as_bytes()),
                None => self.finder.find(&self.room).is_some(),
            });
        }
        *place == SHOWS
    }
}

impl Remembered {
    fn knows(&mut self, bits: u64, find: impl FnOnce() -> bool) -> bool {
        if self.0.is_empty() {
            self.0 = vec![(0, UNKNOWN); 1 << REMEMBERED];
        }
        let hash = bits.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - REMEMBERED);
        let Some(place) = self.0.get_mut(hash as usize) else { return find() };
        if place.1 == UNKNOWN || place.0 != bits {
            *place = (bits, known(find()));
        }
        place.1 == SHOWS
    }
}

fn known(shows: bool) -> u8 {
    if shows { SHOWS } else { MISSES }
}

fn is_shown(kind: CellKind, bits: u64, text: &str) -> bool {
    CellRef::from_parts(kind, 0, bits, "").shown().to_lowercase().contains(text)
}

/// What is shown of a number of up to four decimals; absent for others.
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

fn write_day(milliseconds: i64, text: &mut Vec<u8>) -> Option<()> {
    let (year, month, day, _) = parts_of(milliseconds)?;
    digits(year, 4, text);
    text.push(b'-');
    digits(month, 2, text);
    text.push(b'-');
    digits(day, 2, text);
    Some(())
}

fn write_time(second: u64, text: &mut Vec<u8>) {
    digits(second / 3600, 2, text);
    text.push(b':');
    digits(second / 60 % 60, 2, text);
    if !second.is_multiple_of(60) {
        text.push(b':');
        digits(second % 60, 2, text);
    }
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
    use super::*;
    use crate::{
        Cell,
        rows::{column::Column, pack_room::PackRoom},
        serial::from_milliseconds,
    };

    const SEED: u64 = 11;

    /// Numbers, moments and durations of the usual and of the odd kind.
    fn cells(next: &mut impl FnMut(u64) -> u64) -> Vec<Cell> {
        let odd = [0.0, -0.0, 1.0, -1.5, 13.75, 0.0001, -0.0001, 99_999_999_999.5, 0.1, 0.3, 1e15, 1e-7, 123.456_78];
        let mut cells: Vec<Cell> = odd.into_iter().chain([1e300, -1e-300]).map(Cell::number).collect();
        for _ in 0..3_000 {
            let step = next(6_000).cast_signed() - 3_000;
            cells.push(Cell::number(step as f64 / [1.0, 4.0, 1000.0, 7.0][next(4) as usize]));
            cells.push(Cell::date_time(from_milliseconds(
                step * [12_345_678_987, 3_600_000, 61_000, 86_400_000][next(4) as usize],
            )));
            cells.push(Cell::duration(step * [36_070_000_000, 123_456, 600_000_000][next(3) as usize]));
            cells.push(Cell::boolean(next(2) == 0));
        }
        cells
    }

    /// Whatever a cell shows, and pieces of it that are changed a little, too.
    #[test]
    fn what_a_value_shows_is_found_in_it_and_nothing_else() {
        let mut state = SEED;
        println!("seed {SEED}");
        let mut next = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let cells = cells(&mut next);
        let pack = |cell: &Cell| {
            let mut column = Column::default();
            column.put(0, cell.as_ref());
            let mut packed = Vec::new();
            column.pack(0, &mut packed, &mut PackRoom::default());
            packed
        };
        let packed: Vec<_> = cells.iter().map(pack).collect();
        for case in 0..400 {
            let shown = cells[next(cells.len() as u64) as usize].shown().to_lowercase();
            let from = next(shown.len() as u64) as usize;
            let mut text = shown[from..=from + next((shown.len() - from) as u64) as usize].to_owned();
            if case % 4 == 0 {
                text.insert(next(text.len() as u64 + 1) as usize, char::from(b" .:-0e"[next(6) as usize]));
            }
            let finder = Finder::new(text.as_bytes());
            let mut values = ShownValues::new(&text, &finder);
            for (cell, packed) in cells.iter().zip(&packed) {
                let (kind, flags, bits, _) = cell.as_ref().parts();
                let may = values.may_stand_in(Outline::of(packed).unwrap());
                let found = may && values.shows(kind, flags, bits);
                assert_eq!(found, cell.shown().to_lowercase().contains(&text), "{text:?} in {:?}", cell.shown());
            }
        }
    }
}
