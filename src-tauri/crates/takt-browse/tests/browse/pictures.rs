//! The numbers of each picture equal the plant's own numbers.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};
use takt_engine::{
    Canceller, Code,
    browse::{BrowseQuery, RowSet},
    picture::{DrawnPicture, Measure, PictureQuery, PictureView, PlanStatus},
};
use takt_test_support::plant_fixture::{Fixture, PRACTICE, control};

pub(crate) async fn read_all_rows(fixture: &Fixture, operation: &str) -> RowSet {
    let parameters: BTreeMap<String, String> = match operation {
        "templates.processes" => [("templateId".to_owned(), "1".to_owned())].into(),
        _ => BTreeMap::new(),
    };
    let query = BrowseQuery { operation: operation.to_owned(), parameters };
    let set = fixture.engine.browse().row_set(PRACTICE, operation).unwrap();
    fixture.engine.browse().read_all(&query, &set, &Canceller::new(), |_| {}).await.unwrap();
    set
}

pub(crate) fn draw(fixture: &Fixture, set: &RowSet, picture: &str, by: u32) -> PictureView {
    fixture.engine.pictures().draw(set, &PictureQuery { picture: picture.to_owned(), by }, None).unwrap()
}

pub(crate) async fn plant_rows(fixture: &Fixture, resource: &str) -> Vec<Value> {
    control(fixture, &format!("state/{resource}")).await["data"].as_array().unwrap().clone()
}

pub(crate) fn text<'a>(row: &'a Value, member: &str) -> &'a str {
    row[member].as_str().unwrap_or_default()
}

fn member_seconds(row: &Value, member: &str) -> Option<i64> {
    let local: jiff::civil::DateTime = row[member].as_str()?.parse().unwrap();
    Some(local.to_zoned_datetime(jiff::tz::TimeZone::UTC).unwrap().timestamp().as_second())
}

/// Like [`member_seconds`], if some times have an offset. Converts to the site's time zone.
pub(crate) fn site_seconds(fixture: &Fixture, row: &Value, member: &str) -> Option<i64> {
    let Ok(moment) = row[member].as_str()?.parse::<jiff::Timestamp>() else { return member_seconds(row, member) };
    let zone = jiff::tz::TimeZone::get(&fixture.plant.time_zone).unwrap();
    Some(moment.as_second() + i64::from(zone.to_offset(moment).seconds()))
}

fn duration_seconds(row: &Value, member: &str) -> f64 {
    row[member]["totalSeconds"].as_f64().unwrap_or_default()
}

/// Returns the sum of each bar's parts, and the value it is compared to.
fn bar_sums(view: &PictureView) -> BTreeMap<String, (f64, f64, usize)> {
    let DrawnPicture::Bars(bars) = &view.drawn else { panic!("no bars") };
    let mut sums: Vec<f64> = vec![0.0; bars.labels.len()];
    for (bar, value) in bars.part_of.iter().zip(&bars.part_value) {
        sums[*bar as usize] += value;
    }
    let against = |index: usize| bars.against.get(index).copied().unwrap_or_default();
    let named = bars.labels.iter().enumerate();
    named.map(|(index, label)| (label.clone(), (sums[index], against(index), bars.rows[index].len()))).collect()
}

