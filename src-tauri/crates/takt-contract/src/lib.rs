//! What the service's interface says: operations, fields, rules, provenance and wire types, read from one OpenAPI 3.1
//! document (`contract/takt.openapi.json`).
//!
//! Owns the document, its reading into [`Contract`], and the serde types of everything that crosses the wire.
//! Leaves to others: sending (takt-client), checking rows of a workbook (takt-import), answering (takt-plant).
//!
//! | part | what it says |
//! |---|---|
//! | [`Contract`] | the whole document, read |
//! | [`Operation`], [`Parameter`], [`Shape`] | what can be asked, and of what is made what goes in and comes out |
//! | [`Field`], [`Rule`], [`Sense`] | one member, what must hold between members, and what it means at a site |
//! | [`EventKind`], [`Answering`] | what the service tells, and how it may be answered |
//! | [`form`] | how values, pages, batches and errors travel, where a site differs |
//! | [`overlay`] | what a site's own document, its answers or a person replace |
//! | [`Assumption`] | what is decided for the service as a whole, and what a site says instead |
//! | [`Provenance`], [`Statement`] | what of it is specified, and what is assumed and why |
//! | [`picture`], [`read_back`], [`Cleanup`], [`Total`] | what can be drawn of a list, where a sent row is seen again, what deletes links, what is summed |
//! | [`LocalTime`] | what the changes of a zone's clock make of a local time |
//! | [`wire`] | the types of everything that crosses the wire |
//! | [`ServiceAccess`] | where a service is, and by what it is entered |

mod access;
mod answering;
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
mod sense;
mod statement;
mod total;
pub mod wire;

pub use access::ServiceAccess;
pub use answering::{Answering, RuleExample};
pub use assumption::{Assumption, AssumptionError};
pub use byte_order_mark::{text_without_byte_order_mark, utf8_text, without_byte_order_mark};
pub use cleanup::{Cleanup, LinkDelete, ProcessList, TemplateUser};
pub use contract::Contract;
pub use deviation::{Deviation, DeviationKind};
pub use error::ContractError;
pub use event::{EventKind, FloorMoment, FloorMove, FloorTurn};
pub use event_schema::{DATE_TIME_FORMAT, DURATION_FORMAT};
pub use field::{Field, FieldKind, Limits, Names, Nouns, Rule};
pub use local_time::{LocalTime, OffsetMoment};
pub use operation::{Operation, OperationKind, Parameter, ParameterPlace, Shape, SpanEnd};
pub use provenance::{Provenance, ProvenanceLevel};
pub use sense::{FieldPair, ListRow, PropertyFields, RefersTo, Sense, Unknown};
pub use statement::{Statement, StatementAbout};
pub use total::Total;
