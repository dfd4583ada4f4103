//! Samples of work orders: new and changed orders, their execution, properties and planning dates.

use jiff::civil::DateTime;

use super::{
    dice::Dice,
    floor,
    mistake::MistakeKind,
    table::{Cell, Table, column, own_column},
};

const CUSTOMERS: [&str; 9] = [
    "Nordwind Antriebe GmbH",
    "Metalúrgica Ibérica S.A.",
    "Hallberg Pumps AB",
    "Tecnofuso Lda",
    "Kerr & Sons Ltd",
    "Rhein Getriebebau KG",
    "Atlántica Motores",
    "Müller Förderanlagen",
    "",
];
const NOTES: [&str; 6] = [
    "Deliver with the drawing.",
    "Deburr all edges",
    "Certificate 3.1 needed",
    "First part to the measuring room; then go on",
    "Clamp softly: thin wall",
    "Customer collects",
];
const OPEN_POINTS: [&str; 5] = ["ask purchasing", "tool ordered", "JK: drawing rev. C?", "capacity week 49", "ok"];

/// The first and last number of the plant's orders whose plan is changed.
const CHANGED_ORDERS: (i64, i64) = (241, 300);
const NEW_ORDERS: i64 = 170;
/// New orders whose number is a multiple of this have two raw materials, and therefore two rows.
const TWO_ROW_INTERVAL: i64 = 11;
const STATIONS: usize = 11;

/// `work-orders.sync`: English. Orders with two raw materials have two rows.
pub(super) fn sync() -> Table {
    let mut table = Table::new(
        "work-orders.sync",
        "en",
        "Work orders",
        vec![
            column("Work order", "code", 13, "@"),
            column("Op", "operationCode", 6, "@"),
            column("Material", "materialCode", 11, "@"),
            column("Order quantity", "requestedQuantity", 10, "#,##0.###"),
            column("Order type", "type", 12, ""),
            column("Customer", "customer", 25, ""),
            column("Due date", "promiseDate", 12, "yyyy-mm-dd"),
            column("Work center", "workStationCode", 9, "@"),
            column("Template", "templateId", 9, "0"),
            column("Planned start", "beginPlanned", 17, "yyyy-mm-dd hh:mm"),
            column("Planned finish", "endPlanned", 17, "yyyy-mm-dd hh:mm"),
            column("Labor hours", "laborPredictedTime", 9, "[h]:mm"),
            column("Machine hours", "machinePredictedTime", 9, "[h]:mm"),
            column("Component", "rawMaterials.code", 12, "@"),
            column("Component quantity", "rawMaterials.quantity", 11, "#,##0.00"),
            column("Component unit", "rawMaterials.uoM", 10, ""),
            column("Note", "note", 40, ""),
            own_column("Open points", 22),
        ],
    );
    let mut dice = Dice::new(1);
    let mut next_free_minutes = [0; STATIONS];
    for number in CHANGED_ORDERS.0..=CHANGED_ORDERS.1 {
        let row = order_row(
            &mut dice,
            &mut next_free_minutes,
            floor::order_code(number),
            "010",
            floor::material_of_order(number),
        );
        table.rows.push(row);
    }
    let mut two_rows = Vec::new();
    for number in 1..=NEW_ORDERS {
        let code = format!("WO-{}", 270_000 + number);
        let material = floor::material_code(dice.integer(1, floor::MATERIALS));
        let row = order_row(&mut dice, &mut next_free_minutes, code.clone(), "010", material.clone());
        if number % TWO_ROW_INTERVAL == 0 {
            let further = raw_material_row(&mut dice, &row, 31, 60);
            table.rows.push(row);
            two_rows.push(table.rows.len());
            table.rows.push(further);
        } else {
            table.rows.push(row);
        }
        if number % 9 == 0 {
            let row = order_row(&mut dice, &mut next_free_minutes, code, "020", material);
            table.rows.push(row);
        }
    }
    spoil_orders(&mut table, &two_rows);
    table
}

fn order_row(
    dice: &mut Dice,
    next_free_minutes: &mut [i64; STATIONS],
    code: String,
    operation: &str,
    material: String,
) -> Vec<Cell> {
    let station = usize::try_from(dice.integer(1, 11)).unwrap_or(1);
    let begin = next_free_minutes[station - 1] + 5 * dice.integer(1, 12);
    let length = 15 * dice.integer(4, 80);
    next_free_minutes[station - 1] = begin + length;
    let quantity = 5 * dice.integer(2, 120);
    let (begin, end) = (floor::work_time(begin), floor::work_time(begin + length));
    let note = if dice.percent(20) { dice.pick(&NOTES) } else { "" };
    let open = if dice.percent(15) { dice.pick(&OPEN_POINTS) } else { "" };
    let row = vec![
        code.into(),
        operation.into(),
        material.into(),
        quantity.into(),
        dice.pick(&["Production", "Production", "Production", "Rework", "Prototype"]).into(),
        dice.pick(&CUSTOMERS).into(),
        promise_date(dice, end).into(),
        floor::station_code(i64::try_from(station).unwrap_or(1)).into(),
        dice.integer(1, 24).into(),
        begin.into(),
        end.into(),
        Cell::Minutes(length / 2),
        Cell::Minutes(length),
        Cell::Empty,
        Cell::Empty,
        Cell::Empty,
        note.into(),
        open.into(),
    ];
    raw_material_row(dice, &row, 1, 30)
}

