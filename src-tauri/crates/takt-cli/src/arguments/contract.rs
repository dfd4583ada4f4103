//! Arguments of `takt contract`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use takt_engine::submission::SubmissionId;

use super::{ContractSetArguments, decisions::submission_id};

#[derive(Debug, Subcommand)]
pub(crate) enum ContractCommand {
    /// Print the interface description as OpenAPI 3.1. With --site, print the site's current version
    Show,
    /// Show what a site's OpenAPI document (3.0 or 3.1, JSON or YAML) would replace. Nothing is changed
    Check(ContractFileArguments),
    /// Use a site's OpenAPI document from a file or from the site. Requires --site
    Take(ContractFileArguments),
    /// Compare a live site with its interface description by loading each list once. Nothing is changed at the site.
    /// Requires --site
    Test(ContractTestArguments),
    /// Edit operations of a site's interface description. The edits become a new version. Requires --site
    Set(Box<ContractSetArguments>),
    /// Show how the site reports results, based on the response to a request with one row. Requires --site
    LearnAnswer(LearnAnswerArguments),
    /// Compare two documents, or with --site two versions of its interface description
    Diff {
        /// First document, or the number of a version (0 for the built-in interface description)
        first: PathBuf,
        /// Second document, or the number of a version
        second: PathBuf,
        /// One JSON line per operation
        #[arg(long)]
        json: bool,
    },
    /// List the versions of a site's interface description, newest first. Requires --site
    Versions {
        /// One JSON line per version
        #[arg(long)]
        json: bool,
    },
    /// Use an earlier version again, or 0 for the built-in interface description. Requires --site
    Restore {
        /// Number of the version
        number: u32,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ContractFileArguments {
    /// OpenAPI document. Without it, the document is loaded from the usual addresses of the site
    pub(crate) file: Option<PathBuf>,
    /// Address of the document at the site, for example /docs/openapi.json
    #[arg(long, conflicts_with = "file")]
    pub(crate) address: Option<String>,
    /// Operation of the document for one of Takt's operations, for example work-orders.list=GET:/orders (repeatable).
    /// Nothing after the equals sign means none
    #[arg(long = "match", value_name = "OPERATION=METHOD:PATH", value_parser = choice)]
    pub(crate) matches: Vec<(String, String)>,
    /// One JSON line per operation
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ContractTestArguments {
    /// Use the names, lists and value formats that the responses show
    #[arg(long)]
    pub(crate) take: bool,
    /// File for a report in the JUnit format
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// One JSON line per operation
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LearnAnswerArguments {
    /// Number of a submission with a request of one row, see `takt history`
    #[arg(value_parser = submission_id())]
    pub(crate) submission: SubmissionId,
    /// Use what the response shows as a new version
    #[arg(long)]
    pub(crate) take: bool,
    /// One JSON line per piece of evidence
    #[arg(long)]
    pub(crate) json: bool,
}

fn choice(text: &str) -> Result<(String, String), &'static str> {
    match text.split_once('=') {
        Some((operation, target)) if !operation.is_empty() => Ok((operation.to_owned(), target.to_owned())),
        _ => Err("OPERATION=METHOD:PATH"),
    }
}
