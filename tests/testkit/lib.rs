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
mod connection;
mod console;
mod display;
mod driver;
mod encrypted_workbook;
mod erp;
mod file_server;
mod journal;
mod keychain;
mod list_fault;
mod memory;
mod network;
mod output;
mod paths;
mod plant;
#[cfg(unix)]
pub mod postgres;
mod program;
mod read_operations;
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
pub use browser::{Browser, Person, complete_sign_in};
pub use console::{Console, SITE};
pub use display::Display;
pub use driver::Driver;
pub use encrypted_workbook::protected_workbook;
pub use erp::{Erp, ReceivedRequest, Reply};
pub use file_server::FileServer;
pub use journal::{StoredRow, StoredSubmission, stored_rows, stored_submissions};
pub use keychain::Keychain;
pub use list_fault::ListFaults;
pub use memory::{memory_of_home, start_of_program, threads_of_home};
pub use network::{Authority, NetworkServer, PRIVATE_HOST};
pub use paths::{are_pictures_enabled, built_program, repository, results_folder, sample_path};
pub use plant::{ANY_PORT, Applied, Plant};
pub use program::Program;
pub use read_operations::{READ_OPERATIONS, TEMPLATE_PROCESSES};
pub use relay::{Exchange, FreezePoint, Relay};
pub use second_plant::SecondPlant;
pub use spreadsheet::workbook;
pub use takt::{CommandOutput, Takt};
pub use test_app::{CHANGE_TIMEOUT, TestApp, as_text};
pub use window::{Engine, Window};
