//! Tests of the simulated day and of the plant's clock.

use std::{
    collections::{HashMap, HashSet},
    time::{Duration, Instant},
};

use jiff::{SignedDuration, civil::DateTime};
use reqwest::Method;
use serde_json::{Value, json};
use takt_plant::{EventKind, Pace, PlantConfig, Size, Target};

use crate::{
    event_receiver::{Receiver, Reply},
    fixture::{Answer, Fixture, RESOURCES, config},
    seed::count_followed_operations,
};

async fn post_clock(fixture: &Fixture, change: Value) -> Answer {
    let request = fixture.control_request(Method::POST, "/clock").json(&change).timeout(Duration::from_secs(300));
    Answer::read(request.send().await.unwrap()).await
}

#[tokio::test]
async fn a_day_is_the_same_however_it_is_cut() {
    let (whole, pieces, other) =
        (Fixture::new().await, Fixture::new().await, Fixture::with_config(PlantConfig { seed: 2, ..config() }).await);
    post_clock(&whole, json!({"advance": "14:00:00"})).await;
    post_clock(&other, json!({"advance": "14:00:00"})).await;
    for change in [
        json!({"minutes": 7}),
        json!({"advance": 119.5}),
        json!({"seconds": 0.5}),
        json!({"hours": 2, "minutes": 51}),
        json!({"stop": true}),
    ] {
        assert_eq!(post_clock(&pieces, change).await.status, 200);
    }
    pieces.advance_clock(1000);
    assert_eq!(post_clock(&pieces, json!({"to": "2026-11-20T23:00:00Z"})).await.body["now"], "2026-11-21T00:00:00");
    let (whole, pieces) = (whole.all_rows().await, pieces.all_rows().await);
    for (resource, (whole, pieces)) in RESOURCES.iter().zip(whole.iter().zip(&pieces)) {
        assert_eq!(whole, pieces, "{resource}");
    }
    assert_ne!(whole, other.all_rows().await);
    assert_ne!(whole, Fixture::new().await.all_rows().await);
}

#[tokio::test]
async fn an_idle_plant_does_nothing_by_itself() {
    let fixture = Fixture::new().await;
    let before = fixture.all_rows().await;
    fixture.advance_clock(8 * 3600);
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(fixture.all_rows().await, before);
    // Ticks that were due while the simulation was off aren't run.
    post_clock(&fixture, json!({"advance": 1})).await;
    assert_eq!(fixture.all_rows().await, before);
}

#[tokio::test]
async fn a_running_clock_lets_the_day_play() {
    let fixture = Fixture::with_config(PlantConfig { pace: Pace::Running { speed: 600.0 }, ..config() }).await;
    let before = fixture.resource_rows("order-history").await.len();
    // One minute of real time is ten hours of the plant's time.
    fixture.advance_clock(60);
    let begin = Instant::now();
    let mut last = before;
    while last < before + 20 && begin.elapsed() < Duration::from_secs(60) {
        tokio::time::sleep(Duration::from_millis(100)).await;
        last = fixture.resource_rows("order-history").await.len();
    }
    assert!(last >= before + 20, "{last} lines");
    let clock_body = Answer::read(fixture.control_request(Method::GET, "/clock").send().await.unwrap()).await.body;
    assert_eq!(
        clock_body,
        json!({"now": "2026-11-20T20:00:00", "timeZone": "Europe/Berlin", "state": "running", "speed": 600.0})
    );
}

#[tokio::test]
async fn the_clock_refuses_what_it_cannot_do() {
    let fixture = Fixture::new().await;
    let one = "Give one of: advance, to, run, stop, idle; or seconds, minutes, hours and days, which add up.";
    let bounds = "the plant's clock goes forward only, and at most 366 days at once";
    for (change, reason) in [
        (json!({}), one),
        (json!({"stop": true, "idle": true}), one),
        (json!({"stop": false}), one),
        (json!({"hours": 1, "to": "2026-11-21T00:00:00"}), one),
        (json!({"advance": -1}), bounds),
        (json!({"advance": "-01:00:00"}), bounds),
        (json!({"days": 367}), bounds),
        (json!({"to": "2026-11-20T09:59:59"}), bounds),
        (json!({"to": "2036-11-20T09:59:59"}), bounds),
        (json!({"advance": "soon"}), "advance must be hh:mm:ss, or a number of seconds."),
        (json!({"advance": []}), "advance must be hh:mm:ss, or a number of seconds."),
        (json!({"to": "tomorrow"}), "to must be an ISO 8601 date-time."),
        (json!({"run": 0}), "run must be above 0 and at most 10000, not 0."),
        (json!({"run": 10001}), "run must be above 0 and at most 10000, not 10001."),
        (json!({"days": 1e300}), ""),
    ] {
        let answer = post_clock(&fixture, change.clone()).await;
        assert_eq!(answer.status, 400, "{change}");
        let said = answer.body["errors"][0].as_str().unwrap();
        assert!(said == reason || reason.is_empty(), "{change}: {said}");
    }
    for body in ["x", "[]", "{\"run\": \"fast\"}", "{\"faster\": 1}"] {
        let answer = fixture.control_request(Method::POST, "/clock").body(body).send().await.unwrap();
        assert_eq!(answer.status(), 400, "{body}");
    }
    let clock_body = Answer::read(fixture.control_request(Method::GET, "/clock").send().await.unwrap()).await.body;
    assert_eq!((&clock_body["now"], &clock_body["state"]), (&json!("2026-11-20T10:00:00"), &json!("idle")));
    assert_eq!(post_clock(&fixture, json!({"run": 2.5})).await.body["speed"], 2.5);
    assert_eq!(post_clock(&fixture, json!({"stop": true})).await.body["state"], "stopped");
    assert_eq!(post_clock(&fixture, json!({"idle": true})).await.body["state"], "idle");
}

