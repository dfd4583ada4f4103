//! `takt answers`: shows the rules that answer events, tries them on past events, and activates them.

use serde_json::json;
use takt_engine::{
    Canceller, Code, Problem,
    answers::{RuleSet, Rules, RulesFailing, Trial},
    inbox::RulePart,
};

use crate::{
    arguments::{AnswersArguments, AnswersCommand, TryArguments},
    console::{Console, sanitize},
    exit_codes::{ExitStatus, Failure},
    results,
    session::{Interruption, Session},
};

pub(super) async fn run(
    arguments: AnswersArguments,
    site: Option<&str>,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    // Rules and past events are stored locally, so no connection is needed.
    let session = Session::open_local(site, console)?;
    if let Some(AnswersCommand::Try(arguments)) = arguments.command {
        return try_rules(&session, arguments, console).await;
    }
    if arguments.words {
        print_words(&session, arguments.json, console);
        return Ok(ExitStatus::Done);
    }
    if let Some(file) = &arguments.export {
        let rules = session.engine.answers().rules(&session.site)?.rules;
        rules.write(file)?;
        console.print_remark("answers.exported", &[("file", file.display().to_string())]);
        return Ok(ExitStatus::Done);
    }
    if let Some(file) = &arguments.rules {
        let rules = Rules::read(file)?;
        print_faults(&session, &rules, console)?;
        let Some(trial) = run_trial(&session, &rules, false, console).await? else {
            return Ok(ExitStatus::Interrupted);
        };
        if !arguments.json {
            print_trial(&trial, console);
        }
        session.engine.answers().save(&session.site, &rules)?;
    }
    let stored = session.engine.answers().rules(&session.site)?;
    let failing = session.engine.answers().failing_rules(&session.site)?;
    if arguments.json {
        let Rules { rules, refuse_otherwise, refuse_on_failure, allow_on_failure } = &stored.rules;
        console.print_json(&json!({ "site": session.site, "version": stored.version, "saved": stored.saved, "rules": rules,
            "refuseOtherwise": refuse_otherwise, "refuseOnFailure": refuse_on_failure, "allowOnFailure": allow_on_failure,
            "failing": failing }));
    } else {
        print_rules(&session, &stored, console);
        failing.iter().for_each(|failing| warn_about_failing_rules(failing, console));
    }
    Ok(ExitStatus::Done)
}

/// Warns that rules failed or were too slow recently, with the number of affected events.
pub(super) fn warn_about_failing_rules(failing: &RulesFailing, console: &Console) {
    let key = if failing.rules.is_empty() { "answers.failing-slow" } else { "answers.failing" };
    let parameters = [
        ("count", failing.events.to_string()),
        ("allowed", failing.allowed.to_string()),
        ("last", results::format_time(&failing.last)),
        ("rules", sanitize(&failing.rules.join(", "))),
    ];
    console.print_remark(key, &parameters);
}

async fn try_rules(session: &Session, arguments: TryArguments, console: &Console) -> Result<ExitStatus, Failure> {
    let rules = match &arguments.rules {
        Some(file) => Rules::read(file)?,
        None => session.engine.answers().rules(&session.site)?.rules,
    };
    print_faults(session, &rules, console)?;
    let Some(trial) = run_trial(session, &rules, arguments.others, console).await? else {
        return Ok(ExitStatus::Interrupted);
    };
    if arguments.json {
        console.print_json(&trial)
    } else {
        print_trial(&trial, console)
    }
    Ok(if trial.failed > 0 { ExitStatus::Rejected } else { ExitStatus::Done })
}

/// Tries rules on past events. Returns `None` if the user interrupts the trial.
async fn run_trial(
    session: &Session,
    rules: &Rules,
    others: bool,
    console: &Console,
) -> Result<Option<Trial>, Failure> {
    let mut interruption = Interruption::listen()?;
    let canceller = Canceller::new();
    let (engine, site, rules, stop) = (session.engine.clone(), session.site.clone(), rules.clone(), canceller.clone());
    let mut trying =
        tokio::task::spawn_blocking(move || engine.answers().run_trial(&site, &rules, others, &stop, |_| {}));
    let done = tokio::select! {
        done = &mut trying => done,
        () = interruption.next() => {
            canceller.cancel();
            trying.await
        }
    };
    let trial = done.unwrap_or_else(|error| Err(Problem::new(Code::Bug).details(error)))?;
    if trial.stopped {
        console.print_remark("answers.stopped", &[("tried", trial.tried.to_string())]);
    }
    Ok(Some(trial).filter(|trial| !trial.stopped))
}

