//! The text and JSON output of `takt forward`.

use takt_engine::forward::{ForwardTarget, ForwardedEvent, IdleReason, TargetState, TestSent, forward_fault_text};

use crate::console::{Console, plain};

pub(super) fn print_targets(targets: &[ForwardTarget], as_json: bool, console: &Console) {
    for target in targets {
        if as_json { console.json(target) } else { print_line(target, console) }
    }
    if targets.is_empty() && !as_json {
        console.remark("forward.none", &[]);
    }
}

pub(super) fn print_target(target: &ForwardTarget, set_aside: &[ForwardedEvent], as_json: bool, console: &Console) {
    if as_json {
        console.json(target);
        set_aside.iter().for_each(|one| console.json(one));
        return;
    }
    print_line(target, console);
    if let Some(miss) = &target.miss {
        let why = forward_fault_text(miss.fault, miss.status, &console.texts.engine);
        let parameters = [
            ("event", miss.event.to_string()),
            ("count", miss.tries.to_string()),
            ("since", miss.since.clone()),
            ("next", miss.next.clone()),
            ("why", why),
        ];
        console.status("forward.miss", &parameters);
        if !miss.response.is_empty() {
            console.line(&format!("  {}", plain(&miss.response)));
        }
    }
    for one in set_aside {
        let why = one.fault.map(|kind| forward_fault_text(kind, one.status, &console.texts.engine)).unwrap_or_default();
        let parameters = [("event", one.event.to_string()), ("count", one.tries.to_string()), ("why", why)];
        console.status("forward.aside", &parameters);
        if !one.response.is_empty() {
            console.line(&format!("  {}", plain(&one.response)));
        }
    }
    print_unencrypted(target, console);
    print_idle(target, console);
}

/// If the target's events wait until HTTP is allowed, prints how to allow it.
pub(super) fn print_unencrypted(target: &ForwardTarget, console: &Console) {
    if target.state == TargetState::Unencrypted {
        console.remark("forward.held", &[("name", plain(&target.name))]);
    }
}

/// If no process sends the target's events, prints the next step.
pub(super) fn print_idle(target: &ForwardTarget, console: &Console) {
    let key = match target.idle {
        None => return,
        Some(IdleReason::NotReceiving) => "forward.idle",
        Some(IdleReason::SecretsMissing) => "forward.idle-secrets",
    };
    console.remark(key, &[("site", plain(&target.site)), ("name", plain(&target.name))]);
}

pub(super) fn print_trial(trial: &TestSent, console: &Console) {
    match trial.fault {
        None => console
            .status("forward.taken", &[("status", trial.status.map(|status| status.to_string()).unwrap_or_default())]),
        Some(kind) => {
            console.line(&forward_fault_text(kind, trial.status, &console.texts.engine));
            if !trial.response.is_empty() {
                console.line(&format!("  {}", plain(&trial.response)));
            }
        }
    }
}

fn print_line(target: &ForwardTarget, console: &Console) {
    let mut parts = vec![target.site.clone(), target.name.clone(), target.address.clone()];
    parts.push(target.state.text(&console.texts.engine));
    for (key, count) in [("forward.waiting", target.waiting), ("forward.set-aside", target.set_aside)] {
        if count > 0 {
            parts.push(console.texts.text(key, &[("count", count.to_string())]));
        }
    }
    if let Some(miss) = &target.miss {
        parts.push(forward_fault_text(miss.fault, miss.status, &console.texts.engine));
    }
    if target.open {
        parts.push(console.texts.text("forward.open", &[]));
    }
    console.line(&plain(&parts.join("  ")));
}
