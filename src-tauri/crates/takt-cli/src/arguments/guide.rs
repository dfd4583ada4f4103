//! The arguments of `takt guide`.

use std::path::PathBuf;

use clap::Args;

/// The help as it stands in the window
#[derive(Debug, Args)]
pub(crate) struct GuideArguments {
    /// The page to print, for example `check`; without it the list of all pages
    #[arg(value_name = "PAGE", conflicts_with_all = ["find", "save"])]
    pub(crate) page: Option<String>,
    /// Lists the pages that have all of these words
    #[arg(long, value_name = "WORDS", conflicts_with = "save")]
    pub(crate) find: Option<String>,
    /// Writes all pages, in all languages, as web pages into a folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) save: Option<PathBuf>,
    /// JSON lines: one per page
    #[arg(long, conflicts_with = "save")]
    pub(crate) json: bool,
}
