//! Parses and writes responses to batches, in the form of a site.
//!
//! An unexpected member never hides other members. Success members and counts are parsed strictly. Reasons of any shape
//! become text. Members that the form doesn't name are ignored. Writing is the inverse, for services that simulate a
//! site.

use std::borrow::Cow;

use jiff::tz::TimeZone;
use serde::de::Error as _;
use serde_json::{Map, Value, value::RawValue};

use super::{message::BatchResponse, number, reason::reason_texts};
use crate::{
    RowSchema,
    form::{BatchForm, IndexMember, Scalar, SuccessMember, put_at_path},
    raw_members::{RawBody, RawMembers},
};

/// In characters.
const MAX_QUOTE_LENGTH: usize = 80;

/// The response to a batch. The counts aren't trusted, and are absent if the response doesn't state them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParsedBatchResponse {
    pub total_items: Option<i64>,
    pub success_count: Option<i64>,
    pub error_count: Option<i64>,
    pub results: Vec<ParsedItemResult>,
    /// Whether the body is empty, which means that every item was accepted.
    pub accepts_all: bool,
}

/// The result of one item.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParsedItemResult {
    /// The scalar members of the result, by Takt's names, except those for success, index and reasons. Members repeated
    /// with different values are omitted.
    pub key: Vec<(String, Value)>,
    /// Absent if the result doesn't show it, or contradicts itself.
    pub success: Option<bool>,
    /// The received value of the success member, shortened. Empty if the member is missing.
    pub success_text: String,
    /// The service's reasons. They aren't trusted.
    pub reasons: Vec<String>,
    /// The 0-based index of the item in the request. Absent if results have no index.
    pub index: Option<usize>,
}

/// The reason why a body can't be parsed as the response to a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BatchFault {
    /// The body isn't JSON, for example an HTML page from a proxy.
    NotJson,
    /// This member doesn't match the form. Empty if the body should be an object and isn't.
    NotAsSpecified(String),
}

impl ParsedBatchResponse {
    /// Parses the body of a 2xx response by a site's form. `shape` is the schema of an item, whose key results repeat.
    ///
    /// # Errors
    /// Fails if the body isn't JSON, or if a count or the list of results is missing, ambiguous or has another type.
    pub fn read(form: &BatchForm, shape: &RowSchema, body: &[u8]) -> Result<Self, BatchFault> {
        if form.empty_accepts && body.iter().all(u8::is_ascii_whitespace) {
            return Ok(Self { accepts_all: true, ..Self::default() });
        }
        // Invalid UTF-8 in a reason must not hide other results. A key with a replaced character matches no item.
        let text = String::from_utf8_lossy(body);
        let text = text.trim_start_matches('\u{feff}');
        let body_parts = RawBody::parse(text).ok_or(BatchFault::NotJson)?;
        let odd = |name: &str| BatchFault::NotAsSpecified(name.to_owned());
        if !form.results.is_empty() && !body_parts.is_object() {
            return Err(odd(""));
        }
        let count = |path: &Option<String>| match path {
            Some(path) => parse_integer(body_parts.value_at(path)).map(Some).map_err(|_| odd(path)),
            None => Ok(None),
        };
        let (total_items, success_count, error_count) =
            (count(&form.total)?, count(&form.accepted)?, count(&form.rejected)?);
        let results: Option<Vec<&RawValue>> = match body_parts.value_at(&form.results) {
            // Services may omit an empty list of failures.
            None | Some("null") if form.only_failures && error_count == Some(0) => Some(Vec::new()),
            list => list.and_then(|list| serde_json::from_str(list).ok()),
        };
        let results = results.ok_or_else(|| odd(&form.results))?;
        let results = results.into_iter().map(|result| ParsedItemResult::read(form, shape, result.get())).collect();
        Ok(Self { total_items, success_count, error_count, results, accepts_all: false })
    }
}

fn parse_integer(text: Option<&str>) -> Result<i64, serde_json::Error> {
    let text = text.ok_or_else(|| serde_json::Error::custom("it is missing"))?;
    number::deserialize_integer(&mut serde_json::Deserializer::from_str(text))
}

impl ParsedItemResult {
    /// Returns the value of a member of the [`key`](Self::key).
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Value> {
        self.key.iter().rev().find(|(other, _)| other == name).map(|(_, value)| value)
    }

