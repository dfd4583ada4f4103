//! The response of a query: its errors, its text as received, and its lists.

use serde_json::{Map, Value};
use takt_client::{ClientError, ServiceResponse};
use takt_core::{Code, Problem};

use crate::graphql::json_format::pretty_print;
use crate::graphql::table::{GraphqlTable, find_lists};
use crate::graphql::view::{GraphqlAnswer, GraphqlError};

/// The maximum bytes of a displayed response. Tables and files contain all of it.
const MAX_TEXT_BYTES: usize = 1_000_000;
const MAX_ERRORS: usize = 100;
const MAX_MESSAGE_LENGTH: usize = 2_000;

/// A complete response.
#[derive(Debug)]
pub struct GraphqlResult {
    text: String,
    bytes: usize,
    milliseconds: u32,
    members: Map<String, Value>,
}

impl GraphqlResult {
    /// Parses a response. A GraphQL response has `data`, `errors` or both.
    ///
    /// # Errors
    ///
    /// [`ClientError::NotUnderstood`]: the body isn't a JSON object, or has neither `data` nor `errors`.
    pub fn from_response(answer: &ServiceResponse) -> Result<Self, ClientError> {
        let body = std::str::from_utf8(&answer.body)
            .map_err(|cause| answer.invalid_response_error(format!("its body can't be read: {cause}")))?;
        match answer.json()? {
            Value::Object(members) if members.contains_key("data") || members.contains_key("errors") => {
                Ok(Self::new(body, answer.milliseconds, members))
            }
            _ => Err(answer.invalid_response_error("there is neither `data` nor `errors`".to_owned())),
        }
    }

    /// Parses an error response that lists GraphQL errors. Some services respond to a wrong query with an error status.
    pub(super) fn from_error_response(error: ClientError) -> Result<Self, ClientError> {
        let ClientError::Refused(refusal) = &error else { return Err(error) };
        match serde_json::from_str(&refusal.body) {
            Ok(Value::Object(members)) if !parse_errors(&members).is_empty() => {
                Ok(Self::new(&refusal.body, refusal.milliseconds, members))
            }
            _ => Err(error),
        }
    }

    fn new(body: &str, milliseconds: u32, members: Map<String, Value>) -> Self {
        Self { text: pretty_print(body), bytes: body.len(), milliseconds, members }
    }

    #[must_use]
    pub fn view(&self) -> GraphqlAnswer {
        let (text, cut) = match truncate(&self.text) {
            Some(beginning) => (beginning.to_owned(), true),
            None => (self.text.clone(), false),
        };
        GraphqlAnswer {
            text,
            cut,
            bytes: u32::try_from(self.bytes).unwrap_or(u32::MAX),
            milliseconds: self.milliseconds,
            errors: self.errors(),
            lists: find_lists(self.data()),
        }
    }

    /// Returns the complete response as JSON, one member per line.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    #[must_use]
    pub fn errors(&self) -> Vec<GraphqlError> {
        parse_errors(&self.members)
    }

    /// Returns a list of the response as a table, by default the first one.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`]: the response contains no list, and no path is given (`no-list`).
    /// - [`Code::Unknown`]: there is no list at `path`.
    pub fn table(&self, path: Option<&str>) -> Result<GraphqlTable, Problem> {
        let first = || find_lists(self.data()).into_iter().next().map(|list| list.path);
        let path = path.map(str::to_owned).or_else(first).ok_or_else(|| Problem::obstacle("no-list"))?;
        let table = GraphqlTable::from_list(self.data(), &path);
        table.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", path))
    }

    pub(super) fn data(&self) -> &Value {
        self.members.get("data").unwrap_or(&Value::Null)
    }
}

/// Returns the beginning of the text up to the end of a line, or `None` if the text is short enough.
fn truncate(text: &str) -> Option<&str> {
    if text.len() <= MAX_TEXT_BYTES {
        return None;
    }
    let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= MAX_TEXT_BYTES).last().unwrap_or_default();
    let beginning = text.get(..end).unwrap_or_default();
    Some(beginning.rsplit_once('\n').map_or(beginning, |(lines, _)| lines))
}

fn parse_errors(members: &Map<String, Value>) -> Vec<GraphqlError> {
    let list = members.get("errors").and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|error| {
        let message = error.get("message")?.as_str()?;
        let location = error.get("locations").and_then(|places| places.get(0));
        let position = |name: &str| location?.get(name)?.as_u64()?.try_into().ok();
        let message = message.chars().take(MAX_MESSAGE_LENGTH).collect();
        Some(GraphqlError { message, line: position("line"), column: position("column") })
    })
    .take(MAX_ERRORS)
    .collect()
}