#[tokio::test]
async fn the_plan_is_the_plants() {
    let fixture = Fixture::signed_in().await;
    let set = read_all_rows(&fixture, "work-orders.list").await;
    let view = draw(&fixture, &set, "plan", 0);
    let DrawnPicture::Spans(spans) = &view.drawn else { panic!("no spans") };
    let orders = plant_rows(&fixture, "work-orders").await;
    assert_eq!((spans.rows.len() + spans.unplanned.len(), view.rows as usize), (orders.len(), orders.len()));
    let by_label: HashMap<String, &Value> =
        orders.iter().map(|row| (format!("{} · {}", text(row, "code"), text(row, "operationCode")), row)).collect();
    let mut late = 0;
    for (index, label) in spans.label.iter().enumerate() {
        let row = by_label[label];
        assert_eq!(spans.lanes[spans.lane[index] as usize], text(row, "workStationCode"));
        assert_eq!(spans.statuses[spans.status[index] as usize], text(row, "statusDescription"));
        let times =
            (spans.first_begin[index], spans.first_end[index], spans.second_begin[index], spans.second_end[index]);
        let of = |member| member_seconds(row, member);
        assert_eq!(times, (of("beginPlanned"), of("endPlanned"), of("beginReal"), of("endReal")), "{label}");
        let found = &set.rows_at(&[spans.rows[index]])[0];
        assert_eq!(text(found, "code"), text(row, "code"));
        let ended_late = of("endReal") > of("endPlanned");
        assert_eq!(spans.standing[index] == PlanStatus::Late, ended_late, "{label}");
        late += usize::from(ended_late);
        assert!(spans.track[index] < spans.tracks[spans.lane[index] as usize]);
    }
    assert!(late > 0 && late < orders.len());
    let chosen = fixture
        .engine
        .pictures()
        .draw(&set, &PictureQuery { picture: "plan".to_owned(), by: 0 }, Some(&[3, 5]))
        .unwrap();
    let DrawnPicture::Spans(two) = chosen.drawn else { panic!("no spans") };
    assert_eq!(two.rows, [3, 5]);
}

#[tokio::test]
async fn what_has_no_dates_is_listed() {
    let fixture = Fixture::signed_in().await;
    let set = fixture.engine.browse().row_set(PRACTICE, "work-orders.list").unwrap();
    let order = |code: &str, begin: Value, end: Value, real: Value| {
        json!({ "code": code, "operationCode": "010", "workStationCode": null, "beginPlanned": begin, "endPlanned": end,
            "beginReal": real, "endReal": null })
    };
    set.append(&[
        order("A", Value::Null, Value::Null, Value::Null),
        order("B", json!("2020-01-01T06:00:00"), json!("2020-01-01T08:00:00"), Value::Null),
        order("C", json!("2020-01-01T06:00:00"), Value::Null, Value::Null),
        order("D", json!("2020-01-01T06:00:00"), json!("2020-01-01T08:00:00"), json!("2020-01-01T06:00:00")),
        order("E", json!("2020-01-01T06:00:00"), json!("2099-01-01T08:00:00"), Value::Null),
    ]);
    let DrawnPicture::Spans(spans) = draw(&fixture, &set, "plan", 0).drawn else { panic!("no spans") };
    assert_eq!(
        (spans.unplanned, spans.unplanned_label),
        (vec![0, 2], vec!["A · 010".to_owned(), "C · 010".to_owned()])
    );
    assert_eq!(spans.standing, [PlanStatus::Overdue, PlanStatus::Overdue, PlanStatus::Waiting]);
    assert_eq!((spans.lanes, spans.tracks), (vec![String::new()], vec![3]));
}

#[tokio::test]
async fn produced_quantities_are_the_plants() {
    let fixture = Fixture::signed_in().await;
    let set = read_all_rows(&fixture, "work-orders.details").await;
    let mut expected: BTreeMap<String, (f64, f64, usize)> = BTreeMap::new();
    for row in plant_rows(&fixture, "work-orders").await {
        let sum = expected.entry(text(&row, "materialCode").to_owned()).or_default();
        let number = |member: &str| row[member].as_f64().unwrap();
        sum.0 += number("producedGoodQuantity") + number("producedBadQuantity");
        sum.1 += number("requestedQuantity");
        sum.2 += 1;
    }
    assert_eq!(bar_sums(&draw(&fixture, &set, "produced", 1)), expected);
    assert_eq!(bar_sums(&draw(&fixture, &set, "produced", 0)).len(), set.len());
}

