//! The basis of all crates: the error type for users, texts, rows and items, and the home folder.
//!
//! | module | owns |
//! |---|---|
//! | [`problem`] | [`Problem`], the error type of the API, and its closed set of [`Code`]s |
//! | [`words`] | the language files of problems, results and findings |
//! | [`item`] | a row's identity, the item that is sent for it, and its result |
//! | [`finding`] | codes and severities of findings at cells |
//! | [`home`] | the home folder: its location and access |
//! | [`salvage`] | damaged files that were replaced, until the user confirms them |
//! | [`clock`] | the current time |
//! | [`site_time`] | times in texts of a site, in its time zone |
//! | [`blocking`] | blocking work outside the threads that serve requests |
//! | [`output_file`] | files written for the user |
//! | [`browser`], [`person`] | the system's browser, and the computer's account |
//! | [`hex`] | bytes as hexadecimal digits |
//! | [`folding`] | texts without letter case and accents |
//! | [`invisible`] | invisible characters |
//!
//! Never reads, checks, sends or receives rows: that belongs to other crates.

mod opaque_debug;

#[cfg(any(windows, test))]
mod access;
pub mod blocking;
pub mod browser;
pub mod clock;
pub mod finding;
pub mod folding;
pub mod hex;
pub mod home;
pub mod invisible;
pub mod item;
pub mod output_file;
pub mod person;
pub mod policy;
pub mod problem;
pub mod salvage;
pub mod site_time;
pub mod words;

pub use clock::{Clock, check_system_clock};
pub use finding::{FindingCode, Severity};
pub use home::Home;
pub use item::{ExcelRow, Item, ItemComparison, ItemError, RowId};
pub use output_file::{ExportFormat, write_file};
pub use problem::{Code, Problem};
pub use takt_journal::{Change, RowResult};
pub use words::{Language, Words};
