//! The orders on the floor, updated from each batch of readings by the contract.

mod fold;
mod turn;

pub(super) use fold::{Fold, Zones};
