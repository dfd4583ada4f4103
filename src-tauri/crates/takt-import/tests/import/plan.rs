//! Workbooks with several sheets: the steps, their order, and rows that are parts of others.

use takt_core::ExcelRow;
use takt_import::{ImportView, StepPart, StepState};
use takt_sheet::writer::{OutCell, OutColumn, OutSheet, write_workbook};

use super::{Fixture, texts};

pub(crate) fn sheet(name: &str, headings: &[&str], rows: &[&[&str]]) -> OutSheet {
    OutSheet {
        name: name.to_owned(),
        columns: headings.iter().copied().map(OutColumn::new).collect(),
        rows: rows.iter().map(|row| texts(row)).collect(),
        ..OutSheet::default()
    }
}

pub(crate) fn materials(rows: &[&[&str]]) -> OutSheet {
    sheet("Materials", &["Material code", "Description"], rows)
}

pub(crate) fn orders(rows: &[&[&str]]) -> OutSheet {
    sheet("Orders", &["Work order", "Operation", "Material", "Requested quantity"], rows)
}

pub(crate) fn components(rows: &[&[&str]]) -> OutSheet {
    sheet("Raw materials", &["Work order", "Operation", "Material", "Quantity"], rows)
}

fn open_plan(fixture: &Fixture, sheets: &[OutSheet]) -> ImportView {
    let path = fixture.file("plan.xlsx");
    write_workbook(&path, sheets).unwrap();
    let view = fixture.imports.open(&path).unwrap();
    let looked_at: Vec<&str> = view.steps.iter().map(|step| step.sheet.as_str()).collect();
    assert!(
        looked_at.is_empty() || looked_at == [view.sheet.as_str()],
        "other sheets are part of it once it is asked for"
    );
    fixture.imports.plan(view.id).unwrap()
}

/// Returns each step's sheet and operation, and the list if its rows are parts.
fn step_parts(view: &ImportView) -> Vec<(&str, &str, Option<&str>)> {
    let list = |part: &Option<StepPart>| part.as_ref().map(|part| part.list.as_str()).map(str::to_owned);
    let found = view.steps.iter().map(|step| (step.sheet.as_str(), step.operation.as_str(), list(&step.part)));
    found.map(|(sheet, operation, list)| (sheet, operation, list.map(|list| &*list.leak()))).collect()
}

#[test]
fn what_is_referred_to_comes_first() {
    let fixture = Fixture::new();
    let inspections = sheet(
        "Inspections",
        &["Inspection code", "Work order", "Operation", "Process code", "Quantity"],
        &[&["I-1", "WO-1", "010", "P-1", "5"]],
    );
    let view = open_plan(
        &fixture,
        &[
            sheet("About", &["This workbook"], &[&["belongs to line 3"]]),
            inspections,
            orders(&[&["WO-1", "010", "M-1", "5"]]),
            materials(&[&["M-1", "Bolt"]]),
        ],
    );
    let found = step_parts(&view);
    assert_eq!(
        found,
        [
            ("Materials", "materials.sync", None),
            ("Orders", "work-orders.sync", None),
            ("Inspections", "inspections.sync", None)
        ]
    );
    let waits: Vec<&[String]> = view.steps.iter().map(|step| step.waits_for.as_slice()).collect();
    assert_eq!(waits, [&[][..], &["Materials".to_owned()], &["Orders".to_owned()]]);
    assert_eq!(view.steps.iter().map(|step| step.order).collect::<Vec<_>>(), [1, 2, 3]);
    let view = fixture.imports.leave_sheet_out(view.id, "Materials", true).unwrap();
    assert_eq!(view.steps.iter().map(|step| step.state == StepState::Skipped).filter(|out| *out).count(), 1);
    assert!(view.steps.iter().all(|step| !step.waits_for.contains(&"Materials".to_owned())));
}

#[test]
fn a_damaged_sheet_is_told_and_not_left_out() {
    const PART: &[u8] = b"xl/worksheets/sheet2.xml";
    let fixture = Fixture::new();
    let path = fixture.file("damaged.xlsx");
    write_workbook(&path, &[orders(&[&["WO-1", "010", "M-1", "5"]]), materials(&[&["M-1", "Bolt"]])]).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    // The part's content follows its name.
    let at = bytes.windows(PART.len()).position(|window| window == PART).unwrap() + PART.len();
    bytes[at + 60] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let view = fixture.imports.open(&path).unwrap();
    assert_eq!(view.sheet, "Orders");
    let problem = fixture.imports.plan(view.id).unwrap_err();
    assert_eq!(problem.code, takt_core::Code::FileDamaged);
    assert_eq!(problem.parameters["sheet"], "Materials");
    assert_eq!(problem.parameters["file"], "damaged.xlsx");
}

