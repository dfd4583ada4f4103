//! Reads lists of the service by the contract. No code here is specific to an operation.
//!
//! `list_reader` defines the main type. `read` reads pages, `named_moments` resolves dates such as "tomorrow", and
//! `set` stores the rows. `table` and `arrange` show them, and `export` writes them to a file. Paging and rate limits
//! belong to takt-client.

mod arrange;
mod arrangement;
mod export;
mod export_snapshot;
mod filters;
mod list_reader;
mod members;
mod moved_bars;
mod named_moments;
mod page_walk;
mod read;
mod removed_site;
mod row_view;
mod set;
mod stream;
mod table;
mod table_view;
mod view;

pub use arrange::column::ValueCount;
pub use arrangement::{ArrangedRows, Arrangement, Filter, SortBy, Test};
pub use export::ExportRequest;
pub use export_snapshot::SHEET as EXPORTED;
pub use export_snapshot::{
    ExportOrigin, ExportSnapshot, MAX_ROWS as MAX_REMEMBERED, SnapshotIndex, sheet as remembering,
};
pub use filters::{ListFilter, ReadFilters};
pub use list_reader::Browse;
pub use moved_bars::{BarPlace, MovedBar};
pub use named_moments::NamedSpan;
pub use row_view::{RowCut, TableRows, TextPiece, WholeRow};
pub use set::RowSet;
pub use stream::{StreamForm, StreamOptions, StreamResult};
pub use table::cell;
pub use table_view::{ColumnLayout, NamedView, SpanForm, TableView, TableViews};
pub use view::*;
