//! Mapping rules: formats, constants, values, blanks, several columns to one field, properties.

use serde_json::{Value, json};
use takt_core::{Code, ExcelRow, FindingCode};
use takt_import::{
    Blank, ChangeKind, Fix, FormatCertainty, FormatChoice, FormatExample, FormatKind, ImportView, MappingChange,
    MappingFile, MatchReason,
};

use takt_sheet::writer::OutCell;

use super::{Fixture, texts};

fn column_format(view: &ImportView, column: usize) -> Option<(FormatCertainty, Option<&str>, u32, u32)> {
    let format = view.columns[column].formats.first()?;
    Some((format.verdict, format.shown.as_deref(), format.proofs, format.of))
}

fn parse_mapping(value: &Value) -> MappingFile {
    MappingFile::from_json(value.to_string().as_bytes()).unwrap()
}

fn item_bodies(fixture: &Fixture, view: &ImportView) -> Vec<Value> {
    fixture.imports.prepare_items(view.id).unwrap().remove(0).set.items.into_iter().map(|item| item.body).collect()
}

fn constant_change(field: &str, text: &str) -> MappingChange {
    MappingChange::Constant { field: field.to_owned(), text: Some(text.to_owned()) }
}

const ORDER_HEADINGS: [&str; 5] = ["code", "operationCode", "materialCode", "requestedQuantity", "beginPlanned"];

fn open_orders(fixture: &Fixture, name: &str, rows: &[[&str; 2]]) -> ImportView {
    let rows = rows
        .iter()
        .enumerate()
        .map(|(at, [quantity, date])| texts(&[&format!("WO-{at}"), "010", "M-1", quantity, date]));
    let view = fixture.open(name, &ORDER_HEADINGS, rows.collect());
    fixture.imports.choose_operation(view.id, "work-orders.sync").unwrap()
}

#[test]
fn a_proven_format_is_shown_with_its_evidence() {
    let fixture = Fixture::new();
    let view = open_orders(&fixture, "w.xlsx", &[["1.375", "31/01/2027"], ["13,75", "01/02/2027"]]);
    assert_eq!(column_format(&view, 3), Some((FormatCertainty::Proven, Some("1.234,56"), 1, 2)));
    assert_eq!(column_format(&view, 4), Some((FormatCertainty::Proven, Some("DD/MM/YYYY"), 1, 2)));
    assert_eq!(column_format(&view, 0), None);
}

#[test]
fn an_ambiguous_format_blocks_until_one_click_and_is_remembered() {
    let fixture = Fixture::new();
    let view = open_orders(&fixture, "w.xlsx", &[["1,375", "01/02/2027"]]);
    assert_eq!(column_format(&view, 3), Some((FormatCertainty::Ambiguous, None, 0, 1)));
    assert_eq!(column_format(&view, 4), Some((FormatCertainty::Ambiguous, None, 0, 1)));
    assert!(!view.settled);
    assert_eq!(fixture.finding_texts(&view), ["D2 ambiguous-number", "E2 ambiguous-date"]);
    let choose =
        |column, choice| fixture.imports.change_mapping(view.id, MappingChange::Format { column, choice }).unwrap();
    choose(3, FormatChoice::Comma);
    let view = choose(4, FormatChoice::MonthFirst);
    assert_eq!(column_format(&view, 4), Some((FormatCertainty::Chosen, Some("MM/DD/YYYY"), 0, 1)));
    assert_eq!(fixture.finding_texts(&view), Vec::<String>::new());
    let body = &item_bodies(&fixture, &view)[0];
    assert_eq!((&body["requestedQuantity"], &body["beginPlanned"]), (&json!(1.375), &json!("2027-01-02T00:00:00")));
    let remembered = fixture.imports.mapping(view.id).unwrap().sheets.remove(0);
    assert_eq!(json!(remembered.formats["beginPlanned"]), "month-first");
    let next = open_orders(&fixture, "next.xlsx", &[["2,500", "03/04/2027"]]);
    assert_eq!(column_format(&next, 4), Some((FormatCertainty::Chosen, Some("MM/DD/YYYY"), 0, 1)));
    // Values that prove a format override the format chosen for the last file.
    let other = open_orders(&fixture, "other.xlsx", &[["2,500", "31/04/2027"], ["2,500", "30/04/2027"]]);
    assert_eq!(column_format(&other, 4).unwrap().1, Some("DD/MM/YYYY"));
}

