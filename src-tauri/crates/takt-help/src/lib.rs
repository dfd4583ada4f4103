//! The help: the same pages in the window, on the command line and as web pages.
//!
//! | module | owns |
//! |---|---|
//! | [`page`] | which pages there are, in which order, and their text: the Markdown under `docs/help` |
//! | [`reference`] | one page per operation, written from the contract: its fields, filters and rules |
//! | [`search`] | the pages that answer what a person types |
//! | [`html`] | Markdown to HTML |
//! | [`website`] | all pages as a folder of web pages |
//! | `words` | the headings of generated pages, in each language |
//!
//! Leaves to others: drawing a page in the window, the texts of `takt --help`.

pub mod html;
pub mod page;
pub mod reference;
pub mod search;
pub mod website;
mod words;

pub use page::{HelpGroup, HelpPage};
