//! Records requests to an identity provider and its responses without secrets, for the provider's administrators.

use std::{fmt::Write, sync::Arc};

use parking_lot::{Mutex, MutexGuard};
use reqwest::{Request, header::HeaderMap};
use url::Url;

use crate::{ClientError, Redactor, SECRET_PLACEHOLDER, refusal::excerpt};

/// Parameters with values for one sign-in. The redactor knows other secret parameters by name.
const ONE_TIME_PARAMETERS: [&str; 4] = ["code", "state", "nonce", "code_challenge"];

/// A transcript, which records nothing until [`Self::begin`]. All clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Transcript(Arc<Mutex<Option<String>>>);

impl Transcript {
    pub(crate) fn begin(&self) {
        self.lock().get_or_insert_default();
    }

    /// Returns the recorded text. Empty if recording wasn't begun.
    pub(crate) fn text(&self) -> String {
        self.lock().clone().unwrap_or_default()
    }

    pub(crate) fn is_recording(&self) -> bool {
        self.lock().is_some()
    }

    pub(crate) fn note_request(&self, request: &Request, redactor: &Redactor) {
        let body = request.body().and_then(reqwest::Body::as_bytes).unwrap_or_default();
        let form = String::from_utf8_lossy(body);
        let mut text = format!("> {} {}\n", request.method(), without_one_time_values(request.url()));
        write_headers(&mut text, ">", request.headers(), redactor);
        if !form.is_empty() {
            let pairs = url::form_urlencoded::parse(body);
            let redacted = url::form_urlencoded::Serializer::new(String::new())
                .extend_pairs(pairs.map(|(name, value)| redact_one_time_value(name, value)))
                .finish();
            let _ = writeln!(text, ">\n> {redacted}");
        }
        self.note(&redactor.redact_text(&text));
    }

    /// Records an address that is opened in the browser.
    pub(crate) fn note_opened(&self, address: &Url, redactor: &Redactor) {
        self.note(
            &redactor.redact_text(&format!("> GET {}\n> (in the browser)\n\n", without_one_time_values(address))),
        );
    }

    pub(crate) fn note_response(&self, status: u16, answered: &HeaderMap, body: &[u8], redactor: &Redactor) {
        let mut text = format!("< {status}\n");
        write_headers(&mut text, "<", answered, redactor);
        let body = excerpt(body);
        if !body.is_empty() {
            let _ = writeln!(text, "<\n< {}", body.replace('\n', "\n< "));
        }
        text.push('\n');
        self.note(&redactor.redact_text(&text));
    }

    pub(crate) fn note_failure(&self, error: &ClientError, redactor: &Redactor) {
        self.note(&redactor.redact_text(&format!("< {error}\n\n")));
    }

    fn note(&self, text: &str) {
        if let Some(recorded) = self.lock().as_mut() {
            recorded.push_str(text);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<String>> {
        self.0.lock()
    }
}

fn write_headers(text: &mut String, sign: &str, headers: &HeaderMap, redactor: &Redactor) {
    let header = |(name, value): (&reqwest::header::HeaderName, &reqwest::header::HeaderValue)| {
        let value = value.to_str().unwrap_or_default();
        // A redirect's address has the same secret parameters.
        let value = Url::parse(value).map_or_else(|_| value.to_owned(), |url| without_one_time_values(&url));
        (name.as_str().to_owned(), value)
    };
    for (name, value) in redactor.redact_headers(headers.iter().map(header).collect()) {
        let _ = writeln!(text, "{sign} {name}: {value}");
    }
}

fn without_one_time_values(url: &Url) -> String {
    let mut url = url.clone();
    if url.query().is_some() {
        let pairs: Vec<_> = url
            .query_pairs()
            .map(|(name, value)| redact_one_time_value(name, value))
            .map(|(name, value)| (name.into_owned(), value.into_owned()))
            .collect();
        url.query_pairs_mut().clear().extend_pairs(pairs);
    }
    url.into()
}

fn redact_one_time_value<'a>(
    name: std::borrow::Cow<'a, str>,
    value: std::borrow::Cow<'a, str>,
) -> (std::borrow::Cow<'a, str>, std::borrow::Cow<'a, str>) {
    let value = if ONE_TIME_PARAMETERS.contains(&name.as_ref()) { SECRET_PLACEHOLDER.into() } else { value };
    (name, value)
}
