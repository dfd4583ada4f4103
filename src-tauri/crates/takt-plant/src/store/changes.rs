//! Changes of the store with the previous values, for reverting them, and the events that they caused.

use takt_contract::wire::TemplateProcessLink;

use super::{resource::Resource, supplies::Supply, text::RowText};
use crate::domain_event::DomainEvent;

/// The changes of one piece of work, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Changes {
    /// A row that changed twice is listed twice.
    pub(crate) rows: Vec<RowChange>,
    pub(crate) templates: Vec<TemplateChange>,
    pub(crate) supplies: Vec<SupplyChange>,
    pub(crate) events: Vec<DomainEvent>,
}

impl Changes {
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.templates.is_empty() && self.supplies.is_empty()
    }
}

/// A changed row.
#[derive(Debug, Clone)]
pub(crate) struct RowChange {
    pub(crate) resource: Resource,
    pub(crate) position: u32,
    /// The previous row. None if the row is new.
    pub(crate) before: Option<RowText>,
}

/// A template with changed links.
#[derive(Debug, Clone)]
pub(crate) struct TemplateChange {
    pub(crate) id: i64,
    pub(crate) before: Vec<TemplateProcessLink>,
}

/// A changed material supply.
#[derive(Debug, Clone)]
pub(crate) struct SupplyChange {
    pub(crate) id: i64,
    /// The previous supply. None if it's new.
    pub(crate) before: Option<Supply>,
}
