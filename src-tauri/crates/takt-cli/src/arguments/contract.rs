//! The arguments of `takt contract`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use takt_engine::submission::SubmissionId;

use super::decisions::submission_id;

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
        /// One JSON line per changed operation or assumption
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
    #[arg(long = "match", value_name = "OPERATION=METHOD:PATH", value_parser = parse_match)]
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

/// Parses `OPERATION=METHOD:PATH`.
fn parse_match(text: &str) -> Result<(String, String), &'static str> {
    match text.split_once('=') {
        Some((operation, target)) if !operation.is_empty() => Ok((operation.to_owned(), target.to_owned())),
        _ => Err("OPERATION=METHOD:PATH"),
    }
}

#[derive(Debug, Args)]
pub(crate) struct ContractSetArguments {
    /// Operation to edit, see `takt operations`
    #[arg(required_unless_present_any = ["at", "edits", "assumptions"])]
    pub(crate) operation: Option<String>,
    /// Method and path of an operation, for example work-orders.list=GET:/orders (repeatable). All edits become one
    /// version
    #[arg(long, value_name = "OPERATION=METHOD:PATH", value_parser = parse_pair)]
    pub(crate) at: Vec<(String, String)>,
    /// JSON file with a list of edits, which become one version. For example
    /// [{"operation":"work-orders.list","path":"/orders","fields":[{"place":"answer","path":"code","wire":"OrderNo"}]}]
    #[arg(long, value_name = "FILE")]
    pub(crate) edits: Option<PathBuf>,
    /// Value that replaces an assumption about the whole service, as JSON, for example
    /// 'absent-statuses={"*":[404,410]}' (repeatable). See `takt operations --assumptions`
    #[arg(long = "assumption", value_name = "ID=JSON", value_parser = parse_pair, conflicts_with_all = ["operation", "at", "edits"])]
    pub(crate) assumptions: Vec<(String, String)>,
    /// HTTP method (GET, POST, PUT, PATCH or DELETE)
    #[arg(long, requires = "operation")]
    pub(crate) method: Option<String>,
    /// Path below the site's base address, for example /orders/{id}/steps
    #[arg(long, requires = "operation")]
    pub(crate) path: Option<String>,
    /// Member of the body that contains the list, for example data.items. Leave it empty if the body is the list
    #[arg(long, value_name = "MEMBER", requires = "operation")]
    pub(crate) list: Option<String>,
    /// Name and type of a field at the site, for example code=OrderNo or beginPlanned=Start:date-time-offset
    /// (repeatable). Types: text, integer, number, boolean, date-time, date-time-offset, date-time-utc, date,
    /// epoch-seconds, epoch-milliseconds, duration, duration-iso, duration-ticks, duration-milliseconds,
    /// duration-seconds, duration-minutes, duration-hours, duration-days, time-span, quoted-number, quoted-boolean
    #[arg(long = "field", value_name = "NAME=WIRE[:TYPE]", value_parser = parse_pair, requires = "operation")]
    pub(crate) fields: Vec<(String, String)>,
    /// Name and type of a list's filter at the site, in the form of --field (repeatable)
    #[arg(long = "parameter", value_name = "NAME=WIRE[:TYPE]", value_parser = parse_pair, requires = "operation")]
    pub(crate) parameters: Vec<(String, String)>,
    /// Values that are sent for the names of a field, for example type=Production:1,Rework:2 (repeatable)
    #[arg(long, value_name = "NAME=WORD:VALUE,…", value_parser = parse_pair, requires = "operation")]
    pub(crate) codes: Vec<(String, String)>,
    /// Field that the site requires (repeatable)
    #[arg(long, value_name = "NAME", requires = "operation")]
    pub(crate) required: Vec<String>,
    /// Field that the site doesn't require (repeatable)
    #[arg(long, value_name = "NAME", requires = "operation")]
    pub(crate) optional: Vec<String>,
    /// Field that the site doesn't have (repeatable)
    #[arg(long, value_name = "NAME", requires = "operation")]
    pub(crate) without: Vec<String>,
    /// Part of the request for a list's filters and pages. Without it, they move to the body if the method is no longer
    /// GET
    #[arg(long, value_name = "PLACE", requires = "operation")]
    pub(crate) filters_in: Option<RequestPart>,
    /// Field of the site that Takt doesn't know, in the form of --field (repeatable)
    #[arg(long = "add-field", value_name = "NAME=WIRE[:TYPE]", value_parser = parse_pair, requires = "operation")]
    pub(crate) added_fields: Vec<(String, String)>,
    /// Filter of the site that Takt doesn't know, in the form of --field (repeatable)
    #[arg(long = "add-parameter", value_name = "NAME=WIRE[:TYPE]", value_parser = parse_pair, requires = "operation")]
    pub(crate) added_parameters: Vec<(String, String)>,
    #[command(flatten)]
    pub(crate) pages: PagesArguments,
    #[command(flatten)]
    pub(crate) results: ResultsArguments,
    /// Load the list once with these edits and print the response. Nothing is saved
    #[arg(long, requires = "operation")]
    pub(crate) test: bool,
    /// Filter for --test, for example from=2026-11-01 (repeatable)
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parse_pair, requires = "test")]
    pub(crate) filters: Vec<(String, String)>,
    /// JSON lines
    #[arg(long)]
    pub(crate) json: bool,
}

