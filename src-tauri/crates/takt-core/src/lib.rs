//! What every part of Takt's work uses: the one error that people see, their words, rows and items, the home folder.
//!
//! | module | owns |
//! |---|---|
//! | [`problem`] | [`Problem`], the error that leaves to the faces, and its closed set of [`Code`]s |
//! | [`words`] | the language files of problems, results and findings |
//! | [`item`] | a row's identity, the item that is sent for it, its result |
//! | [`finding`] | codes and severities of what is wrong or doubtful at a cell |
//! | [`home`] | the home folder: where it is, who may open it |
//! | [`salvage`] | damaged files that were replaced, until a person has seen it |
//! | [`clock`] | the time now, as it is handed in |
//! | [`site_time`] | moments in texts of a site, by its own clock |
//! | [`blocking`] | work off the threads that answer others |
//! | [`output_file`] | files that a person chose to write |
//! | [`browser`], [`person`] | the system browser and the account of this computer |
//! | [`hex`] | bytes as hexadecimal digits |
//! | [`folding`] | texts without letter case and accents |
//! | [`invisible`] | invisible characters |
//!
//! Leaves to others: everything that reads, checks, sends or receives.

mod opaque_debug;

#[cfg(any(windows, test))]
mod access;
pub mod blocking;
pub mod browser;
pub mod clock;
mod excel_row;
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
pub use excel_row::ExcelRow;
pub use finding::{FindingCode, Severity};
pub use home::Home;
pub use item::{Item, ItemComparison, ItemError, RowId};
pub use output_file::{ExportFormat, write_file};
pub use problem::{Code, Problem};
pub use takt_journal::{Change, RowResult};
pub use words::{Language, Words};
