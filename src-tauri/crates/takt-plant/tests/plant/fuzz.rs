//! Fuzzes the whole interface with requests generated from the contract. No response is a 5xx or violates the contract.
//! Log and store agree with the responses.
//!
//! `TAKT_FUZZ_SEED` repeats a run, and `TAKT_FUZZ_CASES` sets the number of cases per operation. The variants with many
//! cases take long, so they are `#[ignore]`d.

mod generated_requests;
mod generated_values;
mod graphql_queries;
mod other_endpoints;
pub(crate) mod raw_http;
mod stored_rows;

use std::{collections::BTreeMap, env, time::Duration};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Map, Value, json};
use takt_contract::{Contract, FieldKind, Operation};
use takt_plant::{LogEntry, PlantConfig, RateLimit};

use crate::{
    contract_check::{ObservedAnswer, violations_of},
    fixture::{Fixture, config},
    graphql::INTROSPECTION_QUERY,
};
use generated_requests::{AccessTokens, Case, CaseGenerator};
use generated_values::ValuePools;
use graphql_queries::QueryGenerator;
use raw_http::{RawAnswer, RawRequest};

const FEW_CASES: u64 = 30;
const MANY_CASES: u64 = 250;

fn read_env_number(name: &str, usual: u64) -> u64 {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Returns and prints the seed of this run, so that a failure can be reproduced.
#[expect(clippy::print_stdout, reason = "a test shows what it printed where it fails")]
fn choose_seed() -> u64 {
    let seed = read_env_number("TAKT_FUZZ_SEED", u64::from(std::process::id()));
    println!("TAKT_FUZZ_SEED={seed}");
    seed
}

fn case_random(seed: u64, operation: usize, case: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed.wrapping_mul(1_000_003).wrapping_add((operation as u64) << 32).wrapping_add(case))
}

async fn start_unlimited() -> Fixture {
    let rate_limit = RateLimit { requests: u32::MAX, window: Duration::from_secs(60) };
    Fixture::with_config(PlantConfig { rate_limit, ..config() }).await
}

