//! Sends GraphQL queries to a site, with the site's token and within its rate limit. Never sends anything but queries.
//!
//! `client` sends queries, and `document` checks them before they are sent. `answer`, `json_format` and `table` show
//! the response as text and as tables. `schema` reads the site's schema. `saved_queries` stores queries without their
//! secrets. Tokens and rate limits belong to takt-client, the database to takt-journal.

mod answer;
mod client;
mod document;
mod json_format;
mod saved_queries;
mod schema;
mod table;
mod view;

pub use answer::GraphqlResult;
pub use client::GraphQl;
pub use table::GraphqlTable;
pub use view::{
    GraphqlAnswer, GraphqlColumn, GraphqlEditorState, GraphqlError, GraphqlList, GraphqlRequest, GraphqlRows,
    GraphqlSchema, QueryHistoryEntry, SavedQuery, TypedQuery,
};
