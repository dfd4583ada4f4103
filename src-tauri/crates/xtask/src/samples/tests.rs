//! Tests that samples are reproducible, committed as generated, and use the contract's names.

use std::{collections::BTreeSet, fs, path::PathBuf};

use takt_contract::{Contract, Field, FieldKind, Names, Operation};

use super::{
    generate,
    mistake::{FoundBy, MistakeKind},
    table::{Cell, Table},
    tables,
};

fn committed_folder() -> PathBuf {
    crate::paths::root().join("tests/data/samples")
}

fn names_in(folder: &std::path::Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn generating_twice_gives_the_same_bytes_and_those_are_committed() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    generate(first.path()).unwrap();
    generate(second.path()).unwrap();
    let names = names_in(first.path());
    assert_eq!(names, names_in(second.path()));
    assert_eq!(names, names_in(&committed_folder()));
    for name in names {
        let bytes = fs::read(first.path().join(&name)).unwrap();
        assert!(bytes == fs::read(second.path().join(&name)).unwrap(), "{name} differs between two runs");
        assert!(bytes == fs::read(committed_folder().join(&name)).unwrap(), "{name} isn't the committed one");
    }
}

#[test]
fn every_operation_that_takes_rows_has_a_workbook() {
    let contract = Contract::builtin().unwrap();
    let wanted: BTreeSet<String> = contract
        .operations()
        .iter()
        .filter(|operation| operation.request.as_ref().is_some_and(|shape| shape.member == "items"))
        .map(|operation| format!("{}.xlsx", operation.id))
        .collect();
    assert_eq!(wanted.len(), 12);
    let made: BTreeSet<String> =
        names_in(&committed_folder()).into_iter().filter(|name| name.ends_with(".xlsx")).collect();
    assert_eq!(made, wanted);
}

#[test]
fn headings_name_their_fields_and_no_other_and_cover_what_is_required() {
    let contract = Contract::builtin().unwrap();
    for (_, table) in tables() {
        let operation = contract.operation(table.operation).unwrap();
        let mut covered = BTreeSet::new();
        for column in &table.columns {
            let matched = fields_named(operation, column.heading);
            let wanted: Vec<String> = column.field.iter().map(|field| (*field).to_owned()).collect();
            assert_eq!(matched, wanted, "{}: {}", table.operation, column.heading);
            covered.extend(wanted);
        }
        for field in fields(operation).into_iter().filter(|field| field.required) {
            assert!(covered.contains(&field.path), "{}: no heading for {}", table.operation, field.path);
        }
    }
}

#[test]
fn each_file_has_enough_rows_and_a_few_of_them_wrong() {
    for (_, table) in tables() {
        assert!((150..=400).contains(&table.rows.len()), "{}: {} rows", table.operation, table.rows.len());
        assert!((4..=8).contains(&table.mistakes.len()), "{}", table.operation);
        let last = table.row(table.rows.len() - 1);
        let mut wrong_rows = BTreeSet::new();
        for mistake in &table.mistakes {
            for row in &mistake.rows {
                assert!(*row > table.heading_row() && *row <= last, "{}: row {row}", table.operation);
                assert!(wrong_rows.insert(*row), "{}: row {row} is wrong twice", table.operation);
            }
        }
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{}", table.operation);
    }
}

/// Rows without a listed mistake pass all checks that need only the file.
#[test]
fn the_other_rows_are_right() {
    let contract = Contract::builtin().unwrap();
    for (_, table) in tables() {
        let operation = contract.operation(table.operation).unwrap();
        let wrong: BTreeSet<u32> = table.mistakes.iter().flat_map(|mistake| mistake.rows.clone()).collect();
        let mut keys = BTreeSet::new();
        let mut repeated = 0;
        for position in (0..table.rows.len()).filter(|position| !wrong.contains(&table.row(*position))) {
            for field in fields(operation) {
                let cell = table.cell(position, &field.path);
                let location = format!("{} row {} {}: {cell:?}", table.operation, table.row(position), field.path);
                assert!(!(field.required && cell == Cell::Empty), "{location}");
                assert!(is_valid(field.kind, &cell), "{location}");
            }
            let key: Vec<String> =
                operation.key.iter().map(|part| format!("{:?}", table.cell(position, part))).collect();
            repeated += usize::from(!keys.insert(key));
        }
        let grouped = if table.operation == "work-orders.sync" { 14 } else { 0 };
        assert_eq!(repeated, grouped, "{}", table.operation);
    }
}

