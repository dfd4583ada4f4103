//! Reads a site's OpenAPI document, matches it with the contract and proposes an overlay.
//!
//! | module | purpose |
//! |---|---|
//! | [`document`] | bytes to a bounded model of operations, parameters, bodies and responses; faults with their line |
//! | [`schema`] | a schema merged from its parts: references, `allOf`, unions, codes |
//! | [`observation`] | an overlay learned from a site's responses |
//! | [`comparison`] | the differences between two contracts |
//! | [`matching`] | the matches of operations and members with the contract's: scores, reasons, decisions |
//! | [`proposal`] | the overlay made from the matches, new operations, and open questions |
//! | [`coverage`] | the report on which parts of the contract a document has |
//! | [`export`] | a contract in force as a document |
//! | `member_names` | common names for pages, counts, results and reasons |
//! | `reference` | references inside the document, JSON pointers |
//! | `words` | names split into words, and words mapped to concepts |
//! | `object_list` | the member of a body that has the rows or items |
//! | [`value`] | the contract's kind of a value, and its form on the wire |
//!
//! Overlays are defined and applied in takt-contract. This crate neither fetches documents nor stores their versions.

pub mod comparison;
pub mod coverage;
pub mod document;
mod error;
pub mod export;
mod limits;
pub mod matching;
mod member_names;
mod object_list;
pub mod observation;
pub mod proposal;
mod reference;
pub mod schema;
pub mod value;
mod words;

pub use document::Document;
pub use error::{DocumentError, StructureFault};