#[tokio::test]
async fn a_reset_begins_the_day_anew() {
    let (fixture, fresh) = (Fixture::new().await, Fixture::new().await);
    post_clock(&fixture, json!({"hours": 30})).await;
    assert_eq!(fixture.control_request(Method::POST, "/reset").send().await.unwrap().status(), 200);
    assert_eq!(fixture.all_rows().await, fresh.all_rows().await);
    post_clock(&fixture, json!({"hours": 3})).await;
    post_clock(&fresh, json!({"hours": 3})).await;
    assert_eq!(fixture.all_rows().await, fresh.all_rows().await);
}

#[tokio::test]
async fn days_at_once_are_bounded_and_the_plant_answers_meanwhile() {
    let fixture = Fixture::new().await;
    let begin = Instant::now();
    let (advanced, asked) = tokio::join!(post_clock(&fixture, json!({"days": 30})), async {
        let mut asked = 0;
        for _ in 0..20 {
            let call = Instant::now();
            assert_eq!(fixture.resource_rows("work-stations").await.len(), 12);
            assert!(call.elapsed() < Duration::from_secs(5), "{:?}", call.elapsed());
            asked += 1;
        }
        asked
    });
    assert_eq!((advanced.status, &advanced.body["now"], asked), (200, &json!("2026-12-20T10:00:00"), 20));
    assert!(begin.elapsed() < Duration::from_secs(240), "{:?}", begin.elapsed());
    let history = fixture.resource_rows("order-history").await.len();
    assert!((2000..20_000).contains(&history), "{history} lines");
}

#[tokio::test]
async fn a_played_week_holds_together() {
    let fixture = Fixture::new().await;
    let mut ended: HashMap<(String, String), Value> = HashMap::new();
    let mut worked = HashSet::new();
    for step in 0..28 {
        assert_eq!(post_clock(&fixture, json!({"advance": "06:00:00"})).await.status, 200);
        let now: DateTime =
            "2026-11-20T10:00:00".parse::<DateTime>().unwrap() + SignedDuration::from_hours(6 * (step + 1));
        let mut running: HashMap<String, u32> = HashMap::new();
        for order in fixture.resource_rows("work-orders").await {
            check_order(&order, now);
            let of = |name: &str| order[name].as_str().unwrap_or_default().to_owned();
            let key = (of("code"), of("operationCode"));
            match order["statusDescription"].as_str().unwrap() {
                "In execution" => *running.entry(of("workStationCode")).or_default() += 1,
                "Ended" => {
                    let known = ended.entry(key).or_insert_with(|| order.clone());
                    assert_eq!(*known, order, "what has ended changes no more");
                }
                _ => {}
            }
        }
        let alone = running.values().all(|count| *count == 1);
        assert!(alone, "{now}: {running:?}");
        let asleep = stations_with_shift(now).is_empty();
        assert!(!asleep || running.is_empty(), "{now}: {running:?}");
        worked.extend(running.into_keys());
        check_operators(&fixture).await;
        check_overview(&fixture).await;
    }
    assert!(worked.len() >= 9, "{worked:?}");
    for id in [
        "work-orders.details",
        "work-orders.list",
        "alerts.list",
        "labor-times.list",
        "consumed-lots.list",
        "order-history.list",
        "quality-checks.list",
    ] {
        check_pages(&fixture, id).await;
    }
    check_lots(&fixture).await;
    check_supplies(&fixture).await;
    let followed = count_followed_operations(&fixture.resource_rows("work-orders").await);
    assert!(followed > 20, "{followed}");
}

