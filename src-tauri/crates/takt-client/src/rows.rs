//! The rows of a response as received bytes. A row is parsed only on request, so a large response needs little more
//! memory than its bytes.

use std::{
    collections::HashMap,
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use serde::{
    Deserializer,
    de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor},
};
use serde_json::{Value, value::RawValue};
use takt_contract::RowSchema;

use crate::{ClientError, ServiceResponse, run_blocking_if_large};

/// The rows of a list, each as JSON text. They aren't trusted, so a row may be any JSON value.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    body: String,
    /// Start and end of each row in the body.
    ranges: Vec<(usize, usize)>,
}

impl Rows {
    #[must_use]
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Returns the size of the whole body in bytes, not only of its rows.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.body.len()
    }

    /// Returns the JSON text of each row, in order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.ranges.iter().map(|(begin, end)| self.body.get(*begin..*end).unwrap_or_default())
    }

    /// Returns each row as a value. Rows are parsed lazily.
    pub fn values(&self) -> impl Iterator<Item = Value> + '_ {
        self.texts().map(parse_row)
    }

    /// Decodes the rows to the names and value formats that Takt uses.
    fn decode(self, shape: &RowSchema) -> Self {
        if !shape.is_translated() {
            return self;
        }
        let mut body = String::with_capacity(self.body.len());
        let mut ranges = Vec::with_capacity(self.ranges.len());
        for text in self.texts() {
            let begin = body.len();
            body.push_str(&shape.decode_row(text));
            ranges.push((begin, body.len()));
        }
        Self { body, ranges }
    }

    /// Returns a hash that is equal for lists with the same rows in the same order.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.texts().for_each(|text| text.hash(&mut hasher));
        hasher.finish()
    }

    /// Returns whether every row is a JSON object.
    #[must_use]
    pub fn are_objects(&self) -> bool {
        self.texts().all(|text| text.starts_with('{'))
    }
}

/// Parses a row. If that fails (too many levels, half a surrogate pair), the value is the text of the row.
#[must_use]
pub fn parse_row(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

impl ServiceResponse {
    /// Like [`Self::rows`], but parses a large body outside the threads that wait for responses.
    ///
    /// # Errors
    /// Fails if the body isn't text, or doesn't contain the list.
    pub async fn into_rows(self, shape: &Arc<RowSchema>) -> Result<Rows, ClientError> {
        let shape = Arc::clone(shape);
        run_blocking_if_large(self.body.len(), move || self.rows(&shape)).await?
    }

    /// Returns the rows of the list in the body, with the names and value formats that Takt uses.
    ///
    /// # Errors
    /// Fails if the body isn't text, or doesn't contain the list.
    pub fn rows(mut self, shape: &RowSchema) -> Result<Rows, ClientError> {
        let body = match String::from_utf8(std::mem::take(&mut self.body)) {
            Ok(body) => body,
            Err(cause) => {
                let reason = format!("its body can't be read: {cause}");
                self.body = cause.into_bytes();
                return Err(self.invalid_response_error(reason));
            }
        };
        match find_ranges(&body, &shape.member) {
            Ok(ranges) => Ok(Rows { body, ranges }.decode(shape)),
            Err(reason) => {
                self.body = body.into_bytes();
                Err(self.invalid_response_error(reason))
            }
        }
    }
}

fn find_ranges(body: &str, member: &str) -> Result<Vec<(usize, usize)>, String> {
    if let Some(list) = find_top_level_list(body, member) {
        return Ok(part_ranges(body, list));
    }
    let root: &RawValue = serde_json::from_str(body).map_err(|cause| format!("its body can't be read: {cause}"))?;
    let list = at_path(root, member).and_then(|list| serde_json::from_str::<Vec<&RawValue>>(list.get()).ok());
    let list = list.ok_or_else(|| format!("there is no list `{member}`"))?;
    Ok(part_ranges(body, list))
}

fn part_ranges(body: &str, parts: Vec<&RawValue>) -> Vec<(usize, usize)> {
    let begin = body.as_ptr().addr();
    let range = |part: &RawValue| {
        let at = part.get().as_ptr().addr() - begin;
        (at, at + part.get().len())
    };
    parts.into_iter().map(range).collect()
}

/// Finds the list in one pass if it is a member of the body's top level, as usual. Returns None for other bodies.
fn find_top_level_list<'a>(body: &'a str, member: &str) -> Option<Vec<&'a RawValue>> {
    if member.is_empty() || member.contains('.') {
        return None;
    }
    let mut body = serde_json::Deserializer::from_str(body);
    let list = body.deserialize_map(ListVisitor(member)).ok()?;
    body.end().ok()?;
    list
}

struct ListVisitor<'a>(&'a str);

