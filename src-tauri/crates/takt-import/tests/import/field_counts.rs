//! Rows of a text file with more or fewer fields than its header row.

use takt_core::{ExcelRow, FindingCode, Severity};
use takt_import::{Fix, ImportView, RowChoice, RowFilter};

use super::Fixture;

const CSV_HEADER: &str = "code,operationCode,materialCode,requestedQuantity,note\n";

fn order_line(row: u32, rest: &str) -> String {
    format!("WO-{row},010,MAT-1001,{rest}\n")
}

fn set_cell(fixture: &Fixture, view: &ImportView, (row, column): (u32, u32), text: &str) -> ImportView {
    let fix = Fix::Set { row: ExcelRow::new(row), column, text: text.to_owned() };
    fixture.imports.fix(view.id, &fix).unwrap()
}

#[test]
fn a_separator_without_quotes_is_an_error_at_its_row() {
    let fixture = Fixture::new();
    let text =
        "code,description,uoM\nM-701,Bolt, zinc,pcs\nM-702,Nut,pcs\nM-703,Washer M8, A2, DIN 125,pcs\nM-704,Pin,pcs\n";
    let tabs =
        fixture.write_text_file("11i-tab.tsv", "code\tdescription\tuoM\nM-721\tBolt\tM8\tpcs\nM-722\tNut\tpcs\n");
    for (view, expected, counts) in [
        (fixture.open_csv(text), &["D2 extra-fields", "D4 extra-fields"][..], (2, 2)),
        (fixture.imports.open(&tabs).unwrap(), &["D2 extra-fields"], (1, 1)),
    ] {
        let view = fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
        assert_eq!(fixture.finding_texts(&view), expected);
        assert_eq!((view.counts.error_rows, view.counts.ready_rows), counts);
    }
    let view = fixture.open_csv(text);
    let view = fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
    let finding = fixture.imports.findings(view.id).unwrap().swap_remove(1);
    assert_eq!((finding.severity, finding.parameters["fields"].as_str()), (Severity::Error, "5"));
    assert_eq!((finding.parameters["expected"].as_str(), finding.parameters["value"].as_str()), ("3", " DIN 125"));
    // Each extra value needs a decision.
    let view = set_cell(&fixture, &view, (4, 3), "");
    assert_eq!(fixture.finding_texts(&view), ["D2 extra-fields", "E4 extra-fields"]);
    let view = set_cell(&fixture, &view, (4, 4), "");
    assert_eq!((fixture.finding_texts(&view), view.counts.ready_rows), (vec!["D2 extra-fields".to_owned()], 3));
    let view = fixture.imports.fix(view.id, &Fix::Exclude { rows: vec![ExcelRow::new(2)] }).unwrap();
    assert_eq!((fixture.finding_texts(&view), view.counts.ready_rows), (Vec::new(), 3));
    let view = fixture.imports.undo(view.id).unwrap();
    assert_eq!((view.counts.error_rows, view.counts.ready_rows), (1, 3));
}

#[test]
fn a_shifted_quantity_is_never_ready() {
    let fixture = Fixture::new();
    let text = format!("{CSV_HEADER}{}{}{}", order_line(1, "18,a"), order_line(2, "18,83,m,EXT"), order_line(3, "4,b"));
    let view = fixture.open_csv(&text);
    assert_eq!(fixture.finding_texts(&view), ["F3 extra-fields"]);
    let filter = RowFilter { code: Some(FindingCode::ExtraFields), ..RowFilter::default() };
    let page = fixture.imports.rows(view.id, &filter, 0, 10).unwrap();
    assert_eq!((page.total, page.rows[0].row.get(), page.rows[0].severity), (1, 3, Some(Severity::Error)));
    assert_eq!(view.counts.ready_rows, 2);
}

