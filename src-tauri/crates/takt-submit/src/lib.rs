//! Changes a site's data: change previews, submissions with their results, and the history of submissions.
//!
//! | types | what they do |
//! |---|---|
//! | [`Previews`] | the changes that sending an import would make |
//! | [`Submissions`] | sending, resuming, resolving unconfirmed rows, undo |
//! | [`History`] | earlier submissions, and the support bundle |
//! | [`Templates`] | templates, their links to processes, and deleting the links |
//! | [`link::Link`] | a template-process link to delete |
//!
//! `engine` is an open `takt_engine::Engine`, which creates the types of this crate. A user is signed in to its
//! practice plant.
//!
//! ```
//! use takt_client::Canceller;
//! use takt_sites::PRACTICE;
//! use takt_submit::{
//!     preview::PreviewChoice,
//!     submission::{ImportToSend, SendOptions},
//! };
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let fixture = takt_test_support::plant_fixture::Fixture::signed_in().await;
//! # let (engine, folder) = (&fixture.engine, &fixture.home);
//! let file = folder.path().join("materials.csv");
//! std::fs::write(&file, "Code;Description\nEX-1;Steel\nEX-2;Brass\n")?;
//! let import = engine.imports().open(&file)?.id;
//! engine.imports().choose_operation(import, "materials.sync")?;
//!
//! let preview = engine.previews().compare(PRACTICE, import, &Canceller::new(), |_| ()).await?;
//! assert_eq!(preview.counts.new, 2);
//!
//! let choice = Some(PreviewChoice::default());
//! let import = ImportToSend { import, site: PRACTICE.to_owned(), preview: choice, close: true };
//! let plan = engine.submissions().send(import, SendOptions::default()).await?;
//! let plan = engine.submissions().wait(plan.id.first()).await?;
//! assert_eq!(plan.submissions[0].counts.accepted, 2);
//! # Ok(())
//! # }
//! ```
//!
//! Reading workbooks belongs to takt-import, and reading lists to takt-browse.

pub mod cleanup;
pub mod history;
pub mod link;
pub mod preview;
mod restoring;
mod result_reason;
pub mod submission;

pub use cleanup::Templates;
pub use history::History;
pub use preview::Previews;
pub use submission::{Submissions, SubmissionsConfig};
