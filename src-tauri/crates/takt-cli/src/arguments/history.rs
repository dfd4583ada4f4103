//! The arguments of `takt history`, `takt handover` and `takt bundle`.

use std::path::PathBuf;

use clap::Args;
use takt_engine::submission::SubmissionId;

use super::decisions::submission_id;

#[derive(Debug, Args)]
pub(crate) struct HistoryArguments {
    /// Number of one submission to show
    #[arg(value_parser = submission_id())]
    pub(crate) submission: Option<SubmissionId>,
    /// Text in the file, operation, site, person, key of a row, or reason. For one submission, its rows are searched
    #[arg(long, value_name = "TEXT")]
    pub(crate) find: Option<String>,
    /// Start of the period, for example 2026-11-22, "2026-11-22 06:00" or 8h for eight hours ago
    #[arg(long, value_name = "DATE", conflicts_with = "submission")]
    pub(crate) since: Option<String>,
    /// List only submissions with unconfirmed rows
    #[arg(long, alias = "in-doubt", conflicts_with = "submission")]
    pub(crate) unconfirmed: bool,
    /// List the rows with results and reasons. With --json, also the events that named a row's order since it was sent
    #[arg(long, requires = "submission")]
    pub(crate) rows: bool,
    /// List the requests, newest first
    #[arg(long, requires = "submission")]
    pub(crate) requests: bool,
    /// Number of a request whose body is printed
    #[arg(long, value_name = "N", requires = "submission")]
    pub(crate) body: Option<u32>,
    /// Compare a rehearsal with the real submission. Without a number, the latest one with the same file is used,
    /// otherwise the latest one of the same operation. Rows with different results are listed
    #[arg(long, value_name = "SUBMISSION", requires = "submission", num_args = 0..=1, value_parser = submission_id(),
        conflicts_with_all = ["find", "rows", "requests", "body", "workbook", "out"])]
    pub(crate) compare: Option<Option<SubmissionId>>,
    /// Workbook that was sent. A copy with each row's result is saved to --out
    #[arg(long, value_name = "FILE", requires_all = ["submission", "out"])]
    pub(crate) workbook: Option<PathBuf>,
    /// File for the results
    #[arg(long, value_name = "OUT.xlsx", requires = "submission")]
    pub(crate) out: Option<PathBuf>,
    /// One JSON line per submission. For one submission, its rows and requests, then a line with everything else
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HandoverArguments {
    /// Start of the period, for example 2026-11-22, "2026-11-22 06:00" or 8h. Without it, eight hours ago
    #[arg(long, value_name = "DATE")]
    pub(crate) since: Option<String>,
    /// Output file. Without it, handover.xlsx in the current folder
    #[arg(long, value_name = "FILE.xlsx")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct BundleArguments {
    /// Numbers of submissions to include, see `takt history`. Without numbers, the newest ten
    #[arg(value_parser = submission_id())]
    pub(crate) submissions: Vec<SubmissionId>,
    /// Don't mask the sites' addresses
    #[arg(long)]
    pub(crate) addresses: bool,
    /// Output file. Without it, takt-support.zip in the current folder
    #[arg(long, value_name = "FILE.zip")]
    pub(crate) out: Option<PathBuf>,
}
