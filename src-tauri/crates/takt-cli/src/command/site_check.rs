//! `takt site check`: checks the connection to a site step by step, and prints whom to ask about failures.

use std::path::PathBuf;

use serde_json::json;
use takt_engine::{
    Words,
    contract::DriftEntry,
    name_of,
    sites::{ConnectionCheck, ConnectionPart, ConnectionStep, StepOutcome},
    system::write_file,
};

use crate::{
    console::{Console, plain},
    ending::{ExitStatus, Failure},
    session::Session,
};

/// The arguments of `takt site check`.
pub(super) struct SiteCheckRequest {
    pub(super) name: Option<String>,
    pub(super) transcript: Option<PathBuf>,
    pub(super) json: bool,
}

pub(super) async fn run(request: SiteCheckRequest, console: &Console) -> Result<ExitStatus, Failure> {
    let session = Session::open(request.name.as_deref(), console).await?;
    let check = session.engine.sites().check_connection(&session.site).await?;
    let words = session.engine.words();
    let drift = session.engine.contracts().drift(&session.site)?;
    if request.json {
        for step in &check.steps {
            console.json(&json!({
                "part": step.part,
                "target": step.target,
                "outcome": step.outcome,
                "milliseconds": step.milliseconds,
                "finding": step.finding,
                "message": finding_text(&words, step),
                "details": step.details,
            }));
        }
        drift.iter().for_each(|entry| console.json(&json!({ "drift": entry })));
        console.json(&json!({ "site": check.site, "outcome": check.outcome }));
    } else {
        print_steps(&check, &words, console);
        show_drift(&drift, &session.site, console);
    }
    if let Some(file) = request.transcript {
        write_file(&file, check.transcript.as_bytes())?;
        console.remark("site.transcript", &[("file", file.display().to_string())]);
    }
    Ok(exit_status(&check))
}

fn print_steps(check: &ConnectionCheck, words: &Words, console: &Console) {
    let name =
        |section: &str, key: String| words.text(&["connection", section, &key], &std::collections::BTreeMap::new());
    for step in &check.steps {
        let time = step.milliseconds.map(|milliseconds| format!(" ({milliseconds} ms)")).unwrap_or_default();
        let (outcome, part) = (name("outcomes", name_of(step.outcome)), name("parts", name_of(step.part)));
        console.line(&format!("{outcome}: {part}{time}: {}", plain(&finding_text(words, step))));
        if step.outcome == StepOutcome::Failed
            && let Some(details) = &step.details
        {
            details.lines().for_each(|line| console.line(&format!("    {}", plain(line))));
        }
    }
}

/// Prints how responses have differed from the contract since it is in force.
fn show_drift(drift: &[DriftEntry], site: &str, console: &Console) {
    for entry in drift {
        let parameters = [
            ("operation", plain(&entry.operation)),
            ("member", plain(&entry.member)),
            ("expected", entry.expected.clone()),
            ("found", plain(&entry.found)),
            ("count", entry.count.to_string()),
            ("first", entry.first.clone()),
            ("last", entry.last.clone()),
        ];
        let kind = json!(entry.kind);
        console.status(&format!("drift.{}", kind.as_str().unwrap_or_default()), &parameters);
    }
    if !drift.is_empty() {
        console.remark("drift.learn", &[("site", plain(site))]);
    }
}

fn finding_text(words: &Words, step: &ConnectionStep) -> String {
    words.text(&["connection", "findings", &step.finding], &step.parameters)
}

/// Returns the usual status: unreachable without the service or its provider, sign-in if the user has to sign in, and
/// rejected for other failures.
fn exit_status(check: &ConnectionCheck) -> ExitStatus {
    use ConnectionPart::{Dns, Proxy, Tcp, Tls};
    let unreached = |step: &ConnectionStep| {
        step.outcome == StepOutcome::Failed
            && (matches!(step.part, Dns | Tcp | Proxy | Tls)
                || matches!(
                    step.finding.as_str(),
                    "authorize-unreached" | "authorize-broken" | "token-failed" | "read-failed"
                ))
    };
    if check.steps.iter().any(unreached) {
        return ExitStatus::Unreachable;
    }
    let refused = |step: &ConnectionStep| {
        matches!(step.finding.as_str(), "authorize-refused" | "authorize-missing" | "read-unauthorised" | "read-denied")
    };
    if check.needs_sign_in() || check.steps.iter().any(refused) {
        return ExitStatus::SignIn;
    }
    if check.outcome == StepOutcome::Failed { ExitStatus::Rejected } else { ExitStatus::Done }
}