#[test]
fn durations_without_a_unit_ask_once_and_the_choice_is_remembered() {
    let fixture = Fixture::new();
    let headings = ["code", "operationCode", "materialCode", "requestedQuantity", "laborPredictedTime"];
    let open = |name: &str| {
        let mut times = texts(&["7h30", "450 min", "7,5 Std.", "7,5", " 8 "]);
        times.push(OutCell::Number(0.25));
        let row = |(at, time)| [texts(&[&format!("WO-{at}"), "010", "M-1", "1"]), vec![time]].concat();
        let view = fixture.open(name, &headings, times.into_iter().enumerate().map(row).collect());
        fixture.imports.choose_operation(view.id, "work-orders.sync").unwrap()
    };
    let view = open("w.xlsx");
    assert_eq!(column_format(&view, 4), Some((FormatCertainty::Ambiguous, None, 0, 3)));
    assert!(!view.settled);
    let open_cells = ["E5 duration-without-unit", "E6 duration-without-unit", "E7 duration-without-unit"];
    assert_eq!(fixture.finding_texts(&view), open_cells);
    assert_eq!(example_texts(&view, 4), ["hours: 7,5 → 07:30:00", "minutes: 7,5 → 00:07:30", "days: 7,5 → 180:00:00"]);
    let change = MappingChange::Format { column: 4, choice: FormatChoice::Hours };
    let view = fixture.imports.change_mapping(view.id, change).unwrap();
    assert_eq!(fixture.finding_texts(&view), Vec::<String>::new());
    assert_eq!(
        (column_format(&view, 4).unwrap().0, example_texts(&view, 4)),
        (FormatCertainty::Chosen, vec!["hours: 7,5 → 07:30:00".to_owned()])
    );
    let sent: Vec<Value> = item_bodies(&fixture, &view).iter().map(|body| body["laborPredictedTime"].clone()).collect();
    assert_eq!(sent, ["07:30:00", "07:30:00", "07:30:00", "07:30:00", "08:00:00", "00:15:00"]);
    fixture.imports.mapping(view.id).unwrap();
    let next = open("next.xlsx");
    assert_eq!((column_format(&next, 4).unwrap().0, next.counts.errors), (FormatCertainty::Chosen, 0));
    let change = MappingChange::Format { column: 4, choice: FormatChoice::Monday };
    assert_eq!(
        fixture.imports.change_mapping(next.id, change).unwrap_err().parameters["obstacle"],
        "format-not-needed"
    );
}

#[test]
fn calendar_weeks_ask_for_their_day_once() {
    let fixture = Fixture::new();
    let view =
        open_orders(&fixture, "w.xlsx", &[["1", "KW 50"], ["1", "CW 51/2026"], ["1", "3.12.26"], ["1", "2026-W50-3"]]);
    assert_eq!(column_format(&view, 4), Some((FormatCertainty::Ambiguous, None, 0, 2)));
    assert_eq!(fixture.finding_texts(&view), ["E2 week-without-day", "E3 week-without-day"]);
    let shown = example_texts(&view, 4);
    assert_eq!((shown.len(), &*shown[0]), (3, "monday: KW 50 → 2026-12-07T00:00:00"));
    let change = MappingChange::Format { column: 4, choice: FormatChoice::Friday };
    let view = fixture.imports.change_mapping(view.id, change).unwrap();
    assert_eq!(fixture.finding_texts(&view), Vec::<String>::new());
    let sent: Vec<Value> = item_bodies(&fixture, &view).iter().map(|body| body["beginPlanned"].clone()).collect();
    let days = ["2026-12-11", "2026-12-18", "2026-12-03", "2026-12-09"].map(|day| json!(format!("{day}T00:00:00")));
    assert_eq!(sent, days);
}

