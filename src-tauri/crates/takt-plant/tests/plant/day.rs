//! The day that plays by itself, and the clock that it follows.

use std::{
    collections::{HashMap, HashSet},
    time::{Duration, Instant},
};

use jiff::{SignedDuration, civil::DateTime};
use reqwest::Method;
use serde_json::{Value, json};
use takt_plant::{EventKind, Pace, PlantConfig, Size, Target};

use crate::{
    receiver::{Receiver, Reply},
    stage::{Answer, RESOURCES, Stage, config},
};

async fn clock(stage: &Stage, wish: Value) -> Answer {
    let request = stage.control(Method::POST, "/clock").json(&wish).timeout(Duration::from_secs(300));
    Answer::of(request.send().await.unwrap()).await
}

#[tokio::test]
async fn a_day_is_the_same_however_it_is_cut() {
    let (whole, pieces, other) =
        (Stage::new().await, Stage::new().await, Stage::with(PlantConfig { seed: 2, ..config() }).await);
    clock(&whole, json!({"advance": "14:00:00"})).await;
    clock(&other, json!({"advance": "14:00:00"})).await;
    for wish in [
        json!({"minutes": 7}),
        json!({"advance": 119.5}),
        json!({"seconds": 0.5}),
        json!({"hours": 2, "minutes": 51}),
        json!({"stop": true}),
    ] {
        assert_eq!(clock(&pieces, wish).await.status, 200);
    }
    pieces.pass(1000);
    assert_eq!(clock(&pieces, json!({"to": "2026-11-20T23:00:00Z"})).await.body["now"], "2026-11-21T00:00:00");
    let (whole, pieces) = (whole.everything().await, pieces.everything().await);
    for (resource, (whole, pieces)) in RESOURCES.iter().zip(whole.iter().zip(&pieces)) {
        assert_eq!(whole, pieces, "{resource}");
    }
    assert_ne!(whole, other.everything().await);
    assert_ne!(whole, Stage::new().await.everything().await);
}

#[tokio::test]
async fn an_idle_plant_does_nothing_by_itself() {
    let stage = Stage::new().await;
    let before = stage.everything().await;
    stage.pass(8 * 3600);
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(stage.everything().await, before);
    // What went by isn't made up for.
    clock(&stage, json!({"advance": 1})).await;
    assert_eq!(stage.everything().await, before);
}

#[tokio::test]
async fn a_running_clock_lets_the_day_play() {
    let stage = Stage::with(PlantConfig { pace: Pace::Running { speed: 600.0 }, ..config() }).await;
    let before = stage.state("order-history").await.len();
    // A minute outside is ten hours inside.
    stage.pass(60);
    let begin = Instant::now();
    let mut last = before;
    while last < before + 20 && begin.elapsed() < Duration::from_secs(60) {
        tokio::time::sleep(Duration::from_millis(100)).await;
        last = stage.state("order-history").await.len();
    }
    assert!(last >= before + 20, "{last} lines");
    let shown = Answer::of(stage.control(Method::GET, "/clock").send().await.unwrap()).await.body;
    assert_eq!(
        shown,
        json!({"now": "2026-11-20T20:00:00", "timeZone": "Europe/Berlin", "state": "running", "speed": 600.0})
    );
}

#[tokio::test]
async fn the_clock_refuses_what_it_cannot_do() {
    let stage = Stage::new().await;
    let one = "Give one of: advance, to, run, stop, idle; or seconds, minutes, hours and days, which add up.";
    let bounds = "the plant's clock goes forward only, and at most 366 days at once";
    for (wish, reason) in [
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
        let answer = clock(&stage, wish.clone()).await;
        assert_eq!(answer.status, 400, "{wish}");
        let said = answer.body["errors"][0].as_str().unwrap();
        assert!(said == reason || reason.is_empty(), "{wish}: {said}");
    }
    for body in ["x", "[]", "{\"run\": \"fast\"}", "{\"faster\": 1}"] {
        let answer = stage.control(Method::POST, "/clock").body(body).send().await.unwrap();
        assert_eq!(answer.status(), 400, "{body}");
    }
    let shown = Answer::of(stage.control(Method::GET, "/clock").send().await.unwrap()).await.body;
    assert_eq!((&shown["now"], &shown["state"]), (&json!("2026-11-20T10:00:00"), &json!("idle")));
    assert_eq!(clock(&stage, json!({"run": 2.5})).await.body["speed"], 2.5);
    assert_eq!(clock(&stage, json!({"stop": true})).await.body["state"], "stopped");
    assert_eq!(clock(&stage, json!({"idle": true})).await.body["state"], "idle");
}

