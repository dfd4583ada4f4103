//! The rows of an answer, as the bytes that came. Nothing is built of them before somebody asks for a row, so that a large
//! answer takes little more than its bytes.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use serde_json::{Value, value::RawValue};
use takt_contract::Shape;

use crate::{Answer, ClientError, run_blocking_if_large};

/// The parts of one list, each as its JSON text. Not trusted: what the parts are is up to the reader.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    body: String,
    /// Where each part begins and ends in the body.
    spans: Vec<(usize, usize)>,
}

impl Rows {
    #[must_use]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Of the whole body that they are part of.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.body.len()
    }

    /// Each part's JSON, in their order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.spans.iter().map(|(begin, end)| self.body.get(*begin..*end).unwrap_or_default())
    }

    /// Each part, built when its turn comes.
    pub fn values(&self) -> impl Iterator<Item = Value> + '_ {
        self.texts().map(value_of)
    }

    /// The same in Takt's names and forms.
    fn decoded(self, shape: &Shape) -> Self {
        if !shape.is_translated() {
            return self;
        }
        let mut body = String::with_capacity(self.body.len());
        let mut spans = Vec::with_capacity(self.spans.len());
        for text in self.texts() {
            let begin = body.len();
            body.push_str(&shape.decoded(text));
            spans.push((begin, body.len()));
        }
        Self { body, spans }
    }

    /// The same for two lists with the same parts in the same order.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.texts().for_each(|text| text.hash(&mut hasher));
        hasher.finish()
    }

    /// True where every part is an object.
    #[must_use]
    pub fn are_objects(&self) -> bool {
        self.texts().all(|text| text.starts_with('{'))
    }
}

/// A part as a value; one that nobody can build (nested without end, half a character) as its text.
#[must_use]
pub fn value_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

impl Answer {
    /// As [`Self::rows`]; a large body is gone through away from the threads that wait for answers.
    ///
    /// # Errors
    /// Where the body has no such list.
    pub async fn into_rows(self, shape: &Arc<Shape>) -> Result<Rows, ClientError> {
        let shape = Arc::clone(shape);
        run_blocking_if_large(self.body.len(), move || self.rows(&shape)).await?
    }

    /// The list that the body carries, its parts in Takt's names and forms.
    ///
    /// # Errors
    /// Where the body has no such list.
    pub fn rows(mut self, shape: &Shape) -> Result<Rows, ClientError> {
        let body = match String::from_utf8(std::mem::take(&mut self.body)) {
            Ok(body) => body,
            Err(cause) => {
                let reason = format!("its body can't be read: {cause}");
                self.body = cause.into_bytes();
                return Err(self.not_understood(reason));
            }
        };
        match spans(&body, &shape.member) {
            Ok(spans) => Ok(Rows { body, spans }.decoded(shape)),
            Err(reason) => {
                self.body = body.into_bytes();
                Err(self.not_understood(reason))
            }
        }
    }
}

fn spans(body: &str, member: &str) -> Result<Vec<(usize, usize)>, String> {
    let whole: &RawValue = serde_json::from_str(body).map_err(|cause| format!("its body can't be read: {cause}"))?;
    let list = part(whole, member).and_then(|list| serde_json::from_str::<Vec<&RawValue>>(list.get()).ok());
    let list = list.ok_or_else(|| format!("there is no list `{member}`"))?;
    let begin = body.as_ptr().addr();
    Ok(list
        .into_iter()
        .map(|part| {
            let at = part.get().as_ptr().addr() - begin;
            (at, at + part.get().len())
        })
        .collect())
}

/// What a dotted path names; an empty one is the whole.
fn part<'a>(whole: &'a RawValue, path: &str) -> Option<&'a RawValue> {
    let mut names = path.split('.').filter(|name| !name.is_empty());
    names
        .try_fold(whole, |part, name| serde_json::from_str::<HashMap<String, &RawValue>>(part.get()).ok()?.remove(name))
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
        let shape = Shape { member: member.to_owned(), ..Shape::default() };
        let headers = HeaderMap::new();
        Answer { status: 200, body: body.to_vec(), headers, limit: None, milliseconds: 0 }.rows(&shape)
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
