//! A model of services that lose, falsify and delay responses. No row may get a wrong result. With a truthful and
//! complete read-back by the whole key, every row is settled.
//!
//! Each run is a real submission to a real server on loopback. Its only batch contains an item for every combination of
//! the first attempt's effect, the response to a second attempt, and the state before. Out of scope: a service that
//! lies consistently and in the contract's shape.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};

use serde_json::{Value, json};
use takt_contract::overlay::{OperationOverlay, Overlay};
use takt_engine::item::{Change, Item, ItemComparison, RowResult};
use takt_plant::RunningPlant;
use tokio::sync::Semaphore;

use super::{
    fake_service::{Service, ServiceAnswer},
    support::{EngineFixture, SITE, engine, item, plant, request, rows, send},
};

/// Limits the submissions at a time. More than processors are fine, because they mostly wait.
const MAX_RUNS_AT_ONCE: usize = 24;
const TEMPLATE: i64 = 7;
/// The sample contains every nth run: each first response and each kind of read-back, but not each combination.
const SAMPLE_STEP: usize = 7;
/// A row of the list that belongs to no item.
const UNTOUCHED: &str = "u-000";

/// The kind of the operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Upsert,
    /// Refuses items that exist.
    Create,
    /// The list shows part of the key.
    DeleteByPartOfKey,
    DeleteByWholeKey,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum FirstResponse {
    Arrives,
    Lost,
    Error500,
    NotJson,
    WrongCounts,
    /// One result is missing.
    ResultMissing,
    /// The first result occurs twice.
    ResultTwice,
    /// Keys are in upper case.
    KeyChanged,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ReadBack {
    Truthful,
    /// The first list after the first attempt doesn't show the item yet.
    Late,
    Malformed(usize),
    Incomplete,
    TotalChanges,
    PagesShrink,
    /// A complete list without any rows, not even untouched ones.
    Emptied,
}

/// Responses that aren't the contract's list.
const MALFORMED: [(&str, &str); 8] = [
    ("200 OK", r#"{"error":"maintenance"}"#),
    ("200 OK", "{}"),
    ("200 OK", r#"{"data":null,"inspectionsProcesses":null}"#),
    ("200 OK", r#"{"result":{"data":[],"inspectionsProcesses":[]}}"#),
    ("200 OK", r#"{"data":[{"error":"x"}],"inspectionsProcesses":[{"error":"x"}]}"#),
    ("200 OK", "<html>Please sign in</html>"),
    ("404 Not Found", "<html>nginx</html>"),
    ("412 Precondition Failed", r#"{"errors":["maintenance"]}"#),
];

/// The response to a second attempt of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SecondResponse {
    Accepted,
    Refused,
    /// "Exists already", or for a delete "doesn't exist".
    RefusedAsDuplicate,
}

/// The state of an item before the first attempt, and whether Takt knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Before {
    AbsentUnknown,
    AbsentKnown,
    HeldUnknown,
    HeldKnown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    kind: Kind,
    first: FirstResponse,
    read_back: ReadBack,
    /// Every later request is refused with an error status.
    refuses_later_requests: bool,
}

/// An item of a run, with the service's reaction.
#[derive(Debug, Clone, Copy)]
struct Case {
    number: u32,
    before: Before,
    /// The first attempt takes effect.
    applied: bool,
    second: SecondResponse,
    /// The link's process is also linked through another operation code.
    other_link: bool,
}

impl Run {
    fn deletes(self) -> bool {
        matches!(self.kind, Kind::DeleteByPartOfKey | Kind::DeleteByWholeKey)
    }

    fn operation(self) -> &'static str {
        if self.deletes() { "template-processes.delete" } else { "materials.sync" }
    }

    fn cases(self) -> Vec<Case> {
        use Before::{AbsentKnown, AbsentUnknown, HeldKnown, HeldUnknown};
        // Takt reads before it deletes, so the state is known.
        let befores: &[Before] = match self.kind {
            Kind::Upsert => &[AbsentUnknown, AbsentKnown, HeldUnknown, HeldKnown],
            Kind::Create => &[AbsentUnknown, AbsentKnown],
            Kind::DeleteByPartOfKey | Kind::DeleteByWholeKey => &[HeldKnown],
        };
        let other_links: &[bool] = if self.kind == Kind::DeleteByPartOfKey { &[false, true] } else { &[false] };
        let mut cases = Vec::new();
        for before in befores {
            for applied in [false, true] {
                for second in [SecondResponse::Accepted, SecondResponse::Refused, SecondResponse::RefusedAsDuplicate] {
                    for other_link in other_links {
                        let number = u32::try_from(cases.len()).unwrap() + 1;
                        cases.push(Case { number, before: *before, applied, second, other_link: *other_link });
                    }
                }
            }
        }
        cases
    }

    /// Returns whether the read-back is truthful, complete and by the whole key, and shows every effect.
    fn must_settle(self, case: &Case) -> bool {
        matches!(self.read_back, ReadBack::Truthful | ReadBack::Late)
            && self.kind != Kind::DeleteByPartOfKey
            && self.first != FirstResponse::KeyChanged
            // The result of a refused second attempt looks like the state before, unless that is known.
            && (case.before != Before::HeldUnknown
                || case.applied
                || (case.second == SecondResponse::Accepted && !self.refuses_later_requests))
    }
}

impl Case {
    fn code(&self) -> String {
        format!("t-{:03}", self.number)
    }

    fn item(&self, run: Run) -> Item {
        let (code, old) = (self.code(), json!({ "code": self.code(), "description": "old" }));
        if run.deletes() {
            let body = json!({ "templateId": TEMPLATE, "processCode": code, "operationCode": "010" });
            return item(self.number, &format!("{TEMPLATE} · {code} · 010"), body);
        }
        let comparison = match self.before {
            Before::AbsentKnown => {
                Some(ItemComparison { change: Change::New, before: None, neighbors: Vec::new(), skip: false })
            }
            Before::HeldKnown => {
                Some(ItemComparison { change: Change::Changed, before: Some(old), neighbors: Vec::new(), skip: false })
            }
            Before::AbsentUnknown | Before::HeldUnknown => None,
        };
        let body = json!({ "code": code, "description": "new" });
        Item { comparison: comparison.map(Box::new), ..item(self.number, &code, body) }
    }
}

/// The data of the service, and how often it applied each item.
#[derive(Debug, Default)]
struct State {
    /// By code: the description of a material, or the existence of a link.
    stored: BTreeMap<String, String>,
    applied: BTreeMap<String, u32>,
    attempts: BTreeMap<String, u32>,
}

struct Model {
    run: Run,
    cases: Vec<Case>,
    state: Mutex<State>,
    /// The state before the first attempt, for a late list.
    initial_state: Mutex<BTreeMap<String, String>>,
    was_sent: AtomicBool,
    lists: AtomicU32,
}

impl Model {
    fn new(run: Run) -> Self {
        let cases = run.cases();
        let is_held = |case: &&Case| matches!(case.before, Before::HeldKnown | Before::HeldUnknown);
        let mut stored: BTreeMap<String, String> =
            cases.iter().filter(is_held).map(|case| (case.code(), "old".to_owned())).collect();
        stored.insert(UNTOUCHED.to_owned(), "old".to_owned());
        let state = Mutex::new(State { stored, ..State::default() });
        Self {
            run,
            cases,
            state,
            initial_state: Mutex::default(),
            was_sent: AtomicBool::new(false),
            lists: AtomicU32::new(0),
        }
    }

    fn answer(&self, request: &str) -> ServiceAnswer {
        if request.starts_with("GET /.well-known") {
            return ("404 Not Found", String::new(), Vec::new());
        }
        if request.starts_with("GET") { self.list(request) } else { self.change(request) }
    }

    fn change(&self, request: &str) -> ServiceAnswer {
        let body: Value = serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap();
        let items = body["items"].as_array().unwrap().clone();
        let is_first = !self.was_sent.swap(true, Ordering::SeqCst);
        let mut state = self.state.lock().unwrap();
        if is_first {
            self.initial_state.lock().unwrap().clone_from(&state.stored);
        }
        for item in &items {
            *state.attempts.entry(item_code(item)).or_default() += 1;
        }
        if !is_first && self.run.refuses_later_requests {
            return ("409 Conflict", String::new(), br#"{"errors":["refused as a whole"]}"#.to_vec());
        }
        let mut results = Vec::new();
        for item in &items {
            let case = self.cases.iter().find(|case| case.code() == item_code(item)).unwrap();
            let succeeds = if is_first { case.applied } else { case.second == SecondResponse::Accepted };
            if succeeds {
                self.apply(&mut state, case);
            }
            let words = match case.second {
                SecondResponse::RefusedAsDuplicate => "the key is a duplicate",
                SecondResponse::Accepted | SecondResponse::Refused => "not valid",
            };
            let mut result = item.clone();
            result["success"] = json!(succeeds);
            result["errors"] = if succeeds { json!([]) } else { json!([words]) };
            results.push(result);
        }
        if is_first { self.first_response(results) } else { ok_response(&batch_response(&results)) }
    }

    fn apply(&self, state: &mut State, case: &Case) {
        *state.applied.entry(case.code()).or_default() += 1;
        if self.run.deletes() {
            state.stored.remove(&case.code());
        } else {
            state.stored.insert(case.code(), "new".to_owned());
        }
    }

    fn first_response(&self, mut results: Vec<Value>) -> ServiceAnswer {
        match self.run.first {
            FirstResponse::Arrives => ok_response(&batch_response(&results)),
            FirstResponse::Lost => ("", String::new(), Vec::new()),
            FirstResponse::Error500 => {
                ("500 Internal Server Error", String::new(), br#"{"logId":"L-1","message":["x"]}"#.to_vec())
            }
            FirstResponse::NotJson => ("200 OK", String::new(), b"<html>It works!</html>".to_vec()),
            FirstResponse::WrongCounts => {
                let mut body = batch_response(&results);
                body["totalItems"] = json!(1);
                ok_response(&body)
            }
            FirstResponse::ResultMissing => {
                results.remove(0);
                ok_response(&batch_response(&results))
            }
            FirstResponse::ResultTwice => {
                let first = results[0].clone();
                results.insert(0, first);
                ok_response(&batch_response(&results))
            }
            FirstResponse::KeyChanged => {
                for result in &mut results {
                    let member = if self.run.deletes() { "processCode" } else { "code" };
                    result[member] = json!(result[member].as_str().unwrap().to_uppercase());
                }
                ok_response(&batch_response(&results))
            }
        }
    }

    fn list(&self, request: &str) -> ServiceAnswer {
        let is_after = self.was_sent.load(Ordering::SeqCst);
        let earlier = if is_after { self.lists.fetch_add(1, Ordering::SeqCst) } else { 0 };
        let is_late = self.run.read_back == ReadBack::Late && is_after && earlier == 0;
        let stored = if is_late {
            self.initial_state.lock().unwrap().clone()
        } else {
            self.state.lock().unwrap().stored.clone()
        };
        let mut rows: Vec<Value> =
            stored.iter().map(|(code, description)| json!({ "code": code, "description": description })).collect();
        // A process that is also linked through another operation code stays in the list.
        for case in self.cases.iter().filter(|case| case.other_link && !stored.contains_key(&case.code())) {
            rows.push(json!({ "code": case.code(), "description": "old" }));
        }
        let page: usize =
            request.split("page=").nth(1).and_then(|rest| rest.split(['&', ' ']).next()?.parse().ok()).unwrap_or(1);
        let of = |total: usize, rows: &[Value]| -> ServiceAnswer {
            let body = json!({ "data": rows, "inspectionsProcesses": rows }).to_string().into_bytes();
            (
                "200 OK",
                format!("X-Pagination-Total: {total}\r\nX-Pagination-Pages: 1\r\nX-Pagination-Current: {page}\r\n"),
                body,
            )
        };
        let none: &[Value] = &[];
        let half = rows.len() / 2;
        match self.run.read_back {
            ReadBack::Malformed(form) if is_after => {
                let (status, body) = MALFORMED[form];
                (status, String::new(), body.as_bytes().to_vec())
            }
            ReadBack::Incomplete if is_after => of(rows.len() + 3, none),
            ReadBack::Emptied if is_after => of(0, none),
            ReadBack::TotalChanges if is_after && page == 1 => of(rows.len() + 1, &rows[..half]),
            ReadBack::TotalChanges if is_after && page == 2 => of(half, none),
            // The rest is missing, and the counts match the returned rows.
            ReadBack::PagesShrink if is_after => {
                let rows = if page == 1 { &rows[..half] } else { none };
                let pages = 4 - page.min(3);
                let body = json!({ "data": rows, "inspectionsProcesses": rows }).to_string().into_bytes();
                ("200 OK", format!("X-Pagination-Pages: {pages}\r\n"), body)
            }
            _ if page > 1 => of(rows.len(), none),
            _ => of(rows.len(), &rows),
        }
    }
}

fn item_code(item: &Value) -> String {
    item.get("processCode").or_else(|| item.get("code")).and_then(Value::as_str).unwrap().to_owned()
}

fn batch_response(results: &[Value]) -> Value {
    let done = results.iter().filter(|result| result["success"] == json!(true)).count();
    let count = results.len();
    json!({ "totalItems": count, "successCount": done, "errorCount": count - done, "results": results })
}

fn ok_response(body: &Value) -> ServiceAnswer {
    ("200 OK", String::new(), body.to_string().into_bytes())
}

/// The result of a run: the number of combinations, and of rows that rightly stayed unconfirmed, by reason.
#[derive(Debug, Default)]
struct Outcome {
    combinations: u32,
    failures: Vec<String>,
    unconfirmed: BTreeMap<&'static str, u32>,
}

async fn execute(run: Run, plant: &RunningPlant) -> Outcome {
    let home = tempfile::tempdir().unwrap();
    let engine = engine(&home, plant, "planner");
    let fixture = EngineFixture { engine, home };
    let model = Arc::new(Model::new(run));
    let answering = Arc::clone(&model);
    let service = Service::start(move |request| answering.answer(request)).await;
    service.set_as_site(&fixture);
    if run.kind == Kind::DeleteByWholeKey {
        let key = ["templateId", "processCode"].map(str::to_owned).to_vec();
        let whole_key =
            json!({ "id": run.operation(), "provenance": { "level": "site", "source": "model" }, "key": key });
        let operations = vec![serde_json::from_value::<OperationOverlay>(whole_key).unwrap()];
        let overlay = Overlay { operations, ..Overlay::default() };
        fixture.engine.sites().set_overlay(SITE, &overlay, "model", "anna").unwrap();
    }
    let items: Vec<Item> = model.cases.iter().map(|case| case.item(run)).collect();
    let view = send(&fixture.engine, request(run.operation(), items, 100)).await;
    let state = model.state.lock().unwrap();
    let mut outcome = Outcome::default();
    for (case, row) in model.cases.iter().zip(rows(&fixture.engine, view.id, None)) {
        let (applied, attempts) = (
            state.applied.get(&case.code()).copied().unwrap_or_default(),
            state.attempts.get(&case.code()).copied().unwrap_or_default(),
        );
        let context = format!("{run:?} {case:?}: {row:?}, applied {applied} times in {attempts} attempts");
        let mut require = |holds: bool, what: &str| {
            if !holds {
                outcome.failures.push(format!("{what}: {context}"));
            }
        };
        require(attempts <= 2, "sent more than once again");
        match row.result {
            RowResult::Accepted => require(applied > 0, "accepted and not applied"),
            RowResult::Rejected => require(applied == 0, "rejected and applied"),
            RowResult::Unconfirmed => require(!row.reasons.is_empty(), "unconfirmed without a reason"),
            RowResult::Pending | RowResult::Sending | RowResult::Skipped => require(false, "no result"),
        }
        require(!run.must_settle(case) || row.result != RowResult::Unconfirmed, "not settled");
        outcome.combinations += 1;
        if row.result == RowResult::Unconfirmed {
            *outcome.unconfirmed.entry(unconfirmed_reason(run, case)).or_default() += 1;
        }
    }
    outcome
}

fn unconfirmed_reason(run: Run, case: &Case) -> &'static str {
    match run.read_back {
        ReadBack::Malformed(_) => "the read-back isn't the contract's list",
        ReadBack::Incomplete => "the read-back is incomplete",
        ReadBack::Emptied => "the read-back lost rows that were never touched",
        ReadBack::TotalChanges | ReadBack::PagesShrink => "the read-back contradicts itself",
        _ if run.first == FirstResponse::KeyChanged => "the service returned the key in another form",
        _ if run.kind == Kind::DeleteByPartOfKey => "the read-back shows a part of the key",
        _ if case.before == Before::HeldUnknown => "the values from before aren't known",
        ReadBack::Truthful | ReadBack::Late => "other",
    }
}

fn all_runs() -> Vec<Run> {
    use FirstResponse::*;
    let kinds = [Kind::Upsert, Kind::Create, Kind::DeleteByPartOfKey, Kind::DeleteByWholeKey];
    let firsts = [Arrives, Lost, Error500, NotJson, WrongCounts, ResultMissing, ResultTwice, KeyChanged];
    let read_backs = [
        ReadBack::Truthful,
        ReadBack::Late,
        ReadBack::Malformed(0),
        ReadBack::Incomplete,
        ReadBack::TotalChanges,
        ReadBack::PagesShrink,
    ];
    let mut runs = Vec::new();
    for kind in kinds {
        for first in firsts {
            for read_back in read_backs {
                runs.push(Run { kind, first, read_back, refuses_later_requests: false });
            }
            for read_back in [ReadBack::Truthful, ReadBack::Late] {
                runs.push(Run { kind, first, read_back, refuses_later_requests: true });
            }
        }
        // Before a create, the item doesn't exist, so it can't be lost.
        if kind != Kind::Create {
            for first in firsts {
                runs.push(Run { kind, first, read_back: ReadBack::Emptied, refuses_later_requests: false });
            }
        }
        for form in 1..MALFORMED.len() {
            runs.push(Run { kind, first: Lost, read_back: ReadBack::Malformed(form), refuses_later_requests: false });
        }
    }
    runs
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn some_runs_have_no_conclusion_without_proof_and_none_missing_with_it() {
    check_runs(all_runs().into_iter().step_by(SAMPLE_STEP).collect()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "long: all runs of the model"]
async fn no_conclusion_without_proof_and_none_missing_with_it() {
    check_runs(all_runs()).await;
}

async fn check_runs(runs: Vec<Run>) {
    let plant = Arc::new(plant(&[]).await);
    let places = Arc::new(Semaphore::new(MAX_RUNS_AT_ONCE));
    let count = runs.len();
    let tasks: Vec<_> = runs
        .into_iter()
        .map(|run| {
            let (plant, places) = (Arc::clone(&plant), Arc::clone(&places));
            tokio::spawn(async move {
                let _place = places.acquire().await.unwrap();
                execute(run, &plant).await
            })
        })
        .collect();
    let mut all = Outcome::default();
    for task in tasks {
        let outcome = task.await.unwrap();
        all.combinations += outcome.combinations;
        all.failures.extend(outcome.failures);
        for (why, rows) in outcome.unconfirmed {
            *all.unconfirmed.entry(why).or_default() += rows;
        }
    }
    #[expect(clippy::print_stdout, reason = "says how much was tried")]
    {
        println!("{count} submissions, {} combinations; unconfirmed: {:#?}", all.combinations, all.unconfirmed);
    }
    assert!(all.failures.is_empty(), "{} wrong:\n{}", all.failures.len(), all.failures.join("\n"));
    assert!(!all.unconfirmed.contains_key("other"), "{:?}", all.unconfirmed);
}
