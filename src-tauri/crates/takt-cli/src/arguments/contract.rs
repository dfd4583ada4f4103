//! Arguments of `takt contract`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use takt_engine::submission::SubmissionId;

use super::{ContractSetArguments, decisions::submission_id};

#[derive(Debug, Subcommand)]
pub(crate) enum ContractCommand {
    /// Prints it as OpenAPI 3.1; with --site the one in force there
    Show,
    /// Says what a site's own OpenAPI document (3.0 or 3.1, JSON or YAML) would replace; nothing is kept
    Check(ContractFileArguments),
    /// Takes a site's own document from a file, or from the site itself; needs --site
    Take(ContractFileArguments),
    /// Compares a live site with its interface description: loads each list once and changes nothing; needs --site
    Test(ContractTestArguments),
    /// Sets an operation of a site by hand, as a new version: its address, list, fields, pages, results; needs --site
    Set(Box<ContractSetArguments>),
    /// Says what the answer to a trial run of one row shows of how rows are answered, and takes it with --take; needs --site
    LearnAnswer(LearnAnswerArguments),
    /// How a second document differs from a first; with --site, a second version of its interface description
    Diff {
        /// The first document, or the number of a version (0: the built-in interface description)
        first: PathBuf,
        /// The second document, or the number of a version
        second: PathBuf,
        /// One JSON line per operation
        #[arg(long)]
        json: bool,
    },
    /// The versions of a site's interface description, newest first; needs --site
    Versions {
        /// One JSON line per version
        #[arg(long)]
        json: bool,
    },
    /// Uses an earlier version again, 0 for the built-in interface description; needs --site
    Restore {
        /// The version's number
        number: u32,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ContractFileArguments {
    /// The document; without it the site is asked at the usual addresses
    pub(crate) file: Option<PathBuf>,
    /// Asks the site at this address, for example /docs/openapi.json
    #[arg(long, conflicts_with = "file")]
    pub(crate) address: Option<String>,
    /// Which operation of the document is which of Takt's, for example work-orders.list=GET:/orders; nothing after the equals sign means none
    #[arg(long = "match", value_name = "OPERATION=METHOD:PATH", value_parser = choice)]
    pub(crate) matches: Vec<(String, String)>,
    /// One JSON line per operation
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ContractTestArguments {
    /// Takes what the answers show: names, lists and forms of values that were assumed otherwise
    #[arg(long)]
    pub(crate) take: bool,
    /// Writes a report in JUnit's form
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// One JSON line per operation
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LearnAnswerArguments {
    /// The submission whose first request had one row, as `takt sync` and `takt history` name it
    #[arg(value_parser = submission_id())]
    pub(crate) submission: SubmissionId,
    /// Takes what the answer shows
    #[arg(long)]
    pub(crate) take: bool,
    /// One JSON line for each thing that it shows
    #[arg(long)]
    pub(crate) json: bool,
}

fn choice(text: &str) -> Result<(String, String), &'static str> {
    match text.split_once('=') {
        Some((operation, target)) if !operation.is_empty() => Ok((operation.to_owned(), target.to_owned())),
        _ => Err("OPERATION=METHOD:PATH"),
    }
}
