//! The help, with the same pages in the window, on the command line and as web pages.
//!
//! | module | owns |
//! |---|---|
//! | [`page`] | the list of pages, their order, and their text: the Markdown under `docs/help` |
//! | [`reference`] | a page per operation, generated from the contract: its fields, filters and rules |
//! | [`search`] | search in the pages |
//! | [`html`] | Markdown to HTML |
//! | [`website`] | all pages as a folder of web pages |
//! | `words` | the headings of generated pages, in each language |
//!
//! The window draws the pages. The texts of `takt --help` aren't here.

pub mod html;
pub mod page;
pub mod reference;
pub mod search;
pub mod website;
mod words;

pub use page::{HelpGroup, HelpPage};