#[tokio::test]
async fn a_reset_begins_the_day_anew() {
    let (stage, fresh) = (Stage::new().await, Stage::new().await);
    clock(&stage, json!({"hours": 30})).await;
    assert_eq!(stage.control(Method::POST, "/reset").send().await.unwrap().status(), 200);
    assert_eq!(stage.everything().await, fresh.everything().await);
    clock(&stage, json!({"hours": 3})).await;
    clock(&fresh, json!({"hours": 3})).await;
    assert_eq!(stage.everything().await, fresh.everything().await);
}

#[tokio::test]
async fn days_at_once_are_bounded_and_the_plant_answers_meanwhile() {
    let stage = Stage::new().await;
    let begin = Instant::now();
    let (advanced, asked) = tokio::join!(clock(&stage, json!({"days": 30})), async {
        let mut asked = 0;
        for _ in 0..20 {
            let call = Instant::now();
            assert_eq!(stage.state("work-stations").await.len(), 12);
            assert!(call.elapsed() < Duration::from_secs(5), "{:?}", call.elapsed());
            asked += 1;
        }
        asked
    });
    assert_eq!((advanced.status, &advanced.body["now"], asked), (200, &json!("2026-12-20T10:00:00"), 20));
    assert!(begin.elapsed() < Duration::from_secs(240), "{:?}", begin.elapsed());
    let history = stage.state("order-history").await.len();
    assert!((2000..20_000).contains(&history), "{history} lines");
}

#[tokio::test]
async fn a_played_week_holds_together() {
    let stage = Stage::new().await;
    let mut ended: HashMap<(String, String), Value> = HashMap::new();
    let mut worked = HashSet::new();
    for step in 0..28 {
        assert_eq!(clock(&stage, json!({"advance": "06:00:00"})).await.status, 200);
        let now: DateTime =
            "2026-11-20T10:00:00".parse::<DateTime>().unwrap() + SignedDuration::from_hours(6 * (step + 1));
        let mut running: HashMap<String, u32> = HashMap::new();
        for order in stage.state("work-orders").await {
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
        let asleep = works_at(now).is_empty();
        assert!(!asleep || running.is_empty(), "{now}: {running:?}");
        worked.extend(running.into_keys());
        people(&stage).await;
        at_a_glance(&stage).await;
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
        all_to_the_contract(&stage, id).await;
    }
    lots_agree(&stage).await;
    supplies_precede(&stage).await;
}

#[tokio::test]
async fn whoever_is_refused_tries_again_later() {
    let stage = Stage::new().await;
    let no = json!({"errors": ["The gauge is out of date."]}).to_string();
    let receiver = Receiver::that(vec![Reply::Says(no)]).await;
    stage
        .plant
        .plant()
        .add_target(Target {
            url: receiver.url.clone(),
            secret: None,
            events: vec![EventKind::CanWorkOrderFinalize, EventKind::CanWorkOrderTrackQuantity],
        })
        .unwrap();
    let before = stage.state("work-orders").await;
    clock(&stage, json!({"hours": 6})).await;
    let asked: HashMap<String, usize> = receiver
        .received()
        .iter()
        .map(|received| received.json()["WorkOrders"][0].clone())
        .fold(HashMap::new(), |mut asked, order| {
            *asked.entry(format!("{} {}", order["Code"], order["OperationCode"])).or_default() += 1;
            asked
        });
    // Six hours are 72 ticks.
    assert!(asked.len() >= 6 && asked.values().all(|times| (2..=18).contains(times)), "{asked:?}");
    for (before, after) in before.iter().zip(stage.state("work-orders").await) {
        assert_eq!(before["producedGoodQuantity"], after["producedGoodQuantity"], "{after}");
        assert!(before["endReal"] == after["endReal"], "{after}");
    }
}

/// The shifts at a moment: those of the week, and the night shift of every third station.
fn works_at(now: DateTime) -> &'static str {
    let (day, hour) = (now.date().weekday().to_monday_one_offset(), now.time().hour());
    match (day, hour) {
        (1..=5, 6..=21) => "all",
        (1..=5, 22..) | (2..=6, ..6) => "some",
        _ => "",
    }
}