#[tokio::test]
async fn whoever_is_refused_tries_again_later() {
    let fixture = Fixture::new().await;
    let no = json!({"errors": ["The gauge is out of date."]}).to_string();
    let receiver = Receiver::with_replies(vec![Reply::Body(no)]).await;
    fixture
        .plant
        .plant()
        .add_target(Target {
            url: receiver.url.clone(),
            secret: None,
            events: vec![EventKind::CanWorkOrderFinalize, EventKind::CanWorkOrderTrackQuantity],
        })
        .unwrap();
    let before = fixture.resource_rows("work-orders").await;
    post_clock(&fixture, json!({"hours": 6})).await;
    let asked: HashMap<String, usize> = receiver
        .received()
        .iter()
        .map(|received| received.json()["WorkOrders"][0].clone())
        .fold(HashMap::new(), |mut asked, order| {
            *asked.entry(format!("{} {}", order["Code"], order["OperationCode"])).or_default() += 1;
            asked
        });
    // Six hours have 72 ticks.
    assert!(asked.len() >= 6 && asked.values().all(|times| (2..=18).contains(times)), "{asked:?}");
    for (before, after) in before.iter().zip(fixture.resource_rows("work-orders").await) {
        assert_eq!(before["producedGoodQuantity"], after["producedGoodQuantity"], "{after}");
        assert!(before["endReal"] == after["endReal"], "{after}");
    }
}

/// Returns which stations have a shift at a time. Every third station has a night shift.
fn stations_with_shift(now: DateTime) -> &'static str {
    let (day, hour) = (now.date().weekday().to_monday_one_offset(), now.time().hour());
    match (day, hour) {
        (1..=5, 6..=21) => "all",
        (1..=5, 22..) | (2..=6, ..6) => "some",
        _ => "",
    }
}

/// Checks that the quantities, dates and state of an order are consistent.
fn check_order(order: &Value, now: DateTime) {
    let number = |value: &Value| value.as_f64().unwrap();
    let sum = |name: &str| -> f64 {
        order["producedQuantityHistory"].as_array().unwrap().iter().map(|entry| number(&entry[name])).sum()
    };
    for name in ["producedGoodQuantity", "producedBadQuantity"] {
        assert!((sum(name) - number(&order[name])).abs() < 1e-6, "{order}");
    }
    let (begin, end) = (order["beginReal"].as_str(), order["endReal"].as_str());
    assert!(end.is_none() || begin.is_some() && begin <= end, "{order}");
    match order["statusDescription"].as_str().unwrap() {
        "Planned" => assert!(begin.is_none() && sum("producedGoodQuantity") == 0.0, "{order}"),
        "Ended" => assert!(end.is_some(), "{order}"),
        _ => assert!(begin.is_some() && end.is_none(), "{order} at {now}"),
    }
    for part in order["rawMaterials"].as_array().unwrap() {
        let lots: f64 =
            part["consumedRawMaterials"].as_array().unwrap().iter().map(|lot| number(&lot["quantity"])).sum();
        assert!((lots - number(&part["quantityConsumed"])).abs() < 1e-6, "{order}");
    }
}

/// Checks that each operator with a running labor time works on one running order, and each running order has an
/// operator.
async fn check_operators(fixture: &Fixture) {
    let key = |row: &Value, code: &str| {
        (
            row[code].as_str().unwrap_or_default().to_owned(),
            row["operationCode"].as_str().unwrap_or_default().to_owned(),
        )
    };
    let orders = fixture.resource_rows("work-orders").await;
    let running: HashSet<_> = orders
        .iter()
        .filter(|order| order["statusDescription"] == "In execution")
        .map(|order| key(order, "code"))
        .collect();
    let hours = fixture.resource_rows("labor-times").await;
    let open: Vec<&Value> = hours.iter().filter(|hours| hours["end"].is_null()).collect();
    let busy: HashSet<_> = open.iter().map(|hours| hours["employeeBadge"].as_str().unwrap()).collect();
    let attended: HashSet<_> = open.iter().map(|hours| key(hours, "workOrderCode")).collect();
    assert_eq!((busy.len(), &attended), (open.len(), &running));
}