/// An order of dates and a day of weeks are two choices for one column.
#[test]
fn a_column_of_dates_and_calendar_weeks_is_settled_by_two_choices() {
    let fixture = Fixture::new();
    let rows = [["1", "KW 50/2026"], ["1", "01/02/2027"]];
    let view = open_orders(&fixture, "w.xlsx", &rows);
    assert_eq!(fixture.finding_texts(&view), ["E2 week-without-day", "E3 ambiguous-date"]);
    let kinds = |view: &ImportView| {
        let formats = &view.columns[4].formats;
        formats.iter().map(|format| (format.kind, format.choice)).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&view), [(FormatKind::DateOrder, None), (FormatKind::WeekDay, None)]);
    let change = |change| fixture.imports.change_mapping(view.id, change).unwrap();
    let friday = Some(FormatChoice::Friday);
    let after = change(MappingChange::Format { column: 4, choice: FormatChoice::Friday });
    assert_eq!(kinds(&after), [(FormatKind::DateOrder, None), (FormatKind::WeekDay, friday)]);
    let after = change(MappingChange::Format { column: 4, choice: FormatChoice::MonthFirst });
    let month_first = Some(FormatChoice::MonthFirst);
    assert_eq!(kinds(&after), [(FormatKind::DateOrder, month_first), (FormatKind::WeekDay, friday)]);
    assert!(after.columns[4].formats.iter().all(|format| format.verdict == FormatCertainty::Chosen));
    assert_eq!(fixture.finding_texts(&after), Vec::<String>::new());
    let sent: Vec<Value> = item_bodies(&fixture, &after).iter().map(|body| body["beginPlanned"].clone()).collect();
    assert_eq!(sent, ["2026-12-11T00:00:00", "2027-01-02T00:00:00"]);

    let wrong =
        json!({ "operation": "work-orders.sync", "columns": {}, "formats": { "beginPlanned": "friday first" } });
    let problem = MappingFile::from_json(wrong.to_string().as_bytes()).unwrap_err();
    assert!(problem.to_string().contains("month-first, year-first"), "{problem}");
    // Both are remembered, and each can be changed alone.
    let stored = fixture.imports.mapping(view.id).unwrap().sheets.remove(0);
    assert_eq!(json!(stored.formats["beginPlanned"]), json!(["month-first", "friday"]));
    let next = open_orders(&fixture, "next.xlsx", &rows);
    assert_eq!((kinds(&next), next.counts.errors), (kinds(&after), 0));
    let reopened = change(MappingChange::ReopenFormat { column: 4, kind: FormatKind::DateOrder });
    assert_eq!(kinds(&reopened), [(FormatKind::DateOrder, None), (FormatKind::WeekDay, friday)]);
    // Dates that prove another order only undo the choice of the order.
    let other = open_orders(&fixture, "other.xlsx", &[["1", "KW 50/2026"], ["1", "31/01/2027"]]);
    assert_eq!(kinds(&other), [(FormatKind::DateOrder, Some(FormatChoice::DayFirst)), (FormatKind::WeekDay, friday)]);
    assert_eq!(other.counts.errors, 0);
}

