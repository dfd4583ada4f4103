//! Manages sites' contracts: previews a site's own document, applies it, and restores earlier versions.
//!
//! Reading and matching documents belongs to takt-openapi, versions and the contract in force to takt-sites.

mod contract_test;
mod document_preview;
mod edit;
mod junit;
mod paging_test;
mod single_request;
mod site_contracts;
mod value_type;

use takt_contract::Contract;
use takt_openapi::export;

pub use contract_test::{ContractTest, OperationTest, TestOutcome};
pub use document_preview::{ContractEffect, ContractPreview, DocumentLocation, MatchChoice, MatchTarget};
pub use edit::{AssumptionEdit, FieldEdit, OperationEdit};
pub use junit::format_junit;
pub use paging_test::{ListPages, PagingFinding, PagingTest, StatedLimit};
pub use single_request::{SingleAnswer, SingleRequest};
pub use site_contracts::{ContractDifferences, Contracts};
pub use value_type::ValueType;

/// Exports the contract as OpenAPI 3.1 with the site's names.
#[must_use]
pub fn export_openapi(contract: &Contract) -> serde_json::Value {
    export::document(contract)
}