#[test]
fn a_row_with_fewer_fields_is_a_warning_and_an_error_if_a_required_one_is_missing() {
    let fixture = Fixture::new();
    let text = format!(
        "{CSV_HEADER}{}{}{}{}",
        order_line(1, "18,a"),
        order_line(2, "5"),
        "WO-3,010,MAT-1001\n",
        order_line(4, "7,b")
    );
    let view = fixture.open_csv(&text);
    assert_eq!(fixture.finding_texts(&view), ["E3 missing-fields", "D4 required", "D4 missing-fields"]);
    assert_eq!((view.counts.warning_rows, view.counts.error_rows, view.counts.ready_rows), (1, 1, 3));
    let view = set_cell(&fixture, &view, (3, 4), "looked at");
    let view = set_cell(&fixture, &view, (4, 3), "12");
    assert_eq!((fixture.finding_texts(&view), view.counts.ready_rows), (Vec::new(), 4));
}

#[test]
fn a_file_that_ends_within_its_last_row_is_an_error_there() {
    let fixture = Fixture::new();
    let cut = format!("{CSV_HEADER}{}WO-2,010,MAT-1001,12", order_line(1, "18,a"));
    let view = fixture.open_csv(&cut);
    assert_eq!(fixture.finding_texts(&view), ["D3 cut-row"]);
    assert_eq!((view.counts.error_rows, view.counts.ready_rows), (1, 1));
    let view = set_cell(&fixture, &view, (3, 3), "120");
    assert_eq!((fixture.finding_texts(&view), view.counts.ready_rows), (Vec::new(), 2));
    // With all of its fields or with a line end, nothing shows a cut.
    for (end, expected) in
        [(",", &[][..]), (",x", &[]), ("\n", &["E3 missing-fields"]), ("\r\n\r\n", &["E3 missing-fields"])]
    {
        assert_eq!(fixture.finding_texts(&fixture.open_csv(&format!("{cut}{end}"))), expected, "{end:?}");
    }
}

#[test]
fn what_stands_around_the_rows_and_empty_fields_do_no_harm() {
    let fixture = Fixture::new();
    let text = format!(
        "Plan of week 48, as of today, final, for all, with notes, and more\n\nPrinted by,me\n{CSV_HEADER}{},,,,,,,\n\n{}{}Total,,,22\n",
        order_line(1, "18,a,,,"),
        order_line(2, "4,"),
        "   \n"
    );
    let view = fixture.open_csv(&text);
    assert_eq!(view.header_row, Some(4));
    assert_eq!(fixture.finding_texts(&view), ["A10 totals-row"]);
    assert_eq!(view.counts.ready_rows, 2);
    // Headings without text need no values, and accept some.
    let text =
        format!("{}{}{}", CSV_HEADER.replace('\n', ",,\n"), order_line(1, "18,a"), order_line(2, "18,a,free,text"));
    assert_eq!(fixture.finding_texts(&fixture.open_csv(&text)), [""; 0]);
    // A totals row that the user includes is a normal row.
    let view = fixture.open_csv(&format!("{CSV_HEADER}{}{}Total,,,40", order_line(1, "18,a"), order_line(2, "22,a")));
    assert_eq!(fixture.finding_texts(&view), ["A4 totals-row"]);
    let view = fixture.imports.choose_rows(view.id, RowChoice { keep_totals: true, ..RowChoice::default() }).unwrap();
    assert!(fixture.finding_texts(&view).contains(&"D4 cut-row".to_owned()), "{:?}", fixture.finding_texts(&view));
}

/// The file is so large that several threads check its rows.
#[test]
fn a_row_among_many_is_found() {
    let fixture = Fixture::new();
    let mut text = CSV_HEADER.to_owned();
    for row in 1..=120_000 {
        text.push_str(&order_line(row, if row % 40_000 == 1 { "18,83,m,EXT" } else { "18,a" }));
    }
    let view = fixture.open_csv(&text);
    assert_eq!(fixture.finding_texts(&view), ["F2 extra-fields", "F40002 extra-fields", "F80002 extra-fields"]);
    assert_eq!((view.counts.error_rows, view.counts.ready_rows), (3, 119_997));
}
