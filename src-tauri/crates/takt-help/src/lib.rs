//! The help, with the same pages in the window, on the command line and as web pages.
//!
//! | types | what they do |
//! |---|---|
//! | [`HelpPage`], [`HelpGroup`] | a page with its text, and the subject of a page |
//! | [`page`] | the list of pages and their order: the Markdown under `docs/help` |
//! | [`mod@reference`] | a page per operation, generated from the contract: its fields, filters and rules |
//! | [`search::HelpMatch`] | a result of a search in the pages |
//! | [`html::PageLocation`] | Markdown to HTML, with links for the window or for a folder |
//! | [`website`] | all pages as a folder of web pages |
//!
//! This example finds the page about the keyboard in German, and renders it.
//!
//! ```
//! use takt_contract::Contract;
//! use takt_core::Language;
//! use takt_help::{
//!     html::{PageLocation, render_html},
//!     page, search,
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let contract = Contract::builtin()?;
//! let pages = page::pages(&contract, Language::De);
//! let found = search::search_pages(&pages, "tastatur");
//! assert_eq!(found[0].page, "keyboard");
//!
//! let keyboard = pages.iter().find(|page| page.id == found[0].page).ok_or("there is no such page")?;
//! let html = render_html(&keyboard.text, PageLocation::Window);
//! assert!(html.starts_with(&format!("<h1>{}</h1>", keyboard.title)));
//! # Ok(())
//! # }
//! ```
//!
//! The texts of `takt --help` are in takt-cli.

pub mod html;
pub mod page;
pub mod reference;
pub mod search;
pub mod website;
mod words;

pub use page::{HelpGroup, HelpPage};