/// Prints the faults in the rules with their positions.
fn print_faults(session: &Session, rules: &Rules, console: &Console) -> Result<(), Failure> {
    let checks = session.engine.answers().check(&session.site, rules)?;
    for (rule, check) in rules.rules.iter().zip(&checks) {
        for fault in &check.faults {
            let part = match fault.part {
                RulePart::Name => "name",
                RulePart::Events => "events",
                RulePart::When => "when",
                RulePart::Refuse => "refuse",
            };
            let message = sanitize(&fault.text(&console.texts.engine));
            let at = (fault.at + 1).to_string();
            let parameters =
                [("rule", sanitize(&rule.name)), ("part", part.to_owned()), ("at", at), ("message", message)];
            console.print_remark("answers.fault", &parameters);
        }
    }
    Ok(())
}

fn print_trial(trial: &Trial, console: &Console) {
    if trial.of == 0 {
        console.print_remark("answers.none-came", &[]);
        return;
    }
    let counts = [
        ("tried", trial.tried.to_string()),
        ("of", trial.of.to_string()),
        ("allowed", trial.allowed.to_string()),
        ("refused", trial.refused.to_string()),
        ("failed", trial.failed.to_string()),
        ("changed", trial.changed.to_string()),
    ];
    for rule in &trial.rules {
        let mut row =
            vec![sanitize(&rule.name), console.texts.text("answers.spoke", &[("count", rule.spoke.to_string())])];
        if let Some(fault) = &rule.fault {
            row.push(console.texts.text("answers.failed", &[("count", rule.failed.to_string())]));
            row.push(sanitize(&fault.text(&console.texts.engine)));
        }
        console.print_line(&row.join("  "));
    }
    for change in &trial.changes {
        let line = &change.line;
        let word = if change.answer.allowed { "answers.allowed" } else { "answers.refused" };
        let mut parts = vec![format!("#{}", line.id), line.received.clone()];
        parts.extend([&line.name, &line.station, &line.order].into_iter().flatten().cloned());
        parts.push(console.texts.text(word, &[]));
        parts.push(change.answer.errors.join(" "));
        console.print_line(sanitize(&parts.join("  ")).trim_end());
    }
    console.print_remark("answers.trial", &counts);
}

fn print_rules(session: &Session, set: &RuleSet, console: &Console) {
    let text = |key: &str| console.texts.text(key, &[]);
    let mut rows = Vec::new();
    for rule in &set.rules.rules {
        let events: Vec<_> = rule.events.iter().map(i32::to_string).collect();
        let on = text(if rule.on { "answers.on" } else { "answers.off" });
        let says = rule.refuse.clone().unwrap_or_else(|| text("answers.allowed"));
        rows.push(vec![sanitize(&rule.name), on, events.join(", "), sanitize(&rule.when), sanitize(&says)]);
    }
    console.print_table(&rows);
    let otherwise = set.rules.refuse_otherwise.clone().unwrap_or_else(|| text("answers.allowed"));
    let failure = set.rules.refuse_on_failure.clone().unwrap_or_else(|| console.texts.engine.rules_failed_message());
    let allowed = &set.rules.allow_on_failure;
    let version = set.version.to_string();
    console.print_remark(
        "answers.kept",
        &[
            ("site", sanitize(&session.site)),
            ("version", version),
            ("otherwise", sanitize(&otherwise)),
            ("failure", sanitize(&failure)),
        ],
    );
    if !allowed.is_empty() {
        let events = allowed.iter().map(i32::to_string).collect::<Vec<_>>().join(", ");
        console.print_remark("answers.allowed-on-failure", &[("events", events)]);
    }
}

fn print_words(session: &Session, as_json: bool, console: &Console) {
    let words = session.engine.answers().rule_words();
    if as_json {
        return console.print_json(&words);
    }
    for name in &words.variables {
        console.print_line(&format!("{name}  {}", console.texts.engine.variable_description(name)));
    }
    for example in &words.examples {
        console.print_line("");
        console.print_line(console.texts.engine.localized_name(&example.names));
        console.print_line(&format!("  {}", example.when));
        if let Some(refuse) = &example.refuse {
            console.print_line(&format!("  {}", console.texts.engine.localized_name(refuse)));
        }
    }
}
