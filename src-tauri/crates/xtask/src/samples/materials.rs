//! Samples of materials, their stock as a workbook and as text, and the lots that orders consumed.

use super::{
    dice::Dice,
    floor,
    mistake::MistakeKind,
    table::{Cell, Table, column, own_column},
};

const GRADES: [&str; 6] = ["C45", "42CrMo4", "16MnCr5", "S355", "X5CrNi18-10", "EN AW-6082"];
const STOCK_KEY: [&str; 4] = ["materialCode", "warehouse", "location", "serialNumber"];

/// `materials.sync`: German. Some material numbers have leading zeros, which exist only in the number format.
pub(super) fn sync() -> Table {
    let mut table = Table::new(
        "materials.sync",
        "de",
        "Materialien",
        vec![
            column("Materialnummer", "code", 15, "00000"),
            column("Bezeichnung", "description", 36, ""),
            column("ME", "uoM", 7, ""),
            column("Warengruppe", "family", 15, ""),
            column("Materialart", "type", 15, ""),
            column("Aktiv (J/N)", "isActive", 11, ""),
            own_column("Bemerkung", 32),
        ],
    );
    let mut dice = Dice::new(5);
    for number in 1..=90 {
        let (description, family) = random_part(&mut dice, number);
        let row =
            material_row(&mut dice, floor::material_code(number).into(), description, "pcs", family, "Fertigteil");
        table.rows.push(row);
    }
    for number in 1..=floor::RAW_MATERIALS {
        let (description, family) = random_stock_material(&mut dice, number);
        let code = floor::raw_material_code(number).into();
        let row =
            material_row(&mut dice, code, description, floor::unit_of_raw_material(number), family, "Rohmaterial");
        table.rows.push(row);
    }
    for number in 1..=70 {
        let (description, family) = random_part(&mut dice, number);
        let code = Cell::from(380 + 7 * number);
        let row = material_row(&mut dice, code, description, "pcs", family, "Handelsware");
        table.rows.push(row);
    }
    table.spoil(25, "description", MistakeKind::Required, Cell::Empty);
    table.repeat_key(58, 11, &["code"]);
    let lookup = Cell::Broken { formula: "=VLOOKUP(A106,Stammdaten,2,FALSE)", shows: "#N/A" };
    table.spoil(104, "description", MistakeKind::CellError, lookup);
    table.spoil(141, "isActive", MistakeKind::NotABoolean, "prüfen");
    table.spoil(176, "code", MistakeKind::Required, Cell::Empty);
    table.spoil(203, "code", MistakeKind::TooManyDigits, 40_123_456_789_012_345.0);
    table
}

fn material_row(dice: &mut Dice, code: Cell, description: String, unit: &str, family: &str, kind: &str) -> Vec<Cell> {
    let remarks =
        ["Preis anfragen", "Zeichnung neu ab KW 49", "nur noch Restbestand", "Lieferant wechselt; siehe Mail"];
    vec![
        code,
        description.into(),
        unit.into(),
        family.into(),
        kind.into(),
        if dice.percent(97) { "J" } else { "N" }.into(),
        if dice.percent(15) { dice.pick(&remarks) } else { "" }.into(),
    ]
}

fn random_part(dice: &mut Dice, number: i64) -> (String, &'static str) {
    let (grade, diameter) = (dice.pick(&GRADES), 10 + 5 * dice.integer(1, 20));
    match number % 6 {
        0 | 1 => (format!("Welle {diameter}x{} {grade}", 20 * dice.integer(2, 40)), "Wellen"),
        2 => (format!("Gehäuse DN{diameter} {grade}"), "Gehäuse"),
        3 => (format!("Zahnrad m{} z{} {grade}", dice.integer(1, 6), dice.integer(12, 80)), "Zahnräder"),
        4 => (format!("Flansch {diameter} {grade}"), "Flansche"),
        _ => (format!("Büchse {diameter}/{} CuSn8", diameter + 8), "Büchsen"),
    }
}

