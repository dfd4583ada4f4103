//! An answer: its errors, its text as it came, and the lists in it.

use serde_json::{Map, Value};
use takt_client::{Answer, ClientError};

use super::{GraphqlAnswer, GraphqlError, GraphqlTable, layout, lists};
use takt_core::{Code, Problem};

/// Bytes of text that are shown; a table and a file have everything.
const MAX_SHOWN: usize = 1_000_000;
const MAX_ERRORS: usize = 100;
const MAX_MESSAGE_LENGTH: usize = 2_000;

/// A whole answer, kept until another takes its place.
#[derive(Debug)]
pub struct GraphqlResult {
    text: String,
    bytes: usize,
    milliseconds: u32,
    members: Map<String, Value>,
}

impl GraphqlResult {
    /// An answer of GraphQL has `data`, `errors` or both.
    ///
    /// # Errors
    ///
    /// [`ClientError::NotUnderstood`]: the body is no JSON object, or has neither `data` nor `errors`.
    pub fn read(answer: &Answer) -> Result<Self, ClientError> {
        let said = std::str::from_utf8(&answer.body)
            .map_err(|cause| answer.not_understood(format!("its body can't be read: {cause}")))?;
        match answer.json()? {
            Value::Object(members) if members.contains_key("data") || members.contains_key("errors") => {
                Ok(Self::new(said, answer.milliseconds, members))
            }
            _ => Err(answer.not_understood("there is neither `data` nor `errors`".to_owned())),
        }
    }

    /// Some services answer a query that is wrong with a status of its own, and say in the body what is wrong.
    pub(super) fn refused(error: ClientError) -> Result<Self, ClientError> {
        let ClientError::Refused(refusal) = &error else { return Err(error) };
        match serde_json::from_str(&refusal.body) {
            Ok(Value::Object(members)) if !errors(&members).is_empty() => {
                Ok(Self::new(&refusal.body, refusal.milliseconds, members))
            }
            _ => Err(error),
        }
    }

    fn new(said: &str, milliseconds: u32, members: Map<String, Value>) -> Self {
        Self { text: layout::laid_out(said), bytes: said.len(), milliseconds, members }
    }

    #[must_use]
    pub fn view(&self) -> GraphqlAnswer {
        let (text, cut) = match shown(&self.text) {
            Some(beginning) => (beginning.to_owned(), true),
            None => (self.text.clone(), false),
        };
        GraphqlAnswer {
            text,
            cut,
            bytes: u32::try_from(self.bytes).unwrap_or(u32::MAX),
            milliseconds: self.milliseconds,
            errors: self.errors(),
            lists: lists::lists(self.data()),
        }
    }

    /// The whole answer as JSON, one member per line.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    #[must_use]
    pub fn errors(&self) -> Vec<GraphqlError> {
        errors(&self.members)
    }

    /// A list of it as a table; without a path the one to begin with.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`]: the answer holds no list, and no path is given (`no-list`).
    /// - [`Code::Unknown`]: no list stands at `path`.
    pub fn table(&self, path: Option<&str>) -> Result<GraphqlTable, Problem> {
        let first = || lists::lists(self.data()).into_iter().next().map(|list| list.path);
        let path = path.map(str::to_owned).or_else(first).ok_or_else(|| Problem::in_the_way("no-list"))?;
        let found = GraphqlTable::of(self.data(), &path);
        found.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", path))
    }

    pub(super) fn data(&self) -> &Value {
        self.members.get("data").unwrap_or(&Value::Null)
    }
}

/// Its beginning up to the end of a line, where it is longer than what is shown.
fn shown(text: &str) -> Option<&str> {
    if text.len() <= MAX_SHOWN {
        return None;
    }
    let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= MAX_SHOWN).last().unwrap_or_default();
    let beginning = text.get(..end).unwrap_or_default();
    Some(beginning.rsplit_once('\n').map_or(beginning, |(lines, _)| lines))
}

fn errors(members: &Map<String, Value>) -> Vec<GraphqlError> {
    let list = members.get("errors").and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|error| {
        let message = error.get("message")?.as_str()?;
        let place = error.get("locations").and_then(|places| places.get(0));
        let number = |name: &str| place?.get(name)?.as_u64()?.try_into().ok();
        let message = message.chars().take(MAX_MESSAGE_LENGTH).collect();
        Some(GraphqlError { message, line: number("line"), column: number("column") })
    })
    .take(MAX_ERRORS)
    .collect()
}
