//! Compares checking many rows at once with checking each row alone, for ordinary and odd cells of every kind of field.

use std::sync::Arc;

use jiff::civil::{Date, DateTime};
use takt_contract::Contract;
use takt_core::ExcelRow;
use takt_sheet::{Cell, RowSpan, Rows, SheetRow};

use super::RowCheck;
use crate::{
    column_layout::ColumnLayout, fix::Overlay, mapping::MappingRules, matching::Vocabulary,
    reference_checks::ReferenceChecks, row_mapper::RowMapper, target::TargetFields,
};

const ROWS: u32 = 4_000;
const HEADINGS: [&str; 9] = [
    "Work order",
    "Operation",
    "Quantity",
    "Start",
    "Finish",
    "Machine hours",
    "Template id",
    "properties[RUSH]",
    "Note",
];
const PART_FIELD: &str = "rawMaterials.code";

struct Random(u64);

impl Random {
    fn number_below(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }

    fn pick_text(&mut self, texts: &[&str]) -> Cell {
        Cell::text(texts[self.number_below(texts.len())])
    }

    /// Returns a text that may need the full check, whatever the column's kind.
    fn odd_text(&mut self) -> Cell {
        self.pick_text(&[
            " ",
            "\u{a0}",
            " a",
            "a ",
            "\ta",
            "ä",
            "\0",
            "a\0b",
            "\u{FFFD}",
            "b\u{FFFD}",
            "1,5",
            "1.5",
            "1.234,5",
            "-7",
            "+7",
            "0012",
            "1e5",
            "true",
            "FALSE",
            "ja",
            "1",
            "0",
            "2036-02-30",
            "2036-02-03",
            "2036-02-03 24:00",
            "KW 5",
            "3.2.2036",
            "7:30",
            "7:75",
            "99999:00",
            "7:30:15",
            "1 h 30 min",
            "999999999999999",
            "1234567890123456",
            "1 5",
            "1'234",
            "1\u{2019}234.5",
            "50-",
            "(50)",
            "2036-02-03 3:27 PM",
            "WO-1\u{200b}2",
            "\u{feff}WO-12",
            "WO-12\u{200e}",
            "WO\u{a0}12",
            "WO-1\u{1}2",
            "WO-12\u{7f}",
            "a\u{202e}b",
            "two\nlines",
            "",
        ])
    }

    /// Returns a cell that may need the full check, whatever the column's kind.
    fn odd_cell(&mut self) -> Cell {
        match self.number_below(10) {
            0 => Cell::default(),
            1 => Cell::boolean(self.number_below(2) == 0),
            2 => Cell::formula_without_value(),
            3 => Cell::error("#REF!"),
            4 => Cell::number_shown(7.0, "007"),
            5 => Cell::number([0.0, -1.0, 0.1 + 0.2, 1e15, 1e14, 12.5, 1e-9][self.number_below(7)]),
            6 => Cell::date_time(DateTime::constant(2036, 1, 1, 0, 0, 0, 500_000_000)),
            7 => Cell::duration(self.number_below(1_000) as i64 * 90_000_001),
            8 => Cell::text("long text ".repeat(1 + self.number_below(60))),
            _ => self.odd_text(),
        }
    }

    /// Returns one row. If it has only texts, few are odd, so that most consecutive rows of a column have none.
    fn cells(&mut self, only_texts: bool) -> Vec<Cell> {
        let day = |random: &mut Self| {
            Cell::text(format!("2036-{:02}-{:02} 06:15", 1 + random.number_below(12), 1 + random.number_below(28)))
        };
        let quantity = ["7", "12.75", "100", "0.5"];
        let mut cells = vec![
            Cell::text(format!("WO-{}", self.number_below(3_000))),
            self.pick_text(&["010", "020"]),
            self.pick_text(&quantity),
            day(self),
            day(self),
            Cell::text(format!("{}:{:02}", self.number_below(40), self.number_below(60))),
            Cell::text(self.number_below(30).to_string()),
            self.pick_text(&["true", "false"]),
            self.pick_text(&["", "see drawing 5149", "Zeichnung für Größe 5"]),
            self.pick_text(&["MAT-1", "MAT-2", ""]),
        ];
        for cell in &mut cells {
            if only_texts && self.number_below(300) == 0 {
                *cell = self.odd_text();
            } else if !only_texts && self.number_below(6) == 0 {
                *cell = self.odd_cell();
            }
        }
        cells
    }
}