fn random_stock_material(dice: &mut Dice, number: i64) -> (String, &'static str) {
    let (grade, size) = (dice.pick(&GRADES), 5 * dice.integer(2, 30));
    match (number - 1) % 5 {
        0 | 1 => (format!("Rundstahl {size} {grade}"), "Stabmaterial"),
        2 => (format!("Blech {} mm {grade}", dice.integer(1, 12)), "Bleche"),
        3 => (format!("Gussrohling {size} GJS-400"), "Guss"),
        _ => (format!("Schraube M{}x{size} 8.8", 2 * dice.integer(2, 8)), "Verbindungselemente"),
    }
}

/// `stock.sync`: Portuguese, with a title above the header row.
pub(super) fn stock() -> Table {
    let mut table = Table::new(
        "stock.sync",
        "pt",
        "Estoque",
        vec![
            column("Código do material", "materialCode", 13, "@"),
            column("Estoque", "quantity", 12, "#,##0.00"),
            column("Unidade", "uoM", 9, ""),
            column("Depósito", "warehouse", 10, ""),
            column("Localização", "location", 12, "@"),
            column("Lote", "serialNumber", 20, ""),
            column("Data da contagem", "date", 17, "dd/mm/yyyy hh:mm"),
            own_column("Comentário do conferente", 28),
        ],
    );
    table.title = Some("Inventário da planta 2");
    let mut dice = Dice::new(6);
    for position in 0..240 {
        let remark = if dice.percent(8) { dice.pick(&["recontar", "etiqueta ilegível", "caixa aberta"]) } else { "" };
        let row = stock_row(&mut dice, position, remark);
        table.rows.push(row);
    }
    table.spoil(19, "materialCode", MistakeKind::Required, Cell::Empty);
    table.spoil(54, "quantity", MistakeKind::BelowMinimum, -3.5);
    table.spoil(83, "quantity", MistakeKind::NotANumber, "n/c");
    table.repeat_key(112, 110, &STOCK_KEY);
    table.spoil(150, "serialNumber", MistakeKind::TooManyDigits, 401_234_567_890_123_456.0);
    table.spoil(188, "materialCode", MistakeKind::UnknownMaterial, "RAW-2999");
    table.spoil(221, "date", MistakeKind::NotADate, "31/11/2026");
    table
}

/// `stock.sync` as text: German.
pub(super) fn counted_stock() -> Table {
    let mut table = Table::new(
        "stock.sync",
        "de",
        "",
        vec![
            column("Artikelnummer", "materialCode", 0, ""),
            column("Bestand", "quantity", 0, ""),
            column("ME", "uoM", 0, ""),
            column("Lagerort", "warehouse", 0, ""),
            column("Lagerplatz", "location", 0, ""),
            column("Charge", "serialNumber", 0, ""),
            column("Zähldatum", "date", 0, ""),
            own_column("Gezählt von; Bemerkung", 0),
        ],
    );
    let mut dice = Dice::new(7);
    for position in 0..180 {
        let counter = dice.pick(&["Müller", "Köhler", "Groß"]);
        let remark = if dice.percent(10) { format!("{counter}; bitte prüfen") } else { counter.to_owned() };
        let row = stock_row(&mut dice, position, &remark);
        table.rows.push(row);
    }
    table.spoil(31, "materialCode", MistakeKind::Required, Cell::Empty);
    table.spoil(66, "quantity", MistakeKind::BelowMinimum, -12.5);
    table.spoil(94, "quantity", MistakeKind::NotANumber, "ca. 40");
    table.repeat_key(121, 120, &STOCK_KEY);
    table.spoil(147, "materialCode", MistakeKind::UnknownMaterial, "MAT-8001");
    table.spoil(165, "date", MistakeKind::NotADate, "31.11.2026 09:15");
    table
}

