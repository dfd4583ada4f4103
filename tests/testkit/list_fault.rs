//! A proxy in front of a plant that answers some reads of lists wrongly: malformed, incomplete or contradictory, as a gateway or a
//! service under maintenance does. Everything else passes as it is. What goes wrong follows from the seed.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering},
};

use serde_json::{Value, json};

use crate::{answer_relay::AnswerRelay, connection::Answer};

const TOTAL: &str = "x-pagination-total";

/// What a list's response says instead of the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListFault {
    /// 200 with an error instead of a list.
    Maintenance,
    /// 200 with an object without members.
    Empty,
    /// Every member is null.
    Null,
    /// The total is larger than the rows.
    LargerTotal,
    /// Rows are missing at the end of the page, and the total counts them.
    ShortPage,
    /// No rows, and a total.
    NoRows,
    /// The total changes from page to page.
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

/// It ends with its guard.
#[derive(Debug)]
pub struct ListFaults {
    relay: AnswerRelay,
    dice: Arc<Dice>,
}

#[derive(Debug)]
struct Dice {
    /// Reads that go wrong, of a hundred.
    percent: AtomicU64,
    state: Mutex<u64>,
    /// Reads that went wrong.
    count: AtomicU64,
}

impl ListFaults {
    /// Starts one in front of an address such as `127.0.0.1:8080`. No read goes wrong yet.
    pub(crate) fn start(server: &str, seed: u64) -> Self {
        let dice = Arc::new(Dice { percent: AtomicU64::new(0), state: Mutex::new(seed), count: AtomicU64::new(0) });
        let rolling = Arc::clone(&dice);
        let relay = AnswerRelay::start(server, move |method, _, answer| {
            if method == "GET"
                && answer.status == 200
                && let Some(fault) = rolling.roll()
            {
                spoil(answer, fault, rolling.below(5) + 1);
            }
        });
        Self { relay, dice }
    }

    #[must_use]
    pub fn url(&self) -> &str {
        self.relay.url()
    }

    /// From now on so many of a hundred reads go wrong.
    pub fn set_percent(&self, percent: u64) {
        self.dice.percent.store(percent, Ordering::Relaxed);
    }

    /// Reads that went wrong so far.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.dice.count.load(Ordering::Relaxed)
    }
}

impl Dice {
    /// What goes wrong with the next read.
    fn roll(&self) -> Option<ListFault> {
        if self.below(100) >= self.percent.load(Ordering::Relaxed) {
            return None;
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        let place = usize::try_from(self.below(FAULTS.len() as u64)).unwrap_or_default();
        FAULTS.get(place).copied()
    }

    /// SplitMix64: a number below `end`.
    fn below(&self, end: u64) -> u64 {
        let mut dice = self.state.lock().expect("no thread panics");
        *dice = dice.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = *dice;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % end
    }
}

/// Puts the fault in the response of a list. A list without a total can only be malformed or short of rows.
fn spoil(answer: &mut Answer, fault: ListFault, by: u64) {
    let Ok(mut body) = serde_json::from_slice::<Value>(&answer.body) else { return };
    let lists =
        || FAULTS.iter().filter(|fault| matches!(fault, ListFault::Maintenance | ListFault::Empty | ListFault::Null));
    let has_total = answer.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(TOTAL));
    let fault = if has_total { fault } else { *lists().nth(by as usize % 3).unwrap_or(&ListFault::Empty) };
    match fault {
        ListFault::Maintenance => body = json!({ "error": "maintenance" }),
        ListFault::Empty => body = json!({}),
        ListFault::Null => members(&mut body, |value| *value = Value::Null),
        ListFault::LargerTotal => change_total(answer, |total| total + by),
        ListFault::ShortPage => members(&mut body, |value| {
            if let Value::Array(rows) = value {
                rows.truncate(rows.len() / 2);
            }
        }),
        ListFault::NoRows => members(&mut body, |value| {
            if let Value::Array(rows) = value {
                rows.clear();
            }
        }),
        ListFault::ChangingTotal => change_total(answer, |total| total.saturating_sub(by)),
    }
    answer.body = body.to_string().into_bytes();
}

fn members(body: &mut Value, change: impl FnMut(&mut Value)) {
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
