//! Files that are valid row by row and wrong as a whole, each beside one that isn't.

use takt_engine::preview::{AlarmKind, PreviewAlarm};
use takt_plant::Size;

use super::stage::{Stage, cells};

const FIELDS: [&str; 4] = ["code", "operationCode", "materialCode", "requestedQuantity"];
const DATES: [&str; 5] = ["code", "operationCode", "workStationCode", "beginPlanned", "endPlanned"];
const ROWS: usize = 30;

async fn alarms(
    stage: &Stage,
    (operation, list, fields): (&str, &str, &[&str]),
    change: impl Fn(&mut Vec<Vec<String>>),
) -> Vec<PreviewAlarm> {
    let held = stage.list(list).await;
    let full = held.iter().filter(|row| fields.iter().all(|field| !row[*field].is_null()));
    let mut rows: Vec<Vec<String>> = full.take(ROWS).map(|row| cells(row, fields)).collect();
    assert!(rows.len() == ROWS, "the plant holds only {}", rows.len());
    change(&mut rows);
    let import = stage.open(operation, fields, &rows);
    let view = stage.preview(import).await;
    assert_eq!(view.counts.blocked, 0, "{:?}", stage.rows(import, None));
    view.steps[0].alarms.clone()
}

fn said(alarms: &[PreviewAlarm]) -> Vec<(AlarmKind, &str, &str)> {
    alarms.iter().map(|alarm| (alarm.kind, alarm.field.as_str(), alarm.number.as_str())).collect()
}

#[tokio::test]
async fn a_column_that_slipped_is_noticed() {
    let stage = Stage::new(Size::Small).await;
    let orders = ("work-orders.sync", "work-orders.list", FIELDS.as_slice());
    let down = alarms(&stage, orders, |rows| {
        let values: Vec<String> = rows.iter().map(|row| row[3].clone()).collect();
        for place in 1..rows.len() {
            rows[place][3].clone_from(&values[place - 1]);
        }
    });
    let down = down.await;
    assert_eq!(said(&down), [(AlarmKind::ColumnShifted, "requestedQuantity", "1")]);
    assert!(down[0].rows > 15 && down[0].of == 30, "{down:?}");
    let up = alarms(&stage, orders, |rows| {
        let values: Vec<String> = rows.iter().map(|row| row[3].clone()).collect();
        for place in 0..rows.len() - 2 {
            rows[place][3].clone_from(&values[place + 2]);
        }
    });
    assert_eq!(said(&up.await), [(AlarmKind::ColumnShifted, "requestedQuantity", "-2")]);
    let few = alarms(&stage, orders, |rows| {
        for row in rows.iter_mut().take(12) {
            row[3] = (row[3].parse::<f64>().unwrap() + 7.0).to_string();
        }
    });
    assert_eq!(said(&few.await), [], "a few changed quantities are a plan like any other");
}

#[tokio::test]
async fn a_column_that_was_sorted_by_itself_is_noticed() {
    let stage = Stage::new(Size::Small).await;
    let materials = ("materials.sync", "materials.list", ["code", "description"].as_slice());
    let sorted = alarms(&stage, materials, |rows| {
        let mut values: Vec<String> = rows.iter().map(|row| row[1].clone()).collect();
        values.sort();
        rows.iter_mut().zip(values).for_each(|(row, value)| row[1] = value);
    });
    assert_eq!(said(&sorted.await), [(AlarmKind::ColumnSorted, "description", "")]);
    let whole = alarms(&stage, materials, |rows| rows.sort_by(|one, other| other[1].cmp(&one[1])));
    assert_eq!(said(&whole.await), [], "rows that were sorted as a whole are the same rows");
    let orders = ("work-orders.sync", "work-orders.list", FIELDS.as_slice());
    let quantities = alarms(&stage, orders, |rows| {
        let mut values: Vec<f64> = rows.iter().map(|row| row[3].parse().unwrap()).collect();
        values.sort_by(f64::total_cmp);
        rows.iter_mut().zip(values).for_each(|(row, value)| row[3] = value.to_string());
    });
    assert_eq!(said(&quantities.await), [(AlarmKind::ColumnSorted, "requestedQuantity", "")]);
}

#[tokio::test]
async fn another_unit_is_noticed() {
    let stage = Stage::new(Size::Small).await;
    let orders = ("work-orders.sync", "work-orders.list", FIELDS.as_slice());
    for (factor, told) in [(1000.0, "1000"), (0.001, "0.001")] {
        let scaled = alarms(&stage, orders, |rows| {
            rows.iter_mut().for_each(|row| row[3] = format!("{:.3}", row[3].parse::<f64>().unwrap() * factor));
        });
        let scaled = scaled.await;
        assert_eq!(said(&scaled), [(AlarmKind::Scaled, "requestedQuantity", told)]);
        assert_eq!((scaled[0].rows, scaled[0].of), (30, 30));
    }
    let more = alarms(&stage, orders, |rows| {
        rows.iter_mut().step_by(2).for_each(|row| row[3] = (row[3].parse::<f64>().unwrap() * 2.0).to_string());
    });
    assert_eq!(said(&more.await), [], "twice as much for half of the orders may well be meant");
}

#[tokio::test]
async fn most_rows_and_most_names_are_noticed() {
    let stage = Stage::new(Size::Small).await;
    let materials = ("materials.sync", "materials.list", ["code", "description"].as_slice());
    let renamed = alarms(&stage, materials, |rows| {
        rows.iter_mut().enumerate().for_each(|(place, row)| row[1] = format!("Thing {}", (place * 7) % 30));
    });
    assert_eq!(said(&renamed.await), [(AlarmKind::Renamed, "description", "")]);
    let orders = ("work-orders.sync", "work-orders.list", FIELDS.as_slice());
    let most = alarms(&stage, orders, |rows| {
        for (place, row) in rows.iter_mut().enumerate().skip(4) {
            row[3] = (row[3].parse::<f64>().unwrap() + 1.0 + place as f64).to_string();
        }
    });
    let most = most.await;
    assert_eq!(said(&most), [(AlarmKind::MostChanged, "requestedQuantity", "")]);
    assert_eq!((most[0].rows, most[0].of), (26, 30));
}

#[tokio::test]
async fn dates_that_all_move_are_noticed() {
    let stage = Stage::new(Size::Small).await;
    let dates = ("work-orders.planning-dates", "work-orders.list", DATES.as_slice());
    let moved = |text: &str| {
        let moment: jiff::civil::DateTime = text.parse().unwrap();
        moment.checked_add(jiff::Span::new().hours(49)).unwrap().to_string()
    };
    let all = alarms(&stage, dates, |rows| {
        for row in rows.iter_mut() {
            (row[3], row[4]) = (moved(&row[3]), moved(&row[4]));
        }
    });
    let told =
        [(AlarmKind::DatesMoved, "beginPlanned", "2.01:00:00"), (AlarmKind::DatesMoved, "endPlanned", "2.01:00:00")];
    assert_eq!(said(&all.await), told);
    let three = alarms(&stage, dates, |rows| {
        for row in rows.iter_mut().take(3) {
            row[4] = moved(&row[4]);
        }
    });
    assert_eq!(said(&three.await), []);
}
