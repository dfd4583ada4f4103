//! Reads lists of the service by the contract. No code here is specific to an operation.
//!
//! `list_reader` reads `pages`, `named_moments` resolves dates such as "tomorrow", and `row_set` stores the rows.
//! `arrange` sorts and filters them, and `table` converts them for files. `export` writes them to a file, and `stream`
//! writes a list without storing it. Paging and rate limits belong to takt-client.

mod arrange;
mod arrangement;
mod export;
mod export_snapshot;
mod list_reader;
mod list_settings;
mod named_moments;
mod pages;
mod row_set;
mod row_view;
mod stream;
mod table;
mod table_view;

pub use arrange::ValueCount;
pub use arrangement::{ArrangedRows, Arrangement, Filter, SortBy, Test};
pub use export::ExportRequest;
pub use export_snapshot::{
    ExportOrigin, ExportSnapshot, MAX_SNAPSHOT_ROWS, SNAPSHOT_SHEET, SnapshotIndex, snapshot_sheet,
};
pub use list_reader::Browse;
pub use list_settings::{BarPlace, ListFilter, MovedBar, ReadFilters};
pub use named_moments::NamedSpan;
pub use pages::{BrowseEnd, BrowsePage, BrowseProgress, PageRequest, PageResult};
pub use row_set::RowSet;
pub use row_view::{RowCut, TableRows, TextPiece, WholeRow};
pub use stream::{StreamFormat, StreamOptions, StreamResult};
pub use table::to_out_cell;
pub use table_view::{ColumnLayout, NamedView, SpanForm, TableView, TableViews};
