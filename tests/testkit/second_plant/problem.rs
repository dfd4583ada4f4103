//! Errors of the second plant: problem details as ASP.NET Core returns them.

use serde_json::{Value, json};

use super::{member::Entity, value_format::InvalidValue};
use crate::connection::Answer;

const KIND: &str = "application/problem+json; charset=utf-8";

/// Returns problem details with this status. The trace ID is `log`, or a fixed one.
pub(super) fn problem(status: u16, detail: Option<&str>, log: Option<&str>) -> Answer {
    let mut body = json!({ "type": kind(status), "title": title(status), "status": status });
    if let Some(detail) = detail {
        body["detail"] = json!(detail);
    }
    body["traceId"] = log.map_or_else(|| json!(TRACE), |log| json!(log));
    problem_response(status, &body)
}

/// Returns the response to an invalid request. It lists the reasons by JSON path.
pub(super) fn invalid_response(reasons: &[InvalidValue]) -> Answer {
    let mut errors = serde_json::Map::new();
    for InvalidValue { path, reason } in reasons {
        let list = errors.entry(path.clone()).or_insert_with(|| json!([]));
        list.as_array_mut().into_iter().for_each(|list| list.push(json!(reason)));
    }
    let title = "One or more validation errors occurred.";
    let body = json!({ "type": kind(400), "title": title, "status": 400, "errors": errors, "traceId": TRACE });
    problem_response(400, &body)
}

/// Translates the practice plant's error response.
pub(super) fn from_plant(status: u16, body: &Value, entity: Entity) -> Answer {
    let texts = |member: &str| {
        let list = body[member].as_array().into_iter().flatten();
        list.filter_map(Value::as_str).map(|text| translate_member_name(text, entity)).collect::<Vec<_>>()
    };
    match status {
        400 => {
            let reason = |text: String| {
                let first = first_word(&text);
                let path = if entity.iter().any(|member| member.site == first) { first } else { "" };
                InvalidValue::new(path, text.clone())
            };
            invalid_response(&texts("errors").into_iter().map(reason).collect::<Vec<_>>())
        }
        // The practice plant returns 412 for a missing object.
        412 => problem(404, Some(&texts("errors").join(" ")), None),
        500 => problem(500, Some(&texts("message").join(" ")), body["logId"].as_str()),
        status => problem(status, body["error"].as_str(), None),
    }
}

/// If the text starts with a member name of the practice plant, replaces it with this plant's name.
pub(super) fn translate_member_name(text: &str, entity: Entity) -> String {
    let first = first_word(text);
    match entity.iter().find(|member| member.plant == first) {
        Some(member) => format!("{}{}", member.site, &text[first.len()..]),
        None => text.to_owned(),
    }
}

fn first_word(text: &str) -> &str {
    text.split([' ', ':', '[', '.']).next().unwrap_or_default()
}

/// The trace ID of errors without a log ID.
const TRACE: &str = "00-84c1fd4063c38d9f3900d06e56542d48-85d1d4-00";

fn kind(status: u16) -> String {
    let section = match status {
        400 => "15.5.1",
        401 => "15.5.2",
        403 => "15.5.4",
        404 => "15.5.5",
        413 => "15.5.14",
        429 => return "https://tools.ietf.org/html/rfc6585#section-4".to_owned(),
        _ => "15.6.1",
    };
    format!("https://tools.ietf.org/html/rfc9110#section-{section}")
}

fn title(status: u16) -> &'static str {
    match status {
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        413 => "Payload Too Large",
        429 => "Too Many Requests",
        _ => "An error occurred while processing your request.",
    }
}

fn problem_response(status: u16, body: &Value) -> Answer {
    Answer { kind: KIND.to_owned(), ..Answer::json(status, body) }
}
