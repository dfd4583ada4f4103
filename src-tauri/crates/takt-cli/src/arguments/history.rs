//! The arguments of `takt history`, `takt handover` and `takt bundle`.

use std::path::PathBuf;

use clap::Args;
use takt_engine::submission::SubmissionId;

use super::decisions::submission_id;

#[derive(Debug, Args)]
pub(crate) struct HistoryArguments {
    /// Only this one: its totals, and with --rows or --requests more
    #[arg(value_parser = submission_id())]
    pub(crate) submission: Option<SubmissionId>,
    /// Only what holds this text: file, operation, site, person, a row's key or a reason; of one submission its rows
    #[arg(long, value_name = "TEXT")]
    pub(crate) find: Option<String>,
    /// Only from this moment on, for example 2026-11-22, "2026-11-22 06:00" or 8h
    #[arg(long, value_name = "DATE", conflicts_with = "submission")]
    pub(crate) since: Option<String>,
    /// Only those with unconfirmed rows
    #[arg(long, alias = "in-doubt", conflicts_with = "submission")]
    pub(crate) unconfirmed: bool,
    /// Its rows with their results and reasons; with --json also the events that named a row's order since it was sent
    #[arg(long, requires = "submission")]
    pub(crate) rows: bool,
    /// Its requests, newest first
    #[arg(long, requires = "submission")]
    pub(crate) requests: bool,
    /// What one of its requests carried, as it was sent
    #[arg(long, value_name = "N", requires = "submission")]
    pub(crate) body: Option<u32>,
    /// Compares it with the submission that it rehearsed or that rehearsed it: this one, else the latest with the same file, else
    /// the latest of the same operation. Shows the rows that came out otherwise
    #[arg(long, value_name = "SUBMISSION", requires = "submission", num_args = 0..=1, value_parser = submission_id(),
        conflicts_with_all = ["find", "rows", "requests", "body", "workbook", "out"])]
    pub(crate) compare: Option<Option<SubmissionId>>,
    /// The workbook that was sent: a copy of it with each row's result beside it is written to --out
    #[arg(long, value_name = "FILE", requires_all = ["submission", "out"])]
    pub(crate) workbook: Option<PathBuf>,
    /// The file to write its results to
    #[arg(long, value_name = "OUT.xlsx", requires = "submission")]
    pub(crate) out: Option<PathBuf>,
    /// JSON lines: submissions; or of one its rows, its requests, and a last line with everything else
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HandoverArguments {
    /// Begins at this moment, for example 2026-11-22, "2026-11-22 06:00" or 8h; without it eight hours ago
    #[arg(long, value_name = "DATE")]
    pub(crate) since: Option<String>,
    /// The file to write; without it handover.xlsx here
    #[arg(long, value_name = "FILE.xlsx")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct BundleArguments {
    /// Submissions to tell of, see `takt history`; without any the newest ten
    #[arg(value_parser = submission_id())]
    pub(crate) submissions: Vec<SubmissionId>,
    /// Leaves the sites' addresses readable
    #[arg(long)]
    pub(crate) addresses: bool,
    /// The file to write; without it takt-support.zip here
    #[arg(long, value_name = "FILE.zip")]
    pub(crate) out: Option<PathBuf>,
}
