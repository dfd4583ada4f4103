//! Which event moves an order on the floor where, by the contract: what is kept of it with each batch of readings.

mod fold;
mod turn;

pub(super) use fold::{Fold, Zones};
