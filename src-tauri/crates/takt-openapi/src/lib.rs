//! A site's own OpenAPI document: read, matched with the contract, and made into an overlay.
//!
//! | module | owns |
//! |---|---|
//! | [`document`] | bytes to a bounded model: operations, parameters, bodies, answers; what is wrong, with its line |
//! | [`schema`] | one schema as all of its parts together say it: references, `allOf`, unions, codes |
//! | [`observation`] | what a site's answers show |
//! | [`comparison`] | two contracts beside each other |
//! | [`matching`] | which of its operations and members is which of the contract's: scores, reasons, decisions |
//! | [`proposal`] | the overlay that the matches make, the operations that are new, and what stays open |
//! | [`coverage`] | what of the contract a document has, for a report |
//! | [`export`] | a contract in force as a document |
//! | `members` | the names of what isn't part of an object itself: pages, counts, results, reasons |
//! | `reference` | references inside the document, JSON pointers |
//! | `words` | names into words, and words into what they mean |
//! | `list` | which member of a body carries rows or items |
//! | [`value`] | of what kind a value is in the contract's terms, and how it travels |
//!
//! Leaves to others: what an overlay is and how it is applied (takt-contract), fetching a document, keeping its versions.

pub mod comparison;
pub mod coverage;
pub mod document;
mod error;
pub mod export;
mod limits;
mod list;
pub mod matching;
mod members;
pub mod observation;
pub mod proposal;
mod reference;
pub mod schema;
pub mod value;
mod words;

pub use document::Document;
pub use error::{DocumentError, StructureFault};
