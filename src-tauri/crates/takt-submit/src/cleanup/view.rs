//! The views of template cleanup for the window and the command line.

use serde::{Deserialize, Serialize};
use takt_core::Problem;

/// Template IDs, formatted as `1-3, 7`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Ids {
    pub count: u32,
    pub text: String,
}

/// The progress of reading templates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TemplatesProgress {
    pub requested: u32,
    /// Templates that were read, don't exist, or couldn't be read.
    pub settled: u32,
    pub existing: u32,
}

/// IDs that couldn't be read for the same reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct UnreadIds {
    pub ids: Ids,
    pub problem: Problem,
}

/// The processes, times and orders of one template.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct TemplateSum {
    /// At most 2^53, since JavaScript gets it as a number.
    pub id: i64,
    pub processes: u32,
    pub labor_seconds: f64,
    pub machine_seconds: f64,
    /// Orders that use the template, and those that are running. Both are absent if the orders weren't read.
    pub orders: Option<u32>,
    pub running: Option<u32>,
}

/// A process and the number of read templates that have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ProcessSum {
    pub code: String,
    pub description: String,
    pub templates: u32,
    /// Whether the service's list of processes contains it. Absent if the list couldn't be read.
    pub listed: Option<bool>,
}

/// The links of templates to processes, column by column for a fast transfer. Index n of each list is link n.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Links {
    /// Indexes in [`TemplatesView::templates`].
    pub template: Vec<u32>,
    /// Indexes in [`TemplatesView::processes`].
    pub process: Vec<u32>,
    /// In seconds. Absent if there is no predicted time.
    pub labor: Vec<Option<f64>>,
    pub machine: Vec<Option<f64>>,
    pub quality: Vec<bool>,
    /// A bit set: bit n is set if the link belongs to facet n, both counted from 0.
    pub facets: Vec<u32>,
}

/// The kind of suspicious links, processes or templates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub enum FacetKind {
    /// Links to processes without a predicted time.
    NoTime,
    /// Links whose template has the same process more than once.
    Twice,
    /// Processes with the same description but different codes.
    Alike,
    /// Processes that aren't in the list of processes.
    Unlisted,
    /// Processes in that list that none of the read templates has.
    Unheld,
    /// Templates without processes.
    Empty,
    /// Templates that no order uses.
    Unused,
}

/// The items that a facet counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub enum FacetAbout {
    Links,
    Processes,
    Templates,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TemplateFacet {
    pub kind: FacetKind,
    pub about: FacetAbout,
    /// The number of links, processes or templates, as in `about`.
    pub count: u32,
    /// The number of links that belong to the facet.
    pub links: u32,
    /// The names of items without links, at most 1,000.
    pub names: Vec<String>,
}

/// The templates of a set that were read so far, with sums.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct TemplatesView {
    pub progress: TemplatesProgress,
    /// IDs that the service doesn't know.
    pub absent: Ids,
    /// IDs that aren't read yet.
    pub left: Ids,
    pub unread: Vec<UnreadIds>,
    /// Sorted by ID.
    pub templates: Vec<TemplateSum>,
    /// Sorted by code.
    pub processes: Vec<ProcessSum>,
    pub links: Links,
    /// The facets for which data exist, including those with a count of 0.
    pub facets: Vec<TemplateFacet>,
    /// The reason why the list of processes couldn't be read.
    pub list_problem: Option<Problem>,
    /// The time when the orders were read (ISO 8601). Absent if they weren't read, or too long ago.
    pub orders_at: Option<String>,
}

/// A named list of template IDs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IdList {
    pub name: String,
    /// The IDs as typed.
    pub ids: String,
}

/// The templates that orders use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TemplateUseView {
    /// The time when the orders were read (ISO 8601).
    pub at: String,
    /// Whether all orders were read. Otherwise more templates may be in use.
    pub complete: bool,
    pub orders: u32,
    pub templates: Ids,
}

/// The stage of production that an order has reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum OrderStage {
    /// Begun but not ended.
    Running,
    Planned,
    /// Neither begun nor planned.
    Open,
    Ended,
}

/// An order that uses a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct AffectedOrder {
    pub template: String,
    /// The business key, its parts joined with ` · `.
    pub key: String,
    pub stage: OrderStage,
    /// The service's status text.
    pub status: String,
}

/// The orders that deleted links would affect.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Affected {
    /// At most 200 orders: running ones first, then planned, open and ended ones.
    pub orders: Vec<AffectedOrder>,
    pub total: u32,
    pub running: u32,
    pub planned: u32,
    /// Whether all orders were read. Otherwise more may be affected.
    pub complete: bool,
}

/// The number of links that an import would delete, and their templates.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LinksToDelete {
    pub links: u32,
    /// The IDs of their templates, in ascending order.
    pub templates: Vec<i64>,
}

/// Converts a count for the views. Counts above `u32::MAX` become `u32::MAX`.
pub(super) fn saturating_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