/// Checks that the overview agrees with all rows.
async fn check_overview(fixture: &Fixture) {
    let overview = Answer::read(fixture.control_request(Method::GET, "/overview").send().await.unwrap()).await.body;
    let orders = fixture.resource_rows("work-orders").await;
    let named = |order: &Value| format!("{} {}", order["code"], order["operationCode"]);
    let stations = overview["stations"].as_array().unwrap();
    assert_eq!(stations.len(), 12);
    for station in stations {
        let here: Vec<&Value> = orders.iter().filter(|order| order["workStationCode"] == station["code"]).collect();
        let is = |order: &Value, state: &str| order["statusDescription"] == state;
        let current: Vec<String> = here
            .iter()
            .filter(|order| is(order, "In execution") || is(order, "Paused"))
            .map(|order| named(order))
            .collect();
        let mut planned: Vec<&&Value> = here.iter().filter(|order| is(order, "Planned")).collect();
        planned.sort_by_key(|order| order["beginPlanned"].as_str().map(str::to_owned));
        let next: Vec<String> = planned.iter().take(3).map(|order| named(order)).collect();
        let shown = |name: &str| -> Vec<String> { station[name].as_array().unwrap().iter().map(named).collect() };
        assert_eq!((shown("current"), shown("next")), (current, next), "{}", station["code"]);
    }
    let ids = |rows: &[Value]| -> HashSet<String> {
        rows.iter().map(|row| row["id"].to_string().replace(".0", "")).collect()
    };
    let mut alerts = fixture.resource_rows("alerts").await;
    alerts.retain(|alert| alert["closed"].is_null());
    let mut supplies = fixture.resource_rows("material-supplies").await;
    supplies.retain(|supply| supply["isCompleted"] == false);
    assert_eq!(ids(overview["alerts"].as_array().unwrap()), ids(&alerts));
    assert_eq!(ids(overview["supplies"].as_array().unwrap()).len(), supplies.len().min(50));
}

/// Reads all pages of a list, which [`Answer::read`] checks against the contract.
async fn check_pages(fixture: &Fixture, id: &str) {
    let token = fixture.plant.issue_tokens("planner").unwrap().access_token;
    for page in 1.. {
        let url = fixture.url(&format!("{}?page={page}&limit=100", fixture.operation(id).path));
        let answer = Answer::read(fixture.client.get(url).bearer_auth(&token).send().await.unwrap()).await;
        assert_eq!(answer.status, 200, "{id} {page}");
        if answer.header("x-pagination-pages") == page.to_string() {
            break;
        }
    }
}

/// Checks that consumed lots add up to the consumed quantities of their orders.
async fn check_lots(fixture: &Fixture) {
    let mut consumed: HashMap<(String, String, String), f64> = HashMap::new();
    for lot in fixture.resource_rows("consumed-lots").await {
        let of = |name: &str| lot[name].as_str().unwrap_or_default().to_owned();
        *consumed.entry((of("workOrderCode"), of("operationCode"), of("materialCode"))).or_default() +=
            lot["quantity"].as_f64().unwrap();
    }
    for order in fixture.resource_rows("work-orders").await {
        for part in order["rawMaterials"].as_array().unwrap() {
            let of = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
            let key = (of(&order, "code"), of(&order, "operationCode"), of(part, "code"));
            let lots = consumed.get(&key).copied().unwrap_or_default();
            assert!((lots - part["quantityConsumed"].as_f64().unwrap()).abs() < 1e-6, "{key:?}");
        }
    }
}

/// Checks that the supplies of all orders that the simulation began were paid.
async fn check_supplies(fixture: &Fixture) {
    let supplies = fixture.resource_rows("material-supplies").await;
    let begun: HashSet<String> = fixture
        .resource_rows("order-history")
        .await
        .iter()
        .skip(600)
        .filter(|line| line["event"] == "WorkOrderExecutionBegin")
        .map(|line| format!("{} {}", line["workOrderCode"], line["operationCode"]))
        .collect();
    assert!(begun.len() > 10, "{}", begun.len());
    let mut of_begun = 0;
    for supply in &supplies {
        if begun.contains(&format!("{} {}", supply["workOrderCode"], supply["operationCode"])) {
            assert_eq!(supply["isCompleted"], true, "{supply}");
            of_begun += 1;
        }
    }
    assert!(of_begun > 10, "{of_begun}");
}

#[tokio::test]
#[cfg_attr(debug_assertions, ignore = "300,000 rows take half a minute without optimisation")]
async fn a_factory_plays_its_day() {
    let fixture = Fixture::with_config(PlantConfig { size: Size::Factory, ..config() }).await;
    // On a weekend there are no shifts, so ticks must be fast, regardless of the number of waiting orders.
    post_clock(&fixture, json!({"to": "2026-11-21T06:00:00"})).await;
    let history = fixture.resource_rows("order-history").await.len();
    assert!(history > 80_000 + 200, "{history} lines");
    let begin = Instant::now();
    post_clock(&fixture, json!({"to": "2026-11-22T23:00:00"})).await;
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
}