#[test]
fn a_sheet_that_is_too_large_is_told_and_not_left_out() {
    let fixture = Fixture::new();
    let [path, wide] = ["plan.xlsx", "wide.xlsx"].map(|name| fixture.file(name));
    write_workbook(&path, &[orders(&[&["WO-1", "010", "M-1", "5"]]), materials(&[&["M-1", "Bolt"]])]).unwrap();
    let mut from = zip::ZipArchive::new(std::fs::File::open(&path).unwrap()).unwrap();
    let mut to = zip::ZipWriter::new(std::fs::File::create(&wide).unwrap());
    for index in 0..from.len() {
        let mut part = from.by_index(index).unwrap();
        let mut content = String::new();
        std::io::Read::read_to_string(&mut part, &mut content).unwrap();
        let name = part.name().unwrap().into_owned();
        if name == "xl/worksheets/sheet2.xml" {
            // The first column after Excel's last column.
            content = content.replace("r=\"B2\"", "r=\"XFE2\"");
        }
        to.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        std::io::Write::write_all(&mut to, content.as_bytes()).unwrap();
    }
    to.finish().unwrap();
    let view = fixture.imports.open(&wide).unwrap();
    assert_eq!(view.sheet, "Orders");
    let problem = fixture.imports.plan(view.id).unwrap_err();
    assert_eq!(problem.code, takt_core::Code::FileTooLarge);
    assert_eq!(problem.parameters["file"], "wide.xlsx (Materials)");
    let view = fixture.imports.choose_sheet(view.id, "Orders").unwrap();
    assert_eq!((view.sheet.as_str(), view.covers_workbook), ("Orders", false));
}

#[test]
fn each_sheet_keeps_its_own_state() {
    let fixture = Fixture::new();
    let view = open_plan(&fixture, &[orders(&[&["WO-1", "010", "M-1", "x"]]), materials(&[&["M-1", "Bolt"]])]);
    let fix = takt_import::Fix::Set { row: ExcelRow::new(2), column: 3, text: "5".to_owned() };
    assert_eq!(view.sheet, "Orders");
    let view = fixture.imports.fix(view.id, &fix).unwrap();
    let view = fixture.imports.match_column(view.id, 2, None).unwrap();
    let view = fixture.imports.choose_sheet(view.id, "Materials").unwrap();
    assert_eq!((view.operation.as_deref(), view.edited, view.undo), (Some("materials.sync"), 0, false));
    let view = fixture.imports.choose_sheet(view.id, "Orders").unwrap();
    assert_eq!((view.edited, view.undo), (1, true));
    assert_eq!(view.columns[2].matched, None);
    let view = fixture.imports.undo(view.id).unwrap();
    assert_eq!(view.edited, 0);
}

#[test]
fn rows_of_a_second_sheet_are_parts_of_the_first() {
    let fixture = Fixture::new();
    let properties = sheet("Properties", &["Order", "Key", "Value"], &[&["WO-1", "REV", "C"], &["WO-2", "REV", "D"]]);
    let view = open_plan(
        &fixture,
        &[
            orders(&[&["WO-1", "010", "M-1", "5"], &["WO-2", "010", "M-1", "6"], &["WO-2", "020", "M-1", "6"]]),
            components(&[&["WO-1", "010", "R-1", "2"], &["WO-9", "010", "R-1", "2"], &["WO-1", "010", "R-2", "0"]]),
            properties,
        ],
    );
    assert_eq!(
        step_parts(&view),
        [
            ("Orders", "work-orders.sync", None),
            ("Raw materials", "work-orders.sync", Some("rawMaterials")),
            ("Properties", "work-orders.sync", Some("properties"))
        ]
    );
    let found: Vec<String> = fixture
        .imports
        .findings(view.id)
        .unwrap()
        .into_iter()
        .map(|finding| {
            let code = serde_json::to_value(finding.code).unwrap();
            format!("{} {} {}", finding.sheet, finding.row, code.as_str().unwrap())
        })
        .collect();
    assert_eq!(
        found,
        ["Orders 2 parts-wrong", "Raw materials 3 no-parent", "Raw materials 4 not-above", "Properties 3 many-parents"]
    );
    let cell = takt_import::Fix::Set { row: ExcelRow::new(4), column: 3, text: "1".to_owned() };
    fixture.imports.choose_sheet(view.id, "Raw materials").unwrap();
    let view = fixture.imports.fix(view.id, &cell).unwrap();
    let orders = view.steps.iter().find(|step| step.sheet == "Orders").unwrap();
    assert_eq!((orders.counts.errors, orders.state), (0, StepState::Ready), "the part was fixed on the other sheet");
    let _unused: Option<OutCell> = None;
}