    fn read(form: &BatchForm, shape: &RowSchema, result: &str) -> Self {
        let Some(members) = RawMembers::parse(result) else { return Self::from_reason(form, result) };
        let (success, success_text) = match &form.success {
            Some(member) => read_success(&members, member),
            None => (form.only_failures.then_some(false), String::new()),
        };
        let reason_lists =
            form.reasons.iter().map(|name| members.first_value(name).map(raw_reason_texts).unwrap_or_default());
        Self {
            key: key_members(&members, form, shape),
            success,
            success_text,
            reasons: reason_lists.into_iter().find(|reasons| !reasons.is_empty()).unwrap_or_default(),
            index: form.index.as_ref().and_then(|index| item_index(&members, index)),
        }
    }

    /// Returns a failure for a result that is only a text with its reason.
    fn from_reason(form: &BatchForm, result: &str) -> Self {
        let failed = form.only_failures && form.success.is_none() && result.starts_with('"');
        if failed {
            Self { success: Some(false), reasons: raw_reason_texts(result), ..Self::default() }
        } else {
            Self::default()
        }
    }
}

/// Parses the success member strictly. Also returns its received text.
fn read_success(members: &RawMembers<'_>, member: &SuccessMember) -> (Option<bool>, String) {
    let only = members.unambiguous_value(&member.name);
    let quoted = only.or_else(|| members.first_value(&member.name)).unwrap_or_default();
    let value: Option<Value> = only.and_then(|text| serde_json::from_str(text).ok());
    let is_one_of =
        |values: &[Scalar]| value.as_ref().is_some_and(|value| values.iter().any(|scalar| scalar.equals(value)));
    let success = match (is_one_of(&member.accepted), is_one_of(&member.rejected)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    };
    let is_short = quoted.len() <= MAX_QUOTE_LENGTH;
    (success, if is_short { quoted.to_owned() } else { quoted.chars().take(MAX_QUOTE_LENGTH).collect() })
}

fn item_index(members: &RawMembers<'_>, index: &IndexMember) -> Option<usize> {
    let number = parse_integer(members.unambiguous_value(&index.name)).ok()?;
    usize::try_from(number.checked_sub(i64::from(index.first))?).ok()
}

/// Returns the scalar members except those for success, index and reasons, by Takt's names.
fn key_members(members: &RawMembers<'_>, form: &BatchForm, shape: &RowSchema) -> Vec<(String, Value)> {
    let decides = form.success.as_ref().map(|member| member.name.as_str());
    let numbers = form.index.as_ref().map(|member| member.name.as_str());
    let scalars = members.iter().filter(|(name, value)| {
        let own = Some(*name) == decides || Some(*name) == numbers || form.reasons.iter().any(|other| other == name);
        !own && !value.starts_with(['{', '['])
    });
    scalars
        .filter_map(|(name, _)| {
            let value = members.unambiguous_value(name)?;
            let (name, value) = shape.decode_member(name, value).unwrap_or((name, Cow::Borrowed(value)));
            Some((name.to_owned(), serde_json::from_str(&value).ok()?))
        })
        .collect()
}

/// Returns the reasons in a value. If it can't be parsed, its text is the reason.
fn raw_reason_texts(raw: &str) -> Vec<String> {
    serde_json::from_str(raw).map_or_else(|_| vec![raw.to_owned()], |value: Value| reason_texts(&value))
}