#[tokio::test]
async fn consumption_is_the_plants() {
    let fixture = Fixture::signed_in().await;
    let set = read_all_rows(&fixture, "work-orders.list").await;
    let mut expected: BTreeMap<String, (f64, f64, usize)> = BTreeMap::new();
    for row in plant_rows(&fixture, "work-orders").await {
        for part in row["rawMaterials"].as_array().unwrap() {
            let sum = expected.entry(text(part, "code").to_owned()).or_default();
            sum.0 += part["quantityConsumed"].as_f64().unwrap();
            sum.1 += part["quantity"].as_f64().unwrap();
            sum.2 += 1;
        }
    }
    let view = draw(&fixture, &set, "consumed", 1);
    assert_eq!(bar_sums(&view), expected);
    let DrawnPicture::Bars(bars) = view.drawn else { panic!("no bars") };
    assert!(bars.units.iter().all(|unit| !unit.is_empty()) && bars.units.len() == bars.labels.len());
    let lots = read_all_rows(&fixture, "consumed-lots.list").await;
    let mut consumed: BTreeMap<String, f64> = BTreeMap::new();
    for row in lots.rows(0..usize::MAX) {
        *consumed.entry(text(&row, "materialCode").to_owned()).or_default() += row["quantity"].as_f64().unwrap();
    }
    let drawn = bar_sums(&draw(&fixture, &lots, "consumed", 1));
    assert_eq!(drawn.into_iter().map(|(label, (sum, _, _))| (label, sum)).collect::<BTreeMap<_, _>>(), consumed);
}

#[tokio::test]
async fn times_are_the_plants() {
    let fixture = Fixture::signed_in().await;
    let set = read_all_rows(&fixture, "work-orders.details").await;
    let mut expected: BTreeMap<String, (f64, f64, usize)> = BTreeMap::new();
    for row in plant_rows(&fixture, "work-orders").await {
        let sum = expected.entry(text(&row, "workStationCode").to_owned()).or_default();
        sum.0 += duration_seconds(&row, "machineValueAddedTime") + duration_seconds(&row, "machineNonValueAddedTime");
        sum.1 += duration_seconds(&row, "machinePredictedTime");
        sum.2 += 1;
    }
    assert_eq!(bar_sums(&draw(&fixture, &set, "machine", 2)), expected);
    let hours = read_all_rows(&fixture, "labor-times.list").await;
    let mut spent: BTreeMap<String, f64> = BTreeMap::new();
    for row in plant_rows(&fixture, "labor-times").await {
        let name = format!("{} · {}", text(&row, "employeeBadge"), text(&row, "employeeName"));
        *spent.entry(name).or_default() += duration_seconds(&row, "duration");
    }
    let view = draw(&fixture, &hours, "spent", 0);
    let drawn = bar_sums(&view).into_iter().map(|(label, (sum, _, _))| (label, sum)).collect::<BTreeMap<_, _>>();
    assert_eq!(drawn, spent);
    let DrawnPicture::Bars(bars) = view.drawn else { panic!("no bars") };
    assert!(bars.measure == Measure::Seconds && !bars.fields && bars.part_of.len() > bars.labels.len());
    let template = read_all_rows(&fixture, "templates.processes").await;
    let predicted = bar_sums(&draw(&fixture, &template, "predicted", 0));
    let rows = template.rows(0..usize::MAX);
    let total: f64 = rows
        .iter()
        .map(|row| duration_seconds(row, "predictedLaborTime") + duration_seconds(row, "predictedMachineTime"))
        .sum();
    assert!((predicted.values().map(|(sum, _, _)| sum).sum::<f64>() - total).abs() < 1e-6 && total > 0.0);
}

#[tokio::test]
async fn alerts_are_the_plants() {
    let fixture = Fixture::signed_in().await;
    let set = read_all_rows(&fixture, "alerts.list").await;
    let alerts = plant_rows(&fixture, "alerts").await;
    let DrawnPicture::Spans(spans) = draw(&fixture, &set, "time", 0).drawn else { panic!("no spans") };
    let rows = set.rows(0..usize::MAX);
    for (index, at) in spans.rows.iter().enumerate() {
        let row = alerts.iter().find(|row| row["id"] == rows[*at as usize]["id"]).unwrap();
        let of = |member| site_seconds(&fixture, row, member);
        let first_end = of("acknowledged").or(of("closed"));
        assert_eq!((spans.first_begin[index], spans.first_end[index]), (of("opened"), first_end));
        assert_eq!(spans.second_begin[index], of("acknowledged"));
    }
    assert_eq!(spans.rows.len(), alerts.len());
    let mut counted: BTreeMap<String, usize> = BTreeMap::new();
    for row in &alerts {
        *counted.entry(text(row, "workStationCode").to_owned()).or_default() += 1;
    }
    let drawn = bar_sums(&draw(&fixture, &set, "count", 0));
    assert_eq!(drawn.into_iter().map(|(label, (_, _, rows))| (label, rows)).collect::<BTreeMap<_, _>>(), counted);
}

