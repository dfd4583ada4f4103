//! The arguments of `takt guide`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct GuideArguments {
    /// Page to print, for example `check`. Without it, all pages are listed
    #[arg(value_name = "PAGE", conflicts_with_all = ["find", "save"])]
    pub(crate) page: Option<String>,
    /// Words to search for. Pages that contain all of them are listed
    #[arg(long, value_name = "WORDS", conflicts_with = "save")]
    pub(crate) find: Option<String>,
    /// Folder for all pages in all languages, as web pages
    #[arg(long, value_name = "FOLDER")]
    pub(crate) save: Option<PathBuf>,
    /// One JSON line per page
    #[arg(long, conflicts_with = "save")]
    pub(crate) json: bool,
}