impl BatchResponse {
    /// Writes this response in a site's form. `shape` is the schema of an item, whose key results repeat. `places` are
    /// the 0-based indexes of the items in the request.
    #[must_use]
    pub fn encode(&self, form: &BatchForm, shape: &RowSchema, places: &[usize], zone: &TimeZone) -> Vec<u8> {
        let all_accepted = self.results.iter().all(|result| result.success);
        if form.empty_accepts && all_accepted {
            return Vec::new();
        }
        let mut results = Vec::with_capacity(self.results.len());
        for (position, result) in self.results.iter().enumerate() {
            if result.success && form.only_failures {
                continue;
            }
            let mut members = if form.lacks_key { Map::new() } else { encode_key(&result.key, shape, zone) };
            if let Some(index) = &form.index {
                let number = places.get(position).copied().unwrap_or(position);
                let number = (number as u64).saturating_add(index.first.into());
                members.insert(index.name.clone(), Value::from(number));
            }
            if let Some(success) = &form.success {
                let values = if result.success { &success.accepted } else { &success.rejected };
                let decides = values.first().map_or(Value::Null, Scalar::to_json);
                members.insert(success.name.clone(), decides);
            }
            if let Some(name) = form.reasons.first().filter(|_| !result.success) {
                members.insert(name.clone(), Value::from(result.errors.clone()));
            }
            results.push(Value::Object(members));
        }
        let mut body = Value::Null;
        put_at_path(&mut body, &form.results, Value::Array(results));
        let counts =
            [(&form.total, self.total_items), (&form.accepted, self.success_count), (&form.rejected, self.error_count)];
        for (path, count) in counts {
            // A body that is a list can't contain counts.
            if let Some(path) = path.as_ref().filter(|_| !form.results.is_empty()) {
                put_at_path(&mut body, path, Value::from(count));
            }
        }
        body.to_string().into_bytes()
    }
}

