//! The fields that a cleanup of links uses (`x-takt-cleanup`).

use serde::{Deserialize, Serialize};

use crate::Provenance;

/// The list of all processes, with the fields of its rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ProcessList {
    /// The ID of the read.
    pub list: String,
    pub code: String,
    pub description: String,
}

/// The delete of links between templates and processes, with the fields of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct LinkDelete {
    pub operation: String,
    pub template: String,
    pub process: String,
    /// The field whose value the user enters, since no read returns it.
    pub by_person: String,
}

/// A list whose rows use templates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TemplateUser {
    /// The ID of the read.
    pub list: String,
    /// The field with the code of the template.
    pub template: String,
    pub status: String,
    /// The field that is set while the row is planned.
    pub planned: String,
    /// The field that is set once the row has begun.
    pub begun: String,
    /// The field that is set once the row has ended.
    pub ended: String,
}

/// A read of the processes of one template, with the fields that a cleanup of links uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Cleanup {
    /// The parameter with the code of the template.
    pub template: String,
    pub code: String,
    pub description: String,
    pub labor: String,
    pub machine: String,
    pub quality: String,
    /// Whether a time of zero means that there is none. A process without times has no predicted time.
    pub zero_is_none: bool,
    pub every: ProcessList,
    pub delete: LinkDelete,
    pub users: Vec<TemplateUser>,
    pub provenance: Provenance,
}
