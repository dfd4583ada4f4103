//! `takt decide`: a person says what became of rows in doubt.

use takt_engine::{Decision, SubmissionState};

use crate::{
    arguments::DecideArguments,
    command::{follow, sync},
    console::Console,
    ending::{self, Ending, Failure},
    findings::RowErrors,
    session::{self, Interruption, Session},
};

pub(super) async fn run(arguments: &DecideArguments, console: &Console) -> Result<Ending, Failure> {
    let site = session::engine(console)?.submission(arguments.submission)?.site;
    let session = Session::open(Some(&site), console).await?;
    let confirmed = session.confirmed(console)?;
    let decision = if arguments.arrived { Decision::Arrived } else { Decision::SendAgain };
    let mut interruption = Interruption::listen()?;
    let changes = session.engine.subscribe();
    let (id, rows) = (arguments.submission, &arguments.rows);
    let mut view = session.engine.decide(id, rows, decision, confirmed.as_deref()).await?;
    let mut interrupted = false;
    if view.state == SubmissionState::Running {
        (view, interrupted) = follow::submission(&session.engine, id, changes, &mut interruption, console).await?;
    }
    sync::tell(&session.engine, &view, &RowErrors::new(), arguments.json, console)?;
    sync::close(&view, arguments.json, console);
    Ok(ending::of_submission(&view, interrupted))
}
