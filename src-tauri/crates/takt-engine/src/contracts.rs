//! Manages sites' contracts: previews a site's own document, applies it, and restores earlier versions.
//!
//! Reading and matching documents belongs to takt-openapi, versions and the contract in force to takt-sites.

mod address;
mod edit;
mod effect;
mod junit;
mod learn_pages;
mod learn_reply;
mod live;
mod paging_test;
mod preview;
mod single_request;
mod site_contracts;
mod value_type;

use takt_contract::Contract;
use takt_openapi::export;

pub use address::DocumentPlace;
pub use edit::{AssumptionEdit, FieldEdit, OperationEdit};
pub use effect::ContractEffect;
pub use junit::junit;
pub use live::{ContractTest, OperationTest, TestOutcome};
pub use paging_test::{ListPages, PagingFinding, PagingTest, StatedLimit};
pub use preview::{ContractPreview, MatchChoice, MatchTarget};
pub use single_request::{SingleAnswer, SingleRequest};
pub use site_contracts::{ContractDifferences, Contracts};
pub use value_type::ValueType;

/// Exports the contract as OpenAPI 3.1 with the site's names.
#[must_use]
pub fn document(contract: &Contract) -> serde_json::Value {
    export::document(contract)
}
