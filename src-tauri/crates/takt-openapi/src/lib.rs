//! A site's own OpenAPI document: read, matched with the contract, and made into an overlay.
//!
//! | module | owns |
//! |---|---|
//! | [`document`] | bytes to a bounded model: operations, parameters, bodies, answers; what is wrong, with its line |
//! | [`schema`] | one schema as all of its parts together say it: references, `allOf`, unions, codes |
//! | [`comparison`] | two contracts beside each other |
//!
//! Leaves to others: what an overlay is and how it is applied (takt-contract), fetching a document, keeping its versions.

pub mod comparison;
pub mod document;
mod error;
mod limits;
pub mod schema;

pub use document::Document;
pub use error::{DocumentError, StructureFault};
