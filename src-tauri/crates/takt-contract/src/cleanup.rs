//! What a cleanup of links needs to know of the fields of a read (`x-takt-cleanup`).

use serde::{Deserialize, Serialize};

use crate::Provenance;

/// The list of every process that there is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ProcessList {
    /// The operation that reads it.
    pub list: String,
    pub code: String,
    pub description: String,
}

/// The delete of a link between a template and a process, and what it calls the parts of a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct LinkDelete {
    pub operation: String,
    pub template: String,
    pub process: String,
    /// What no read shows: a person gives it.
    pub by_person: String,
}

/// A list whose rows are made by templates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TemplateUser {
    /// The operation that reads it.
    pub list: String,
    /// The field that names the template.
    pub template: String,
    /// What a row says of itself.
    pub status: String,
    /// Filled in where it is planned.
    pub planned: String,
    /// Filled in once it has begun.
    pub begun: String,
    /// Filled in once it is over.
    pub ended: String,
}

/// A read that shows the processes of one template: which field means what when links are cleaned up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Cleanup {
    /// The parameter that names the template.
    pub template: String,
    pub code: String,
    pub description: String,
    pub labor: String,
    pub machine: String,
    pub quality: String,
    /// True where a time of zero says as little as one that is absent. A process without either time has no predicted time.
    pub zero_is_none: bool,
    pub every: ProcessList,
    pub delete: LinkDelete,
    pub users: Vec<TemplateUser>,
    pub provenance: Provenance,
}