fn promise_date(dice: &mut Dice, end: DateTime) -> Option<DateTime> {
    (!dice.percent(8)).then(|| floor::days_later(end, dice.integer(2, 12)))
}

/// Returns a copy of the row with a random raw material between `first` and `last`, and its quantity.
fn raw_material_row(dice: &mut Dice, row: &[Cell], first: i64, last: i64) -> Vec<Cell> {
    let number = dice.integer(first, last);
    let unit = floor::unit_of_raw_material(number);
    // Quantities in pieces are integers. Lengths and weights usually aren't.
    let quantity_per_piece = if unit == "pcs" { dice.integer(1, 4) as f64 } else { dice.integer(5, 60) as f64 / 20.0 };
    let quantity = match row.get(3) {
        Some(Cell::Number(quantity)) => quantity * quantity_per_piece,
        _ => quantity_per_piece,
    };
    let mut row = row.to_vec();
    row.splice(13..16, [floor::raw_material_code(number).into(), quantity.into(), unit.into()]);
    row
}

fn spoil_orders(table: &mut Table, two_rows: &[usize]) {
    table.spoil(17, "code", MistakeKind::Required, Cell::Empty);
    table.spoil(38, "requestedQuantity", MistakeKind::NotAbove, 0);
    table.swap_dates(52, "beginPlanned", "endPlanned");
    table.spoil(77, "requestedQuantity", MistakeKind::NotANumber, "ca. 200");
    table.spoil(101, "materialCode", MistakeKind::UnknownMaterial, "MAT-9099");
    table.spoil(134, "beginPlanned", MistakeKind::NotADate, "CW 50");
    table.spoil(160, "workStationCode", MistakeKind::UnknownWorkStation, "WS-47");
    if let Some(second) = two_rows.get(9) {
        table.set(*second, "requestedQuantity", |cell| match cell {
            Cell::Number(quantity) => Cell::Number(quantity + 50.0),
            other => other.clone(),
        });
        table.add_mistake(
            vec![table.row(second - 1), table.row(*second)],
            "requestedQuantity",
            MistakeKind::GroupDisagrees,
        );
    }
}

/// `work-orders.execution`: German, like a foreman's report.
pub(super) fn execution() -> Table {
    let mut table = Table::new(
        "work-orders.execution",
        "de",
        "Rückmeldungen",
        vec![
            column("Auftragsnummer", "code", 15, "@"),
            column("Arbeitsgang", "operationCode", 11, "@"),
            column("Arbeitsplatz", "workStationCode", 12, "@"),
            column("Gutmenge", "producedGoodQuantity", 10, "#,##0"),
            column("Ausschuss", "producedBadQuantity", 10, "#,##0"),
            column("Ist-Beginn", "beginReal", 17, "dd.mm.yyyy hh:mm"),
            column("Ist-Ende", "endReal", 17, "dd.mm.yyyy hh:mm"),
            column("Status", "statusDescription", 13, ""),
            column("Bemerkung", "note", 34, ""),
            own_column("Schichtführer", 15),
        ],
    );
    let mut dice = Dice::new(2);
    let steps = floor::order_steps(1, 150);
    let count = i64::try_from(steps.len()).unwrap_or_default();
    for (step, position) in steps.into_iter().zip(0..) {
        let begin = (position - count) * 45 + 5 * dice.integer(0, 6);
        let ended = position < count - 24;
        let status = if ended { "Ended" } else { dice.pick(&["In execution", "In execution", "Paused"]) };
        let good = dice.integer(5, 480);
        let bad = if dice.percent(30) { dice.integer(1, 6) } else { 0 };
        let end = ended.then(|| floor::work_time(begin + 15 * dice.integer(3, 40)));
        let note =
            dice.pick(&["Werkzeug gewechselt", "Nacharbeit nötig", "Prüfmaß an der Grenze", "Maschine gewechselt"]);
        table.rows.push(vec![
            step.order.into(),
            step.operation.into(),
            floor::station_code(dice.integer(1, 11)).into(),
            good.into(),
            bad.into(),
            floor::work_time(begin).into(),
            end.into(),
            status.into(),
            if dice.percent(12) { note } else { "" }.into(),
            dice.pick(&["Berger", "Keller", "Vogel", "Yılmaz"]).into(),
        ]);
    }
    table.spoil(22, "producedBadQuantity", MistakeKind::BelowMinimum, -2);
    table.swap_dates(47, "beginReal", "endReal");
    table.spoil(69, "operationCode", MistakeKind::Required, Cell::Empty);
    table.repeat_key(95, 92, &["code", "operationCode"]);
    table.spoil(120, "workStationCode", MistakeKind::UnknownWorkStation, "WS-21");
    table.spoil(148, "code", MistakeKind::UnknownOrder, "WO-269913");
    table.spoil(186, "endReal", MistakeKind::NotADate, "läuft noch");
    table
}

