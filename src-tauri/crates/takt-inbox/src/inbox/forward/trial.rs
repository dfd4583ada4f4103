//! A test event: whether a target's address and what goes along are right, before anything depends on it.

use serde::{Deserialize, Serialize};
use takt_client::{Timeouts, post::PostClient};
use takt_journal::inbox::{EventFilter, Fault, RawEvent};

use super::{
    ForwardTargets, TargetSettings,
    delivery_failure::{ForwardTiming, verdict},
    find_target,
};
use takt_core::Problem;

use crate::{
    events::short,
    inbox::{
        delivery::{self, CONTENT_TYPE, REPLAY, TEST},
        delivery_format::DeliveryFormat,
    },
};

/// What became of a test event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TestSent {
    /// The kept event that was sent; absent where none was kept, and an empty object was sent.
    pub event: Option<i32>,
    /// Absent where it was taken.
    pub fault: Option<Fault>,
    /// The answer's HTTP status.
    pub status: Option<u16>,
    /// The beginning of the answer, or the technical cause. Not trusted.
    #[serde(rename = "told")]
    pub response: String,
}

impl ForwardTargets {
    /// Sends a test event to a target as it is wanted: the newest that is kept of its site and kinds, marked as a test and as
    /// a replay. `before` is the target whose secrets stand where the wish has none. Nothing is written down.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no target `before`.
    /// - [`Code::InvalidInput`](takt_core::Code::InvalidInput): the name, the address, a header or the secret can't be
    ///   used.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): as for [`Self::add`] and [`Self::change`].
    /// - A [journal code](takt_core::problem#journal-codes): the targets or the events can't be read. What the target
    ///   answers is no error, see [`TestSent`].
    pub async fn try_out(&self, site: &str, wish: &TargetSettings, before: Option<i64>) -> Result<TestSent, Problem> {
        let inbox = self.events.of(Some(site))?;
        let before = before.map(|id| find_target(&inbox, id)).transpose()?;
        let keys = self.checked(&inbox, site, wish, before.as_ref())?;
        let filter = EventFilter {
            site: Some(site.to_owned()),
            kinds: wish.kinds.iter().copied().map(i64::from).collect(),
            ..EventFilter::default()
        };
        let newest = inbox.events(&filter, 0, 1)?.rows.first().map(|row| row.id);
        let raw = newest.map(|id| inbox.raw(id)).transpose()?.flatten();
        let format = DeliveryFormat::of(&self.contract_of(site));
        let mut headers = match &raw {
            Some(raw) => marked(raw, &format),
            None => vec![(CONTENT_TYPE.to_owned(), "application/json".to_owned())],
        };
        headers.push((TEST.to_owned(), "1".to_owned()));
        let body = raw.as_ref().map_or_else(|| b"{}".to_vec(), |raw| raw.body.clone());
        headers.extend(keys.headers(&format, &headers, &body, (self.clock)()));
        let answer = ForwardTiming::default().answer;
        let poster = PostClient::new(&wish.address, Timeouts { whole: answer, ..Timeouts::default() })?
            .redacting(self.sites.vault(site).redactor());
        let event = raw.map(|raw| short(raw.id));
        Ok(match verdict(poster.post(&headers, body).await) {
            Ok(status) => TestSent { event, fault: None, status: Some(status), response: String::new() },
            Err(miss) => TestSent { event, fault: Some(miss.fault), status: miss.status, response: miss.response },
        })
    }
}

fn marked(raw: &RawEvent, format: &DeliveryFormat) -> Vec<(String, String)> {
    let mut headers = delivery::headers(raw, format, None);
    headers.push((REPLAY.to_owned(), raw.id.to_string()));
    headers
}
