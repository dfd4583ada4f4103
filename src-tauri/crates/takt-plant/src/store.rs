//! The store: all rows of the plant, serialized as in responses.
//!
//! Serialized rows make a page a copy of text and keep a million materials small. A change parses one row, merges it
//! and writes it back.
//! Owns keys, references between rows and the effects of a sync.
//! Leaves the validation of items to `interface`, and the initial rows to `seed`.

mod floor_index;
mod labor_times;
mod layout;
mod members;
mod order_history;
mod resource;
mod rows;
mod supplies;
mod sync;
mod table;

pub(crate) use layout::View;
pub(crate) use members::{
    ENDED, IN_EXECUTION, Members, PAUSED, PLANNED, get_order_state, get_text, to_json_number, to_time_span,
};
pub(crate) use order_history::{HistoryEntry, get_produced_quantities};
pub(crate) use resource::Resource;
pub(crate) use rows::{Changes, Store};
pub(crate) use supplies::Supply;
pub(crate) use sync::SyncOperation;
pub(crate) use table::{Selection, TextFilter};
