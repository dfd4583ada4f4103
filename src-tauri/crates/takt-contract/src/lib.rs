//! The service's interface: operations, fields, rules, provenance and wire types, read from one OpenAPI 3.1 document
//! (`contract/takt.openapi.json`).
//!
//! | part | describes |
//! |---|---|
//! | [`Contract`] | the whole document |
//! | [`Operation`], [`Parameter`], [`RowSchema`] | requests and responses |
//! | [`Field`], [`Rule`], [`ReferenceCheck`] | members, rules between members, and plausibility at a site |
//! | [`EventKind`], [`ReplyRules`] | events and rules for their replies |
//! | [`form`] | how a site's values, pages, batches and errors differ |
//! | [`overlay`] | replacements from a site's document, its responses or the user |
//! | [`Assumption`] | decisions about the service, and a site's replacements |
//! | [`Provenance`], [`Statement`] | specified and assumed parts, with reasons |
//! | [`picture`], [`read_back`], [`Cleanup`], [`Total`] | charts of a list, read-backs, deletes of links, totals |
//! | [`LocalTime`] | local times that a zone's clock skips or repeats |
//! | [`wire`] | serde types of the bodies and headers on the wire |
//! | [`ServiceAccess`] | addresses and credentials of a service |
//!
//! The built-in contract describes the service. An overlay describes the differences of one site.
//!
//! ```
//! use jiff::tz::TimeZone;
//! use takt_contract::{
//!     Contract, Provenance, ProvenanceLevel,
//!     overlay::{OperationOverlay, Overlay},
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let contract = Contract::builtin()?;
//! let sync = contract.operation("materials.sync").ok_or("the contract has no such operation")?;
//! let material = sync.request.as_ref().ok_or("the operation sends no items")?;
//! let required = material.fields.iter().filter(|field| field.required);
//! assert_eq!(required.map(|field| &field.name).collect::<Vec<_>>(), ["code", "description"]);
//!
//! let source = Provenance { level: ProvenanceLevel::Site, source: "the integrator".to_owned() };
//! let mut change = OperationOverlay::new("materials.sync", source);
//! change.path = Some("/v2/articles".to_owned());
//! let overlay = Overlay { operations: vec![change], ..Overlay::default() };
//! let site = contract.with_overlay(&overlay, &TimeZone::UTC);
//! assert_eq!(site.operation("materials.sync").map(|sync| &*sync.path), Some("/v2/articles"));
//! # Ok(())
//! # }
//! ```
//!
//! This crate doesn't send requests (takt-client), check rows of a workbook (takt-import) or answer requests
//! (takt-plant).

mod access;
mod assumption;
mod byte_order_mark;
mod cleanup;
mod codec;
mod contract;
mod deviation;
mod error;
mod event;
mod event_schema;
mod field;
pub mod form;
mod local_time;
mod operation;
pub mod overlay;
pub mod picture;
mod provenance;
mod raw_members;
pub mod read_back;
mod reader;
mod reference_check;
pub mod wire;

pub use access::ServiceAccess;
pub use assumption::{Assumption, AssumptionError};
pub use byte_order_mark::{text_without_byte_order_mark, utf8_text, without_byte_order_mark};
pub use cleanup::{Cleanup, LinkDelete, ProcessList, TemplateUser};
pub use contract::Contract;
pub use deviation::{Deviation, DeviationKind};
pub use error::ContractError;
pub use event::{EventKind, EventOutcome, FloorDate, FloorEffect, ReplyRules, RuleExample};
pub use event_schema::{DATE_TIME_FORMAT, DURATION_FORMAT};
pub use field::{Field, FieldKind, Limits, Names, Nouns, Rule};
pub use local_time::{LocalTime, OffsetTimestamp};
pub use operation::{
    Operation, OperationKind, Parameter, ParameterPlace, RowSchema, SpanEnd, Statement, StatementAbout, Total,
};
pub use provenance::{Provenance, ProvenanceLevel};
pub use reference_check::{FieldPair, ListRow, PropertyFields, ReferenceCheck, RefersTo, UnknownReference};
