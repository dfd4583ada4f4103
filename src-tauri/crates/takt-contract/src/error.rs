//! The error for an invalid contract document.

/// The reason why a document can't be used as a contract.
#[derive(Debug, thiserror::Error)]
pub enum ContractError {
    #[error("the contract document is not JSON: {0}")]
    NotJson(#[from] serde_json::Error),
    #[error("the contract document lacks `{member}` at `{at}`")]
    Missing { at: String, member: String },
    #[error("the contract document has an unusable `{member}` at `{at}`: {reason}")]
    Unusable { at: String, member: String, reason: String },
    #[error("the reference `{0}` points to nothing in the document")]
    DanglingReference(String),
}