#[test]
fn a_choice_of_a_format_is_undone_in_its_turn() {
    let fixture = Fixture::new();
    let view = open_orders(&fixture, "w.xlsx", &[["1", "01/02/2027"], ["x", "03/02/2027"]]);
    let imports = &fixture.imports;
    let begin = |view: &ImportView| {
        let bodies = item_bodies(&fixture, view);
        bodies.first().map_or(Value::Null, |body| body["beginPlanned"].clone())
    };
    let choose = |choice| imports.change_mapping(view.id, MappingChange::Format { column: 4, choice }).unwrap();
    assert!(choose(FormatChoice::DayFirst).undo);
    imports.fix(view.id, &Fix::Set { row: ExcelRow::new(3), column: 3, text: "2".to_owned() }).unwrap();
    let changed = choose(FormatChoice::MonthFirst);
    assert_eq!(begin(&changed), "2027-01-02T00:00:00");
    let first = imports.undo(view.id).unwrap();
    assert_eq!((begin(&first), first.edited), (json!("2027-02-01T00:00:00"), 1));
    let second = imports.undo(view.id).unwrap();
    assert_eq!((begin(&second), second.edited), (json!("2027-02-01T00:00:00"), 0));
    let third = imports.undo(view.id).unwrap();
    assert_eq!((third.undo, third.columns[4].formats[0].choice), (false, None));
    for _ in 0..3 {
        imports.redo(view.id).unwrap();
    }
    let all = imports.view(view.id).unwrap();
    assert_eq!((begin(&all), all.edited, all.redo), (json!("2027-01-02T00:00:00"), 1, false));
}

fn example_texts(view: &ImportView, column: usize) -> Vec<String> {
    let examples = &view.columns[column].formats[0].examples;
    let text = |example: &FormatExample| {
        let choice = json!(example.choice);
        let (cell, read) = (example.cell.as_deref()?, example.read.as_deref()?);
        Some(format!("{}: {cell} → {read}", choice.as_str()?))
    };
    examples.iter().filter_map(text).collect()
}

#[test]
fn a_choice_against_the_evidence_is_refused_with_its_cells() {
    let fixture = Fixture::new();
    let view = open_orders(&fixture, "w.xlsx", &[["1", "01/02/2027"], ["1", "31/01/2027"]]);
    let change = MappingChange::Format { column: 4, choice: FormatChoice::MonthFirst };
    let problem = fixture.imports.change_mapping(view.id, change).unwrap_err();
    assert_eq!(problem.code, Code::MappingRefused);
    assert_eq!(problem.parameters["cells"], "E3 “31/01/2027”");
    let view = fixture.imports.view(view.id).unwrap();
    assert_eq!(column_format(&view, 4).unwrap().0, FormatCertainty::Proven);
    let change = MappingChange::Format { column: 4, choice: FormatChoice::Comma };
    assert_eq!(
        fixture.imports.change_mapping(view.id, change).unwrap_err().parameters["obstacle"],
        "format-not-needed"
    );
}

#[test]
fn a_constant_fills_a_field_without_a_column() {
    let fixture = Fixture::new();
    let view = fixture.open("w.xlsx", &["code", "operationCode", "requestedQuantity"], vec![texts(&["W", "010", "5"])]);
    let view = fixture.imports.choose_operation(view.id, "work-orders.sync").unwrap();
    assert_eq!(view.missing, ["materialCode"]);
    let view = fixture.imports.change_mapping(view.id, constant_change("materialCode", " 0815 ")).unwrap();
    assert_eq!((view.missing.len(), view.counts.errors), (0, 0));
    assert_eq!(item_bodies(&fixture, &view)[0]["materialCode"], json!("0815"));
    for (field, text, obstacle) in [
        ("requestedQuantity", "-5", "text-not-allowed"),
        ("beginPlanned", "tomorrow", "text-unreadable"),
        ("beginPlanned", "01/02/2027", "text-unreadable"),
        ("nonsense", "x", "no-such-field"),
    ] {
        let problem = fixture.imports.change_mapping(view.id, constant_change(field, text)).unwrap_err();
        assert_eq!((problem.parameters["obstacle"].as_str(), problem.parameters["field"].as_str()), (obstacle, field));
    }
    assert_eq!(fixture.imports.view(view.id).unwrap().counts.errors, 0);
}

