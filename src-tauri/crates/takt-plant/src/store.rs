//! The store: all rows of the plant, serialized as in responses.
//!
//! Serialized rows make a page a copy of text and keep a million materials small. A change parses one row, merges it
//! and writes it back.
//! Owns keys, references between rows and the effects of a sync.
//! Leaves the validation of items to `interface`, and the initial rows to `seed`.

mod apply;
mod changes;
mod checks;
mod floor_index;
mod history;
mod hours;
mod layout;
mod lots;
mod members;
mod order_state;
mod orders;
mod quality;
mod resource;
mod rows;
mod supplies;
mod table;
mod text;
mod window_cache;

pub(crate) use apply::SyncOperation;
pub(crate) use changes::Changes;
pub(crate) use history::{HistoryEntry, produced};
pub(crate) use members::{Members, json_number, text, time_span};
pub(crate) use order_state::{ENDED, IN_EXECUTION, PAUSED, PLANNED, state};
pub(crate) use resource::Resource;
pub(crate) use rows::Store;
pub(crate) use supplies::Supply;
pub(crate) use table::{Selection, TextFilter};
pub(crate) use text::View;