async fn collect_value_pools(fixture: &Fixture) -> ValuePools {
    let of = async |resource: &str, member: &str| -> Vec<Value> {
        fixture.resource_rows(resource).await.iter().take(40).map(|row| row[member].clone()).collect()
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

/// The results of items in responses: the operation, the key, success, and the item.
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

/// The number of responses by operation and status.
type Statuses = BTreeMap<(String, u16), u32>;

async fn send_requests(cases: u64) -> Statuses {
    let (seed, cases) = (choose_seed(), read_env_number("TAKT_FUZZ_CASES", cases));
    let mut fixture = start_unlimited().await;
    let elsewhere = Fixture::new().await;
    let mut tokens = AccessTokens {
        expired: fixture.planner.clone(),
        foreign: elsewhere.planner.clone(),
        planner: String::new(),
        viewer: String::new(),
    };
    fixture.advance_clock(3601);
    let token = |user| fixture.plant.issue_tokens(user).unwrap().access_token;
    (tokens.planner, tokens.viewer) = (token("planner"), token("viewer"));
    let known = collect_value_pools(&fixture).await;
    let contract = fixture.contract.clone();
    let kit = CaseGenerator { document: contract.document(), known: &known, tokens: &tokens };
    let before = fixture.plant.log().len() as u64;
    let mut item_results = ItemResults::new();
    let mut statuses = Statuses::new();
    for number in 0..cases {
        for (index, operation) in contract.operations().iter().enumerate() {
            let case = kit.random_case(operation, &mut case_random(seed, index, number));
            let answer = send_and_check(&fixture, operation, &case)
                .await
                .unwrap_or_else(|wrong| panic!("{}", describe_failure(seed, number, operation, &case.request, &wrong)));
            *statuses.entry((operation.id.clone(), answer.status)).or_default() += 1;
            item_results.extend(collect_item_results(operation, &case.request, &answer));
        }
    }
    let mut log = fixture.plant.log();
    log.retain(|entry| entry.number > before);
    check_log(&log, before + 1, &item_results);
    let accepted = item_results.iter().filter(|(_, _, success, _)| *success).count();
    #[expect(clippy::print_stdout, reason = "says how much was tried")]
    {
        println!("{} items, {accepted} of them accepted; {statuses:?}", item_results.len());
    }
    fixture.planner = tokens.planner;
    stored_rows::check_rows(&fixture, &elsewhere, &item_results).await;
    stored_rows::check_pages(&fixture).await;
    stored_rows::check_orders(&fixture).await;
    statuses
}

/// Like [`few_requests_find_no_500_and_no_answer_outside_the_contract`], but with GraphQL queries.
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
    let (seed, cases) = (choose_seed(), 3 * read_env_number("TAKT_FUZZ_CASES", cases));
    let fixture = start_unlimited().await;
    let types =
        fixture.post_query(json!({ "query": INTROSPECTION_QUERY })).await.body["data"]["__schema"]["types"].take();
    let types = types.as_array().unwrap();
    for number in 0..cases {
        let mut random = case_random(seed, 99, number);
        let is_good = random.random_bool(0.6);
        let mut queries = QueryGenerator { types, random: &mut random };
        let body = if is_good { queries.valid_query() } else { queries.damaged_query() };
        let description = || {
            format!("TAKT_FUZZ_SEED={seed} case {number}: {}", body.to_string().chars().take(2000).collect::<String>())
        };
        let answer = fixture.post_query(body.clone()).await;
        assert!(matches!(answer.status, 200 | 400), "{} {}", answer.status, description());
        let errors = answer.body.get("errors");
        assert!(!is_good || errors.is_none(), "{} {errors:?}", description());
        let said = errors.and_then(Value::as_array).is_none_or(|errors| !errors.is_empty());
        assert!(said, "{} {:?}", description(), answer.body);
    }
}

/// The sign-in endpoints and the control interface reject random requests and continue to work.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_little_nonsense_breaks_neither_the_sign_in_nor_the_control_interface() {
    send_random_requests(FEW_CASES).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long: 500 requests"]
async fn no_nonsense_breaks_the_sign_in_or_the_control_interface() {
    send_random_requests(MANY_CASES).await;
}

async fn send_random_requests(cases: u64) {
    let (seed, cases) = (choose_seed(), 2 * read_env_number("TAKT_FUZZ_CASES", cases));
    let fixture = start_unlimited().await;
    let controls = other_endpoints::control_requests(&fixture).await;
    for number in 0..cases {
        let mut random = case_random(seed, 98, number);
        let (sent, door) = match number % 3 {
            0 => (other_endpoints::random_sign_in_request(&fixture, &mut random), "sign-in"),
            _ => (other_endpoints::random_control_request(&fixture, &controls, &mut random), "control"),
        };
        let answer = sent.send(fixture.plant.base_url.trim_start_matches("http://")).await;
        let description = format!(
            "TAKT_FUZZ_SEED={seed} case {number}, {door}: {} {} {}",
            sent.method,
            sent.target,
            String::from_utf8_lossy(&sent.body)
        );
        let answer = answer.unwrap_or_else(|wrong| panic!("{wrong}: {description}"));
        assert!(answer.status < 500, "{} {} {description}", answer.status, answer.body);
        let is_told = answer.status < 400 || answer.body["error"].is_string() || answer.body["errors"].is_array();
        assert!(
            is_told || answer.headers["content-type"].to_str().unwrap().starts_with("text/html"),
            "{} {description}",
            answer.body
        );
    }
    // Some requests were valid and may have set faults or expired tokens.
    fixture.set_faults(&[], 1).await;
    let fresh = fixture.plant.issue_tokens("planner").unwrap().access_token;
    let read = fixture.client.get(fixture.url("/api/v1/WorkOrders")).bearer_auth(fresh).send().await.unwrap();
    assert_eq!(read.status(), 200);
}

async fn send_and_check(fixture: &Fixture, operation: &Operation, case: &Case) -> Result<RawAnswer, String> {
    let answer = case.request.send(fixture.plant.base_url.trim_start_matches("http://")).await?;
    let RawAnswer { status, headers, body } = &answer;
    if *status >= 500 || !(case.allowed_statuses.is_empty() || case.allowed_statuses.contains(status)) {
        return Err(format!("{}: {status} {body}", case.description));
    }
    let method = Some(case.request.method.as_str());
    let violations =
        violations_of(ObservedAnswer { method, path: case.request.path(), status: *status, headers, body });
    if !violations.is_empty() {
        return Err(format!("{}: {status} {body} {violations:?}", case.description));
    }
    for name in ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"] {
        headers.get(name).ok_or_else(|| format!("{}: {status} without {name}", case.description))?;
    }
    check_keys(operation, &case.request, &answer)?;
    Ok(answer)
}

/// Checks that the results of a batch repeat the keys of the items, in order.
fn check_keys(operation: &Operation, sent: &RawRequest, answer: &RawAnswer) -> Result<(), String> {
    let results = collect_item_results(operation, sent, answer);
    let answered = answer.body["results"].as_array().map_or(0, Vec::len);
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

/// Returns each result of a batch with its item.
fn collect_item_results(operation: &Operation, sent: &RawRequest, answer: &RawAnswer) -> ItemResults {
    let body: Value = serde_json::from_slice(&sent.body).unwrap_or_default();
    let items = body["items"].as_array().cloned().unwrap_or_default();
    let results = answer.body["results"].as_array().cloned().unwrap_or_default();
    if !results.is_empty() && results.len() != items.len() {
        return ItemResults::new();
    }
    let item_results = results.into_iter().zip(items).filter_map(|(mut result, item)| {
        let members = result.as_object_mut()?;
        members.shift_remove("errors");
        let success = members.shift_remove("success")? == true;
        Some((operation.id.clone(), members.clone(), success, item))
    });
    item_results.collect()
}

/// Checks that the log agrees with the responses on every item. After a long run, the log has only the latest items.
fn check_log(log: &[LogEntry], first: u64, item_results: &ItemResults) {
    let logged = log.iter().flat_map(|entry| entry.applied.iter().map(|line| (entry.operation.clone(), line.clone())));
    let logged: Vec<_> = logged.collect();
    let whole = log.first().is_some_and(|entry| entry.number == first);
    assert!(logged.len() == item_results.len() || !whole && logged.len() < item_results.len());
    for ((operation, line), (id, key, success, _)) in logged.iter().rev().zip(item_results.iter().rev()) {
        let mut expected = key.clone();
        expected.insert("success".to_owned(), json!(success));
        assert_eq!((operation.as_deref(), line), (Some(id.as_str()), &expected));
    }
}

fn describe_failure(seed: u64, number: u64, operation: &Operation, sent: &RawRequest, wrong: &str) -> String {
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
