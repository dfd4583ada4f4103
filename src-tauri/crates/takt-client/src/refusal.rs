//! Converts the service's error responses of all shapes to [`Refusal`].
//!
//! The specification has three shapes and the body of a 429. A gateway in front of the service may send any body.
//! Bodies in other shapes are quoted.

use std::{fmt, time::Duration};

use jiff::Timestamp;
use reqwest::header::HeaderMap;
use serde_json::Value;
use takt_contract::{
    form::{ErrorForm, at_path},
    wire::reason_texts,
};

use crate::{RateLimit, Redactor, ignored_header::IgnoredHeaders, rate_limit};

/// The status of a request that exceeded the rate limit.
pub(crate) const TOO_MANY_REQUESTS: u16 = 429;
/// In bytes, for the details of an error.
const MAX_EXCERPT_LENGTH: usize = 4_000;
const MAX_REASONS: usize = 200;
const MAX_REASON_LENGTH: usize = 1_000;

/// A response with a status other than 2xx.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    pub status: u16,
    /// The service's reasons. They aren't trusted and may contain markup.
    pub reasons: Vec<String>,
    /// Whether the body has the contract's form for "not found".
    pub has_not_found_form: bool,
    pub log_id: Option<String>,
    /// The wait that the service requests, within limits.
    pub retry_after: Option<Duration>,
    pub limit: Option<RateLimit>,
    /// The start of the body, with secrets removed.
    pub body: String,
    pub milliseconds: u32,
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "status {}", self.status)?;
        if let Some(log_id) = &self.log_id {
            write!(formatter, " (logId {log_id})")?;
        }
        if !self.reasons.is_empty() {
            write!(formatter, ": {}", self.reasons.join("; "))?;
        }
        Ok(())
    }
}

impl Refusal {
    /// Removes secrets that the texts may quote.
    pub(crate) fn redacted(mut self, redactor: &Redactor) -> Self {
        let redact = |text: &mut String| *text = redactor.redact_text(text).into_owned();
        self.reasons.iter_mut().for_each(redact);
        self.log_id.iter_mut().for_each(redact);
        redact(&mut self.body);
        self
    }

    pub(crate) fn read(
        status: u16,
        headers: &HeaderMap,
        ignored: &mut IgnoredHeaders,
        body: &[u8],
        form: &ErrorForm,
        now: Timestamp,
        milliseconds: u32,
    ) -> Self {
        let json: Value = serde_json::from_str(&String::from_utf8_lossy(body)).unwrap_or_default();
        let (reasons, log_id) = find_reasons_and_log_id(form, &json);
        let stated = RateLimit::from_headers(headers, now, ignored);
        let in_body =
            json.get("reset").and_then(parse_reset).filter(|reset| rate_limit::is_plausible_reset(*reset, now));
        let reset = in_body.or(stated.and_then(|stated| stated.reset));
        // Only these statuses define a wait. Other responses, such as a 412, may have the header as well.
        let waits = matches!(status, 429 | 503);
        let retry_after = if waits {
            rate_limit::choose_retry_after(headers, json.get("retryAfter").and_then(parse_number), reset, now)
        } else {
            None
        };
        Self {
            status,
            has_not_found_form: has_not_found_form(form, &json, &reasons),
            reasons,
            log_id,
            retry_after,
            limit: stated.or_else(|| parse_limit(&json, reset)),
            body: excerpt(body),
            milliseconds,
        }
    }
}

/// Returns the reasons and the log ID, at the paths of the error form.
fn find_reasons_and_log_id(form: &ErrorForm, json: &Value) -> (Vec<String>, Option<String>) {
    let mut reason_lists = form.reasons.iter().filter_map(|path| at_path(json, path)).map(reason_texts);
    let reasons = reason_lists.find(|reasons| !reasons.is_empty()).unwrap_or_default();
    let mut ids = form.log_id.iter().filter_map(|path| at_path(json, path)).flat_map(reason_texts);
    (limit_reasons(reasons), ids.next().map(clip_text))
}

/// Returns whether a body has the form for "not found". Failures of the service or a gateway have other forms.
fn has_not_found_form(form: &ErrorForm, json: &Value, reasons: &[String]) -> bool {
    let has_text =
        |path: &String| at_path(json, path).is_some_and(|value| !limit_reasons(reason_texts(value)).is_empty());
    if form.absent.is_empty() { !reasons.is_empty() } else { form.absent.iter().any(has_text) }
}

fn limit_reasons(reasons: Vec<String>) -> Vec<String> {
    reasons.into_iter().filter(|reason| !reason.trim().is_empty()).take(MAX_REASONS).map(clip_text).collect()
}

