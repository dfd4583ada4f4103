//! The sample of template-process links to delete.

use super::{
    dice::Dice,
    floor,
    mistake::MistakeKind,
    table::{Cell, Table, column, own_column},
};

/// The practice plant's links with seed 1: the template, its first and last process, and the processes with a second
/// operation. Template 1 has no links.
const LINKS: [(i64, i64, i64, &[i64]); 23] = [
    (2, 1, 4, &[1, 3]),
    (3, 30, 38, &[34, 35]),
    (4, 22, 25, &[]),
    (5, 23, 30, &[26]),
    (6, 6, 13, &[8]),
    (7, 13, 16, &[15, 16]),
    (8, 16, 24, &[17, 18]),
    (9, 4, 7, &[6]),
    (10, 18, 21, &[]),
    (11, 11, 14, &[]),
    (12, 16, 19, &[16]),
    (13, 5, 10, &[5, 6, 7, 8]),
    (14, 23, 26, &[23]),
    (15, 26, 31, &[26, 31]),
    (16, 29, 32, &[30, 31]),
    (17, 7, 9, &[7, 9]),
    (18, 24, 27, &[26]),
    (19, 9, 14, &[9]),
    (20, 4, 8, &[6]),
    (21, 20, 24, &[]),
    (22, 7, 9, &[]),
    (23, 25, 29, &[25]),
    (24, 1, 3, &[]),
];

/// `template-processes.delete`: English.
pub(super) fn delete() -> Table {
    let mut table = Table::new(
        "template-processes.delete",
        "en",
        "Links to delete",
        vec![
            column("Template no", "templateId", 11, "0"),
            column("Process code", "processCode", 13, "@"),
            column("Operation code", "operationCode", 14, "@"),
            own_column("Replaced by", 18),
            own_column("Why", 34),
        ],
    );
    let mut dice = Dice::new(13);
    for (template, first, last, twice) in LINKS {
        for process in first..=last {
            table.rows.push(link_row(&mut dice, template, process, "010"));
            if twice.contains(&process) {
                table.rows.push(link_row(&mut dice, template, process, "020"));
            }
        }
    }
    // These wrong rows are added instead of replacing others, so that every link of the plant is deleted.
    for position in [12, 29, 51, 74, 93, 110, 127, 141] {
        let row = link_row(&mut dice, 1 + i64::try_from(position).unwrap_or_default() % 24, 40, "010");
        table.rows.insert(position, row);
    }
    table.spoil(12, "processCode", MistakeKind::Required, Cell::Empty);
    table.spoil(29, "templateId", MistakeKind::NotAnInteger, "T-07");
    table.repeat_key(51, 48, &["templateId", "processCode", "operationCode"]);
    table.spoil(74, "operationCode", MistakeKind::Required, Cell::Empty);
    table.spoil(93, "templateId", MistakeKind::NotAnInteger, 14.5);
    table.spoil(110, "templateId", MistakeKind::UnknownLink, 99);
    table.spoil(127, "operationCode", MistakeKind::UnknownLink, "040");
    table.spoil(141, "processCode", MistakeKind::UnknownLink, "IP-777");
    table
}

fn link_row(dice: &mut Dice, template: i64, process: i64, operation: &str) -> Vec<Cell> {
    let why = dice.pick(&["machine sold", "merged with finish turning", "now done by the supplier", "double entry"]);
    vec![
        template.into(),
        floor::process_code(process).into(),
        operation.into(),
        if dice.percent(30) { floor::process_code(dice.integer(1, 40)) } else { String::new() }.into(),
        if dice.percent(40) { why } else { "" }.into(),
    ]
}
