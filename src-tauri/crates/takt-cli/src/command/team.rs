//! `takt team`: joins, checks and leaves a team, whose desks share a history on PostgreSQL.

use takt_engine::{
    Canceller, Problem, run_blocking,
    team::{self, ApprovalRuleView, SharedChangeType, SharedChangeView, SharedKind, TeamCheckView, TeamMembership},
};

use crate::{
    arguments::TeamCommand,
    console::{Console, sanitize},
    exit_codes::{ExitStatus, Failure},
    progress::JoinBar,
    results,
    session::{self, Interruption},
};

pub(super) async fn run(command: TeamCommand, site: Option<&str>, console: &Console) -> Result<ExitStatus, Failure> {
    match command {
        TeamCommand::Init { address } => init(address, console).await,
        TeamCommand::Join { address } => join(address, console).await,
        TeamCommand::Leave => leave(console),
        TeamCommand::Approval { address, above, deletes, never: _ } => {
            set_approval(address, site, above, deletes, console).await
        }
        TeamCommand::Check { json } => check(json, console).await,
        TeamCommand::Changes { limit, json } => list_changes(limit, json, console).await,
        TeamCommand::Restore { number, yes } => restore_change(number, yes, console).await,
    }
}

async fn init(address: String, console: &Console) -> Result<ExitStatus, Failure> {
    let password = find_password(&address, console)?;
    let before = run_blocking(move || team::set_up(&address, password.as_deref())).await?;
    console.print_line(&console.texts.text(if before == 0 { "team.made" } else { "team.current" }, &[]));
    console.print_remark("team.grant", &[]);
    Ok(ExitStatus::Done)
}

async fn join(address: String, console: &Console) -> Result<ExitStatus, Failure> {
    let password = find_password(&address, console)?;
    let engine = session::open_engine_with_keychain(console)?;
    let membership = engine.maintenance().team().clone();
    let (canceller, mut interruption) = (Canceller::new(), Interruption::listen()?);
    let (bar, join_canceller) = (JoinBar::new(), canceller.clone());
    let joining = run_blocking(move || {
        membership.join(&address, password.as_deref(), &join_canceller, |progress| bar.show(progress))
    });
    tokio::pin!(joining);
    let joined = tokio::select! {
        joined = &mut joining => joined,
        () = interruption.next() => {
            canceller.cancel();
            joining.await
        }
    };
    let view = match joined {
        Err(problem) if problem.is_obstacle("joining-stopped") => {
            console.print_remark("team.join-stopped", &[("submissions", parameter(&problem, "carried"))]);
            if parameter(&problem, "events") != "0" {
                console.print_remark("team.join-stopped-events", &[("events", parameter(&problem, "events"))]);
            }
            return Ok(ExitStatus::Interrupted);
        }
        joined => joined?,
    };
    console.print_text("team.joined", &[("address", sanitize(&view.check.address))]);
    if view.carried > 0 {
        console.print_text("team.carried", &[("submissions", view.carried.to_string())]);
    }
    for (key, placeholder, count) in [
        ("team.events", "events", view.events),
        ("team.targets", "targets", view.targets),
        ("team.known-targets", "targets", view.known_targets),
    ] {
        if count > 0 {
            console.print_text(key, &[(placeholder, count.to_string())]);
        }
    }
    if view.paused_targets > 0 {
        console.print_remark("team.paused-targets", &[("targets", view.paused_targets.to_string())]);
    }
    if view.open > 0 {
        console.print_remark("team.open", &[("submissions", view.open.to_string())]);
    }
    session::print_vault_storage(engine.sites().secrets().storage(), console);
    Ok(ExitStatus::Done)
}

fn parameter(problem: &Problem, name: &str) -> String {
    problem.parameters.get(name).cloned().unwrap_or_default()
}

fn leave(console: &Console) -> Result<ExitStatus, Failure> {
    let left = session::open_engine_with_keychain(console)?.maintenance().team().leave()?;
    console.print_line(&console.texts.text(if left { "team.left" } else { "team.none" }, &[]));
    Ok(ExitStatus::Done)
}

/// Sets the approval rule for a service, which the site's address identifies.
async fn set_approval(
    address: String,
    site: Option<&str>,
    rows_above: Option<u32>,
    deletes: bool,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let Some(site) = site else { return Err(Failure::Usage("team.approval-site", Vec::new())) };
    let service = session::open_local_engine(console)?.sites().find(site)?.base_url;
    if service.is_empty() {
        return Err(Failure::Usage("team.approval-site", Vec::new()));
    }
    let password = find_password(&address, console)?;
    let rule = ApprovalRuleView { service, rows_above, deletes };
    let rule_text = approval_text(&rule, console);
    run_blocking(move || team::set_approval_rule(&address, password.as_deref(), &rule)).await?;
    console.print_line(&rule_text);
    Ok(ExitStatus::Done)
}

