//! The processes of a template, and the links for a batch delete.

use serde::{Deserialize, Serialize};

use super::{TimeSpan, number};

/// One process of a template. It has no operation code.
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

/// One link to delete.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TemplateProcessLink {
    #[serde(deserialize_with = "number::whole")]
    pub template_id: i64,
    pub process_code: String,
    pub operation_code: String,
}