/// The part of a request that carries filters and pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RequestPart {
    Body,
    Query,
}

/// The options for the pages of a list.
#[derive(Debug, Args)]
pub(crate) struct PagesArguments {
    /// Parameter for the number of the page
    #[arg(long, value_name = "NAME", requires = "operation")]
    pub(crate) page: Option<String>,
    /// Parameter for the number of rows per page
    #[arg(long, value_name = "NAME", requires = "operation")]
    pub(crate) page_size: Option<String>,
    /// Number of the first page
    #[arg(long, value_name = "N", requires = "operation")]
    pub(crate) first_page: Option<u32>,
    /// Maximum number of rows per page
    #[arg(long, value_name = "N", requires = "operation")]
    pub(crate) page_rows: Option<u32>,
    /// Member or header with the total number of rows, for example data.total or header:X-Total
    #[arg(long, value_name = "MEMBER", requires = "operation")]
    pub(crate) total: Option<String>,
    /// Member or header with the number of pages, in the form of --total
    #[arg(long, value_name = "MEMBER", requires = "operation")]
    pub(crate) page_count: Option<String>,
    /// Load the list without pages
    #[arg(long, requires = "operation", conflicts_with_all = ["page", "page_size", "first_page", "page_rows", "total", "page_count"])]
    pub(crate) no_pages: bool,
}

/// The options for the results of sent rows.
#[derive(Debug, Args)]
pub(crate) struct ResultsArguments {
    /// Member with the list of results, for example data.results. Leave it empty if the body is the list
    #[arg(long, value_name = "MEMBER", requires = "operation")]
    pub(crate) results: Option<String>,
    /// Expect only rejected rows in the list of results
    #[arg(long, requires = "operation", conflicts_with = "success")]
    pub(crate) only_failures: bool,
    /// Member for the outcome of a row, with its values for accepted and rejected, for example ok=true:false or
    /// state=Created,Updated:Refused
    #[arg(long, value_name = "NAME=YES:NO", value_parser = parse_pair, requires = "operation")]
    pub(crate) success: Option<(String, String)>,
    /// Members with the reasons
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', requires = "operation")]
    pub(crate) reasons: Option<Vec<String>>,
    /// Member with the number of a row, and the first row's number if it isn't 0, for example line or line:1
    #[arg(long, value_name = "NAME[:N]", requires = "operation")]
    pub(crate) index: Option<String>,
    /// Members with the numbers of all, accepted and rejected rows. Leave missing ones empty, for example total,,failed
    #[arg(long, value_name = "ALL,YES,NO", requires = "operation")]
    pub(crate) counts: Option<String>,
    /// Expect results without the keys of the rows
    #[arg(long, requires = "operation")]
    pub(crate) without_keys: bool,
    /// Count every row as accepted if the response has no body
    #[arg(long, requires = "operation")]
    pub(crate) empty_accepts: bool,
}

impl PagesArguments {
    pub(crate) fn is_empty(&self) -> bool {
        let Self { page, page_size, first_page, page_rows, total, page_count, no_pages } = self;
        let texts = [page, page_size, total, page_count];
        texts.into_iter().all(Option::is_none) && first_page.is_none() && page_rows.is_none() && !no_pages
    }
}

impl ResultsArguments {
    pub(crate) fn is_empty(&self) -> bool {
        let Self { results, only_failures, success, reasons, index, counts, without_keys, empty_accepts } = self;
        let texts = [results, index, counts];
        texts.into_iter().all(Option::is_none)
            && success.is_none()
            && reasons.is_none()
            && !(*only_failures || *without_keys || *empty_accepts)
    }
}

/// Parses `NAME=VALUE`.
fn parse_pair(text: &str) -> Result<(String, String), &'static str> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("NAME=VALUE"),
    }
}
