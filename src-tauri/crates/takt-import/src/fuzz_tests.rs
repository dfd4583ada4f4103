//! Reads cells of any content as every kind of field. Reading must return, and the value must be writable.

use std::{
    env,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use takt_contract::FieldKind;
use takt_sheet::Cell;

use crate::cell_value::{Format, read};

const KINDS: [FieldKind; 7] = [
    FieldKind::Text,
    FieldKind::Integer,
    FieldKind::Number,
    FieldKind::Boolean,
    FieldKind::DateTime,
    FieldKind::Duration,
    FieldKind::TimeSpan,
];
/// Fragments of numbers, dates and durations, and other characters.
const TEXT_FRAGMENTS: [&str; 52] = [
    "0",
    "1",
    "9",
    "12",
    "31",
    "99",
    "2026",
    "9999",
    "10000",
    "00000000000000000001",
    "18446744073709551616",
    ".",
    ",",
    "'",
    " ",
    "\u{a0}",
    "\u{202f}",
    "-",
    "\u{2212}",
    "+",
    "(",
    ")",
    "%",
    "e",
    "E",
    "e308",
    "e-400",
    "/",
    ":",
    "T",
    "Z",
    "+02:00",
    "-99:99",
    "P",
    "PT",
    "D",
    "H",
    "M",
    "S",
    "h",
    "min",
    "d",
    "NaN",
    "inf",
    "true",
    "ja",
    "\u{200b}",
    "٣",
    "é",
    "AM",
    "pm",
    "*",
];

fn seed() -> u64 {
    let given = env::var("TAKT_SEED").ok().and_then(|seed| seed.parse().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map(|since| u64::from(since.subsec_nanos())).unwrap_or(1);
    given.unwrap_or_else(|| now() | 1)
}

fn number_below(state: &mut u64, limit: usize) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    usize::try_from(*state % limit as u64).unwrap_or_default()
}

#[test]
fn any_text_and_number_gets_an_answer() {
    let seed = seed();
    let cases: usize = env::var("TAKT_FUZZ_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(20_000);
    let mut random_state = seed;
    let begin = Instant::now();
    for case in 0..cases {
        let column: Vec<Cell> = (0..=number_below(&mut random_state, 3))
            .map(|_| {
                let text: String = (0..=number_below(&mut random_state, 9))
                    .map(|_| TEXT_FRAGMENTS[number_below(&mut random_state, TEXT_FRAGMENTS.len())])
                    .collect();
                match number_below(&mut random_state, 6) {
                    0 => Cell::number(f64::from_bits(random_state)),
                    1 => Cell::duration(random_state.cast_signed()),
                    _ => Cell::text(text),
                }
            })
            .collect();
        for kind in KINDS {
            let format = Format::detect(kind, None, column.iter());
            for cell in column.iter().filter(|cell| !cell.is_empty()) {
                let Ok(value) = read(cell.as_ref(), kind, format) else { continue };
                let json = value.to_json();
                assert!(
                    !json.is_null(),
                    "TAKT_SEED={seed}, case {case}: {:?} towards {kind:?} is nothing",
                    cell.shown()
                );
                assert!(value.display_text().len() < 4096, "TAKT_SEED={seed}, case {case}: {:?}", cell.shown());
            }
        }
    }
    assert!(begin.elapsed() < Duration::from_secs(60), "TAKT_SEED={seed}: it took {:?}", begin.elapsed());
}
