//! The arguments of commands that follow a submission: retries, decisions, approvals and undoing.

use std::path::PathBuf;
use takt_engine::item::ExcelRow;

use clap::{Args, builder::TypedValueParser};
use takt_engine::{item::RowId, submission::SubmissionId};

use super::{ReadingArguments, team::Claimed};

#[derive(Debug, Args)]
pub(crate) struct RetryArguments {
    /// Its number, see `takt history`
    #[arg(value_parser = submission_id())]
    pub(crate) submission: SubmissionId,
    /// The corrected file, read with the mapping of that submission; of its rows only those count that were rejected
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadingArguments,
    /// Leave out rows that still have errors instead of stopping
    #[arg(long)]
    pub(crate) skip_errors: bool,
    /// Send without asking; a production site needs --confirm, too
    #[arg(long)]
    pub(crate) yes: bool,
    /// JSON lines: rejected and unconfirmed rows, then a summary
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("word").required(true).args(["arrived", "send_again", "skip_waiting", "skip_claimed", "totals"]))]
pub(crate) struct DecideArguments {
    /// Its number, see `takt history`
    #[arg(value_parser = submission_id())]
    pub(crate) submission: SubmissionId,
    /// They arrived: they count as accepted
    #[arg(long)]
    pub(crate) arrived: bool,
    /// They didn't arrive, or it does no harm to send them twice
    #[arg(long)]
    pub(crate) send_again: bool,
    /// Rows that wait for others which weren't accepted aren't sent, in no step of the plan; nothing is said of unconfirmed rows
    #[arg(long, conflicts_with = "rows")]
    pub(crate) skip_waiting: bool,
    /// Pending rows that another desk of the team is sending at this moment aren't sent, in no step of the plan
    #[arg(long, conflicts_with = "rows")]
    pub(crate) skip_claimed: bool,
    /// Decide nothing yet: show the sums that the service should show if all unconfirmed rows arrived, and if none did; for rows
    /// that can't be read back
    #[arg(long, conflicts_with = "rows")]
    pub(crate) totals: bool,
    /// Only this row; may be repeated. Without it all unconfirmed rows
    #[arg(long = "row", value_name = "SHEET:ROW", value_parser = parse_row)]
    pub(crate) rows: Vec<RowId>,
    /// What to do with --send-again about rows that another desk of the team is sending at this moment
    #[arg(long, value_name = "WHAT", default_value = "refuse", requires = "send_again")]
    pub(crate) claimed: Claimed,
    /// JSON lines: rejected and unconfirmed rows, then a summary
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ApproveArguments {
    /// Its number; without it everything that waits is listed
    #[arg(value_parser = submission_id())]
    pub(crate) submission: Option<SubmissionId>,
    /// Decline it: it is never sent
    #[arg(long, requires = "submission")]
    pub(crate) decline: bool,
    /// What to tell whoever asked
    #[arg(long, value_name = "TEXT", requires = "submission")]
    pub(crate) note: Option<String>,
    /// Decide without asking
    #[arg(long, requires = "submission")]
    pub(crate) yes: bool,
    /// JSON lines: each row with what it would change, then the approval; without a number, each approval that waits
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct UndoArguments {
    /// Its number, see `takt history`
    #[arg(value_parser = submission_id())]
    pub(crate) submission: SubmissionId,
    /// Skip rows that another desk of the team is sending at this moment instead of stopping
    #[arg(long)]
    pub(crate) skip_claimed: bool,
    /// Send without asking; a production site needs --confirm, too
    #[arg(long)]
    pub(crate) yes: bool,
    /// JSON lines: what is undone and what can't be, rejected and unconfirmed rows, then a summary
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
