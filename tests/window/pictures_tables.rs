//! The tables of charts about times. Every shown row is compared with the plant's data.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{
    pictures::{choose_chart_option, open_chart},
    pictures_numbers::{chart_table, rows_in_plant, text_field, wait_for_bars},
};
use takt_tests::{Engine, TestApp};

#[tokio::test]
#[ignore = "long: pictures"]
async fn tables_of_times_are_those_of_the_plant() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-browse").await;
    app.sign_in().await;

    let orders = rows_in_plant(&app, "work-orders").await;
    open_chart(&app, "work-orders.details", true).await;
    choose_chart_option(&app, "picture-which", "Labor time").await;
    choose_chart_option(&app, "picture-by", "By work station").await;
    let fields = ["laborValueAddedTime", "laborNonValueAddedTime", "laborPredictedTime"];
    let mut labor: BTreeMap<String, [i64; 3]> = BTreeMap::new();
    for order in &orders {
        let sums = labor.entry(text_field(order, "workStationCode")).or_default();
        for (sum, field) in sums.iter_mut().zip(fields) {
            *sum += duration_seconds(order, field);
        }
    }
    wait_for_bars(&app, "picture-predicted", labor.len()).await;
    for row in &chart_table(&app, "labor").await {
        let times: Vec<i64> = row[1..4].iter().map(|cell| parse_count(cell)).collect();
        assert_eq!(times, labor[&row[0]], "{row:?}");
    }

    let times = rows_in_plant(&app, "labor-times").await;
    open_chart(&app, "labor-times.list", true).await;
    let mut spent: BTreeMap<String, BTreeMap<String, i64>> = BTreeMap::new();
    for time in &times {
        let who = format!("{} · {}", text_field(time, "employeeBadge"), text_field(time, "employeeName"));
        let what = match text_field(time, "workOrderCode").as_str() {
            "" => "(none)".to_owned(),
            order => format!("{order} · {}", text_field(time, "operationCode")),
        };
        *spent.entry(who).or_default().entry(what).or_default() += duration_seconds(time, "duration");
    }
    wait_for_bars(&app, "picture-spent", spent.len()).await;
    for row in &chart_table(&app, "spent").await {
        let who = &spent[&row[0]];
        assert_eq!((parse_count(&row[2]), parse_count(&row[3])), (who[&row[1]], who.values().sum::<i64>()), "{row:?}");
    }

    let stations = rows_in_plant(&app, "work-stations").await;
    open_chart(&app, "work-stations.list", true).await;
    let mut shifts: BTreeSet<Vec<String>> = BTreeSet::new();
    for station in &stations {
        for shift in station["shifts"].as_array().unwrap() {
            for hours in shift["intervals"].as_array().unwrap() {
                let day = WEEK[usize::try_from(hours["weekday"].as_u64().unwrap()).unwrap() - 1];
                let [begin, end] = ["begin", "end"].map(|end| text_field(hours, end)[..5].to_owned());
                let row =
                    [text_field(station, "code"), text_field(shift, "description"), format!("{day} {begin}"), end];
                shifts.insert(row.to_vec());
            }
        }
    }
    let mut seen = 0;
    for row in &chart_table(&app, "calendar").await {
        assert!(shifts.contains(&row[..4]), "{row:?}");
        seen += 1;
    }
    assert!(seen > 5);
    app.window.close().await;
}

const WEEK: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

fn duration_seconds(row: &Value, field: &str) -> i64 {
    row[field]["ticks"].as_i64().unwrap_or_default() / 10_000_000
}

/// Parses a duration such as `1 h 05 min`, `5 min 10 s` or `9 s`. Returns seconds.
fn parse_count(text: &str) -> i64 {
    let mut sum = 0;
    let words: Vec<&str> = text.split_whitespace().collect();
    for pair in words.chunks(2) {
        let unit = match pair[1] {
            "d" => 86_400,
            "h" => 3600,
            "min" => 60,
            "s" => 1,
            other => panic!("{other} in {text}"),
        };
        sum += pair[0].replace(',', "").parse::<i64>().unwrap() * unit;
    }
    sum
}
