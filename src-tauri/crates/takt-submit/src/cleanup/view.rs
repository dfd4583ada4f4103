//! What the window and the command line see of template cleanup.

use serde::{Deserialize, Serialize};
use takt_core::Problem;

/// Template ids as a person would write them: `1-3, 7`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Ids {
    pub count: u32,
    pub text: String,
}

/// How far reading templates has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TemplatesProgress {
    pub requested: u32,
    /// Of which it is known whether they are there, and those that couldn't be read.
    pub settled: u32,
    pub existing: u32,
}

/// Ids that couldn't be read for the same reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct UnreadIds {
    pub ids: Ids,
    pub problem: Problem,
}

/// What one template holds, summed up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct TemplateSum {
    /// At most 2^53: it crosses to the window as a number.
    pub id: i64,
    pub processes: u32,
    pub labor_seconds: f64,
    pub machine_seconds: f64,
    /// Orders that are made by it, and those of them that are running; absent where the orders weren't read.
    pub orders: Option<u32>,
    pub running: Option<u32>,
}

/// A process, and how many of the templates that were read hold it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ProcessSum {
    pub code: String,
    pub description: String,
    pub templates: u32,
    /// True where the list of processes knows it; absent where that couldn't be read.
    pub listed: Option<bool>,
}

/// Which template holds which process, column by column so that many of them cross quickly: position n of each list is link n.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Links {
    /// Positions in [`TemplatesView::templates`].
    pub template: Vec<u32>,
    /// Positions in [`TemplatesView::processes`].
    pub process: Vec<u32>,
    /// Seconds; absent where there is no predicted time.
    pub labor: Vec<Option<f64>>,
    pub machine: Vec<Option<f64>>,
    pub quality: Vec<bool>,
    /// Each facet's bit where the link belongs to it: the first facet's is 1, the second's 2, and so on.
    pub facets: Vec<u32>,
}

/// What is worth a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub enum FacetKind {
    /// Links of processes without any predicted time.
    NoTime,
    /// Links whose template holds the same process more than once.
    Twice,
    /// Processes that are described alike under different codes.
    Alike,
    /// Processes that the list of processes doesn't know.
    Unlisted,
    /// Processes of that list which no template that was read holds.
    Unheld,
    /// Templates without processes.
    Empty,
    /// Templates that no order uses.
    Unused,
}

/// What a facet counts.
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
    /// How many of these there are.
    pub count: u32,
    /// How many links belong to it.
    pub links: u32,
    /// What it is about, where no link shows it; at most a thousand.
    pub names: Vec<String>,
}

/// What was read of a set of templates, summed up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct TemplatesView {
    pub progress: TemplatesProgress,
    /// Not known to the service.
    pub absent: Ids,
    /// Not read yet.
    pub left: Ids,
    pub unread: Vec<UnreadIds>,
    /// By id.
    pub templates: Vec<TemplateSum>,
    /// By code.
    pub processes: Vec<ProcessSum>,
    pub links: Links,
    /// Those that could be looked for; also with a count of 0.
    pub facets: Vec<TemplateFacet>,
    /// Why the list of processes couldn't be read.
    pub list_problem: Option<Problem>,
    /// When the orders were read; ISO 8601. Absent where they weren't, or too long ago.
    pub orders_at: Option<String>,
}

/// Template ids that a person gave a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IdList {
    pub name: String,
    /// As they were typed.
    pub ids: String,
}

/// Which templates orders are made by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TemplateUseView {
    /// When the orders were read; ISO 8601.
    pub at: String,
    /// False where not all orders were read: then more templates may be used.
    pub whole: bool,
    pub orders: u32,
    pub templates: Ids,
}

/// How an order stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum OrderStage {
    /// Begun, and not over.
    Running,
    Planned,
    /// Neither begun nor planned.
    Open,
    Ended,
}

/// An order that is made by a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct AffectedOrder {
    pub template: String,
    /// Its business key, the parts joined with ` · `.
    pub key: String,
    pub stage: OrderStage,
    /// In the service's words.
    pub status: String,
}

/// What names templates.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Affected {
    /// Some of them, those that are running first, then those that are planned.
    pub orders: Vec<AffectedOrder>,
    pub total: u32,
    pub running: u32,
    pub planned: u32,
    /// False where there is more than could be read: then more may be affected.
    pub whole: bool,
}

/// Links that an import would delete.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GoingLinks {
    pub links: u32,
    /// The templates that they belong to, by id.
    pub templates: Vec<i64>,
}
