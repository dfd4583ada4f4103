//! Reading what the service holds, generically by the contract.

mod view;

pub use view::*;
