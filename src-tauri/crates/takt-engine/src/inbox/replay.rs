//! Events sent once more, by a person: to a system that missed them, or to try one out.
//!
//! Owns how one leaves: its bytes as they came, the id of its delivery as it was, and a mark that it is a replay. What it
//! was signed with is worth nothing by now, so it is signed anew where the site's secret is known. Nothing is sent twice by itself.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use takt_client::{Canceller, ClientError, Poster, Secret, Timeouts};
use takt_journal::RawEvent;

use super::{
    receiver::REPLAY,
    signature::made,
    terms::{Terms, header},
};
use crate::{Code, Engine, Problem};

const CONTENT_TYPE: &str = "content-type";

/// What is to be sent, where to, and how fast.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    /// Numbers of events, in the order in which they are to leave.
    pub events: Vec<i64>,
    /// An http or https address.
    pub to: String,
    /// How many leave in a second, at most.
    pub per_second: f64,
}

/// What became of one event that was sent once more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Replayed {
    pub event: i32,
    /// The answer's HTTP status; absent where none came.
    pub status: Option<u16>,
    /// The beginning of the answer, or why there is none. Not trusted.
    pub told: String,
}

impl Replayed {
    /// Whether the other side took it.
    #[must_use]
    pub fn taken(&self) -> bool {
        self.status.is_some_and(|status| (200..300).contains(&status))
    }
}

impl Engine {
    /// Sends events once more, one after the other, and tells what became of each. Goes on after one that wasn't taken; ends
    /// early when it is cancelled.
    pub async fn replay(
        &self,
        replay: &Replay,
        canceller: &Canceller,
        mut told: impl FnMut(Replayed),
    ) -> Result<(), Problem> {
        let poster = Poster::new(&replay.to, Timeouts::default())?;
        let (inbox, _) = self.inbox()?;
        let terms = Terms::of(self.contract());
        let breath = Duration::try_from_secs_f64(1.0 / replay.per_second)
            .map_err(|_| Problem::new(Code::InvalidInput).parameter("what", replay.per_second.to_string()))?;
        for (at, id) in replay.events.iter().enumerate() {
            if at > 0 {
                tokio::select! {
                    () = tokio::time::sleep(breath) => {}
                    () = canceller.cancelled() => {}
                }
            }
            if canceller.is_cancelled() {
                return Ok(());
            }
            let missing = || Problem::new(Code::Unknown).parameter("what", id.to_string());
            let raw = inbox.raw(*id)?.ok_or_else(missing)?;
            let secret = self.event_secrets(&raw.site).into_iter().next();
            let headers = headers(&raw, &terms, secret.as_ref(), self.now());
            told(outcome(*id, poster.post(&headers, raw.body).await));
        }
        Ok(())
    }
}

fn outcome(id: i64, posted: Result<takt_client::Posted, ClientError>) -> Replayed {
    let event = i32::try_from(id).unwrap_or(i32::MAX);
    match posted {
        Ok(posted) => Replayed { event, status: Some(posted.status), told: posted.answer },
        Err(error) => Replayed { event, status: None, told: error.to_string() },
    }
}

/// What goes along with the bytes.
fn headers(raw: &RawEvent, terms: &Terms, secret: Option<&Secret>, now: Timestamp) -> Vec<(String, String)> {
    let mut headers = vec![(REPLAY.to_owned(), raw.id.to_string())];
    for name in [CONTENT_TYPE, terms.delivery.as_str()] {
        if let Some(value) = header(&raw.headers, name) {
            headers.push((name.to_owned(), value.to_owned()));
        }
    }
    if let Some(secret) = secret.filter(|_| !terms.signature.is_empty()) {
        let timestamp = now.as_second().to_string();
        headers.push((terms.signature.clone(), made(secret, &timestamp, &raw.body)));
        headers.push((terms.timestamp.clone(), timestamp));
    }
    headers
}
