//! A proxy in front of a plant that changes some responses to reads of lists. They are malformed, incomplete or
//! contradictory, as from gateways or during maintenance. Other responses are unchanged. The seed determines the
//! faults.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering},
};

use serde_json::{Value, json};

use crate::{answer_relay::AnswerRelay, connection::Answer};

const TOTAL: &str = "x-pagination-total";

/// A fault in the response to a read of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListFault {
    /// 200 with an error instead of a list.
    Maintenance,
    /// 200 with an object without members.
    Empty,
    /// Every member of the object is null.
    Null,
    /// The total exceeds the number of rows.
    LargerTotal,
    /// Rows at the end of the page are missing, but the total includes them.
    ShortPage,
    /// There are no rows, but the total isn't 0.
    NoRows,
    /// The total is different on each page.
    ChangingTotal,
}

const FAULTS: [ListFault; 7] = [
    ListFault::Maintenance,
    ListFault::Empty,
    ListFault::Null,
    ListFault::LargerTotal,
    ListFault::ShortPage,
    ListFault::NoRows,
    ListFault::ChangingTotal,
];

/// A proxy with faulty lists. It ends when it is dropped.
#[derive(Debug)]
pub struct ListFaults {
    relay: AnswerRelay,
    dice: Arc<FaultGenerator>,
}

#[derive(Debug)]
struct FaultGenerator {
    /// The percentage of reads with a fault.
    percent: AtomicU64,
    state: Mutex<u64>,
    /// The number of reads with a fault so far.
    count: AtomicU64,
}

impl ListFaults {
    /// Starts a proxy in front of an address such as `127.0.0.1:8080`. Initially no read has a fault.
    pub(crate) fn start(server: &str, seed: u64) -> Self {
        let dice =
            Arc::new(FaultGenerator { percent: AtomicU64::new(0), state: Mutex::new(seed), count: AtomicU64::new(0) });
        let rolling = Arc::clone(&dice);
        let relay = AnswerRelay::start(server, move |method, _, answer| {
            if method == "GET"
                && answer.status == 200
                && let Some(fault) = rolling.next_fault()
            {
                insert_fault(answer, fault, rolling.random_below(5) + 1);
            }
        });
        Self { relay, dice }
    }

    #[must_use]
    pub fn url(&self) -> &str {
        self.relay.url()
    }

    /// Sets the percentage of reads with a fault.
    pub fn set_percent(&self, percent: u64) {
        self.dice.percent.store(percent, Ordering::Relaxed);
    }

    /// Returns the number of reads with a fault so far.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.dice.count.load(Ordering::Relaxed)
    }
}

impl FaultGenerator {
    /// Returns the fault of the next read, or `None` for an unchanged response.
    fn next_fault(&self) -> Option<ListFault> {
        if self.random_below(100) >= self.percent.load(Ordering::Relaxed) {
            return None;
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        let index = usize::try_from(self.random_below(FAULTS.len() as u64)).unwrap_or_default();
        FAULTS.get(index).copied()
    }

    /// Returns a random number below `end` (SplitMix64).
    fn random_below(&self, end: u64) -> u64 {
        let mut dice = self.state.lock().expect("no thread panics");
        *dice = dice.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = *dice;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % end
    }
}

/// Puts the fault into the response. Faults of the total become malformed responses if the list has no total.
fn insert_fault(answer: &mut Answer, fault: ListFault, by: u64) {
    let Ok(mut body) = serde_json::from_slice::<Value>(&answer.body) else { return };
    let lists =
        || FAULTS.iter().filter(|fault| matches!(fault, ListFault::Maintenance | ListFault::Empty | ListFault::Null));
    let has_total = answer.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(TOTAL));
    let fault = if has_total { fault } else { *lists().nth(by as usize % 3).unwrap_or(&ListFault::Empty) };
    match fault {
        ListFault::Maintenance => body = json!({ "error": "maintenance" }),
        ListFault::Empty => body = json!({}),
        ListFault::Null => change_members(&mut body, |value| *value = Value::Null),
        ListFault::LargerTotal => change_total(answer, |total| total + by),
        ListFault::ShortPage => change_members(&mut body, |value| {
            if let Value::Array(rows) = value {
                rows.truncate(rows.len() / 2);
            }
        }),
        ListFault::NoRows => change_members(&mut body, |value| {
            if let Value::Array(rows) = value {
                rows.clear();
            }
        }),
        ListFault::ChangingTotal => change_total(answer, |total| total.saturating_sub(by)),
    }
    answer.body = body.to_string().into_bytes();
}

fn change_members(body: &mut Value, change: impl FnMut(&mut Value)) {
    body.as_object_mut().into_iter().flat_map(|members| members.values_mut()).for_each(change);
}

fn change_total(answer: &mut Answer, change: impl Fn(u64) -> u64) {
    for (name, value) in &mut answer.headers {
        if name.eq_ignore_ascii_case(TOTAL)
            && let Ok(total) = value.parse()
        {
            *value = change(total).to_string();
        }
    }
}
