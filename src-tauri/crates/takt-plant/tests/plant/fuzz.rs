//! The whole interface under seeded fire, generated from the contract: no 5xx, no answer outside the contract, and
//! nothing applied but what the answers say.
//!
//! `TAKT_FUZZ_SEED` repeats a run, `TAKT_FUZZ_CASES` (per operation) changes how many cases it has. The same tests with many cases are
//! `#[ignore]`d: they take long.

mod cases;
mod doors;
mod growth;
mod queries;
mod stored;
pub(crate) mod wire;

use std::{collections::BTreeMap, env, time::Duration};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Map, Value, json};
use takt_contract::{Contract, FieldKind, Operation};
use takt_plant::{LogEntry, PlantConfig, RateLimit};

use crate::{
    graphql::INTROSPECTION,
    referee::{ObservedAnswer, complaints},
    stage::{Stage, config},
};
use cases::{Case, Kit, Tokens};
use growth::ValuePools;
use queries::Queries;
use wire::{RawAnswer, Sent};

const FEW_CASES: u64 = 30;
const MANY_CASES: u64 = 250;

fn number(name: &str, usual: u64) -> u64 {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// The seed of this run, printed so that a failure can be repeated.
#[expect(clippy::print_stdout, reason = "a test shows what it printed where it fails")]
fn seed() -> u64 {
    let seed = number("TAKT_FUZZ_SEED", u64::from(std::process::id()));
    println!("TAKT_FUZZ_SEED={seed}");
    seed
}

fn dice(seed: u64, operation: usize, case: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed.wrapping_mul(1_000_003).wrapping_add((operation as u64) << 32).wrapping_add(case))
}

/// A plant that doesn't count requests.
async fn unlimited() -> Stage {
    let rate_limit = RateLimit { requests: u32::MAX, window: Duration::from_secs(60) };
    Stage::with(PlantConfig { rate_limit, ..config() }).await
}

async fn value_pools(stage: &Stage) -> ValuePools {
    let of = async |resource: &str, member: &str| -> Vec<Value> {
        stage.state(resource).await.iter().take(40).map(|row| row[member].clone()).collect()
    };
    let new = || (0..8).map(|index| json!(format!("FZ-{index}")));
    let mixed = |seeded: Vec<Value>| seeded.into_iter().chain(new()).collect::<Vec<_>>();
    let orders = of("work-orders", "code").await;
    let moments = ["2026-11-01", "2026-11-20T10:00:00", "2026-11-18T23:00:00Z", "2027-01-01"].map(|text| json!(text));
    let operations = ["010", "010", "010", "020", "990"].map(|code| json!(code)).to_vec();
    ValuePools::new(vec![
        ("Work orders/code", mixed(orders.clone())),
        ("Quality inspections/code", mixed(of("inspections", "code").await)),
        ("SKUs and materials/code", mixed(of("materials", "code").await)),
        ("Inspection processes/code", mixed(of("inspection-processes", "code").await)),
        ("code", orders.clone()),
        ("from", moments[..2].to_vec()),
        ("to", moments[1..].to_vec()),
        ("materialCode", of("materials", "code").await),
        ("workOrderCode", orders),
        ("workStationCode", of("work-stations", "code").await),
        ("processCode", of("inspection-processes", "code").await),
        ("Code", of("inspection-processes", "code").await),
        ("templateId", (1..14).map(|id| json!(id)).collect()),
        ("operationCode", operations),
    ])
}