#[test]
fn a_constant_of_a_part_begins_no_part() {
    let fixture = Fixture::new();
    let headings = ["code", "operationCode", "materialCode", "requestedQuantity", "rawMaterials.code"];
    let rows = vec![texts(&["W-1", "010", "M", "5", ""]), texts(&["W-2", "010", "M", "5", "R-1"])];
    let view = fixture.open("w.xlsx", &headings, rows);
    let view = fixture.imports.change_mapping(view.id, constant_change("rawMaterials.quantity", "2,5")).unwrap();
    let bodies = item_bodies(&fixture, &view);
    assert_eq!(bodies[0].get("rawMaterials"), None);
    assert_eq!(bodies[1]["rawMaterials"], json!([{"code": "R-1", "quantity": 2.5}]));
}

#[test]
fn values_are_counted_and_replaced() {
    let fixture = Fixture::new();
    let rows = [["a lot", ""], ["5", ""], ["a lot", ""], ["n/a", ""]];
    let view = open_orders(&fixture, "w.xlsx", &rows);
    let values = fixture.imports.distinct_values(view.id, "requestedQuantity").unwrap();
    let seen: Vec<_> = values.values.iter().map(|value| (value.text.as_str(), value.count, value.wrong)).collect();
    assert_eq!(
        seen,
        [("a lot", 2, Some(FindingCode::NotANumber)), ("n/a", 1, Some(FindingCode::NotANumber)), ("5", 1, None)]
    );
    let replace = |from: &str, to: Option<&str>| {
        let change = MappingChange::Value {
            field: "requestedQuantity".to_owned(),
            from: from.to_owned(),
            to: to.map(str::to_owned),
        };
        fixture.imports.change_mapping(view.id, change)
    };
    replace("a lot", Some("1000")).unwrap();
    let view = replace("n/a", Some("")).unwrap();
    assert_eq!(fixture.finding_texts(&view), ["D5 required"]);
    assert_eq!(item_bodies(&fixture, &view)[2]["requestedQuantity"], json!(1000));
    let values = fixture.imports.distinct_values(view.id, "requestedQuantity").unwrap();
    assert_eq!(values.values.iter().find(|value| value.text == "a lot").unwrap().read.as_deref(), Some("1000"));
    assert_eq!(replace("n/a", Some("many")).unwrap_err().parameters["obstacle"], "text-unreadable");
    assert_eq!(replace("n/a", None).unwrap().counts.errors, 1);
}

#[test]
fn more_values_than_are_shown_are_counted() {
    let fixture = Fixture::new();
    let rows = (0..205).map(|at| texts(&[&format!("M-{at}"), "x"])).collect();
    let view = fixture.open("m.xlsx", &["code", "description"], rows);
    let view = fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
    let values = fixture.imports.distinct_values(view.id, "code").unwrap();
    assert_eq!((values.values.len(), values.more), (200, 5));
    assert_eq!(fixture.imports.distinct_values(view.id, "description").unwrap().values[0].count, 205);
}

#[test]
fn a_blank_cell_leaves_or_clears_as_its_field_allows() {
    let fixture = Fixture::new();
    let view = fixture.open("m.xlsx", &["code", "description", "family"], vec![texts(&["M-1", "Shaft", ""])]);
    let view = fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
    let clear = |field: &str| MappingChange::Blank { field: field.to_owned(), rule: Blank::Clear };
    let field = |view: &ImportView, path: &str| view.fields.iter().find(|field| field.path == path).unwrap().clone();
    assert_eq!(item_bodies(&fixture, &view)[0], json!({"code": "M-1", "description": "Shaft"}));
    assert!(field(&view, "family").clearable && !field(&view, "code").clearable);
    let view = fixture.imports.change_mapping(view.id, clear("family")).unwrap();
    assert_eq!(item_bodies(&fixture, &view)[0], json!({"code": "M-1", "description": "Shaft", "family": ""}));
    let problem = fixture.imports.change_mapping(view.id, clear("code")).unwrap_err();
    assert_eq!(problem.parameters["obstacle"], "clear-required");
    let view = open_orders(&fixture, "w.xlsx", &[["5", ""]]);
    let problem = fixture.imports.change_mapping(view.id, clear("beginPlanned")).unwrap_err();
    assert_eq!(problem.parameters["obstacle"], "clear-impossible");
}