/// What is always true of an order.
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

/// Whoever logs hours works on one order, which runs; and every order that runs has somebody.
async fn people(stage: &Stage) {
    let key = |row: &Value, code: &str| {
        (
            row[code].as_str().unwrap_or_default().to_owned(),
            row["operationCode"].as_str().unwrap_or_default().to_owned(),
        )
    };
    let orders = stage.state("work-orders").await;
    let running: HashSet<_> = orders
        .iter()
        .filter(|order| order["statusDescription"] == "In execution")
        .map(|order| key(order, "code"))
        .collect();
    let hours = stage.state("labor-times").await;
    let open: Vec<&Value> = hours.iter().filter(|hours| hours["end"].is_null()).collect();
    let busy: HashSet<_> = open.iter().map(|hours| hours["employeeBadge"].as_str().unwrap()).collect();
    let attended: HashSet<_> = open.iter().map(|hours| key(hours, "workOrderCode")).collect();
    assert_eq!((busy.len(), &attended), (open.len(), &running));
}

/// The overview shows what a look at every row finds.
async fn at_a_glance(stage: &Stage) {
    let overview = Answer::of(stage.control(Method::GET, "/overview").send().await.unwrap()).await.body;
    let orders = stage.state("work-orders").await;
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
    let mut alerts = stage.state("alerts").await;
    alerts.retain(|alert| alert["closed"].is_null());
    let mut supplies = stage.state("material-supplies").await;
    supplies.retain(|supply| supply["isCompleted"] == false);
    assert_eq!(ids(overview["alerts"].as_array().unwrap()), ids(&alerts));
    assert_eq!(ids(overview["supplies"].as_array().unwrap()).len(), supplies.len().min(50));
}

/// Every page of a list fits the contract, as the stage sees to.
async fn all_to_the_contract(stage: &Stage, id: &str) {
    let token = stage.plant.issue_tokens("planner").unwrap().access_token;
    for page in 1.. {
        let url = stage.url(&format!("{}?page={page}&limit=100", stage.operation(id).path));
        let answer = Answer::of(stage.client.get(url).bearer_auth(&token).send().await.unwrap()).await;
        assert_eq!(answer.status, 200, "{id} {page}");
        if answer.header("x-pagination-pages") == page.to_string() {
            break;
        }
    }
}

/// What the lots say is what their orders say.
async fn lots_agree(stage: &Stage) {
    let mut consumed: HashMap<(String, String, String), f64> = HashMap::new();
    for lot in stage.state("consumed-lots").await {
        let of = |name: &str| lot[name].as_str().unwrap_or_default().to_owned();
        *consumed.entry((of("workOrderCode"), of("operationCode"), of("materialCode"))).or_default() +=
            lot["quantity"].as_f64().unwrap();
    }
    for order in stage.state("work-orders").await {
        for part in order["rawMaterials"].as_array().unwrap() {
            let of = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
            let key = (of(&order, "code"), of(&order, "operationCode"), of(part, "code"));
            let lots = consumed.get(&key).copied().unwrap_or_default();
            assert!((lots - part["quantityConsumed"].as_f64().unwrap()).abs() < 1e-6, "{key:?}");
        }
    }
}

/// What the day began had its supplies paid before.
async fn supplies_precede(stage: &Stage) {
    let supplies = stage.state("material-supplies").await;
    let begun: HashSet<String> = stage
        .state("order-history")
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
    let stage = Stage::with(PlantConfig { size: Size::Factory, ..config() }).await;
    // Nobody works at the weekend: such ticks cost nothing, however many orders wait.
    clock(&stage, json!({"to": "2026-11-21T06:00:00"})).await;
    let history = stage.state("order-history").await.len();
    assert!(history > 80_000 + 200, "{history} lines");
    let begin = Instant::now();
    clock(&stage, json!({"to": "2026-11-22T23:00:00"})).await;
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
}