/// What the answers said became of each item: operation, key members, success.
type ItemResults = Vec<(String, Map<String, Value>, bool, Value)>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn few_requests_find_no_500_and_no_answer_outside_the_contract() {
    send_requests(FEW_CASES).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long: 250 cases of each operation"]
async fn no_request_finds_a_500_or_an_answer_outside_the_contract() {
    let statuses = send_requests(MANY_CASES).await;
    for operation in Contract::builtin().unwrap().operations() {
        let good = statuses.get(&(operation.id.clone(), 200));
        assert!(good.is_some(), "{} never succeeded: {statuses:?}", operation.id);
    }
}

/// How often each operation was answered with each status.
type Statuses = BTreeMap<(String, u16), u32>;

async fn send_requests(cases: u64) -> Statuses {
    let (seed, cases) = (seed(), number("TAKT_FUZZ_CASES", cases));
    let mut stage = unlimited().await;
    let elsewhere = Stage::new().await;
    let mut tokens = Tokens {
        expired: stage.planner.clone(),
        foreign: elsewhere.planner.clone(),
        planner: String::new(),
        viewer: String::new(),
    };
    stage.pass(3601);
    let token = |user| stage.plant.issue_tokens(user).unwrap().access_token;
    (tokens.planner, tokens.viewer) = (token("planner"), token("viewer"));
    let known = value_pools(&stage).await;
    let contract = stage.contract.clone();
    let kit = Kit { document: contract.document(), known: &known, tokens: &tokens };
    let before = stage.plant.log().len() as u64;
    let mut told = ItemResults::new();
    let mut statuses = Statuses::new();
    for number in 0..cases {
        for (index, operation) in contract.operations().iter().enumerate() {
            let case = kit.case(operation, &mut dice(seed, index, number));
            let heard = checked(&stage, operation, &case)
                .await
                .unwrap_or_else(|wrong| panic!("{}", shown(seed, number, operation, &case.sent, &wrong)));
            *statuses.entry((operation.id.clone(), heard.status)).or_default() += 1;
            told.extend(results(operation, &case.sent, &heard));
        }
    }
    let mut log = stage.plant.log();
    log.retain(|entry| entry.number > before);
    agree(&log, before + 1, &told);
    let accepted = told.iter().filter(|(_, _, success, _)| *success).count();
    #[expect(clippy::print_stdout, reason = "says how much was tried")]
    {
        println!("{} items, {accepted} of them accepted; {statuses:?}", told.len());
    }
    stage.planner = tokens.planner;
    stored::agrees(&stage, &elsewhere, &told).await;
    stored::every_page(&stage).await;
    stored::every_order(&stage).await;
    statuses
}

/// As [`few_requests_find_no_500_and_no_answer_outside_the_contract`], for what GraphQL has inside.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn few_queries_find_no_500_and_no_answer_outside_graphql() {
    send_queries(FEW_CASES).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long: 750 queries"]
async fn no_query_finds_a_500_or_an_answer_outside_graphql() {
    send_queries(MANY_CASES).await;
}

async fn send_queries(cases: u64) {
    let (seed, cases) = (seed(), 3 * number("TAKT_FUZZ_CASES", cases));
    let stage = unlimited().await;
    let types = stage.ask(json!({ "query": INTROSPECTION })).await.body["data"]["__schema"]["types"].take();
    let types = types.as_array().unwrap();
    for number in 0..cases {
        let mut random = dice(seed, 99, number);
        let is_good = random.random_bool(0.6);
        let mut queries = Queries { types, random: &mut random };
        let body = if is_good { queries.good() } else { queries.bad() };
        let shown = || {
            format!("TAKT_FUZZ_SEED={seed} case {number}: {}", body.to_string().chars().take(2000).collect::<String>())
        };
        let answer = stage.ask(body.clone()).await;
        assert!(matches!(answer.status, 200 | 400), "{} {}", answer.status, shown());
        let errors = answer.body.get("errors");
        assert!(!is_good || errors.is_none(), "{} {errors:?}", shown());
        let said = errors.and_then(Value::as_array).is_none_or(|errors| !errors.is_empty());
        assert!(said, "{} {:?}", shown(), answer.body);
    }
}

/// The sign-in addresses and the control interface take nonsense as well: it is refused, and nothing of it breaks.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_little_nonsense_breaks_neither_the_sign_in_nor_the_control_interface() {
    send_nonsense(FEW_CASES).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long: 500 requests"]
async fn no_nonsense_breaks_the_sign_in_or_the_control_interface() {
    send_nonsense(MANY_CASES).await;
}

async fn send_nonsense(cases: u64) {
    let (seed, cases) = (seed(), 2 * number("TAKT_FUZZ_CASES", cases));
    let stage = unlimited().await;
    let controls = doors::controls(&stage).await;
    for number in 0..cases {
        let mut random = dice(seed, 98, number);
        let (sent, door) = match number % 3 {
            0 => (doors::sign_in(&stage, &mut random), "sign-in"),
            _ => (doors::control(&stage, &controls, &mut random), "control"),
        };
        let heard = sent.send(stage.plant.base_url.trim_start_matches("http://")).await;
        let shown = format!(
            "TAKT_FUZZ_SEED={seed} case {number}, {door}: {} {} {}",
            sent.method,
            sent.target,
            String::from_utf8_lossy(&sent.body)
        );
        let heard = heard.unwrap_or_else(|wrong| panic!("{wrong}: {shown}"));
        assert!(heard.status < 500, "{} {} {shown}", heard.status, heard.body);
        let is_told = heard.status < 400 || heard.body["error"].is_string() || heard.body["errors"].is_array();
        assert!(
            is_told || heard.headers["content-type"].to_str().unwrap().starts_with("text/html"),
            "{} {shown}",
            heard.body
        );
    }
    // Some of it was sense, and put faults in force or let the tokens expire.
    stage.faults(&[], 1).await;
    let fresh = stage.plant.issue_tokens("planner").unwrap().access_token;
    let read = stage.client.get(stage.url("/api/v1/WorkOrders")).bearer_auth(fresh).send().await.unwrap();
    assert_eq!(read.status(), 200);
}

async fn checked(stage: &Stage, operation: &Operation, case: &Case) -> Result<RawAnswer, String> {
    let heard = case.sent.send(stage.plant.base_url.trim_start_matches("http://")).await?;
    let RawAnswer { status, headers, body } = &heard;
    if *status >= 500 || !(case.right.is_empty() || case.right.contains(status)) {
        return Err(format!("{}: {status} {body}", case.what));
    }
    let method = Some(case.sent.method.as_str());
    let found = complaints(ObservedAnswer { method, path: case.sent.path(), status: *status, headers, body });
    if !found.is_empty() {
        return Err(format!("{}: {status} {body} {found:?}", case.what));
    }
    for name in ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"] {
        headers.get(name).ok_or_else(|| format!("{}: {status} without {name}", case.what))?;
    }
    repeated(operation, &case.sent, &heard)?;
    Ok(heard)
}