/// Encodes a key with the names and value formats on the wire.
fn encode_key(key: &Map<String, Value>, shape: &RowSchema, zone: &TimeZone) -> Map<String, Value> {
    let encoded = shape.encode_item(&Value::Object(key.clone()).to_string(), zone);
    match serde_json::from_str(&encoded) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Contract, wire::message::BatchResult};

    /// Parses a body in the form of the built-in contract.
    fn read(body: &[u8]) -> Result<ParsedBatchResponse, BatchFault> {
        let contract = Contract::builtin().unwrap();
        let operation = contract.operation("work-orders.sync").unwrap();
        ParsedBatchResponse::read(&operation.batch, operation.request.as_ref().unwrap(), body)
    }

    fn result(json: &str) -> ParsedItemResult {
        let body = format!(r#"{{"totalItems":1,"successCount":0,"errorCount":1,"results":[{json}],"more":[]}}"#);
        read(body.as_bytes()).unwrap().results.remove(0)
    }

    #[test]
    fn reasons_have_any_shape() {
        let reasons = |json: &str| result(&format!(r#"{{"code":"A","success":false,{json}}}"#)).reasons;
        assert_eq!(reasons(r#""errors":null"#), [""; 0]);
        assert_eq!(reasons(r#""errors":"one""#), ["one"]);
        assert_eq!(reasons(r#""errors":["one","two"]"#), ["one", "two"]);
        assert_eq!(reasons(r#""errors":[],"message":"one""#), ["one"]);
        assert_eq!(reasons(r#""errors":null,"error":{"message":"one"}"#), ["one"]);
        assert_eq!(reasons(r#""errors":[{"code":"E1","message":"one"},null,7]"#), ["one (code: E1)", "7"]);
        assert_eq!(reasons(r#""errors":{"quantity":["too small","no number"]}"#).len(), 2);
        assert_eq!(reasons(r#""errors":["\ud800"]"#), [r#"["\ud800"]"#]);
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        assert_eq!(reasons(&format!(r#""errors":{deep}"#)), [deep]);
    }

    #[test]
    fn success_is_read_to_the_letter() {
        let success = |json: &str| result(&format!(r#"{{"code":"A",{json}}}"#)).success;
        assert_eq!(success(r#""success":true"#), Some(true));
        assert_eq!(success(r#""success":false,"x":{"deep":[1]},"y":null"#), Some(false));
        for odd in [r#""success":"true""#, r#""success":1"#, r#""success":null"#, r#""done":true"#] {
            assert_eq!(success(odd), None, "{odd}");
        }
        assert_eq!(success(r#""success":true,"success":false"#), None, "it says both");
        assert_eq!(result("7"), ParsedItemResult::default());
        assert_eq!(result(r#"{"success":"true"}"#).success_text, r#""true""#);
    }

    #[test]
    fn keys_are_the_plain_members() {
        let key =
            result(r#"{"code":"A","number":7.0,"a":[1],"b":{},"n":null,"x":1,"x":2,"success":true,"errors":[]}"#).key;
        assert_eq!(Value::Object(key.into_iter().collect()), json!({ "code": "A", "number": 7.0, "n": null }));
    }

    #[test]
    fn counts_are_whole_numbers() {
        let fault = |body: &str| read(body.as_bytes()).unwrap_err();
        let odd = |name: &str| BatchFault::NotAsSpecified(name.to_owned());
        assert_eq!(fault("<html>"), BatchFault::NotJson);
        assert_eq!(fault(""), BatchFault::NotJson);
        assert_eq!(fault("[]"), odd(""));
        assert_eq!(fault("{}"), odd("totalItems"));
        let with = |total: &str, results: &str| {
            format!(r#"{{"totalItems":{total},"successCount":0,"errorCount":0,"results":{results}}}"#)
        };
        for total in ["\"1\"", "null", "1.5", "true", "1e99", "1,\"totalItems\":2"] {
            assert_eq!(fault(&with(total, "[]")), odd("totalItems"), "{total}");
        }
        for results in ["null", "{}", "\"\""] {
            assert_eq!(fault(&with("0", results)), odd("results"), "{results}");
        }
        assert_eq!(read(with("2.0", "[]").as_bytes()).unwrap().total_items, Some(2));
    }

    #[test]
    fn letters_of_another_encoding_hide_nothing() {
        let mut body = b"\xef\xbb\xbf{\"totalItems\":1,\"successCount\":0,\"errorCount\":1,\"results\":[{\"success\":false,\"errors\":[\"zu gro".to_vec();
        body.extend_from_slice(b"\xdf\"]}]}");
        let read = read(&body).unwrap();
        assert_eq!((read.results[0].success, read.results[0].reasons.len()), (Some(false), 1));
    }

    fn other_form() -> BatchForm {
        BatchForm {
            results: "Result.Failures".to_owned(),
            only_failures: true,
            index: Some(IndexMember { name: "Row".to_owned(), first: 1 }),
            reasons: vec!["Messages".to_owned()],
            rejected: Some("Result.Failed".to_owned()),
            ..BatchForm::default()
        }
    }

    #[test]
    fn an_answer_may_list_only_failures() {
        let read = |body: &str| ParsedBatchResponse::read(&other_form(), &RowSchema::default(), body.as_bytes());
        let body = r#"{"Result":{"Failed":1,"Failures":[{"Row":2,"OrderNumber":"A","Messages":["no"]}]}}"#;
        let reading = read(body).unwrap();
        assert_eq!((reading.total_items, reading.error_count), (None, Some(1)));
        let failure = &reading.results[0];
        assert_eq!((failure.index, failure.success), (Some(1), Some(false)));
        assert_eq!(failure.reasons, ["no"]);
        assert_eq!(Value::Object(failure.key.iter().cloned().collect()), json!({ "OrderNumber": "A" }));
        assert_eq!(read(r#"{"Result":{"Failed":0}}"#).unwrap().results, []);
        let fault = read(r#"{"Result":{"Failed":1}}"#).unwrap_err();
        assert_eq!(fault, BatchFault::NotAsSpecified("Result.Failures".to_owned()));
        let row = |row: &str| {
            let body = format!(r#"{{"Result":{{"Failed":1,"Failures":[{{"Row":{row}}}]}}}}"#);
            read(&body).unwrap().results[0].index
        };
        assert_eq!((row("0"), row("-1"), row("1.5"), row("\"1\""), row("1.0")), (None, None, None, None, Some(0)));
    }

    #[test]
    fn what_decides_may_be_any_value() {
        let member = SuccessMember {
            name: "Status".to_owned(),
            accepted: vec![Scalar::Text("Deleted".to_owned()), Scalar::Number(0)],
            rejected: vec![Scalar::Text("NotDeleted".to_owned())],
        };
        let form = BatchForm { success: Some(member), ..BatchForm::default() };
        let success = |text: &str| {
            let body = format!(r#"[{{"Status":{text}}}]"#);
            ParsedBatchResponse::read(&form, &RowSchema::default(), body.as_bytes()).unwrap().results[0].success
        };
        assert_eq!(
            (success("\"Deleted\""), success("0.0"), success("\"NotDeleted\"")),
            (Some(true), Some(true), Some(false))
        );
        assert_eq!((success("\"deleted\""), success("1"), success("null"), success("true")), (None, None, None, None));
    }

    #[test]
    fn an_empty_body_accepts_only_by_description() {
        let form = BatchForm { empty_accepts: true, ..other_form() };
        assert!(ParsedBatchResponse::read(&form, &RowSchema::default(), b" \r\n").unwrap().accepts_all);
        assert_eq!(ParsedBatchResponse::read(&other_form(), &RowSchema::default(), b""), Err(BatchFault::NotJson));
    }

    fn various_forms() -> Vec<BatchForm> {
        let contract = Contract::builtin().unwrap();
        let decides = |values: [Scalar; 2]| {
            let [accepted, rejected] = values;
            Some(SuccessMember { name: "State".to_owned(), accepted: vec![accepted], rejected: vec![rejected] })
        };
        let index = |first| Some(IndexMember { name: "Row".to_owned(), first });
        let reasons = vec!["Messages".to_owned(), "Other".to_owned()];
        vec![
            contract.operation("work-orders.sync").unwrap().batch.clone(),
            BatchForm {
                results: "Result.Failures".to_owned(),
                only_failures: true,
                index: index(1),
                reasons: reasons.clone(),
                total: Some("Result.Total".to_owned()),
                rejected: Some("Failed".to_owned()),
                ..BatchForm::default()
            },
            BatchForm {
                success: decides([Scalar::Text("Done".to_owned()), Scalar::Text("Refused".to_owned())]),
                reasons,
                lacks_key: true,
                index: index(0),
                ..BatchForm::default()
            },
            BatchForm {
                results: "Data".to_owned(),
                success: decides([Scalar::Number(0), Scalar::Number(1)]),
                reasons: vec!["Messages".to_owned()],
                empty_accepts: true,
                ..BatchForm::default()
            },
        ]
    }

    fn batch_response(successes: &[bool]) -> BatchResponse {
        let result = |(index, success): (usize, &bool)| BatchResult {
            key: serde_json::from_value(json!({ "code": format!("A{index}"), "operationCode": "010" })).unwrap(),
            success: *success,
            errors: if *success { Vec::new() } else { vec![format!("reason {index}"), "another".to_owned()] },
        };
        let success = successes.iter().filter(|success| **success).count();
        let count = |count: usize| i64::try_from(count).unwrap();
        BatchResponse {
            total_items: count(successes.len()),
            success_count: count(success),
            error_count: count(successes.len() - success),
            results: successes.iter().enumerate().map(result).collect(),
        }
    }

    #[test]
    fn what_is_written_by_a_description_is_read_by_it() {
        let contract = Contract::builtin().unwrap();
        let mut shape = contract.operation("work-orders.sync").unwrap().request.clone().unwrap();
        let code = shape.fields.iter_mut().find(|field| field.name == "code").unwrap();
        code.wire = Some("OrderNumber".to_owned());
        for form in various_forms() {
            for successes in [&[true, false, true][..], &[true, true], &[false], &[]] {
                let (answer, places) = (batch_response(successes), (0..successes.len()).collect::<Vec<_>>());
                let body = answer.encode(&form, &shape, &places, &TimeZone::UTC);
                let read = ParsedBatchResponse::read(&form, &shape, &body).unwrap();
                if read.accepts_all {
                    assert!(form.empty_accepts && successes.iter().all(|success| *success));
                    continue;
                }
                let listed = answer.results.iter().enumerate();
                let listed: Vec<_> = listed.filter(|(_, one)| !form.only_failures || !one.success).collect();
                assert_eq!(read.results.len(), listed.len());
                for (result, (place, expected)) in read.results.iter().zip(listed) {
                    assert_eq!(
                        (result.success, &result.reasons),
                        (Some(expected.success), &expected.errors),
                        "{form:?}"
                    );
                    assert_eq!(result.index.unwrap_or(place), place);
                    if !form.lacks_key {
                        assert_eq!(result.key.iter().cloned().collect::<Map<_, _>>(), expected.key);
                    }
                }
                let counts = [
                    (&form.total, read.total_items, answer.total_items),
                    (&form.accepted, read.success_count, answer.success_count),
                    (&form.rejected, read.error_count, answer.error_count),
                ];
                for (path, count, expected) in counts {
                    assert_eq!(count, path.as_ref().map(|_| expected));
                }
            }
        }
    }
}