impl<'de> Visitor<'de> for ListVisitor<'_> {
    type Value = Option<Vec<&'de RawValue>>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut list = None;
        while let Some(is_list) = map.next_key_seed(NameMatcher(self.0))? {
            if is_list {
                // If several members have this name, the last one is used.
                list = Some(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(list)
    }
}

/// Compares the name of a member without copying it.
struct NameMatcher<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for NameMatcher<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, name: D) -> Result<bool, D::Error> {
        name.deserialize_str(self)
    }
}

impl Visitor<'_> for NameMatcher<'_> {
    type Value = bool;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<bool, E> {
        Ok(name == self.0)
    }
}

/// Returns the value at a dotted path. An empty path returns the whole body.
fn at_path<'a>(root: &'a RawValue, path: &str) -> Option<&'a RawValue> {
    let mut names = path.split('.').filter(|name| !name.is_empty());
    names.try_fold(root, |part, name| serde_json::from_str::<HashMap<String, &RawValue>>(part.get()).ok()?.remove(name))
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderMap;
    use serde_json::json;

    use super::*;

    fn rows(body: &[u8]) -> Result<Rows, ClientError> {
        rows_of(body, "data")
    }

    fn rows_of(body: &[u8], member: &str) -> Result<Rows, ClientError> {
        let shape = RowSchema { member: member.to_owned(), ..RowSchema::default() };
        let headers = HeaderMap::new();
        ServiceResponse { status: 200, body: body.to_vec(), headers, limit: None, milliseconds: 0 }.rows(&shape)
    }

    #[test]
    fn parts_are_the_bytes_that_came() {
        let body =
            br#" { "other": [[1]], "data" : [ {"a": 1.10, "b":"\u00e4"} ,{"a":[]}, 7 ], "more": {"data": []} } "#;
        let rows = rows(body).unwrap();
        assert_eq!(rows.texts().collect::<Vec<_>>(), [r#"{"a": 1.10, "b":"\u00e4"}"#, r#"{"a":[]}"#, "7"]);
        assert_eq!(rows.values().next(), Some(json!({ "a": 1.10, "b": "ä" })));
        assert!(!rows.are_objects());
    }

    #[test]
    fn a_list_may_lie_deeper_or_be_the_body() {
        assert_eq!(rows_of(br#"{"Data":{"Items":[1,2]}}"#, "Data.Items").unwrap().len(), 2);
        assert_eq!(rows_of(b"[1,2,3]", "").unwrap().len(), 3);
        assert!(rows_of(br#"{"Data":[]}"#, "Data.Items").is_err());
        assert!(rows_of(b"{}", "").is_err());
    }

    #[test]
    fn going_through_once_finds_what_going_through_part_by_part_finds() {
        let deep = format!("{}{}", "[".repeat(1_000), "]".repeat(1_000));
        let bodies = [
            r#"{"data":[1,{"a":2}],"more":3}"#,
            r#"{"data":[1],"data":[2,3]}"#,
            r#"{"data":[1],"data":7}"#,
            r#"{"data":7,"data":[2]}"#,
            r#"{"d\u0061ta":[ 1 , "x" ],"n":1e999}"#,
            r#"{"\ud800":1,"data":[1]}"#,
            r#"{"a":"\ud800","data":["\ud800"]}"#,
            r#"{"a":{"data":[5]},"data":[]}"#,
            r#"{"a":{"data":[5]}}"#,
            r#"{"data":[1]} x"#,
            r#"{"data":[1],}"#,
            r#"[{"data":[1]}]"#,
            &format!(r#"{{"a":{deep},"data":[{deep},1]}}"#),
        ];
        let mut found = 0;
        for body in bodies {
            let whole = serde_json::from_str::<&RawValue>(body).ok();
            let list = whole.and_then(|whole| at_path(whole, "data"));
            let list = list.and_then(|list| serde_json::from_str::<Vec<&RawValue>>(list.get()).ok());
            let once = find_top_level_list(body, "data").map(|list| part_ranges(body, list));
            found += usize::from(once.is_some());
            assert!(once.is_none() || once == list.map(|list| part_ranges(body, list)), "{body}");
        }
        assert_eq!(found, 6, "what is odd is left to going through part by part");
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for body in [
            "",
            "[]",
            "{}",
            r#"{"data":{}}"#,
            r#"{"data":null}"#,
            r#"{"data":[{}]"#,
            r#"{"data":[{]}"#,
            "{\"data\":[]}x",
        ] {
            assert!(matches!(rows(body.as_bytes()), Err(ClientError::NotUnderstood { .. })), "{body}");
        }
        assert!(rows(b"{\"data\":[\"\xff\"]}").is_err());
        assert!(rows(br#"{"data":[]}"#).unwrap().is_empty());
    }

    #[test]
    fn what_nobody_can_build_is_its_text() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let body = format!(r#"{{"data":[{deep},"\ud800"]}}"#);
        let rows = rows(body.as_bytes()).unwrap();
        assert_eq!(rows.values().collect::<Vec<_>>(), [json!(deep), json!(r#""\ud800""#)]);
    }
}