#[test]
fn one_column_fills_several_fields_and_several_make_one() {
    let fixture = Fixture::new();
    let view = fixture.open(
        "m.xlsx",
        &["No", "Text 1", "Text 2"],
        vec![texts(&["M-1", "Shaft", "long"]), texts(&["M-2", "", "short"])],
    );
    let file = parse_mapping(&json!({
        "operation": "materials.sync",
        "columns": {"No": ["code", "properties[OLD]"]},
        "joined": {"description": {"headings": ["Text 1", "Text 2"], "with": ", "}},
    }));
    let view = fixture.imports.apply_mapping(view.id, &file).unwrap();
    assert_eq!(view.columns[0].also, ["properties[OLD]"]);
    let property = json!([{"key": "OLD", "value": "M-1", "name": "No"}]);
    assert_eq!(
        item_bodies(&fixture, &view),
        [
            json!({"code": "M-1", "description": "Shaft, long", "properties": property}),
            json!({"code": "M-2", "description": "short", "properties": [{"key": "OLD", "value": "M-2", "name": "No"}]})
        ]
    );
    let remembered = fixture.imports.mapping(view.id).unwrap().sheets.remove(0);
    assert_eq!((&remembered.columns, &remembered.joined), (&file.columns, &file.joined));
    let apart = MappingChange::Joined { field: "description".to_owned(), columns: vec![2], with: String::new() };
    let view = fixture.imports.change_mapping(view.id, apart).unwrap();
    assert_eq!(item_bodies(&fixture, &view)[0]["description"], json!("long"));
    let dates = MappingChange::Joined { field: "code".to_owned(), columns: vec![0, 1], with: "-".to_owned() };
    assert_eq!(
        item_bodies(&fixture, &fixture.imports.change_mapping(view.id, dates).unwrap())[0]["code"],
        json!("M-1-Shaft")
    );
}

#[test]
fn one_column_per_property() {
    let fixture = Fixture::new();
    let headings = ["code", "description", "Colour", "properties[SIZE]"];
    let view =
        fixture.open("m.xlsx", &headings, vec![texts(&["M-1", "Shaft", "red", "5"]), texts(&["M-2", "Axle", "", ""])]);
    let view = fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
    assert_eq!(view.property_list.as_deref(), Some("properties"));
    assert_eq!(view.columns[3].matched.as_ref().unwrap().field, "properties[SIZE]");
    let view = fixture.imports.match_column(view.id, 2, Some("properties[COL]")).unwrap();
    assert_eq!(
        item_bodies(&fixture, &view),
        [
            json!({"code": "M-1", "description": "Shaft", "properties": [
                {"key": "SIZE", "value": "5", "name": "properties[SIZE]"},
                {"key": "COL", "value": "red", "name": "Colour"}]}),
            json!({"code": "M-2", "description": "Axle"})
        ]
    );
    // If removed, the field doesn't exist any longer, but is remembered for the next file.
    let next = fixture.open("n.xlsx", &headings, vec![texts(&["M-1", "Shaft", "red", "5"])]);
    assert_eq!(next.columns[2].matched.as_ref().unwrap().reason, MatchReason::Remembered);
    let view = fixture.imports.match_column(view.id, 2, None).unwrap();
    assert!(view.fields.iter().all(|field| field.path != "properties[COL]"));
    assert_eq!(fixture.imports.match_column(view.id, 2, Some("properties[]")).unwrap_err().code, Code::Unknown);
}

