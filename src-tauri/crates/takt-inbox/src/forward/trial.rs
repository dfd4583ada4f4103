//! Test events, with which the user tries a target's address and secrets.

use serde::{Deserialize, Serialize};
use takt_client::{Timeouts, post::PostClient};
use takt_journal::inbox::{EventFilter, Fault, RawEvent};

use super::{
    ForwardTargets, TargetSettings,
    delivery_failure::{ForwardTiming, classify_response},
    find_target,
};
use takt_core::{Problem, blocking::run_blocking};

use crate::{
    delivery::{self, CONTENT_TYPE, REPLAY, TEST},
    delivery_format::DeliveryFormat,
    events::short,
};

/// The result of a test event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TestSent {
    /// The stored event that was sent. Absent if there was none, and an empty object was sent.
    pub event: Option<i32>,
    /// Absent if the target accepted it.
    pub fault: Option<Fault>,
    /// The response's HTTP status.
    pub status: Option<u16>,
    /// The beginning of the response, or the technical cause. Not trusted.
    #[serde(rename = "told")]
    pub response: String,
}

impl ForwardTargets {
    /// Sends a test event by the given settings: the site's newest event of the kinds, marked as a test and a replay.
    ///
    /// Missing secrets are those of the target `before`. Nothing is stored.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no target `before`.
    /// - [`Code::InvalidInput`](takt_core::Code::InvalidInput): the name, the address, a header or the secret can't be
    ///   used.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): as for [`Self::add`] and [`Self::change`].
    /// - A [journal code](takt_core::problem#journal-codes): the targets or the events can't be read. A failed delivery
    ///   is no error, see [`TestSent`].
    pub async fn try_out(
        &self,
        site: &str,
        settings: &TargetSettings,
        before: Option<i64>,
    ) -> Result<TestSent, Problem> {
        let (targets, site, settings) = (self.clone(), site.to_owned(), settings.clone());
        let TrialRequest { event, headers, body, poster } =
            run_blocking(move || targets.prepare_trial(&site, &settings, before)).await?;
        Ok(match classify_response(poster.post(&headers, body).await) {
            Ok(status) => TestSent { event, fault: None, status: Some(status), response: String::new() },
            Err(failure) => {
                TestSent { event, fault: Some(failure.fault), status: failure.status, response: failure.response }
            }
        })
    }

    fn prepare_trial(
        &self,
        site: &str,
        settings: &TargetSettings,
        before: Option<i64>,
    ) -> Result<TrialRequest, Problem> {
        let inbox = self.events.of(Some(site))?;
        let before = before.map(|id| find_target(&inbox, id)).transpose()?;
        let keys = self.validated_keys(&inbox, site, settings, before.as_ref())?;
        let filter = EventFilter {
            site: Some(site.to_owned()),
            kinds: settings.kinds.iter().copied().map(i64::from).collect(),
            ..EventFilter::default()
        };
        let newest = inbox.events(&filter, 0, 1)?.rows.first().map(|row| row.id);
        let raw = newest.map(|id| inbox.raw(id)).transpose()?.flatten();
        let format = DeliveryFormat::of(&self.contract_of(site));
        let mut headers = match &raw {
            Some(raw) => replay_headers(raw, &format),
            None => vec![(CONTENT_TYPE.to_owned(), "application/json".to_owned())],
        };
        headers.push((TEST.to_owned(), "1".to_owned()));
        let body = raw.as_ref().map_or_else(|| b"{}".to_vec(), |raw| raw.body.clone());
        headers.extend(keys.headers(&format, &headers, &body, (self.clock)()));
        let answer = ForwardTiming::default().answer;
        let poster = PostClient::new(&settings.address, Timeouts { request: answer, ..Timeouts::default() })?
            .redacting(self.sites.vault(site).redactor());
        let event = raw.map(|raw| short(raw.id));
        Ok(TrialRequest { event, headers, body, poster })
    }
}

/// A test event, ready to be sent.
struct TrialRequest {
    event: Option<i32>,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    poster: PostClient,
}

fn replay_headers(raw: &RawEvent, format: &DeliveryFormat) -> Vec<(String, String)> {
    let mut headers = delivery::headers(raw, format, None);
    headers.push((REPLAY.to_owned(), raw.id.to_string()));
    headers
}
