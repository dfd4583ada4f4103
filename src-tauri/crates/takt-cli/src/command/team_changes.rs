//! `takt team changes` and `takt team restore`: changes to the team's shared data, and undoing them.

use takt_engine::{
    run_blocking,
    team::{SharedChangeType, SharedChangeView, SharedKind, TeamMembership},
};

use crate::{
    console::{Console, plain},
    ending::{ExitStatus, Failure},
    results, session,
};

/// Lists changes, newest first.
pub(super) async fn list(limit: u32, json: bool, console: &Console) -> Result<ExitStatus, Failure> {
    let team = membership(console)?;
    let changes = run_blocking(move || team.changes(None, limit)).await?;
    if json {
        changes.iter().for_each(|change| console.json(change));
    } else if changes.is_empty() {
        console.line(&console.texts.text("team.no-changes", &[]));
    } else {
        console.table(&changes.iter().map(|change| row(change, console)).collect::<Vec<_>>());
    }
    Ok(ExitStatus::Done)
}

pub(super) async fn restore(number: u32, yes: bool, console: &Console) -> Result<ExitStatus, Failure> {
    let team = membership(console)?;
    let reader = team.clone();
    let change = run_blocking(move || reader.restorable(number)).await?;
    console.table(&[row(&change, console)]);
    if !yes {
        match console.ask("team.ask-restore", &[]) {
            Some(true) => {}
            Some(false) => return Ok(ExitStatus::Interrupted),
            None => return Err(Failure::Usage("team.not-a-terminal", Vec::new())),
        }
    }
    run_blocking(move || team.restore(number)).await?;
    console.status("team.restored", &[("number", number.to_string())]);
    Ok(ExitStatus::Done)
}

fn membership(console: &Console) -> Result<TeamMembership, Failure> {
    let team = session::engine(console)?.maintenance().team().clone();
    if team.view()?.is_none() {
        return Err(Failure::Usage("team.none", Vec::new()));
    }
    Ok(team)
}

fn row(change: &SharedChangeView, console: &Console) -> Vec<String> {
    let key = match (change.kind, change.change) {
        (SharedKind::Mapping, SharedChangeType::Added) => "team.mapping-added",
        (SharedKind::Mapping, SharedChangeType::Changed) => "team.mapping-changed",
        (SharedKind::Mapping, SharedChangeType::Removed) => "team.mapping-removed",
        (SharedKind::View, SharedChangeType::Added) => "team.view-added",
        (SharedKind::View, SharedChangeType::Changed) => "team.view-changed",
        (SharedKind::View, SharedChangeType::Removed) => "team.view-removed",
        (SharedKind::Rules, SharedChangeType::Added) => "team.rules-added",
        (SharedKind::Rules, SharedChangeType::Changed) => "team.rules-changed",
        (SharedKind::Rules, SharedChangeType::Removed) => "team.rules-removed",
        (SharedKind::Target, SharedChangeType::Added) => "team.target-added",
        (SharedKind::Target, SharedChangeType::Changed) => "team.target-changed",
        (SharedKind::Target, SharedChangeType::Removed) => "team.target-removed",
    };
    let subject = [&change.site, &change.operation, &change.name].map(|part| plain(part));
    let subject: Vec<String> = subject.into_iter().filter(|part| !part.is_empty()).collect();
    vec![
        change.number.to_string(),
        results::table_time(&change.at),
        plain(&change.person),
        console.texts.text(key, &[]),
        subject.join(" · "),
    ]
}
