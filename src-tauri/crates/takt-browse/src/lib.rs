//! Reading what a site holds: pages and sets of rows, reference data for checks, read-back, pictures, GraphQL.
//!
//! | module | owns |
//! |---|---|
//! | [`browse`] | [`Browse`]: lists by the contract, page by page, as tables and files |
//! | [`reference`](mod@reference) | [`References`]: what a site holds, as far as checks need it, with its age |
//! | [`read_back`] | where a row that was sent is seen again |
//! | [`picture`] | [`Pictures`]: columns for charts of what was read |
//! | [`graphql`] | [`GraphQl`]: queries, the schema, saved queries |
//! | [`request`] | a read's operation and parameters |
//!
//! Nothing here changes what a site holds. Leaves to others: pages and pace (takt-client), what rows mean for a workbook.

pub mod browse;
pub mod graphql;
pub mod picture;
pub mod read_back;
pub mod reference;
pub mod request;

pub use browse::{Browse, BrowseEnd, BrowseProgress, RowSet};
pub use graphql::GraphQl;
pub use picture::Pictures;
pub use reference::References;
pub use request::BrowseQuery;
