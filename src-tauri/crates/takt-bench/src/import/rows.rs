//! The rows of the measured workbook: orders as a planner's system exports them. Number and seed alone determine a row.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The number of rows per row with an error.
const ROWS_PER_ERROR: u32 = 2_500;
/// The number of error kinds, which take turns. The last one repeats the previous row's key.
const ERROR_KINDS: u32 = 5;

pub(crate) const COLUMNS: usize = 12;
/// The header row. Each column is mapped to a field of `work-orders.sync`.
pub(crate) const HEADINGS: [&str; COLUMNS] = [
    "Work order",
    "Operation",
    "Material number",
    "Order grouper",
    "Customer",
    "Quantity",
    "Start",
    "Finish",
    "Machine hours",
    "Template id",
    "properties[RUSH]",
    "Note",
];

const KNOWN_MATERIAL: &str = "MAT-1001";

/// A cell's value, independent of the file format.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Empty,
    Text(String),
    Number(f64),
    /// Minutes since the beginning of 2036.
    Moment(i64),
    Minutes(i64),
    Flag(bool),
}

/// Returns the row with this 0-based number, which may have an error. Only a duplicate depends on the row before.
pub(crate) fn row(seed: u64, number: u32) -> [Value; COLUMNS] {
    let mut row = valid_row(seed, number);
    insert_error(&mut row, number);
    // A duplicate key needs both of its members.
    if number > 0 && has_error(number) && error_kind(number) == ERROR_KINDS - 1 {
        let [_, operation, ..] = valid_row(seed, number - 1);
        row[1] = operation;
    }
    row
}

/// Returns row `number` with an invalid quantity and no other error.
pub(crate) fn invalid_row(seed: u64, number: u32) -> [Value; COLUMNS] {
    let mut row = valid_row(seed, number);
    row[5] = Value::Number(0.0);
    row
}

/// Returns row `number` without errors, with a material that every practice plant has.
pub(crate) fn known_row(seed: u64, number: u32) -> [Value; COLUMNS] {
    let mut row = valid_row(seed, number);
    row[2] = Value::Text(KNOWN_MATERIAL.to_owned());
    row
}

fn valid_row(seed: u64, number: u32) -> [Value; COLUMNS] {
    let mut dice = ChaCha8Rng::seed_from_u64(seed);
    dice.set_stream(u64::from(number));
    let begin = 5 * dice.random_range(0..100_000_i64);
    let length = 15 * dice.random_range(1..400_i64);
    [
        Value::Text(order_code(number)),
        Value::Text(format!("{:03}", 10 * dice.random_range(1..10_u32))),
        Value::Text(format!("MAT-{:05}", dice.random_range(0..5_000_u32))),
        Value::Text(format!("Frame assembly {:06}", dice.random_range(0..200_000_u32))),
        Value::Text(format!("Customer {:03} GmbH", dice.random_range(0..300_u32))),
        Value::Number(f64::from(dice.random_range(1..8_000_u32)) / 4.0),
        Value::Moment(begin),
        Value::Moment(begin + length),
        Value::Minutes(length / 2),
        Value::Number(f64::from(dice.random_range(1..25_u32))),
        Value::Flag(dice.random_range(0..10_u32) == 0),
        if dice.random_range(0..10_u32) < 6 { Value::Empty } else { random_note(&mut dice) },
    ]
}

/// Returns the number of errors that `takt check` must find in this many rows.
pub(crate) fn expected_errors(rows: u32) -> u32 {
    (0..rows)
        .filter(|&number| has_error(number))
        .map(|number| if error_kind(number) == ERROR_KINDS - 1 { 2 } else { 1 })
        .sum()
}

fn order_code(number: u32) -> String {
    format!("WO-{}", 1_000_000 + number)
}

fn random_note(dice: &mut ChaCha8Rng) -> Value {
    let notes = ["deburr all edges", "certificate 3.1 needed", "first part to the measuring room", "customer collects"];
    let note = notes.get(dice.random_range(0..notes.len())).copied().unwrap_or_default();
    Value::Text(format!("{note}, see drawing {}", dice.random_range(1_000..9_999_u32)))
}

fn has_error(number: u32) -> bool {
    number % ROWS_PER_ERROR == ROWS_PER_ERROR / 2
}

fn error_kind(number: u32) -> u32 {
    number / ROWS_PER_ERROR % ERROR_KINDS
}

fn insert_error(row: &mut [Value; COLUMNS], number: u32) {
    if !has_error(number) {
        return;
    }
    match error_kind(number) {
        0 => row[5] = Value::Number(0.0),
        1 => row[5] = Value::Text("ca. 200".to_owned()),
        2 => row[6] = Value::Text("CW 50".to_owned()),
        3 => row[2] = Value::Empty,
        _ => row[0] = Value::Text(order_code(number - 1)),
    }
}

/// Returns the header row and the rows, with numbers from 1.
pub(crate) fn numbered_rows(rows: u32, seed: u64) -> impl Iterator<Item = (u32, Vec<Value>)> {
    let headings = HEADINGS.map(|heading| Value::Text(heading.to_owned()));
    std::iter::once((1, headings.to_vec())).chain((0..rows).map(move |before| (before + 2, row(seed, before).to_vec())))
}
