//! The bodies of batches, lists and errors, and the names of response headers, as spelled in the specification.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{duration::TimeSpan, number};

/// The number of requests allowed per window.
pub const X_RATE_LIMIT_LIMIT: &str = "X-RateLimit-Limit";
/// The number of requests left in the current window.
pub const X_RATE_LIMIT_REMAINING: &str = "X-RateLimit-Remaining";
/// The date-time at which the current window ends.
pub const X_RATE_LIMIT_RESET: &str = "X-RateLimit-Reset";
/// The number of rows on all pages.
pub const X_PAGINATION_TOTAL: &str = "X-Pagination-Total";
/// The number of pages with the requested number of rows per page.
pub const X_PAGINATION_PAGES: &str = "X-Pagination-Pages";
/// The 1-based number of the page in the response.
pub const X_PAGINATION_CURRENT: &str = "X-Pagination-Current";

/// The body of a sync request or a batch delete request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchRequest<T> {
    pub items: Vec<T>,
}

/// A response to a batch as specified. To parse a service's response, use
/// [`ParsedBatchResponse`](crate::wire::ParsedBatchResponse).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchResponse {
    #[serde(deserialize_with = "number::deserialize_integer")]
    pub total_items: i64,
    #[serde(deserialize_with = "number::deserialize_integer")]
    pub success_count: i64,
    #[serde(deserialize_with = "number::deserialize_integer")]
    pub error_count: i64,
    /// One result per item of the request, in the same order.
    pub results: Vec<BatchResult>,
}

/// The result of one item in a batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BatchResult {
    /// The item's key fields, as the service repeats them.
    #[serde(flatten)]
    pub key: Map<String, Value>,
    pub success: bool,
    /// The reasons for a failure. The specified response to a batch delete doesn't have this member.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
}

/// The body of a list's response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListResponse<T> {
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
    #[serde(deserialize_with = "number::deserialize_integer")]
    pub limit: i64,
    #[serde(deserialize_with = "number::deserialize_integer")]
    pub remaining: i64,
    /// An ISO 8601 date-time, at which the current window ends.
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

/// One process of a template, which has no operation code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TemplateProcess {
    pub code: String,
    pub description: String,
    pub predicted_labor_time: TimeSpan,
    pub predicted_machine_time: TimeSpan,
    pub is_quality_inspection: bool,
}

/// The response of `templates.processes`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TemplateProcesses {
    pub inspections_processes: Vec<TemplateProcess>,
}

/// A link between a template and a process, to be deleted.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TemplateProcessLink {
    #[serde(deserialize_with = "number::deserialize_integer")]
    pub template_id: i64,
    pub process_code: String,
    pub operation_code: String,
}