#[test]
fn a_known_layout_names_what_changed_since() {
    let fixture = Fixture::new();
    let view = fixture.open(
        "w1.xlsx",
        &["No", "Text", "Colour", "Note", "Family"],
        vec![texts(&["M-1", "Shaft", "red", "x", "F"])],
    );
    let file = parse_mapping(&json!({"operation": "materials.sync",
        "columns": {"No": "code", "Text": "description", "Colour": "properties[COL]"}}));
    fixture.imports.apply_mapping(view.id, &file).unwrap();
    fixture.imports.prepare_items(view.id).unwrap();
    let same = fixture.open(
        "w2.xlsx",
        &["No", "Text", "Colour", "Note", "Family"],
        vec![texts(&["M-1", "Shaft", "red", "x", "F"])],
    );
    assert_eq!((same.operation.as_deref(), same.settled, same.changes.len()), (Some("materials.sync"), true, 0));
    let view = fixture.open(
        "w3.xlsx",
        &["Colour", "No", "Texts", "Family", "Unit"],
        vec![texts(&["red", "M-1", "Shaft", "F", "kg"])],
    );
    let view = fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
    let changes: Vec<_> = view.changes.iter().map(|one| (one.kind, one.heading.as_str(), one.was.as_deref())).collect();
    assert_eq!(
        changes,
        [
            (ChangeKind::Renamed, "Texts", Some("Text")),
            (ChangeKind::Moved, "Colour", Some("C")),
            (ChangeKind::New, "Unit", None),
            (ChangeKind::Gone, "Note", None)
        ]
    );
    assert!(!view.settled);
    assert_eq!(item_bodies(&fixture, &view)[0]["description"], json!("Shaft"));
}

#[test]
fn a_perfect_match_is_settled() {
    let fixture = Fixture::new();
    assert!(open_orders(&fixture, "w.xlsx", &[["5", "2027-01-31"]]).settled);
    assert!(!open_orders(&fixture, "w.xlsx", &[["5", "01/02/2027"]]).settled);
    let view = fixture.open("m.xlsx", &["code", "Remarks of the shift"], vec![texts(&["M-1", "x"])]);
    assert!(!fixture.imports.choose_operation(view.id, "materials.sync").unwrap().settled);
}

#[test]
fn wrong_files_are_refused_by_name() {
    let fixture = Fixture::new();
    let view = fixture.open("m.xlsx", &["No", "Text"], vec![texts(&["M-1", "Shaft"])]);
    let base = json!({"operation": "materials.sync", "columns": {"No": "code", "Text": "description"}});
    let cases = [
        (json!({"columns": {"No": "kode"}}), "no-such-field-at", "No"),
        (json!({"columns": {"Nr": "code"}}), "no-such-heading", "Nr"),
        (json!({"columns": {"No": "code", "Text": ["code"]}}), "field-twice", "Text"),
        (json!({"constants": {"code": "x"}}), "constant-has-column", "code"),
        (json!({"constants": {"kode": "x"}}), "no-such-field", "kode"),
        (json!({"formats": {"Date": "comma"}}), "no-such-heading", "Date"),
        (json!({"blank": {"code": "clear"}}), "clear-required", "code"),
        (json!({"joined": {"code": {"headings": ["No"]}}}), "join-too-few", "code"),
        (json!({"joined": {"code": {"headings": ["No", "Nr"]}}}), "no-such-heading", "Nr"),
    ];
    let before = fixture.imports.view(view.id).unwrap();
    for (change, obstacle, named) in cases {
        let mut file = base.clone();
        file.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let problem = fixture.imports.apply_mapping(view.id, &parse_mapping(&file)).unwrap_err();
        assert_eq!(problem.parameters["obstacle"], obstacle);
        assert!(problem.message.contains(named), "{}", problem.message);
        assert_eq!(fixture.imports.view(view.id).unwrap(), before);
    }
    for (text, named) in [
        (r#"{"operation": "o", "columns": {}, "colours": {}}"#, "colours"),
        (r#"{"operation": "o", "columns": {"No": 5}}"#, "columns.No"),
        (r#"{"operation": "o", "columns": {}, "formats": {"Date": "days-first"}}"#, "formats.Date"),
        (r#"{"operation": "o", "columns": {}, "joined": {"code": {"headings": [], "by": ""}}}"#, "joined.code"),
        (r#"{"operation": "o", "#, "line 1"),
    ] {
        let error = MappingFile::from_json(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(named), "{error}");
    }
}
