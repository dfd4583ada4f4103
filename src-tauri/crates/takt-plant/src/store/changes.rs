//! What changes of the store: what stood there before, so that it can be taken back, and what happened.

use takt_contract::wire::TemplateProcessLink;

use crate::{
    domain_event::DomainEvent,
    store::{Resource, RowText, Supply},
};

/// What a piece of work changed in the store, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Changes {
    /// One that changed twice stands here twice.
    pub(crate) rows: Vec<RowChange>,
    pub(crate) templates: Vec<TemplateChange>,
    pub(crate) supplies: Vec<SupplyChange>,
    pub(crate) happenings: Vec<DomainEvent>,
}

impl Changes {
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.templates.is_empty() && self.supplies.is_empty()
    }
}

/// A row that changed.
#[derive(Debug, Clone)]
pub(crate) struct RowChange {
    pub(crate) resource: Resource,
    pub(crate) position: u32,
    /// The row that stood there; none where the row is new.
    pub(crate) before: Option<RowText>,
}

/// A template whose links changed.
#[derive(Debug, Clone)]
pub(crate) struct TemplateChange {
    pub(crate) id: i64,
    pub(crate) before: Vec<TemplateProcessLink>,
}

/// A material supply that changed.
#[derive(Debug, Clone)]
pub(crate) struct SupplyChange {
    pub(crate) id: i64,
    /// The supply as it was; none where it is new.
    pub(crate) before: Option<Supply>,
}
