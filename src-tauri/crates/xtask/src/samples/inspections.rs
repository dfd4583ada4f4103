//! Samples of inspections: new inspections, their results and properties, and inspection processes.

use super::{
    dice::Dice,
    floor,
    mistake::MistakeKind,
    table::{Cell, Table, column, own_column},
};

/// The number of the last order with inspections on the plant. The first one has number 1.
const INSPECTED_ORDERS: i64 = floor::INSPECTIONS / 4 * 3;
const MEASURING_ROOM: i64 = 12;

/// `inspections.sync`: Spanish, with a second sheet of notes.
pub(super) fn sync() -> Table {
    let mut table = Table::new(
        "inspections.sync",
        "es",
        "Inspecciones",
        vec![
            column("Inspección", "code", 13, "@"),
            column("Orden de fabricación", "workOrderCode", 14, "@"),
            column("N.º operación", "operationCode", 11, "@"),
            column("Plan de inspección", "processCode", 12, "@"),
            column("Puesto de trabajo", "workStationCode", 10, "@"),
            column("Inicio previsto", "beginPlanned", 17, "dd/mm/yyyy hh:mm"),
            column("Fin previsto", "endPlanned", 17, "dd/mm/yyyy hh:mm"),
            column("Tamaño de muestra", "quantity", 10, "#,##0"),
            column("Observaciones", "note", 34, ""),
            own_column("Inspector habitual", 18),
        ],
    );
    table.notes = Some((
        "Notas",
        &[
            "Muestras según el plan de control de la semana 48.",
            "Las inspecciones de lotes de fundición van a la sala de medición.",
            "Preguntar a Inés si falta una orden; no inventar números.",
        ],
    ));
    let mut dice = Dice::new(9);
    for (step, position) in floor::order_steps(101, 280).into_iter().zip(0..) {
        let begin = position * 20 + 5 * dice.integer(0, 3);
        let note =
            dice.pick(&["Rugosidad en los asientos", "Primera pieza", "Medir en caliente: no", "Repetir si Ra > 0,8"]);
        table.rows.push(vec![
            format!("INS-27{:03}", position + 1).into(),
            step.order.into(),
            step.operation.into(),
            floor::quality_process_code(position).into(),
            floor::station_code(if dice.percent(80) { MEASURING_ROOM } else { dice.integer(1, 11) }).into(),
            floor::work_time(begin).into(),
            floor::work_time(begin + 15 * dice.integer(1, 6)).into(),
            dice.integer(1, 32).into(),
            if dice.percent(18) { note } else { "" }.into(),
            dice.pick(&["Inés Navarro", "Marta Ruiz", "Elena García", ""]).into(),
        ]);
    }
    table.spoil(9, "processCode", MistakeKind::Required, Cell::Empty);
    table.spoil(43, "quantity", MistakeKind::NotAbove, 0);
    table.swap_dates(78, "beginPlanned", "endPlanned");
    table.spoil(106, "quantity", MistakeKind::NotANumber, "todas");
    table.spoil(139, "processCode", MistakeKind::UnknownProcess, "IP-888");
    table.repeat_key(164, 161, &["code", "operationCode"]);
    table.spoil(197, "workOrderCode", MistakeKind::UnknownOrder, "WO-269551");
    table
}

/// `inspections.execution`: German.
pub(super) fn execution() -> Table {
    let mut table = Table::new(
        "inspections.execution",
        "de",
        "Prüfergebnisse",
        vec![
            column("Prüfauftrag", "code", 13, "@"),
            column("Vorgang", "operationCode", 9, "@"),
            column("Arbeitsplatz", "workStationCode", 12, "@"),
            column("Gutteile", "producedGoodQuantity", 10, "#,##0"),
            column("Schlechtteile", "producedBadQuantity", 12, "#,##0"),
            column("Ist-Start", "beginReal", 17, "dd.mm.yyyy hh:mm"),
            column("Ist-Ende", "endReal", 17, "dd.mm.yyyy hh:mm"),
            column("Status", "statusDescription", 12, ""),
            column("Kommentar", "note", 34, ""),
            own_column("Geprüft von", 14),
        ],
    );
    let mut dice = Dice::new(10);
    for number in 1..=180 {
        let begin = (number - 190) * 25 + dice.integer(0, 9);
        let bad = if dice.percent(20) { dice.integer(1, 4) } else { 0 };
        let note = dice.pick(&["Ra über 0,8", "Rundlauf 0,03", "Teil 4 nachgemessen", "Härte 57 HRC"]);
        table.rows.push(vec![
            floor::inspection_code(number).into(),
            floor::inspected_operation(number).into(),
            floor::station_code(MEASURING_ROOM).into(),
            dice.integer(1, 20).into(),
            bad.into(),
            floor::work_time(begin).into(),
            floor::work_time(begin + dice.integer(10, 60)).into(),
            "Ended".into(),
            if bad > 0 { note } else { "" }.into(),
            dice.pick(&["A. Berger", "S. Almeida", "T. Zieliński"]).into(),
        ]);
    }
    table.spoil(16, "producedGoodQuantity", MistakeKind::NotANumber, "alle");
    table.swap_dates(39, "beginReal", "endReal");
    table.spoil(75, "code", MistakeKind::Required, Cell::Empty);
    table.spoil(104, "producedBadQuantity", MistakeKind::BelowMinimum, -1);
    table.spoil(128, "code", MistakeKind::UnknownInspection, "INS-90417");
    table.repeat_key(145, 141, &["code", "operationCode"]);
    table.spoil(166, "operationCode", MistakeKind::UnknownInspection, "030");
    table
}

