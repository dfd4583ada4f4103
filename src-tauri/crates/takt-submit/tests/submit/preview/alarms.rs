//! Tests alarms about files whose rows are valid one by one, each compared to a correct file.

use takt_engine::preview::{AlarmKind, PreviewAlarm};
use takt_plant::Size;

use super::fixture::{Fixture, cells};

const FIELDS: [&str; 4] = ["code", "operationCode", "materialCode", "requestedQuantity"];
const DATES: [&str; 5] = ["code", "operationCode", "workStationCode", "beginPlanned", "endPlanned"];
const ROWS: usize = 30;

async fn find_alarms(
    fixture: &Fixture,
    (operation, list, fields): (&str, &str, &[&str]),
    change: impl Fn(&mut Vec<Vec<String>>),
) -> Vec<PreviewAlarm> {
    let stored = fixture.list(list).await;
    let full = stored.iter().filter(|row| fields.iter().all(|field| !row[*field].is_null()));
    let mut rows: Vec<Vec<String>> = full.take(ROWS).map(|row| cells(row, fields)).collect();
    assert!(rows.len() == ROWS, "the plant holds only {}", rows.len());
    change(&mut rows);
    let import = fixture.open(operation, fields, &rows);
    let view = fixture.preview(import).await;
    assert_eq!(view.counts.blocked, 0, "{:?}", fixture.rows(import, None));
    view.steps[0].alarms.clone()
}

fn alarm_texts(alarms: &[PreviewAlarm]) -> Vec<(AlarmKind, &str, &str)> {
    alarms.iter().map(|alarm| (alarm.kind, alarm.field.as_str(), alarm.number.as_str())).collect()
}

#[tokio::test]
async fn a_column_that_slipped_is_noticed() {
    let fixture = Fixture::new(Size::Small).await;
    let orders = ("work-orders.sync", "work-orders.list", FIELDS.as_slice());
    let down = find_alarms(&fixture, orders, |rows| {
        let values: Vec<String> = rows.iter().map(|row| row[3].clone()).collect();
        for index in 1..rows.len() {
            rows[index][3].clone_from(&values[index - 1]);
        }
    });
    let down = down.await;
    assert_eq!(alarm_texts(&down), [(AlarmKind::ColumnShifted, "requestedQuantity", "1")]);
    assert!(down[0].rows > 15 && down[0].of == 30, "{down:?}");
    let up = find_alarms(&fixture, orders, |rows| {
        let values: Vec<String> = rows.iter().map(|row| row[3].clone()).collect();
        for index in 0..rows.len() - 2 {
            rows[index][3].clone_from(&values[index + 2]);
        }
    });
    assert_eq!(alarm_texts(&up.await), [(AlarmKind::ColumnShifted, "requestedQuantity", "-2")]);
    let few = find_alarms(&fixture, orders, |rows| {
        for row in rows.iter_mut().take(12) {
            row[3] = (row[3].parse::<f64>().unwrap() + 7.0).to_string();
        }
    });
    assert_eq!(alarm_texts(&few.await), [], "a few changed quantities are a plan like any other");
}

#[tokio::test]
async fn a_column_that_was_sorted_by_itself_is_noticed() {
    let fixture = Fixture::new(Size::Small).await;
    let materials = ("materials.sync", "materials.list", ["code", "description"].as_slice());
    let sorted = find_alarms(&fixture, materials, |rows| {
        let mut values: Vec<String> = rows.iter().map(|row| row[1].clone()).collect();
        values.sort();
        rows.iter_mut().zip(values).for_each(|(row, value)| row[1] = value);
    });
    assert_eq!(alarm_texts(&sorted.await), [(AlarmKind::ColumnSorted, "description", "")]);
    let whole = find_alarms(&fixture, materials, |rows| rows.sort_by(|one, other| other[1].cmp(&one[1])));
    assert_eq!(alarm_texts(&whole.await), [], "rows that were sorted as a whole are the same rows");
    let orders = ("work-orders.sync", "work-orders.list", FIELDS.as_slice());
    let quantities = find_alarms(&fixture, orders, |rows| {
        let mut values: Vec<f64> = rows.iter().map(|row| row[3].parse().unwrap()).collect();
        values.sort_by(f64::total_cmp);
        rows.iter_mut().zip(values).for_each(|(row, value)| row[3] = value.to_string());
    });
    assert_eq!(alarm_texts(&quantities.await), [(AlarmKind::ColumnSorted, "requestedQuantity", "")]);
}

#[tokio::test]
async fn another_unit_is_noticed() {
    let fixture = Fixture::new(Size::Small).await;
    let orders = ("work-orders.sync", "work-orders.list", FIELDS.as_slice());
    for (factor, factor_text) in [(1000.0, "1000"), (0.001, "0.001")] {
        let scaled = find_alarms(&fixture, orders, |rows| {
            rows.iter_mut().for_each(|row| row[3] = format!("{:.3}", row[3].parse::<f64>().unwrap() * factor));
        });
        let scaled = scaled.await;
        assert_eq!(alarm_texts(&scaled), [(AlarmKind::Scaled, "requestedQuantity", factor_text)]);
        assert_eq!((scaled[0].rows, scaled[0].of), (30, 30));
    }
    let more = find_alarms(&fixture, orders, |rows| {
        rows.iter_mut().step_by(2).for_each(|row| row[3] = (row[3].parse::<f64>().unwrap() * 2.0).to_string());
    });
    assert_eq!(alarm_texts(&more.await), [], "twice as much for half of the orders may well be meant");
}

#[tokio::test]
async fn most_rows_and_most_names_are_noticed() {
    let fixture = Fixture::new(Size::Small).await;
    let materials = ("materials.sync", "materials.list", ["code", "description"].as_slice());
    let renamed = find_alarms(&fixture, materials, |rows| {
        rows.iter_mut().enumerate().for_each(|(index, row)| row[1] = format!("Thing {}", (index * 7) % 30));
    });
    assert_eq!(alarm_texts(&renamed.await), [(AlarmKind::Renamed, "description", "")]);
    let orders = ("work-orders.sync", "work-orders.list", FIELDS.as_slice());
    let most = find_alarms(&fixture, orders, |rows| {
        for (index, row) in rows.iter_mut().enumerate().skip(4) {
            row[3] = (row[3].parse::<f64>().unwrap() + 1.0 + index as f64).to_string();
        }
    });
    let most = most.await;
    assert_eq!(alarm_texts(&most), [(AlarmKind::MostChanged, "requestedQuantity", "")]);
    assert_eq!((most[0].rows, most[0].of), (26, 30));
}

#[tokio::test]
async fn dates_that_all_move_are_noticed() {
    let fixture = Fixture::new(Size::Small).await;
    let dates = ("work-orders.planning-dates", "work-orders.list", DATES.as_slice());
    let moved = |text: &str| {
        let moment: jiff::civil::DateTime = text.parse().unwrap();
        moment.checked_add(jiff::Span::new().hours(49)).unwrap().to_string()
    };
    let all = find_alarms(&fixture, dates, |rows| {
        for row in rows.iter_mut() {
            (row[3], row[4]) = (moved(&row[3]), moved(&row[4]));
        }
    });
    let expected =
        [(AlarmKind::DatesMoved, "beginPlanned", "2.01:00:00"), (AlarmKind::DatesMoved, "endPlanned", "2.01:00:00")];
    assert_eq!(alarm_texts(&all.await), expected);
    let three = find_alarms(&fixture, dates, |rows| {
        for row in rows.iter_mut().take(3) {
            row[4] = moved(&row[4]);
        }
    });
    assert_eq!(alarm_texts(&three.await), []);
}
