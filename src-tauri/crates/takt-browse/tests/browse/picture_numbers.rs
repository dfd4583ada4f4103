//! Pictures that add up: every bar, its parts and its compared value, by every grouping, and every hour of the
//! calendar. All are compared to sums of the plant's rows.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use takt_engine::picture::DrawnPicture;
use takt_test_support::plant_fixture::{Fixture, PRACTICE};

use super::pictures::{draw, plant_rows, read_all_rows, site_seconds, text};

/// A bar: its parts by name, its compared value, and its rows. In thousandths, so that sums can be compared.
type Bar = (BTreeMap<String, i64>, i64, BTreeSet<usize>);
/// A bar before rounding.
type Sum = (BTreeMap<String, f64>, f64, BTreeSet<usize>);
/// By label and unit.
type Bars = BTreeMap<(String, String), Bar>;

/// The fields of a row that make a bar.
struct Roles<'a> {
    by: &'a [&'a str],
    /// The fields that divide a bar, may be empty.
    stack: &'a [&'a str],
    parts: &'a [&'a str],
    against: &'a [&'a str],
    unit: Option<&'a str>,
}

impl<'a> Roles<'a> {
    fn times(by: &'a [&'a str], against: &'a [&'a str], parts: &'a [&'a str]) -> Self {
        Self { by, stack: &[], parts, against, unit: None }
    }
}

fn amount(row: &Value, field: &str) -> f64 {
    match &row[field] {
        Value::Object(span) => span["totalSeconds"].as_f64().unwrap(),
        Value::Null => 0.0,
        other => other.as_f64().unwrap(),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "sums of a plant's rows are far below")]
fn thousandths(value: f64) -> i64 {
    (value * 1000.0).round() as i64
}

fn join_fields(row: &Value, fields: &[&str]) -> String {
    let parts: Vec<&str> = fields.iter().map(|field| text(row, field)).filter(|part| !part.is_empty()).collect();
    parts.join(" · ")
}

/// Sums rows independently, each with its position in the list.
fn sum_rows<'a>(rows: impl IntoIterator<Item = (usize, &'a Value)>, roles: &Roles<'_>) -> Bars {
    let mut sums: BTreeMap<(String, String), Sum> = BTreeMap::new();
    for (at, row) in rows {
        let unit = roles.unit.map(|unit| text(row, unit)).unwrap_or_default();
        let bar = sums.entry((join_fields(row, roles.by), unit.to_owned())).or_default();
        for part in roles.parts {
            let name = if roles.stack.is_empty() { (*part).to_owned() } else { join_fields(row, roles.stack) };
            *bar.0.entry(name).or_default() += amount(row, part);
        }
        bar.1 += roles.against.iter().map(|field| amount(row, field)).sum::<f64>();
        bar.2.insert(at);
    }
    let exact = sums.into_iter().map(|(label, (parts, against, rows))| {
        let parts = parts.into_iter().map(|(name, sum)| (name, thousandths(sum))).collect();
        (label, (parts, thousandths(against), rows))
    });
    exact.collect()
}

/// Returns the bars of a picture.
fn drawn_bars(drawn: &DrawnPicture) -> Bars {
    let DrawnPicture::Bars(bars) = drawn else { panic!("no bars") };
    let mut all: Vec<Bar> = Vec::new();
    for (index, rows) in bars.rows.iter().enumerate() {
        let against = bars.against.get(index).copied().unwrap_or_default();
        all.push((BTreeMap::new(), thousandths(against), rows.iter().map(|row| *row as usize).collect()));
    }
    for ((bar, name), value) in bars.part_of.iter().zip(&bars.part_name).zip(&bars.part_value) {
        let before = all[*bar as usize].0.insert(bars.names[*name as usize].clone(), thousandths(*value));
        assert_eq!(before, None, "a part stands once");
    }
    let unit = |index: usize| bars.units.get(index).cloned().unwrap_or_default();
    let labels = bars.labels.iter().enumerate().map(|(index, label)| (label.clone(), unit(index)));
    let count = bars.labels.len();
    let all: Bars = labels.zip(all).collect();
    assert_eq!(all.len(), count, "a bar stands once");
    all
}

