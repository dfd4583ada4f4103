//! A common interface to SQLite files and a team's PostgreSQL database.
//!
//! Statements are written once, in SQL that both understand, with placeholders `?1`, `?2` and so on. Values are
//! converted by rusqlite's [`ToSql`](rusqlite::ToSql) and [`FromSql`](rusqlite::types::FromSql). A value is an integer,
//! a real number, a text, bytes or null.

mod connection;
mod error;
mod many_rows;
mod parameters;
mod row;
mod savepoint;
mod statement;

pub(crate) use connection::{Connection, Transaction};
pub(crate) use error::DatabaseError;
pub(crate) use parameters::params_from_iter;
pub(crate) use row::{OptionalExtension, Row, Rows};
pub(crate) use rusqlite::{params, types::Value as SqlValue};
pub(crate) use statement::PreparedChange;
