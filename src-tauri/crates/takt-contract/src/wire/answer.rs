//! Bodies of batches, lists and errors.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::number;

/// The body of a sync or a batch delete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchRequest<T> {
    pub items: Vec<T>,
}

/// The exact response of a batch. To read a service's response, use [`BatchReading`](super::BatchReading).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchAnswer {
    #[serde(deserialize_with = "number::whole")]
    pub total_items: i64,
    #[serde(deserialize_with = "number::whole")]
    pub success_count: i64,
    #[serde(deserialize_with = "number::whole")]
    pub error_count: i64,
    /// One per requested item, in request order.
    pub results: Vec<BatchResult>,
}

/// The result of one item of a batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BatchResult {
    /// The item's key fields, as the service repeats them.
    #[serde(flatten)]
    pub key: Map<String, Value>,
    pub success: bool,
    /// The reasons of a failure. The specified batch delete has no such member.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
}

/// The response of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListAnswer<T> {
    pub data: Vec<T>,
}

/// The body of statuses 400 and 412.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorsBody {
    pub errors: Vec<String>,
}

/// The body of statuses 401, 403 and 404.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorBody {
    pub error: String,
}

/// The body of status 429. The unit of `retry_after` isn't specified (see the contract's assumptions).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitBody {
    pub error: String,
    #[serde(with = "number")]
    pub retry_after: f64,
    #[serde(deserialize_with = "number::whole")]
    pub limit: i64,
    #[serde(deserialize_with = "number::whole")]
    pub remaining: i64,
    /// An ISO 8601 date-time.
    pub reset: String,
}

/// The body of status 500.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InternalErrorBody {
    pub log_id: String,
    pub message: Vec<String>,
    /// Present only in a development environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack_trace: Option<Vec<String>>,
}