/// A batch answers each item in its place, with its key.
fn repeated(operation: &Operation, sent: &Sent, heard: &RawAnswer) -> Result<(), String> {
    let results = results(operation, sent, heard);
    let answered = heard.body["results"].as_array().map_or(0, Vec::len);
    if results.len() != answered {
        return Err(format!("{answered} results for {} items", results.len()));
    }
    let shape = operation.request.as_ref();
    for (_, result, _, item) in &results {
        for field in operation.key.iter().filter_map(|name| shape?.fields.iter().find(|field| field.name == *name)) {
            let repeats = match (field.kind, &item[&field.name]) {
                (FieldKind::Text, value @ Value::String(_)) => result.get(&field.name) == Some(value),
                (FieldKind::Integer, value) if value.is_i64() => result.get(&field.name) == Some(value),
                _ => true,
            };
            if !repeats {
                return Err(format!("the result {result:?} doesn't repeat {} of {item}", field.name));
            }
        }
    }
    Ok(())
}

/// Each result of a batch with its item: key members, success, item.
fn results(operation: &Operation, sent: &Sent, heard: &RawAnswer) -> ItemResults {
    let body: Value = serde_json::from_slice(&sent.body).unwrap_or_default();
    let items = body["items"].as_array().cloned().unwrap_or_default();
    let results = heard.body["results"].as_array().cloned().unwrap_or_default();
    if !results.is_empty() && results.len() != items.len() {
        return ItemResults::new();
    }
    let told = results.into_iter().zip(items).filter_map(|(mut result, item)| {
        let members = result.as_object_mut()?;
        members.shift_remove("errors");
        let success = members.shift_remove("success")? == true;
        Some((operation.id.clone(), members.clone(), success, item))
    });
    told.collect()
}

/// The log tells the same of every item as the answers did. Of a long run it holds the end.
fn agree(log: &[LogEntry], first: u64, told: &ItemResults) {
    let logged = log.iter().flat_map(|entry| entry.applied.iter().map(|line| (entry.operation.clone(), line.clone())));
    let logged: Vec<_> = logged.collect();
    let whole = log.first().is_some_and(|entry| entry.number == first);
    assert!(logged.len() == told.len() || !whole && logged.len() < told.len());
    for ((operation, line), (id, key, success, _)) in logged.iter().rev().zip(told.iter().rev()) {
        let mut expected = key.clone();
        expected.insert("success".to_owned(), json!(success));
        assert_eq!((operation.as_deref(), line), (Some(id.as_str()), &expected));
    }
}

fn shown(seed: u64, number: u64, operation: &Operation, sent: &Sent, wrong: &str) -> String {
    let head = |text: &str| text.chars().take(1500).collect::<String>();
    let body = head(&String::from_utf8_lossy(&sent.body));
    format!(
        "TAKT_FUZZ_SEED={seed} case {number} of {}: {}\n{} {}\n{:?}\n{body}",
        operation.id,
        head(wrong),
        sent.method,
        head(&sent.target),
        sent.headers
    )
}