fn clip_text(text: String) -> String {
    if text.chars().count() <= MAX_REASON_LENGTH {
        return text;
    }
    text.chars().take(MAX_REASON_LENGTH).chain(['…']).collect()
}

fn parse_number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn parse_reset(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => rate_limit::parse_timestamp(text.trim()),
        Value::Number(number) => rate_limit::parse_timestamp(&number.as_i64()?.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn parse_limit(json: &Value, reset: Option<Timestamp>) -> Option<RateLimit> {
    let count = |name: &str| json.get(name)?.as_u64()?.try_into().ok();
    RateLimit::from_counts(count("limit")?, count("remaining")?, reset)
}

/// Returns the start of a body as text, with an ellipsis if it was cut.
pub(crate) fn excerpt(body: &[u8]) -> String {
    let end = body.len().min(MAX_EXCERPT_LENGTH);
    let mut text = String::from_utf8_lossy(body.get(..end).unwrap_or(body)).into_owned();
    if end < body.len() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(status: u16, body: &str) -> Refusal {
        let (headers, mut ignored) = (HeaderMap::new(), IgnoredHeaders::default());
        let contract = takt_contract::Contract::builtin().unwrap();
        Refusal::read(status, &headers, &mut ignored, body.as_bytes(), contract.error_form(), Timestamp::UNIX_EPOCH, 0)
    }

    #[test]
    fn the_specified_shapes() {
        assert_eq!(read(400, r#"{"errors":["a","b"]}"#).reasons, ["a", "b"]);
        assert_eq!(read(412, r#"{"errors":["code is required"]}"#).reasons, ["code is required"]);
        assert_eq!(read(403, r#"{"error":"denied"}"#).reasons, ["denied"]);
        let internal = read(500, r#"{"logId":"L-1","message":["x","y"],"stackTrace":["at z"]}"#);
        assert_eq!(internal.reasons, ["x", "y"]);
        assert_eq!(internal.log_id.as_deref(), Some("L-1"));
        assert!(internal.body.contains("at z"));
    }

    #[test]
    fn the_429_body() {
        let body = r#"{"error":"slow down","retryAfter":30,"limit":60,"remaining":0,"reset":"1970-01-01T00:00:30Z"}"#;
        let refusal = read(429, body);
        assert_eq!(refusal.reasons, ["slow down"]);
        assert_eq!(refusal.retry_after, Some(Duration::from_secs(30)));
        assert_eq!(refusal.limit.map(|limit| (limit.limit, limit.remaining)), Some((60, 0)));
    }

    #[test]
    fn what_is_no_shape_is_quoted() {
        let page = read(502, "<html><b>Bad Gateway</b></html>");
        assert_eq!(page.reasons, [""; 0]);
        assert_eq!(page.body, "<html><b>Bad Gateway</b></html>");
        assert_eq!(read(400, r#"{"errors":"only one"}"#).reasons, ["only one"]);
        assert_eq!(read(400, r#"{"errors":{"code":["is empty"]}}"#).reasons, ["code: is empty"]);
        assert_eq!(read(400, r#"{"errors":[],"message":"told here"}"#).reasons, ["told here"]);
        let located = r#"{"errors":[{"message":"no such field","locations":[{"line":1,"column":3}]}]}"#;
        assert_eq!(read(400, located).reasons, ["no such field"]);
        assert_eq!(read(500, r#"{"logId":7,"message":"text"}"#).log_id.as_deref(), Some("7"));
        assert_eq!(read(500, "").reasons, [""; 0]);
    }

    #[test]
    fn only_the_specified_shapes_say_that_something_doesnt_exist() {
        for body in [r#"{"error":"there is no such template"}"#, r#"{"errors":["unknown template"]}"#] {
            assert!(read(404, body).has_not_found_form, "{body}");
        }
        let others = ["", "{}", r#"{"message":"no"}"#, r#"{"error":""}"#, r#"{"errors":[]}"#, "<html>nginx</html>"];
        for body in others {
            assert!(!read(404, body).has_not_found_form, "{body}");
        }
    }

    #[test]
    fn hostile_bodies_are_bounded() {
        let many = serde_json::json!({ "errors": vec!["x".repeat(5_000); 5_000] }).to_string();
        let refusal = read(412, &many);
        assert_eq!(refusal.reasons.len(), MAX_REASONS);
        assert!(refusal.reasons.iter().all(|reason| reason.chars().count() <= MAX_REASON_LENGTH + 1));
        assert!(refusal.body.len() <= MAX_EXCERPT_LENGTH + 3);
    }
}
