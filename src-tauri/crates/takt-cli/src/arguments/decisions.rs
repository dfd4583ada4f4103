//! The arguments of commands that follow a submission: retries, decisions, approvals and undoing.

use std::path::PathBuf;
use takt_engine::item::ExcelRow;

use clap::{Args, builder::TypedValueParser};
use takt_engine::{item::RowId, submission::SubmissionId};

use super::{ReadingArguments, team::Claimed};

#[derive(Debug, Args)]
pub(crate) struct RetryArguments {
    /// Number of the submission, see `takt history`
    #[arg(value_parser = submission_id())]
    pub(crate) submission: SubmissionId,
    /// Corrected file, read with the mapping of the submission. Only rows that were rejected are sent
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadingArguments,
    /// Skip rows that still have errors instead of stopping
    #[arg(long)]
    pub(crate) skip_errors: bool,
    /// Handling of rows that another desk of the team is sending
    #[arg(long, value_name = "WHAT", default_value = "refuse")]
    pub(crate) claimed: Claimed,
    /// Send without asking. A production site also needs --confirm
    #[arg(long)]
    pub(crate) yes: bool,
    /// JSON lines with rejected and unconfirmed rows, then a summary
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("word").required(true).args(["arrived", "send_again", "skip_waiting", "skip_claimed", "totals"]))]
pub(crate) struct DecideArguments {
    /// Number of the submission, see `takt history`
    #[arg(value_parser = submission_id())]
    pub(crate) submission: SubmissionId,
    /// Count the rows as accepted
    #[arg(long)]
    pub(crate) arrived: bool,
    /// Send the rows again, because they didn't arrive or can be sent twice without harm
    #[arg(long)]
    pub(crate) send_again: bool,
    /// Skip rows that wait for rows that weren't accepted, in all steps of the plan. Unconfirmed rows aren't affected
    #[arg(long, conflicts_with = "rows")]
    pub(crate) skip_waiting: bool,
    /// Skip pending rows that another desk of the team is sending, in all steps of the plan
    #[arg(long, conflicts_with = "rows")]
    pub(crate) skip_claimed: bool,
    /// Show the service's expected sums if all unconfirmed rows arrived, and if none did. Nothing is decided. Use it
    /// for rows that can't be read back
    #[arg(long, conflicts_with = "rows")]
    pub(crate) totals: bool,
    /// Row to decide about (repeatable). Without it, all unconfirmed rows
    #[arg(long = "row", value_name = "SHEET:ROW", value_parser = parse_row)]
    pub(crate) rows: Vec<RowId>,
    /// Handling of rows that another desk of the team is sending, for --send-again
    #[arg(long, value_name = "WHAT", default_value = "refuse", requires = "send_again")]
    pub(crate) claimed: Claimed,
    /// JSON lines with rejected and unconfirmed rows, then a summary
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ApproveArguments {
    /// Number of the submission. Without it, all submissions that wait for approval are listed
    #[arg(value_parser = submission_id())]
    pub(crate) submission: Option<SubmissionId>,
    /// Decline the submission. It won't be sent
    #[arg(long, requires = "submission")]
    pub(crate) decline: bool,
    /// Note for the requester
    #[arg(long, value_name = "TEXT", requires = "submission")]
    pub(crate) note: Option<String>,
    /// Decide without asking
    #[arg(long, requires = "submission")]
    pub(crate) yes: bool,
    /// JSON lines with the changes of each row, then the approval. Without a number, one line per waiting approval
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct UndoArguments {
    /// Number of the submission, see `takt history`
    #[arg(value_parser = submission_id())]
    pub(crate) submission: SubmissionId,
    /// Skip rows that another desk of the team is sending instead of stopping
    #[arg(long)]
    pub(crate) skip_claimed: bool,
    /// Send without asking. A production site also needs --confirm
    #[arg(long)]
    pub(crate) yes: bool,
    /// JSON lines with the plan of the undo, rejected and unconfirmed rows, then a summary
    #[arg(long)]
    pub(crate) json: bool,
}

/// Returns the parser for a submission's number.
pub(super) fn submission_id() -> impl TypedValueParser<Value = SubmissionId> {
    clap::value_parser!(u32).map(SubmissionId::new)
}

/// Parses `SHEET:ROW`. The last colon counts, since a sheet's name may contain colons.
fn parse_row(text: &str) -> Result<RowId, &'static str> {
    let parts = text.rsplit_once(':').and_then(|(sheet, row)| Some((sheet, ExcelRow::new(row.parse().ok()?))));
    parts.map(|(sheet, row)| RowId { sheet: sheet.to_owned(), row }).ok_or("SHEET:ROW")
}