fn approval_text(rule: &ApprovalRuleView, console: &Console) -> String {
    let key = match (rule.rows_above, rule.deletes) {
        (Some(_), true) => "team.approval-both",
        (Some(_), false) => "team.approval-rows",
        (None, true) => "team.approval-deletes",
        (None, false) => "team.approval-never",
    };
    let parameters = [("service", sanitize(&rule.service)), ("rows", rule.rows_above.unwrap_or_default().to_string())];
    console.texts.text(key, &parameters)
}

async fn check(json: bool, console: &Console) -> Result<ExitStatus, Failure> {
    let membership = session::open_local_engine(console)?.maintenance().team().clone();
    let Some(view) = run_blocking(move || membership.check()).await? else {
        return Err(Failure::Usage("team.none", Vec::new()));
    };
    if json {
        console.print_json(&view);
    } else {
        print_check(&view, console);
    }
    Ok(ExitStatus::Done)
}

fn print_check(view: &TeamCheckView, console: &Console) {
    let row = |key: &str, value: String| vec![console.texts.text(key, &[]), value];
    console.print_table(&[
        row("team.address", sanitize(&view.address)),
        row("team.user", sanitize(&view.user)),
        row("team.server", sanitize(&view.server)),
        row("team.schema", view.schema.to_string()),
        row("team.latency", format!("{:.1} ms", view.latency_milliseconds)),
        row("team.clock", console.texts.engine.format_duration(view.clock_seconds)),
        row("team.size", format!("{:.1} MB", view.megabytes)),
    ]);
    for rule in &view.approval_rules {
        console.print_line(&approval_text(rule, console));
    }
    for run in &view.running {
        console
            .print_text("team.running", &[("submission", run.submission.to_string()), ("desk", sanitize(&run.desk))]);
    }
}

/// Returns the password from the file that the environment names, or from a prompt. Returns `None` if the address
/// contains a password or the user types none.
fn find_password(address: &str, console: &Console) -> Result<Option<String>, Failure> {
    if team::has_password(address)? {
        return Ok(None);
    }
    Ok(match team::read_password_file()? {
        Some(password) => Some(password),
        None => console.ask_hidden_line("team.password"),
    })
}

/// Lists changes of the team's shared data, newest first.
async fn list_changes(limit: u32, json: bool, console: &Console) -> Result<ExitStatus, Failure> {
    let team = membership(console)?;
    let changes = run_blocking(move || team.changes(None, limit)).await?;
    if json {
        changes.iter().for_each(|change| console.print_json(change));
    } else if changes.is_empty() {
        console.print_line(&console.texts.text("team.no-changes", &[]));
    } else {
        console.print_table(&changes.iter().map(|change| change_row(change, console)).collect::<Vec<_>>());
    }
    Ok(ExitStatus::Done)
}

async fn restore_change(number: u32, yes: bool, console: &Console) -> Result<ExitStatus, Failure> {
    let team = membership(console)?;
    let reader = team.clone();
    let change = run_blocking(move || reader.find_restorable(number)).await?;
    console.print_table(&[change_row(&change, console)]);
    if !yes {
        match console.ask("team.ask-restore", &[]) {
            Some(true) => {}
            Some(false) => return Ok(ExitStatus::Interrupted),
            None => return Err(Failure::Usage("team.not-a-terminal", Vec::new())),
        }
    }
    run_blocking(move || team.restore(number)).await?;
    console.print_text("team.restored", &[("number", number.to_string())]);
    Ok(ExitStatus::Done)
}

fn membership(console: &Console) -> Result<TeamMembership, Failure> {
    let team = session::open_local_engine(console)?.maintenance().team().clone();
    if team.view()?.is_none() {
        return Err(Failure::Usage("team.none", Vec::new()));
    }
    Ok(team)
}

fn change_row(change: &SharedChangeView, console: &Console) -> Vec<String> {
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
    let subject = [&change.site, &change.operation, &change.name].map(|part| sanitize(part));
    let subject: Vec<String> = subject.into_iter().filter(|part| !part.is_empty()).collect();
    vec![
        change.number.to_string(),
        results::format_time(&change.at),
        sanitize(&change.person),
        console.texts.text(key, &[]),
        subject.join(" · "),
    ]
}
