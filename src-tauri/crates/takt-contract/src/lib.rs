//! What the service's interface says: operations, fields, rules, provenance and wire types, read from one OpenAPI 3.1
//! document (`contract/takt.openapi.json`).
//!
//! Owns the document, its reading into [`Contract`], and the serde types of everything that crosses the wire.
//! Leaves to others: sending (takt-client), checking rows of a workbook (takt-engine), answering (takt-plant).

mod access;
mod answering;
mod cleanup;
mod contract;
mod error;
mod event;
mod field;
mod operation;
mod picture;
mod provenance;
mod read_back;
mod reader;
mod sense;
mod statement;
mod total;
pub mod wire;

pub use access::ServiceAccess;
pub use answering::{Answering, RuleExample};
pub use cleanup::{Cleanup, LinkDelete, ProcessList, TemplateUser};
pub use contract::Contract;
pub use error::ContractError;
pub use event::{EventKind, FloorMoment, FloorMove, FloorTurn};
pub use field::{Field, FieldKind, Limits, Names, Rule};
pub use operation::{Operation, OperationKind, Parameter, ParameterPlace, Shape, SpanEnd};
pub use picture::{Draw, Grouping, Moves, Once, Picture, Span, Weekly};
pub use provenance::{Provenance, ProvenanceLevel};
pub use read_back::{Entry, KeyedList, QueryParameter, ReadBack};
pub use sense::{FieldPair, ListRow, PropertyFields, RefersTo, Sense, Unknown};
pub use statement::{Statement, StatementAbout};
pub use total::Total;
