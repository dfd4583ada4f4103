//! The store with all rows of the plant, serialized as in responses.
//!
//! With serialized rows, a page needs only copies of texts, and a million materials need little memory. A change parses
//! a row, merges it and serializes it again. The store checks keys and references, and applies syncs. Items are
//! validated in `interface`, and the initial rows are built in `seed`.

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
