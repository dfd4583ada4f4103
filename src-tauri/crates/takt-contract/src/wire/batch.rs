//! Reading what a batch answered, whatever stands beside the members that the specification names.
//!
//! Owns that one odd member never hides the others: `success` and the counts are read to the letter, the service's reasons
//! in any shape as text, and what the specification doesn't name is passed over.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::{Map, Value, value::RawValue};

use super::{number, reason::texts};

/// Members of a result that carry the service's words, in the order in which they are asked.
const REASONS: [&str; 3] = ["errors", "error", "message"];
const SUCCESS: &str = "success";
/// Characters of a value that is quoted because it can't be what it should be.
const LONGEST_QUOTE: usize = 80;

/// What a batch answered. The counts are the service's claim.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchReading {
    pub total_items: i64,
    pub success_count: i64,
    pub error_count: i64,
    pub results: Vec<ResultReading>,
}

/// What an answer says of one item.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ResultReading {
    /// Its members that are no lists or objects, without `success` and the reasons.
    pub key: Map<String, Value>,
    /// Absent where it is neither `true` nor `false`, or both.
    pub success: Option<bool>,
    /// `success` as it came, bounded; empty where it is missing.
    pub success_text: String,
    /// The service's words. Not trusted.
    pub reasons: Vec<String>,
}

/// Why a body isn't read as a batch answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BatchFault {
    /// It isn't JSON: a page of something in between, for example.
    NotJson,
    /// It is JSON, and this member isn't as the specification says; empty where the whole is no object.
    NotAsSpecified(String),
}

impl BatchReading {
    /// Reads the body of a 2xx.
    ///
    /// # Errors
    /// Where it isn't JSON, or one of `totalItems`, `successCount`, `errorCount` and `results` is missing, stands there twice
    /// with two values, or has another type.
    pub fn of(body: &[u8]) -> Result<Self, BatchFault> {
        // A reason in another encoding must not hide the rest; a key that isn't repeated letter by letter isn't believed.
        let text = String::from_utf8_lossy(body);
        let text = text.trim_start_matches('\u{feff}');
        let whole: &RawValue = serde_json::from_str(text).map_err(|_| BatchFault::NotJson)?;
        let members: Members<'_> =
            serde_json::from_str(whole.get()).map_err(|_| BatchFault::NotAsSpecified(String::new()))?;
        let odd = |name: &str| BatchFault::NotAsSpecified(name.to_owned());
        let count = |name: &str| {
            let mut text = serde_json::Deserializer::from_str(members.only(name).ok_or_else(|| odd(name))?);
            number::whole(&mut text).map_err(|_| odd(name))
        };
        let (total_items, success_count, error_count) =
            (count("totalItems")?, count("successCount")?, count("errorCount")?);
        let results: Option<Vec<&RawValue>> =
            members.only("results").and_then(|results| serde_json::from_str(results).ok());
        let results = results.ok_or_else(|| odd("results"))?;
        Ok(Self {
            total_items,
            success_count,
            error_count,
            results: results.into_iter().map(|result| ResultReading::of(result.get())).collect(),
        })
    }
}

impl ResultReading {
    fn of(result: &str) -> Self {
        let Ok(members) = serde_json::from_str::<Members<'_>>(result) else { return Self::default() };
        let success = members.only(SUCCESS);
        let quoted = success.or_else(|| members.first(SUCCESS)).unwrap_or_default();
        let said = REASONS.iter().map(|name| members.first(name).map(reasons).unwrap_or_default());
        Self {
            key: members.key(),
            success: success.and_then(|success| serde_json::from_str(success).ok()),
            success_text: quoted.chars().take(LONGEST_QUOTE).collect(),
            reasons: said.into_iter().find(|reasons| !reasons.is_empty()).unwrap_or_default(),
        }
    }
}

/// What can't be built is quoted as it came.
fn reasons(raw: &str) -> Vec<String> {
    serde_json::from_str(raw).map_or_else(|_| vec![raw.to_owned()], |value: Value| texts(&value))
}

/// An object's members as they came, also where a name stands there twice.
struct Members<'a>(Vec<(Cow<'a, str>, &'a str)>);

impl<'a> Members<'a> {
    fn first(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, value)| *value)
    }

    /// Nothing where it stands there with two values.
    fn only(&self, name: &str) -> Option<&'a str> {
        let value = self.first(name)?;
        self.0.iter().all(|(other, also)| other != name || *also == value).then_some(value)
    }

    fn key(&self) -> Map<String, Value> {
        let parts = self.0.iter().filter(|(name, value)| {
            name != SUCCESS && !REASONS.contains(&name.as_ref()) && !value.starts_with(['{', '['])
        });
        let known = parts
            .filter_map(|(name, _)| Some((name.clone().into_owned(), serde_json::from_str(self.only(name)?).ok()?)));
        known.collect()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Vec<(Cow<'de, str>, &'de str)>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((name, value)) = map.next_entry::<Name<'de>, &'de RawValue>()? {
                    members.push((name.0, value.get()));
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(Collect).map(Self)
    }
}

/// Borrowed where nothing in it is escaped.
#[derive(Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn result(json: &str) -> ResultReading {
        let body = format!(r#"{{"totalItems":1,"successCount":0,"errorCount":1,"results":[{json}],"more":[]}}"#);
        BatchReading::of(body.as_bytes()).unwrap().results.remove(0)
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
        assert_eq!(result("7"), ResultReading::default());
        assert_eq!(result(r#"{"success":"true"}"#).success_text, r#""true""#);
    }

    #[test]
    fn keys_are_the_plain_members() {
        let key =
            result(r#"{"code":"A","number":7.0,"a":[1],"b":{},"n":null,"x":1,"x":2,"success":true,"errors":[]}"#).key;
        assert_eq!(Value::Object(key), json!({ "code": "A", "number": 7.0, "n": null }));
    }

    #[test]
    fn counts_are_whole_numbers() {
        let fault = |body: &str| BatchReading::of(body.as_bytes()).unwrap_err();
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
        assert_eq!(BatchReading::of(with("2.0", "[]").as_bytes()).unwrap().total_items, 2);
    }

    #[test]
    fn letters_of_another_encoding_hide_nothing() {
        let mut body = b"\xef\xbb\xbf{\"totalItems\":1,\"successCount\":0,\"errorCount\":1,\"results\":[{\"success\":false,\"errors\":[\"zu gro".to_vec();
        body.extend_from_slice(b"\xdf\"]}]}");
        let read = BatchReading::of(&body).unwrap();
        assert_eq!((read.results[0].success, read.results[0].reasons.len()), (Some(false), 1));
    }
}