/// Compares each grouping of a list. The plant's rows are in the list's order.
async fn assert_groupings(fixture: &Fixture, list: &str, picture: &str, rows: &[Value], groupings: &[Roles<'_>]) {
    let set = read_all_rows(fixture, list).await;
    let read = set.rows(0..usize::MAX);
    let row_index = |row: &Value| {
        let found =
            read.iter().position(|one| one.as_object().unwrap().iter().all(|(name, value)| row[name] == *value));
        found.unwrap_or_else(|| panic!("{list} lacks {row}"))
    };
    assert_eq!(read.len(), rows.len(), "{list}");
    let indexed_rows: Vec<(usize, &Value)> = rows.iter().map(|row| (row_index(row), row)).collect();
    for (by, roles) in (0..).zip(groupings) {
        let expected = sum_rows(indexed_rows.iter().copied(), roles);
        assert!(!expected.is_empty() && expected.values().any(|(parts, ..)| parts.values().any(|sum| *sum > 0)));
        assert_eq!(
            drawn_bars(&draw(fixture, &set, picture, by).drawn),
            expected,
            "{list}, {picture} by {:?}",
            roles.by
        );
    }
}

#[tokio::test]
async fn labor_and_machine_times_part_by_part() {
    let fixture = Fixture::signed_in().await;
    let orders = plant_rows(&fixture, "work-orders").await;
    let by: [&[&str]; 4] = [&["code", "operationCode"], &["materialCode"], &["workStationCode"], &["operationCode"]];
    for (picture, against, parts) in [
        ("labor", ["laborPredictedTime"], ["laborValueAddedTime", "laborNonValueAddedTime"]),
        ("machine", ["machinePredictedTime"], ["machineValueAddedTime", "machineNonValueAddedTime"]),
    ] {
        let groupings = by.map(|by| Roles::times(by, &against, &parts));
        assert_groupings(&fixture, "work-orders.details", picture, &orders, &groupings).await;
    }
}

#[tokio::test]
async fn time_spent_by_whom_on_what_and_where() {
    let fixture = Fixture::signed_in().await;
    let times = plant_rows(&fixture, "labor-times").await;
    let (who, what): (&[&str], &[&str]) = (&["employeeBadge", "employeeName"], &["workOrderCode", "operationCode"]);
    let roles = |by, stack| Roles { by, stack, parts: &["duration"], against: &[], unit: None };
    let groupings = [roles(who, what), roles(what, who), roles(&["workStationCode"], who)];
    assert_groupings(&fixture, "labor-times.list", "spent", &times, &groupings).await;
}

#[tokio::test]
async fn consumption_by_order_and_unit() {
    let fixture = Fixture::signed_in().await;
    let orders = plant_rows(&fixture, "work-orders").await;
    let set = read_all_rows(&fixture, "work-orders.details").await;
    let read = set.rows(0..usize::MAX);
    let mut parts = Vec::new();
    for order in &orders {
        let same = |row: &&Value| ["code", "operationCode"].iter().all(|name| row[*name] == order[*name]);
        let at = read.iter().position(|row| same(&row)).unwrap();
        for part in order["rawMaterials"].as_array().unwrap() {
            let mut flat = part.clone();
            flat["material"] = part["code"].clone();
            flat["code"] = order["code"].clone();
            flat["operationCode"] = order["operationCode"].clone();
            parts.push((at, flat));
        }
    }
    for (by, fields) in [(0, &["code", "operationCode", "material"][..]), (1, &["material"][..])] {
        let roles =
            Roles { by: fields, stack: &[], parts: &["quantityConsumed"], against: &["quantity"], unit: Some("uoM") };
        let mut expected = sum_rows(parts.iter().map(|(at, part)| (*at, part)), &roles);
        for (parts, ..) in expected.values_mut() {
            // The picture names a part by its complete path.
            *parts = std::mem::take(parts)
                .into_values()
                .map(|sum| ("rawMaterials.quantityConsumed".to_owned(), sum))
                .collect();
        }
        assert_eq!(drawn_bars(&draw(&fixture, &set, "consumed", by).drawn), expected, "by {fields:?}");
    }

    let lots = plant_rows(&fixture, "consumed-lots").await;
    let roles = |by| Roles { by, stack: &["serialNumber"], parts: &["quantity"], against: &[], unit: Some("uoM") };
    let groupings = [roles(&["workOrderCode", "operationCode", "materialCode"]), roles(&["materialCode"])];
    assert_groupings(&fixture, "consumed-lots.list", "consumed", &lots, &groupings).await;
}

#[tokio::test]
async fn predicted_times_of_processes_and_inspected_pieces() {
    let fixture = Fixture::signed_in().await;
    let processes = plant_rows(&fixture, "inspection-processes").await;
    let times = ["predictedLaborTime", "predictedMachineTime"];
    let by_process = [Roles::times(&["code", "description"], &[], &times)];
    assert_groupings(&fixture, "inspection-processes.list", "predicted", &processes, &by_process).await;

    let links = plant_rows(&fixture, "template-processes").await;
    let linked: BTreeSet<&str> =
        links.iter().filter(|link| link["templateId"] == 1).map(|link| text(link, "processCode")).collect();
    let set = read_all_rows(&fixture, "templates.processes").await;
    let read = set.rows(0..usize::MAX);
    let of_template = processes.iter().filter(|row| linked.contains(text(row, "code")));
    let placed = of_template.map(|row| (read.iter().position(|one| one["code"] == row["code"]).unwrap(), row));
    let expected = sum_rows(placed, &by_process[0]);
    assert_eq!((expected.len(), read.len()), (linked.len(), linked.len()));
    assert_eq!(drawn_bars(&draw(&fixture, &set, "predicted", 0).drawn), expected);

    let inspections = plant_rows(&fixture, "inspections").await;
    let by: [&[&str]; 3] = [&["code", "operationCode"], &["processCode"], &["workStationCode"]];
    let pieces = ["producedGoodQuantity", "producedBadQuantity"];
    let groupings = by.map(|by| Roles::times(by, &["quantity"], &pieces));
    assert_groupings(&fixture, "inspections.list", "produced", &inspections, &groupings).await;
}

#[tokio::test]
async fn every_shift_and_every_stoppage() {
    let fixture = Fixture::signed_in().await;
    let view = fixture.engine.pictures().calendar(PRACTICE, "work-orders.list", "plan").await.unwrap().unwrap();
    let DrawnPicture::Week(week) = view.drawn else { panic!("no week") };
    let name = |at: u32| json!(week.names[at as usize]);
    let lane = |at: u32| json!(week.lanes[at as usize]);
    let clock = |minutes: u32| json!(format!("{:02}:{:02}:00", minutes / 60 % 24, minutes % 60));
    let mut shifts = Vec::new();
    for (at, station) in week.shift_lane.iter().enumerate() {
        let (begin, end) = (week.shift_begin[at], week.shift_end[at]);
        assert!(begin < end && end <= begin + 24 * 60, "a shift ends after it begins, within a day");
        shifts.push(json!([lane(*station), week.shift_day[at], clock(begin), clock(end), name(week.shift_name[at])]));
    }
    let mut stoppages = Vec::new();
    for (at, station) in week.stoppage_lane.iter().enumerate() {
        let words = (name(week.stoppage_name[at]), name(week.stoppage_status[at]));
        stoppages.push(json!([lane(*station), week.stoppage_begin[at], week.stoppage_end[at], words.0, words.1]));
    }
    let (mut worked, mut stopped) = (Vec::new(), Vec::new());
    for (at, station) in plant_rows(&fixture, "work-stations").await.iter().enumerate() {
        assert_eq!((text(station, "code"), text(station, "description")), (&*week.lanes[at], &*week.labels[at]));
        for shift in station["shifts"].as_array().unwrap() {
            for one in shift["intervals"].as_array().unwrap() {
                worked.push(json!([station["code"], one["weekday"], one["begin"], one["end"], shift["description"]]));
            }
        }
        for one in station["programmedStoppages"].as_array().unwrap() {
            let ends = ["begin", "end"].map(|end| site_seconds(&fixture, one, end));
            stopped.push(json!([station["code"], ends[0], ends[1], one["description"], one["status"]]));
        }
    }
    assert!(!worked.is_empty() && !stopped.is_empty());
    assert_eq!((shifts, stoppages), (worked, stopped));
}
