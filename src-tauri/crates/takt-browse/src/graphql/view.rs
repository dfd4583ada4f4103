//! What the window and the command line see of GraphQL.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What to ask.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct GraphqlRequest {
    pub query: String,
    /// An object by the variables' names, or nothing.
    pub variables: Option<Value>,
    /// Which of several queries; needed where there are several.
    pub operation_name: Option<String>,
}

/// What came of it. The service's text is not trusted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct GraphqlAnswer {
    /// The JSON, one member per line; its beginning where it is `cut`.
    pub text: String,
    pub cut: bool,
    /// Of the whole answer, as it came.
    pub bytes: u32,
    pub milliseconds: u32,
    pub errors: Vec<GraphqlError>,
    /// What a table can be made of; the one to begin with comes first.
    pub lists: Vec<GraphqlList>,
}

/// One of the answer's `errors`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GraphqlError {
    pub message: String,
    /// Where in the query, counted from 1; absent where the service didn't say.
    pub line: Option<u32>,
    pub column: Option<u32>,
}

/// A list of objects in an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GraphqlList {
    /// Members with dots between them, from `data` on: `workOrders.items`. A list on the way is walked through.
    pub path: String,
    pub rows: u32,
}

/// A column of a list as a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GraphqlColumn {
    /// `code`, `area.code`; of a list on the way with that list's path before it.
    pub heading: String,
    /// True where every value is a number.
    pub numeric: bool,
}

/// Some rows of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GraphqlRows {
    pub columns: Vec<GraphqlColumn>,
    /// Cells in the columns' order: text, number, truth or nothing.
    pub rows: Vec<Vec<Value>>,
    pub total: u32,
}

/// A site's schema as it was told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GraphqlSchema {
    /// When it was read: ISO 8601.
    pub at: String,
    /// The answer's `data`, with `__schema`; absent where the site doesn't tell it.
    pub introspection: Option<Value>,
    /// Its words where it doesn't.
    pub reasons: Vec<String>,
}

/// A query as it was typed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TypedQuery {
    pub query: String,
    /// JSON as typed; may be empty.
    pub variables: String,
}

/// One that was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PastQuery {
    pub typed: TypedQuery,
    /// ISO 8601, the last time.
    pub at: String,
}

/// One that was given a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SavedQuery {
    pub name: String,
    pub typed: TypedQuery,
}

/// What was open in the editor.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GraphqlDesk {
    pub tabs: Vec<TypedQuery>,
    /// Position of the one in front.
    pub active: u32,
}