/// `work-orders.properties`: English.
pub(super) fn properties() -> Table {
    let mut table = Table::new(
        "work-orders.properties",
        "en",
        "Work order properties",
        vec![
            column("Order number", "workOrderCode", 14, "@"),
            column("Operation", "operationCode", 10, "@"),
            column("Property", "key", 14, ""),
            column("Value", "value", 28, ""),
            column("Display name", "name", 16, ""),
            column("Locked", "isLocked", 9, ""),
            own_column("Asked for by", 18),
        ],
    );
    let mut dice = Dice::new(3);
    for number in 61..=170 {
        let drawing = format!("D-{}-{}", 4000 + number, dice.pick(&["A", "B", "C"]));
        let further = match dice.integer(1, 3) {
            1 => ("PACKAGING", dice.pick(&["Box", "Pallet", "VCI bag"]).to_owned(), "Packaging"),
            2 => ("TOLERANCE", format!("±{} µm", dice.integer(2, 40)), "Tolerance"),
            _ => ("HEAT_NO", format!("{:06}", dice.integer(1, 89_999)), "Heat number"),
        };
        for (key, value, name) in [("DRAWING", drawing, "Drawing"), further] {
            let locked = dice.percent(70).then(|| key == "HEAT_NO");
            table.rows.push(vec![
                floor::order_code(number).into(),
                "010".into(),
                key.into(),
                value.into(),
                name.into(),
                locked.into(),
                if dice.percent(25) { dice.pick(&["Quality", "Customer", "Sales, M. Ruiz"]) } else { "" }.into(),
            ]);
        }
    }
    table.spoil(14, "workOrderCode", MistakeKind::Required, Cell::Empty);
    table.spoil(57, "isLocked", MistakeKind::NotABoolean, "maybe");
    table.spoil(90, "key", MistakeKind::Required, Cell::Empty);
    table.repeat_key(128, 126, &["workOrderCode", "operationCode", "key"]);
    // On the plant, every seventh order has a locked release property, starting with the first order.
    let locked =
        table.rows.iter().position(|row| row.first() == Some(&floor::order_code(134).into())).unwrap_or_default();
    table.set(locked, "value", |_| "on hold".into());
    table.set(locked, "name", |_| "Release".into());
    table.set(locked, "isLocked", |_| Cell::Empty);
    table.spoil(locked, "key", MistakeKind::LockedProperty, "RELEASE");
    table.spoil(199, "workOrderCode", MistakeKind::UnknownOrder, "WO-269120");
    table
}

/// `work-orders.planning-dates`: Spanish.
pub(super) fn planning_dates() -> Table {
    let mut table = Table::new(
        "work-orders.planning-dates",
        "es",
        "Plan semanas 48-50",
        vec![
            column("Orden de fabricación", "code", 14, "@"),
            column("Operación", "operationCode", 10, "@"),
            column("Centro de trabajo", "workStationCode", 12, "@"),
            column("Inicio planificado", "beginPlanned", 17, "dd/mm/yyyy hh:mm"),
            column("Fin planificado", "endPlanned", 17, "dd/mm/yyyy hh:mm"),
            own_column("Motivo del cambio", 30),
        ],
    );
    let mut dice = Dice::new(4);
    let mut next_free_minutes = [0; STATIONS];
    for step in floor::order_steps(151, 300) {
        let station = usize::try_from(dice.integer(1, 11)).unwrap_or(1);
        let begin = next_free_minutes[station - 1] + 5 * dice.integer(1, 12);
        let end = begin + 15 * dice.integer(4, 80);
        next_free_minutes[station - 1] = end;
        let reason = dice.pick(&["falta material", "pedido urgente", "avería de la máquina", "a petición del cliente"]);
        table.rows.push(vec![
            step.order.into(),
            step.operation.into(),
            floor::station_code(i64::try_from(station).unwrap_or(1)).into(),
            floor::work_time(begin).into(),
            floor::work_time(end).into(),
            if dice.percent(30) { reason } else { "" }.into(),
        ]);
    }
    table.swap_dates(11, "beginPlanned", "endPlanned");
    table.spoil(40, "endPlanned", MistakeKind::Required, Cell::Empty);
    table.repeat_key(66, 63, &["code", "operationCode"]);
    let begin = table.cell(98, "beginPlanned");
    table.spoil(98, "endPlanned", MistakeKind::NotBefore, begin);
    table.spoil(121, "beginPlanned", MistakeKind::NotADate, "pendiente");
    table.spoil(155, "code", MistakeKind::UnknownOrder, "WO-269777");
    table.spoil(181, "workStationCode", MistakeKind::UnknownWorkStation, "WS-99");
    table
}