/// `inspections.properties`: Portuguese.
pub(super) fn properties() -> Table {
    let mut table = Table::new(
        "inspections.properties",
        "pt",
        "Propriedades de inspeções",
        vec![
            column("Ordem de produção", "workOrderCode", 14, "@"),
            column("N.º operação", "operationCode", 11, "@"),
            column("Propriedade", "key", 15, ""),
            column("Valor", "value", 24, ""),
            column("Nome de exibição", "name", 22, ""),
            column("Bloqueada", "isLocked", 11, ""),
            own_column("Comentário da qualidade", 30),
        ],
    );
    let mut dice = Dice::new(11);
    for (step, position) in floor::order_steps(1, INSPECTED_ORDERS).into_iter().zip(0..) {
        let (key, value, name) = match position % 3 {
            0 => ("GAUGE", format!("Micrômetro {}", dice.pick(&["0-25", "25-50", "50-75"])), "Instrumento"),
            1 => ("TEMPERATURE", format!("{},{} °C", dice.integer(19, 22), dice.integer(0, 9)), "Temperatura"),
            _ => ("SAMPLE_PLAN", format!("{:03}", dice.integer(1, 60)), "Plano de amostragem"),
        };
        let comment = dice.pick(&["aguarda cliente", "novo plano em dezembro", "conferir com a sala de medição"]);
        table.rows.push(vec![
            step.order.into(),
            step.operation.into(),
            key.into(),
            value.into(),
            name.into(),
            if dice.percent(60) { dice.pick(&["sim", "não", "não", "não"]) } else { "" }.into(),
            if dice.percent(15) { comment } else { "" }.into(),
        ]);
    }
    table.spoil(27, "key", MistakeKind::Required, Cell::Empty);
    table.spoil(61, "workOrderCode", MistakeKind::Required, Cell::Empty);
    table.spoil(88, "isLocked", MistakeKind::NotABoolean, "talvez");
    table.repeat_key(117, 114, &["workOrderCode", "operationCode", "key"]);
    table.spoil(144, "workOrderCode", MistakeKind::UnknownOrder, "WO-269042");
    table.spoil(172, "workOrderCode", MistakeKind::NoInspections, floor::order_code(290));
    table
}

const PROCESSES: [(&str, bool); 20] = [
    ("Serrar no comprimento", false),
    ("Facear e centrar", false),
    ("Torneamento de desbaste", false),
    ("Torneamento de acabamento", false),
    ("Fresar rasgo de chaveta", false),
    ("Furar e rosquear", false),
    ("Fresar dentes", false),
    ("Rebarbar", false),
    ("Cementar", false),
    ("Retificar cilíndrico", false),
    ("Lavar e secar", false),
    ("Prensar rolamento", false),
    ("Montar carcaça", false),
    ("Marcar número de série", false),
    ("Embalar", false),
    ("Verificar diâmetros", true),
    ("Verificar dureza", true),
    ("Verificar batimento", true),
    ("Verificar rugosidade", true),
    ("Inspeção final", true),
];
const VARIANTS: [&str; 8] =
    ["", ", peças grandes", ", inox", ", alumínio", ", protótipo", ", retrabalho", ", série curta", ", bronze"];

/// `inspection-processes.sync`: Portuguese, with durations as text.
pub(super) fn processes() -> Table {
    let mut table = Table::new(
        "inspection-processes.sync",
        "pt",
        "Processos",
        vec![
            column("Código do processo", "code", 12, "@"),
            column("Descrição do processo", "description", 38, ""),
            column("Tempo de mão de obra", "predictedLaborTime", 13, "@"),
            column("Tempo de máquina", "predictedMachineTime", 13, "@"),
            column("Inspeção de qualidade", "isQualityInspection", 12, ""),
            own_column("Responsável", 20),
        ],
    );
    let mut dice = Dice::new(12);
    let kinds = VARIANTS.iter().flat_map(|variant| PROCESSES.iter().map(move |process| (process, variant)));
    for (((name, inspects), variant), number) in kinds.zip(1..) {
        let machine = if *inspects { String::new() } else { clock_text(30 * dice.integer(2, 420)) };
        table.rows.push(vec![
            floor::process_code(number).into(),
            format!("{name}{variant}").into(),
            clock_text(30 * dice.integer(2, 120)).into(),
            machine.into(),
            if *inspects { "sim" } else { "não" }.into(),
            dice.pick(&["Sofia Almeida", "Miguel Santos", "João Ferreira", ""]).into(),
        ]);
    }
    table.spoil(33, "description", MistakeKind::Required, Cell::Empty);
    table.spoil(62, "predictedLaborTime", MistakeKind::NotADuration, "meia hora");
    table.spoil(91, "code", MistakeKind::Required, Cell::Empty);
    table.repeat_key(118, 116, &["code"]);
    table.spoil(147, "isQualityInspection", MistakeKind::NotABoolean, "?");
    table
}

/// Formats seconds as `h:mm:ss`.
fn clock_text(seconds: i64) -> String {
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}
