//! The base of tests of the whole product: the real programs, a real plant, and a real window on a virtual display.
//!
//! Uses only the product's programs, command line and files, never its crates. Every guard ends its program with the
//! whole process group when it is dropped, even if the test fails. A missing tool fails the test with a hint.
#![expect(clippy::expect_used, reason = "a test kit fails the test")]

#[cfg(target_os = "linux")]
mod accessibility;
mod answer_relay;
mod axe;
mod browser;
mod chromium;
mod compound;
mod connection;
mod console;
mod display;
mod driver;
mod erp;
mod file_server;
mod journal;
mod keychain;
mod list_fault;
mod memory;
mod network;
mod output;
mod place;
mod plant;
#[cfg(unix)]
pub mod postgres;
mod program;
mod reads;
mod relay;
mod second_plant;
mod spreadsheet;
mod takt;
mod test_app;
mod window;

#[cfg(target_os = "linux")]
pub use accessibility::{AccessibilityBus, Accessible};
pub use answer_relay::AnswerRelay;
pub use axe::Violation;
pub use browser::{Browser, Person, follow};
pub use compound::protected_workbook;
pub use console::{Console, SITE};
pub use display::Display;
pub use driver::Driver;
pub use erp::{Erp, ReceivedRequest, Reply};
pub use file_server::FileServer;
pub use journal::{StoredRow, StoredSubmission, stored_rows, stored_submissions};
pub use keychain::Keychain;
pub use list_fault::ListFaults;
pub use memory::{memory_of_home, start_of_program, threads_of_home};
pub use network::{Authority, NetworkServer, PRIVATE_HOST};
pub use place::{built, repository, results, sample, takes_pictures};
pub use plant::{ANY_PORT, Applied, Plant};
pub use program::Program;
pub use reads::{OF_TEMPLATE, READS};
pub use relay::{Exchange, FreezePoint, Relay};
pub use second_plant::SecondPlant;
pub use spreadsheet::workbook;
pub use takt::{CommandOutput, Takt};
pub use test_app::{SOON, TestApp, as_text};
pub use window::{Engine, Window};