#[tokio::test]
async fn the_week_is_the_plants() {
    let fixture = Fixture::signed_in().await;
    let stations = plant_rows(&fixture, "work-stations").await;
    let view = fixture.engine.pictures().calendar(PRACTICE, "work-orders.list", "plan").await.unwrap().unwrap();
    let DrawnPicture::Week(week) = view.drawn else { panic!("no week") };
    assert_eq!(week.lanes.len(), stations.len());
    let listed = |row: &Value, list: &str| row[list].as_array().unwrap().len();
    let stoppages: usize = stations.iter().map(|row| listed(row, "programmedStoppages")).sum();
    let shifts = stations.iter().flat_map(|row| row["shifts"].as_array().unwrap());
    let intervals: usize = shifts.map(|shift| listed(shift, "intervals")).sum();
    assert_eq!((week.stoppage_lane.len(), week.shift_lane.len()), (stoppages, intervals));
    let station = stations.iter().find(|row| listed(row, "shifts") == 3).unwrap();
    let lane = week.lanes.iter().position(|lane| lane == text(station, "code")).unwrap();
    let night = (0..week.shift_lane.len())
        .find(|at| week.shift_lane[*at] as usize == lane && week.names[week.shift_name[*at] as usize] == "Night shift");
    let night = night.unwrap();
    assert_eq!((week.shift_begin[night], week.shift_end[night]), (22 * 60, 30 * 60));
    let none = fixture.engine.pictures().calendar(PRACTICE, "inspections.list", "produced").await.unwrap();
    assert_eq!(none, None);
}

#[tokio::test]
async fn now_is_the_plants_own() {
    let fixture = Fixture::new().await;
    let set = fixture.engine.browse().row_set(PRACTICE, "work-orders.list").unwrap();
    let ahead: jiff::Timestamp = "2030-01-31T23:30:00Z".parse().unwrap();
    fixture.engine.sites().practice().set_clock(std::sync::Arc::new(move || ahead));
    let zone = jiff::tz::TimeZone::get(&fixture.plant.time_zone).unwrap();
    let offset = i64::from(zone.to_offset(ahead).seconds());
    assert_eq!(draw(&fixture, &set, "plan", 0).now, ahead.as_second() + offset);
    assert_eq!(fixture.engine.sites().local_time(PRACTICE).unwrap(), zone.to_datetime(ahead));
    fixture.engine.save_site(fixture.site("berlin"), None).unwrap();
    assert!(
        fixture.engine.sites().local_time("berlin").unwrap().year() < 2030,
        "another site's clock is the one outside"
    );
}

#[tokio::test]
async fn a_picture_is_saved_as_it_is() {
    let fixture = Fixture::new().await;
    let path = fixture.home.path().join("plan.png");
    fixture.engine.pictures().save_png(ONE_PIXEL_PNG, &path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(
        (&bytes[..8], &bytes[12..16], &bytes[16..24]),
        (&b"\x89PNG\r\n\x1a\n"[..], &b"IHDR"[..], &[0, 0, 0, 1, 0, 0, 0, 1][..])
    );
    assert_eq!(&bytes[bytes.len() - 8..bytes.len() - 4], b"IEND");
    let refused = fixture.engine.pictures().save_png("PHNjcmlwdD4=", &path).unwrap_err();
    assert_eq!((refused.code, std::fs::read(&path).unwrap()), (Code::InvalidInput, bytes));
    let nowhere = fixture.home.path().join("none").join("plan.png");
    assert_eq!(fixture.engine.pictures().save_png(ONE_PIXEL_PNG, &nowhere).unwrap_err().code, Code::WriteFailed);
}

/// A PNG of one pixel.
const ONE_PIXEL_PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
