//! Reads a site's OpenAPI document, matches it with the contract and proposes an overlay.
//!
//! | types | what they do |
//! |---|---|
//! | [`Document`] | a document as a bounded model of operations, parameters, bodies and responses |
//! | [`DocumentError`], [`StructureFault`] | the faults of a document, with their line |
//! | [`schema::Schema`] | a schema merged from its parts: references, `allOf`, unions, codes |
//! | [`matching::OperationMatch`] | the match of an operation with the contract's: scores, reasons, decisions |
//! | [`proposal::Proposal`] | the overlay made from the matches, new operations, and open questions |
//! | [`observation::Observation`] | an overlay learned from a site's responses |
//! | [`coverage::Coverage`] | the report on which parts of the contract a document has |
//! | [`comparison::OperationDifference`] | the differences between two contracts |
//! | [`value::ValueDoubt`] | the properties of a value that a document leaves open |
//! | [`export`] | a contract in force as a document |
//!
//! The site of this example has other paths and other names than the built-in contract.
//!
//! ```
//! use jiff::tz::TimeZone;
//! use takt_contract::Contract;
//! use takt_openapi::{Document, matching::match_operations, proposal::propose_overlay};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let contract = Contract::builtin()?;
//! let document = Document::read(&std::fs::read("../../../tests/data/second_plant.openapi.yaml")?)?;
//! let matches = match_operations(&document, &contract);
//! let proposal = propose_overlay(&document, &matches, &contract);
//!
//! let site = contract.with_overlay(&proposal.overlay, &TimeZone::UTC);
//! let sync = site.operation("materials.sync").ok_or("the contract has no such operation")?;
//! let material = sync.request.as_ref().ok_or("the operation sends no items")?;
//! let code = material.fields.iter().find(|field| field.name == "code").ok_or("a material has no code")?;
//! assert_eq!((&*sync.path, code.wire_name()), ("/mes/v2/articles/import", "ArticleNumber"));
//! # Ok(())
//! # }
//! ```
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
