//! `takt history`: past submissions, newest first.

use crate::{
    console::Console,
    ending::{Ending, Failure},
    fates, session,
};

pub(super) fn show(json: bool, console: &Console) -> Result<Ending, Failure> {
    let submissions = session::engine(console)?.submissions()?;
    if json {
        for view in &submissions {
            console.json(&fates::record(view));
        }
        return Ok(Ending::Done);
    }
    if submissions.is_empty() {
        console.say("history.none", &[]);
        return Ok(Ending::Done);
    }
    let heads = [
        "submission",
        "started",
        "state",
        "operation",
        "site",
        "file",
        "total",
        "accepted",
        "rejected",
        "in-doubt",
        "pending",
    ];
    let mut rows = vec![heads.map(|head| console.texts.text(&format!("history.{head}"), &[])).to_vec()];
    rows.extend(submissions.iter().map(|view| {
        vec![
            view.id.to_string(),
            view.started.chars().take(19).collect::<String>().replace('T', " "),
            fates::state(view.state, console),
            view.operation.clone(),
            view.site.clone(),
            view.file.clone(),
            view.total.to_string(),
            view.counts.accepted.to_string(),
            view.counts.rejected.to_string(),
            view.counts.in_doubt.to_string(),
            (view.counts.pending + view.counts.sending).to_string(),
        ]
    }));
    console.table(&rows);
    Ok(Ending::Done)
}
