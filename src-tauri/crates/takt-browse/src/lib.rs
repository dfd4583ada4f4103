//! Reads data from a site: pages and sets of rows, reference data for checks, read-back, pictures, GraphQL.
//!
//! | module | owns |
//! |---|---|
//! | [`lists`] | [`Browse`]: reads lists by the contract page by page, and exports them as tables and files |
//! | [`reference`](mod@reference) | [`References`]: the parts of a site's lists that checks need, with their age |
//! | [`read_back`] | reads a sent row back from the service |
//! | [`picture`] | [`Pictures`]: columns for charts of rows |
//! | [`graphql`] | [`GraphQl`]: queries, the schema, saved queries |
//! | [`request`] | a read's operation and parameters |
//!
//! Never changes data of a site. Paging and rate limits belong to takt-client, the meaning of rows in a workbook to
//! takt-import.

pub mod graphql;
pub mod lists;
pub mod picture;
pub mod read_back;
pub mod reference;
pub mod request;

pub use graphql::GraphQl;
pub use lists::{Browse, BrowseEnd, BrowseProgress, RowSet};
pub use picture::Pictures;
pub use reference::References;
pub use request::BrowseQuery;
