//! The roles of a read's fields in a cleanup of links (`x-takt-cleanup`).

use serde::{Deserialize, Serialize};

use crate::Provenance;

/// The list of all processes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ProcessList {
    /// The id of the operation that reads it.
    pub list: String,
    pub code: String,
    pub description: String,
}

/// The delete of links between templates and processes, with the fields of a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct LinkDelete {
    pub operation: String,
    pub template: String,
    pub process: String,
    /// The field that no read returns, so the user enters it.
    pub by_person: String,
}

/// A list whose rows are made from templates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TemplateUser {
    /// The id of the operation that reads it.
    pub list: String,
    /// The field with the template's code.
    pub template: String,
    /// The field with the row's status.
    pub status: String,
    /// The field that is set if the row is planned.
    pub planned: String,
    /// The field that is set once the row has begun.
    pub begun: String,
    /// The field that is set once the row has ended.
    pub ended: String,
}

/// A read of the processes of one template, with the roles of its fields in a cleanup of links.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Cleanup {
    /// The parameter with the template's code.
    pub template: String,
    pub code: String,
    pub description: String,
    pub labor: String,
    pub machine: String,
    pub quality: String,
    /// Whether a time of zero counts as absent. A process without either time has no predicted time.
    pub zero_is_none: bool,
    pub every: ProcessList,
    pub delete: LinkDelete,
    pub users: Vec<TemplateUser>,
    pub provenance: Provenance,
}
