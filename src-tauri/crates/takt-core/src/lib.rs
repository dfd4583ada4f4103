//! The basis of all crates: the error type for users, texts, rows and items, and the home folder.
//!
//! | types | what they do |
//! |---|---|
//! | [`Problem`], [`Code`] | the error type of the API, and its closed set of codes |
//! | [`Words`], [`Language`] | the texts of problems, results and findings in each language |
//! | [`Item`], [`RowId`], [`RowResult`] | the item that is sent for a row, the row's identity and its result |
//! | [`FindingCode`], [`Severity`] | codes and severities of findings at cells |
//! | [`Home`], [`policy::Policy`] | the home folder with its files, and an administrator's settings |
//! | [`Clock`], [`site_time::SiteTime`] | the current time, and times in texts of a site |
//! | [`ExportFormat`], [`write_file`] | files written for the user |
//! | [`salvage`] | damaged files that were replaced, until the user confirms them |
//! | [`blocking`] | blocking work outside the threads that serve requests |
//! | [`browser`], [`account`] | the system's browser, and the computer's account |
//! | [`hex`], [`folding`], [`invisible`] | bytes as hexadecimal digits, texts without letter case and accents, invisible characters |
//!
//! A problem's texts follow from its code and parameters, so each of them exists in every language.
//!
//! ```
//! use takt_core::{Code, Language, Problem, Words};
//!
//! let problem = Problem::new(Code::FileEmpty).parameter("file", "plan.xlsx");
//! assert_eq!(problem.to_string(), "plan.xlsx contains no rows.");
//!
//! let german = Words::load(Language::De);
//! let title = german.problem_title(problem.code, &problem.parameters);
//! assert_eq!(title, "plan.xlsx enthält keine Zeilen.");
//! ```
//!
//! Never reads, checks, sends or receives rows: that belongs to other crates.

mod opaque_debug;

#[cfg(any(windows, test))]
mod access;
pub mod account;
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