/// Returns a stock row whose storage location is unique.
fn stock_row(dice: &mut Dice, position: i64, remark: &str) -> Vec<Cell> {
    let finished = dice.percent(55);
    let number = if finished { dice.integer(1, floor::MATERIALS) } else { dice.integer(1, floor::RAW_MATERIALS) };
    let (code, unit) = if finished {
        (floor::material_code(number), "pcs")
    } else {
        (floor::raw_material_code(number), floor::unit_of_raw_material(number))
    };
    let quantity = if unit == "pcs" { dice.integer(0, 900) as f64 } else { dice.integer(0, 90_000) as f64 / 100.0 };
    let lot = if finished && dice.percent(60) { String::new() } else { format!("CH{:06}", dice.integer(1, 99_999)) };
    let shelf_letter = char::from(b'A' + u8::try_from(position / 40).unwrap_or_default());
    vec![
        code.into(),
        quantity.into(),
        unit.into(),
        dice.pick(&["MAIN", "MAIN", "SHOP", "EXT"]).into(),
        format!("{shelf_letter}-{:02}", position % 40 + 1).into(),
        lot.into(),
        floor::work_time(-16 * 60 + 2 * position + dice.integer(0, 1)).into(),
        remark.into(),
    ]
}

/// `consumed-lots.sync`: with the technical headings of an SAP export. Operations are numbers, and the number format
/// adds leading zeros.
pub(super) fn consumed_lots() -> Table {
    let mut table = Table::new(
        "consumed-lots.sync",
        "sap",
        "MB51",
        vec![
            column("AUFNR", "workOrderCode", 13, "@"),
            column("VORNR", "operationCode", 8, "000"),
            column("MATNR", "materialCode", 12, "@"),
            column("CHARG", "serialNumber", 14, ""),
            column("ENMNG", "quantity", 12, "#,##0.000"),
            column("MEINS", "uoM", 8, ""),
            own_column("BUDAT", 12),
            own_column("SGTXT", 30),
        ],
    );
    if let Some(posted) = table.columns.get_mut(6) {
        posted.format = "dd.mm.yyyy";
    }
    let mut dice = Dice::new(8);
    for (step, position) in floor::order_steps(1, 165).into_iter().zip(0_i64..) {
        let number = dice.integer(1, floor::RAW_MATERIALS);
        let operation: i64 = step.operation.parse().unwrap_or_default();
        let quantity = if floor::unit_of_raw_material(number) == "pcs" {
            dice.integer(1, 250) as f64
        } else {
            dice.integer(200, 90_000) as f64 / 1000.0
        };
        table.rows.push(vec![
            step.order.into(),
            operation.into(),
            floor::raw_material_code(number).into(),
            format!("26{:06}", 4_100 + 3 * position + dice.integer(0, 2)).into(),
            quantity.into(),
            floor::unit_of_raw_material(number).into(),
            floor::days_later(floor::work_time((position - 220) * 30), 0).into(),
            if dice.percent(12) { dice.pick(&["Nachbuchung", "Restmenge zurück", "Umlagerung"]) } else { "" }.into(),
        ]);
    }
    table.spoil(13, "materialCode", MistakeKind::Required, Cell::Empty);
    table.spoil(44, "quantity", MistakeKind::NotAbove, 0);
    table.spoil(71, "workOrderCode", MistakeKind::UnknownOrder, "WO-269314");
    table.spoil(99, "quantity", MistakeKind::NotANumber, "siehe Beleg");
    table.repeat_key(130, 127, &["workOrderCode", "operationCode", "materialCode", "serialNumber"]);
    table.spoil(152, "materialCode", MistakeKind::UnknownMaterial, "RAW-2944");
    table.spoil(178, "operationCode", MistakeKind::UnknownOperation, 90);
    table.spoil(206, "serialNumber", MistakeKind::TooManyDigits, 261_120_000_417_000_233.0);
    table
}
