//! The arguments of `takt contract set`, which edits operations of a site's contract by hand.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct ContractSetArguments {
    /// One of Takt's operations, see `takt operations`
    #[arg(required_unless_present_any = ["at", "edits", "assumptions"])]
    pub(crate) operation: Option<String>,
    /// Where several operations are: for example work-orders.list=GET:/orders; may be repeated, and all become one version
    #[arg(long, value_name = "OPERATION=METHOD:PATH", value_parser = pair)]
    pub(crate) at: Vec<(String, String)>,
    /// Edits of several operations as a JSON list, all of them one version; for example
    /// [{"operation":"work-orders.list","path":"/orders","fields":[{"place":"answer","path":"code","wire":"OrderNo"}]}]
    #[arg(long, value_name = "FILE")]
    pub(crate) edits: Option<PathBuf>,
    /// What the site says instead of an assumption about the whole service, as JSON, see `takt operations --assumptions`;
    /// may be repeated, for example 'absent-statuses={"*":[404,410]}'
    #[arg(long = "assumption", value_name = "ID=JSON", value_parser = pair, conflicts_with_all = ["operation", "at", "edits"])]
    pub(crate) assumptions: Vec<(String, String)>,
    /// GET, POST, PUT, PATCH or DELETE
    #[arg(long, requires = "operation")]
    pub(crate) method: Option<String>,
    /// Below the site's base address, for example /orders/{id}/steps
    #[arg(long, requires = "operation")]
    pub(crate) path: Option<String>,
    /// The list's place in the body, for example data.items; leave empty if the body is the list
    #[arg(long, value_name = "MEMBER", requires = "operation")]
    pub(crate) list: Option<String>,
    /// A field of what is sent or answered by its name at the site, for example code=OrderNo or
    /// beginPlanned=Start:date-time-offset; may be repeated. Types: text, integer, number, boolean, date-time,
    /// date-time-offset, date-time-utc, date, epoch-seconds, epoch-milliseconds, duration, duration-iso, duration-ticks,
    /// duration-milliseconds, duration-seconds, duration-minutes, duration-hours, duration-days, time-span, quoted-number,
    /// quoted-boolean
    #[arg(long = "field", value_name = "NAME=WIRE[:TYPE]", value_parser = pair, requires = "operation")]
    pub(crate) fields: Vec<(String, String)>,
    /// A filter of a list by its name at the site, written like a field; may be repeated
    #[arg(long = "parameter", value_name = "NAME=WIRE[:TYPE]", value_parser = pair, requires = "operation")]
    pub(crate) parameters: Vec<(String, String)>,
    /// What travels for each name that people read, for example type=Production:1,Rework:2; may be repeated
    #[arg(long, value_name = "NAME=WORD:VALUE,…", value_parser = pair, requires = "operation")]
    pub(crate) codes: Vec<(String, String)>,
    /// A field that the site needs; may be repeated
    #[arg(long, value_name = "NAME", requires = "operation")]
    pub(crate) required: Vec<String>,
    /// A field that the site doesn't need; may be repeated
    #[arg(long, value_name = "NAME", requires = "operation")]
    pub(crate) optional: Vec<String>,
    /// A field that the site doesn't have; may be repeated
    #[arg(long, value_name = "NAME", requires = "operation")]
    pub(crate) without: Vec<String>,
    /// Where filters and pages of a list go; without it in the body where the method isn't GET any more
    #[arg(long, value_name = "PLACE", requires = "operation")]
    pub(crate) filters_in: Option<QuestionPlace>,
    /// A field that the site has and Takt doesn't know, written like --field; may be repeated
    #[arg(long = "add-field", value_name = "NAME=WIRE[:TYPE]", value_parser = pair, requires = "operation")]
    pub(crate) added_fields: Vec<(String, String)>,
    /// A filter that the site has and Takt doesn't know, written alike; may be repeated
    #[arg(long = "add-parameter", value_name = "NAME=WIRE[:TYPE]", value_parser = pair, requires = "operation")]
    pub(crate) added_parameters: Vec<(String, String)>,
    #[command(flatten)]
    pub(crate) pages: PagesArguments,
    #[command(flatten)]
    pub(crate) results: ResultsArguments,
    /// Asks a list once as it would be then, prints the answer, and keeps nothing
    #[arg(long, requires = "operation")]
    pub(crate) test: bool,
    /// With --test: a filter, for example from=2026-11-01; may be repeated
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = pair, requires = "test")]
    pub(crate) filters: Vec<(String, String)>,
    /// JSON lines
    #[arg(long)]
    pub(crate) json: bool,
}

/// The part of a request that carries filters and pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum QuestionPlace {
    Body,
    Query,
}

/// How pages of a list are asked for.
#[derive(Debug, Args)]
pub(crate) struct PagesArguments {
    /// The parameter that names the page
    #[arg(long, value_name = "NAME", requires = "operation")]
    pub(crate) page: Option<String>,
    /// The parameter for the rows of a page
    #[arg(long, value_name = "NAME", requires = "operation")]
    pub(crate) page_size: Option<String>,
    /// The first page's number
    #[arg(long, value_name = "N", requires = "operation")]
    pub(crate) first_page: Option<u32>,
    /// The most rows of a page
    #[arg(long, value_name = "N", requires = "operation")]
    pub(crate) page_rows: Option<u32>,
    /// Where an answer says how many rows there are: a member, for example data.total, or header:X-Total
    #[arg(long, value_name = "MEMBER", requires = "operation")]
    pub(crate) total: Option<String>,
    /// Where an answer says how many pages there are, written alike
    #[arg(long, value_name = "MEMBER", requires = "operation")]
    pub(crate) page_count: Option<String>,
    /// The list has no pages
    #[arg(long, requires = "operation", conflicts_with_all = ["page", "page_size", "first_page", "page_rows", "total", "page_count"])]
    pub(crate) no_pages: bool,
}

/// What is answered to rows that are sent.
#[derive(Debug, Args)]
pub(crate) struct ResultsArguments {
    /// The list of results, for example data.results; nothing where the body is the list
    #[arg(long, value_name = "MEMBER", requires = "operation")]
    pub(crate) results: Option<String>,
    /// Only rows that failed are listed
    #[arg(long, requires = "operation", conflicts_with = "success")]
    pub(crate) only_failures: bool,
    /// What says whether a row was accepted, and by which values yes and no: for example ok=true:false or
    /// state=Created,Updated:Refused
    #[arg(long, value_name = "NAME=YES:NO", value_parser = pair, requires = "operation")]
    pub(crate) success: Option<(String, String)>,
    /// The members with the reasons
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', requires = "operation")]
    pub(crate) reasons: Option<Vec<String>>,
    /// The member that numbers a row, and the first row's number where it isn't 0: for example line or line:1
    #[arg(long, value_name = "NAME[:N]", requires = "operation")]
    pub(crate) index: Option<String>,
    /// Where all, accepted and rejected rows are counted; what isn't counted stays empty, for example total,,failed
    #[arg(long, value_name = "ALL,YES,NO", requires = "operation")]
    pub(crate) counts: Option<String>,
    /// Results don't repeat the keys of the rows
    #[arg(long, requires = "operation")]
    pub(crate) without_keys: bool,
    /// An answer without a body accepts every row
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

fn pair(text: &str) -> Result<(String, String), &'static str> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("NAME=VALUE"),
    }
}
