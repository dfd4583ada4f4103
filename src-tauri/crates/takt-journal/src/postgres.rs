//! A team's database on PostgreSQL: sessions, values and errors.
//!
//! The driver is asynchronous and the journal isn't. So each session has a thread, and callers wait for its result as
//! for a file.

mod address;
mod availability;
mod availability_probe;
mod connect;
mod copy_rows;
mod driver;
mod error;
mod lock_key;
mod pipeline;
mod server;
mod session;
mod sql;
mod value;

pub use address::{DEFAULT_SILENCE_TIMEOUT, TeamAddress, TeamAddressError};
pub use availability::Availability;
pub(crate) use availability_probe::AvailabilityProbe;
pub(crate) use copy_rows::CopyRows;
pub(crate) use driver::{COPY_MIN_ROWS, Step, StepResult};
pub use error::PostgresError;
pub(crate) use lock_key::LockKey;
pub(crate) use pipeline::{Pipeline, PipelineMark};
pub use server::PasswordSource;
pub(crate) use server::Server;
pub(crate) use session::{HeldLocks, Session, SessionLock};
#[cfg(test)]
pub(crate) use sql::translate;
pub(crate) use value::{StoredValue, StoredValues, stored_value};
