//! A team's database on PostgreSQL: sessions, values and errors.
//!
//! The driver is asynchronous, but the journal isn't. So each session has a thread, and callers block until it returns
//! a result.

mod address;
mod availability;
mod availability_probe;
mod connect;
mod copy_rows;
mod error;
mod pipeline;
mod server;
mod session;
mod sql;
mod value;

pub use address::{DEFAULT_SILENCE_TIMEOUT, TeamAddress, TeamAddressError};
pub use availability::Availability;
pub(crate) use availability_probe::AvailabilityProbe;
pub(crate) use copy_rows::CopyRows;
pub use error::PostgresError;
pub(crate) use pipeline::{Pipeline, PipelineMark};
pub use server::PasswordSource;
pub(crate) use server::Server;
pub(crate) use session::{COPY_MIN_ROWS, HeldLocks, LockKey, Session, SessionLock, Step, StepResult};
#[cfg(test)]
pub(crate) use sql::translate;
pub(crate) use value::{StoredValue, StoredValues, stored_value};
