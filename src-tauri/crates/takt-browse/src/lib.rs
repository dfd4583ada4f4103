//! Reads data from a site: pages and sets of rows, reference data for checks, read-back, pictures, GraphQL.
//!
//! | types | what they do |
//! |---|---|
//! | [`Browse`], [`RowSet`] | read lists by the contract page by page, and export them as tables and files |
//! | [`BrowseQuery`] | a read's operation and parameters |
//! | [`References`] | the parts of a site's lists that checks need, with their age |
//! | [`read_back::ReadBack`] | reads a sent row back from the service |
//! | [`Pictures`] | columns for charts of rows |
//! | [`GraphQl`] | queries, the schema, saved queries |
//!
//! `engine` is an open `takt_engine::Engine`, which creates the types of this crate. A user is signed in to its
//! practice plant.
//!
//! ```
//! use takt_browse::{BrowseEnd, BrowseQuery};
//! use takt_client::Canceller;
//! use takt_sites::PRACTICE;
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let fixture = takt_test_support::plant_fixture::Fixture::signed_in().await;
//! # let engine = &fixture.engine;
//! let browse = engine.browse();
//! let query = BrowseQuery { operation: "materials.list".to_owned(), ..BrowseQuery::default() };
//! let page = browse.fetch_page(PRACTICE, &query, 1, 20).await?;
//! assert_eq!(page.rows.len(), 20);
//!
//! let set = browse.row_set(PRACTICE, &query.operation)?;
//! let end = browse.read_all(&query, &set, &Canceller::new(), |progress| println!("{} rows", progress.rows)).await?;
//! assert_eq!((end, page.total), (BrowseEnd::Whole, Some(u32::try_from(set.len())?)));
//! # Ok(())
//! # }
//! ```
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
