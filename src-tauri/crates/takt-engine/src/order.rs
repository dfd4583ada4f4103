//! Combines everything that is known about an order: its rows in lists, and submissions about it.
//!
//! `parts` finds the lists with rows of orders, `order_rows` reads them. `submissions` finds the submissions, and
//! `recent` the orders that were opened last. The contract says which fields name an order. Reading belongs to
//! `browse`.

mod naming;
mod order_rows;
mod parts;
mod recent;
mod submissions;
mod time_span;

pub(crate) use self::naming::Naming;
pub use self::{
    order_rows::{OrderRows, Orders},
    parts::{OrderBy, OrderLists, OrderPart},
    submissions::OrderSubmission,
    time_span::OrderTimeSpan,
};
