//! What the window sees of template cleanup.

use serde::{Deserialize, Serialize};

use crate::Problem;

/// One process of one template, with its times in seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ProcessRow {
    /// At most 2^53: it crosses to the window as a number.
    #[cfg_attr(feature = "specta", specta(type = f64))]
    pub template_id: i64,
    pub code: String,
    pub description: String,
    pub labor_seconds: f64,
    pub machine_seconds: f64,
    pub is_quality_inspection: bool,
}

/// What a template holds, or why it couldn't be read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct TemplateView {
    #[cfg_attr(feature = "specta", specta(type = f64))]
    pub template_id: i64,
    pub processes: Vec<ProcessRow>,
    pub problem: Option<Problem>,
}

/// A template-process link to delete.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Link {
    #[cfg_attr(feature = "specta", specta(type = f64))]
    pub template_id: i64,
    pub process_code: String,
    /// Not part of a template's processes; a person gives it.
    pub operation_code: String,
}
