//! The views of GraphQL for the window and the command line.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A query to run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct GraphqlRequest {
    pub query: String,
    /// The variables' values by name, as a JSON object.
    pub variables: Option<Value>,
    /// The operation to run, required if there are several.
    pub operation_name: Option<String>,
}

/// The response to a query. The service's text isn't trusted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct GraphqlAnswer {
    /// The JSON, one member per line. Only its beginning if `cut` is true.
    pub text: String,
    pub cut: bool,
    /// The size of the complete response as received.
    pub bytes: u32,
    pub milliseconds: u32,
    pub errors: Vec<GraphqlError>,
    /// The lists that can be shown as tables. The default comes first.
    pub lists: Vec<GraphqlList>,
}

/// One entry of the response's `errors`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GraphqlError {
    pub message: String,
    /// The position in the query, from 1. `None` if the service didn't give it.
    pub line: Option<u32>,
    pub column: Option<u32>,
}

/// A list of objects in a response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GraphqlList {
    /// The members from `data` to the list, joined by dots: `workOrders.items`. The path leads through the rows of
    /// lists.
    pub path: String,
    pub rows: u32,
}

/// A column of a list that is shown as a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GraphqlColumn {
    /// For example `code` or `area.code`. Columns of an enclosing list start with that list's path.
    pub heading: String,
    /// True if every value is a number.
    pub numeric: bool,
}

/// A range of rows of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GraphqlRows {
    pub columns: Vec<GraphqlColumn>,
    /// Cells in the columns' order: text, number, boolean or null.
    pub rows: Vec<Vec<Value>>,
    pub total: u32,
}

/// A site's schema, or the reasons why the site doesn't provide it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GraphqlSchema {
    /// The time when the schema was read, in ISO 8601.
    pub at: String,
    /// The response's `data` with `__schema`. `None` if the site doesn't provide it.
    pub introspection: Option<Value>,
    /// The service's errors if it doesn't provide its schema.
    pub reasons: Vec<String>,
}

/// A query as typed by the user.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TypedQuery {
    pub query: String,
    /// JSON as typed. May be empty.
    pub variables: String,
}

/// A query that was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct QueryHistoryEntry {
    pub typed: TypedQuery,
    /// The last time at which the query was run, in ISO 8601.
    pub at: String,
}

/// A query saved under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SavedQuery {
    pub name: String,
    pub typed: TypedQuery,
}

/// The open tabs of the editor.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GraphqlEditorState {
    pub tabs: Vec<TypedQuery>,
    /// The index of the active tab.
    pub active: u32,
}