#[test]
fn kinds_of_mistakes_are_spread_over_the_files() {
    let all: Vec<(MistakeKind, FoundBy)> = tables()
        .into_iter()
        .flat_map(|(_, table)| table.mistakes)
        .map(|mistake| (mistake.kind, mistake.found_by))
        .collect();
    let count = |wanted: FoundBy| all.iter().filter(|(_, found_by)| *found_by == wanted).count();
    assert!(count(FoundBy::File) > 50, "{}", count(FoundBy::File));
    assert!(count(FoundBy::Service) > 18, "{}", count(FoundBy::Service));
}

fn is_valid(kind: FieldKind, cell: &Cell) -> bool {
    match (kind, cell) {
        (_, Cell::Empty) | (FieldKind::Text, Cell::Text(_)) => true,
        // Codes can be numbers with a number format that adds zeros. Excel rounds numbers with more than 15 digits.
        (FieldKind::Text, Cell::Number(number)) => number.fract() == 0.0 && *number < 1e15,
        (FieldKind::Number, Cell::Number(number)) => *number >= 0.0,
        (FieldKind::Integer, Cell::Number(number)) => number.fract() == 0.0,
        (FieldKind::Boolean, Cell::Flag(_)) | (FieldKind::DateTime, Cell::Moment(_)) => true,
        (FieldKind::Boolean, Cell::Text(text)) => ["J", "N", "sim", "não"].contains(&text.as_str()),
        (FieldKind::Duration, Cell::Minutes(minutes)) => *minutes > 0,
        (FieldKind::Duration, Cell::Text(text)) => takt_contract::wire::duration::parse_ticks(text).is_some(),
        _ => false,
    }
}

struct SampleField {
    path: String,
    required: bool,
    kind: FieldKind,
    words: Vec<String>,
    names: Vec<String>,
}

fn fields(operation: &Operation) -> Vec<SampleField> {
    let plain = |path: String, field: &Field, required: bool| SampleField {
        path,
        required,
        kind: field.kind,
        words: field.synonyms.clone(),
        names: all_names(&field.names),
    };
    let mut all = Vec::new();
    for field in &operation.request.as_ref().unwrap().fields {
        if field.kind == FieldKind::List {
            let part = |part: &Field| plain(format!("{}.{}", field.name, part.name), part, false);
            all.extend(field.fields.iter().map(part));
        } else {
            all.push(plain(field.name.clone(), field, field.required));
        }
    }
    all
}

fn all_names(names: &Names) -> Vec<String> {
    [&names.en, &names.de, &names.es, &names.pt].into_iter().cloned().collect()
}

/// Returns the fields whose name or synonym is the heading. Names take precedence over synonyms.
fn fields_named(operation: &Operation, heading: &str) -> Vec<String> {
    let same = |words: &[String]| words.iter().any(|word| word.to_lowercase() == heading.to_lowercase());
    let fields_by = |words: fn(&SampleField) -> &[String]| -> Vec<String> {
        fields(operation).into_iter().filter(|known| same(words(known))).map(|known| known.path).collect()
    };
    let by_name = fields_by(|known| &known.names);
    if by_name.is_empty() { fields_by(|known| &known.words) } else { by_name }
}

#[test]
fn a_row_number_is_what_excel_shows() {
    let mut table = Table::new("x", "en", "x", Vec::new());
    assert_eq!((table.heading_row(), table.row(0)), (1, 2));
    table.title = Some("Title");
    assert_eq!((table.heading_row(), table.row(0)), (3, 4));
}
