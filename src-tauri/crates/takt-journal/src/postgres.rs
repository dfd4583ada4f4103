//! A team's database on PostgreSQL: sessions, values, and what can go wrong with them.
//!
//! The driver is asynchronous and the journal isn't, so each session is driven by a thread of its own; whoever asks waits for its
//! answer as for a file's.

mod address;
mod copy_rows;
mod driver;
mod error;
mod pipeline;
mod session;
mod sql;
mod value;

pub use address::{TeamAddress, TeamAddressError};
pub(crate) use copy_rows::CopyRows;
pub(crate) use driver::{COPIED, Step, StepAnswer};
pub use error::PostgresError;
pub(crate) use pipeline::{Pipeline, PipelineMark};
pub(crate) use session::{HeldLocks, LockKey, Session, SessionLock};
pub(crate) use value::{StoredValue, StoredValues, stored_value};