#[test]
fn a_person_says_what_a_sheet_is() {
    let fixture = Fixture::new();
    let view =
        open_plan(&fixture, &[orders(&[&["WO-1", "010", "M-1", "5"]]), components(&[&["WO-1", "010", "R-1", "2"]])]);
    let view = fixture.imports.choose_sheet(view.id, "Raw materials").unwrap();
    let view = fixture.imports.choose_operation(view.id, "consumed-lots.sync").unwrap();
    assert_eq!(step_parts(&view)[1], ("Raw materials", "consumed-lots.sync", None));
    assert_eq!(view.steps[1].waits_for, ["Orders"]);
    let part = view.parts.first().unwrap().part.clone();
    assert_eq!(part, StepPart { of: "Orders".to_owned(), list: "rawMaterials".to_owned() });
    let view = fixture.imports.choose_part(view.id, &part).unwrap();
    assert_eq!(step_parts(&view)[1], ("Raw materials", "work-orders.sync", Some("rawMaterials")));
    let mapping = fixture.imports.mapping(view.id).unwrap();
    assert_eq!(mapping.sheets[1].list.as_deref(), Some("rawMaterials"));
    let path = fixture.file("mapping.json");
    mapping.write(&path).unwrap();
    assert_eq!(takt_import::MappingFile::read_all(&path).unwrap(), mapping.sheets);
}

#[test]
fn a_bill_of_materials_is_part_of_its_orders_and_no_consumption() {
    let headings = ["Auftrag", "AVO", "Komponente", "Menge", "ME"];
    let rows: &[&[&str]] = &[&["WO-1", "010", "M-1", "2", "Stk"]];
    let headings_of_orders = ["Auftrag", "AVO", "Material", "Menge", "Liefertermin"];
    let orders = || sheet("Aufträge", &headings_of_orders, &[&["WO-1", "010", "M-1", "5", "15.12.2026"]]);
    for name in ["Stückliste", "Tabelle2"] {
        let fixture = Fixture::new();
        let view = open_plan(&fixture, &[orders(), sheet(name, &headings, rows)]);
        assert_eq!(
            step_parts(&view),
            [("Aufträge", "work-orders.sync", None), (name, "work-orders.sync", Some("rawMaterials"))],
            "{name}"
        );
    }
    // With a serial number, the row is a consumption.
    let fixture = Fixture::new();
    let consumed = sheet(
        "Verbrauch",
        &["Auftrag", "AVO", "Material", "Menge", "ME", "Seriennummer"],
        &[&["WO-1", "010", "M-1", "2", "Stk", "S-1"]],
    );
    let view = open_plan(&fixture, &[orders(), consumed]);
    assert_eq!(step_parts(&view)[1], ("Verbrauch", "consumed-lots.sync", None));
}

fn step_order(view: &ImportView) -> Vec<(&str, bool, bool)> {
    view.steps.iter().map(|step| (step.sheet.as_str(), step.may_go_earlier, step.may_go_later)).collect()
}

#[test]
fn a_person_orders_the_steps_as_far_as_what_they_refer_to_allows_it() {
    let fixture = Fixture::new();
    let processes = sheet("Processes", &["Inspection process code", "Description"], &[&["IP-1", "Turn"]]);
    let view =
        open_plan(&fixture, &[materials(&[&["M-1", "Bolt"]]), orders(&[&["WO-1", "010", "M-1", "5"]]), processes]);
    let view = fixture.imports.choose_sheet(view.id, "Processes").unwrap();
    let view = fixture.imports.choose_operation(view.id, "inspection-processes.sync").unwrap();
    assert_eq!(step_order(&view), [("Materials", false, false), ("Orders", false, true), ("Processes", true, false)]);
    let first = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let view = fixture.imports.order_steps(view.id, &first(&["Processes"])).unwrap();
    assert_eq!(step_order(&view), [("Processes", false, true), ("Materials", true, false), ("Orders", false, false)]);
    let refused = fixture.imports.order_steps(view.id, &first(&["Orders", "Materials"])).unwrap_err();
    assert_eq!(
        (&refused.parameters["obstacle"], &refused.parameters["sheet"]),
        (&"order-of-steps".to_owned(), &"Orders".to_owned())
    );
    assert_eq!(step_order(&fixture.imports.view(view.id).unwrap()), step_order(&view), "it stays as it was");
    let sent: Vec<String> =
        fixture.imports.prepare_items(view.id).unwrap().into_iter().map(|step| step.set.operation).collect();
    assert_eq!(sent, ["inspection-processes.sync", "materials.sync", "work-orders.sync"]);
}

#[test]
fn one_sheet_is_a_plan_with_one_step() {
    let fixture = Fixture::new();
    let path = fixture.file("one.xlsx");
    write_workbook(&path, &[materials(&[&["M-1", "Bolt"], &["", "Nut"]])]).unwrap();
    let view = fixture.imports.open(&path).unwrap();
    assert_eq!(step_parts(&view), [("Materials", "materials.sync", None)]);
    assert_eq!((view.totals, view.covers_workbook), (view.counts, false));
    let planned = fixture.imports.plan(view.id).unwrap();
    assert_eq!((step_parts(&planned), planned.totals), (step_parts(&view), view.totals));
    assert_eq!(fixture.imports.prepare_items(view.id).unwrap().len(), 1);
}