/// Returns the results of both ways, as one text per row.
fn results_of_both_ways(check: &RowCheck<'_>, rows: RowSpan<'_>) -> (Vec<String>, Vec<String>) {
    let mut at_once = vec![String::new(); rows.len()];
    for block in rows.map_blocks(check.columns(), |block| check.check_block(block)) {
        let first = block.first as usize;
        for (at, hash) in block.keys.hashes.iter().enumerate() {
            let key = block.keys.get(at);
            at_once[first + at] = format!("{key:?} {hash} {:?}", block.item_hashes.get(at));
        }
        for mark in block.marks.iter().chain(&block.item_marks) {
            at_once[mark.position.index()] += &format!(" {mark:?}");
        }
    }
    let mut reader = rows.reader_for_columns(check.columns());
    let alone = (0..rows.len()).map(|position| {
        let mut found = check.check_row(position, &reader.get(position).unwrap());
        // Marks of a block are sorted when it is complete.
        found.marks.sort_by_key(|mark| mark.column);
        let key = found.keys.get(0);
        let marks = found.marks.iter().chain(&found.item_marks).map(|mark| format!(" {mark:?}")).collect::<String>();
        format!("{key:?} {} {:?}{marks}", found.keys.hashes[0], found.item_hashes.first())
    });
    let alone = alone.collect();
    (at_once, alone)
}

#[test]
fn rows_at_once_say_what_each_says_alone() {
    assert_equal_results(11, false);
}

#[test]
fn rows_of_texts_at_once_say_what_each_says_alone() {
    assert_equal_results(12, true);
}

fn assert_equal_results(seed: u64, only_texts: bool) {
    println!("seed {seed}");
    let mut random = Random(seed);
    let row = |number| SheetRow { number, cells: random.cells(only_texts), hidden: number % 9 == 0 };
    let mut all = Rows::from_rows((1..=ROWS).map(row));
    let contract = Contract::builtin().unwrap();
    for (groups, leaves_out, edited) in
        [(false, false, false), (true, false, false), (false, true, false), (true, true, true), (false, false, true)]
    {
        let mut headings: Vec<String> = HEADINGS.map(str::to_owned).into();
        headings.push(if groups { PART_FIELD } else { "?" }.to_owned());
        let mut targets = TargetFields::from_operation(contract.operation("work-orders.sync").unwrap()).unwrap();
        targets.add_property(HEADINGS[7], HEADINGS[7]);
        let matches = Vocabulary::new(&targets).match_headings(&headings);
        all.retain(|_, hidden| !leaves_out || !hidden);
        let mut overlay = Overlay::default();
        if edited {
            all.replace_cell(77, 2, Cell::text("none"));
            all.replace_cell(78, 3, Cell::text("2036-01-01"));
            assert!((50..90).all(|row| overlay.set_excluded(ExcelRow::new(row), true)));
        }
        let rows = all.span_from(5);
        let (rules, today) = (MappingRules::default(), Date::constant(2036, 1, 1));
        let mut layout = ColumnLayout::new(&targets, &matches, &rules, &headings, rows, &overlay, today);
        assert_eq!(layout.columns.iter().flatten().count(), 9 + usize::from(groups), "each heading fills a field");
        let reference_checks = ReferenceChecks::default();
        if groups {
            layout.contested = vec![(1, Arc::new([("columns", "B, D".to_owned())].into()))];
        }
        let mapper =
            RowMapper { targets: &targets, layout: &layout, overlay: &overlay, reference_checks: &reference_checks };
        let check = RowCheck::new(&mapper);
        let (at_once, alone) = results_of_both_ways(&check, rows);
        let other = at_once.iter().zip(&alone).position(|(one, other)| one != other);
        assert_eq!(other.map(|row| (&at_once[row], &alone[row])), None);
    }
}
