//! `takt replay`: sends received events again, to an address or a forwarding target.

use serde_json::json;
use takt_engine::{
    Canceller,
    inbox::{Destination, EventQuery, Replay, ReplayPlan, ReplayResult},
};

use crate::{
    arguments::ReplayArguments,
    console::{Console, sanitize},
    exit_codes::{ExitStatus, Failure},
    session::{Interruption, Session},
};

pub(super) async fn run(
    arguments: ReplayArguments,
    site: Option<&str>,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    if arguments.events.is_empty() && arguments.filter.is_empty() {
        return Err(Failure::Usage("replay.which", Vec::new()));
    }
    // The site's stored secret, if there is one, signs the events.
    let session = Session::open_with_keychain(site, console)?;
    let to = match (arguments.to, arguments.target) {
        (Some(address), _) => Destination::Address { address, allow_http: arguments.allow_http },
        (None, name) => Destination::Target { id: target_id(&session, &name.unwrap_or_default()).await? },
    };
    let scope = session.engine.inbox().scope_of(site).map(str::to_owned);
    let events = if arguments.events.is_empty() {
        let query: EventQuery = arguments.filter.query(scope.clone());
        session.engine.inbox().list_replayable_ids(&query).await?
    } else {
        arguments.events
    };
    let plan = session.engine.inbox().plan_replay(scope.as_deref(), &events, &to).await?;
    print_warnings(&plan, console);
    if arguments.dry_run {
        print_plan(&session, &plan, arguments.json, console);
        return Ok(ExitStatus::Done);
    }
    send(&session, Replay { site: scope, events, to, per_second: arguments.per_second }, arguments.json, console).await
}

async fn target_id(session: &Session, name: &str) -> Result<i32, Failure> {
    let mut targets = session.engine.inbox().targets().list().await?.into_iter();
    let target = targets.find(|target| target.site == session.site && target.name == name);
    let unknown =
        || Failure::Usage("forward.unknown", vec![("name", sanitize(name)), ("site", sanitize(&session.site))]);
    target.map(|target| target.id).ok_or_else(unknown)
}

async fn send(session: &Session, replay: Replay, as_json: bool, console: &Console) -> Result<ExitStatus, Failure> {
    let mut interruption = Interruption::listen()?;
    let canceller = Canceller::new();
    let mut all: Vec<ReplayResult> = Vec::new();
    let interrupted = {
        let mut on_replayed = |replayed: ReplayResult| {
            print_replay_result(&replayed, as_json, console);
            all.push(replayed);
        };
        let mut sending = std::pin::pin!(session.engine.inbox().replay(&replay, &canceller, &mut on_replayed));
        tokio::select! {
            sent = &mut sending => {
                sent?;
                false
            }
            () = interruption.next() => {
                canceller.cancel();
                sending.await?;
                true
            }
        }
    };
    Ok(if interrupted { ExitStatus::Interrupted } else { exit_status(&all) })
}

fn print_warnings(plan: &ReplayPlan, console: &Console) {
    if plan.open {
        console.print_remark("forward.open", &[]);
    }
    if plan.cut {
        console.print_remark("replay.cut", &[("count", plan.count.to_string())]);
    }
}

fn print_plan(session: &Session, plan: &ReplayPlan, as_json: bool, console: &Console) {
    if as_json {
        return console.print_json(plan);
    }
    let span = [("first", plan.first.clone()), ("last", plan.last.clone())];
    let mut parameters = vec![("count", plan.count.to_string()), ("to", sanitize(&plan.address))];
    parameters.extend(span.map(|(name, moment)| (name, moment.unwrap_or_else(|| "-".to_owned()))));
    console.print_text("replay.would", &parameters);
    for (kind, count) in &plan.kinds {
        let event_kind =
            session.engine.sites().builtin_contract().events().iter().find(|event| Some(event.id) == *kind);
        let number = kind.map_or_else(|| "-".to_owned(), |kind| kind.to_string());
        let name = event_kind.map(|event| event.name.clone()).unwrap_or_default();
        console.print_line(sanitize(&format!("  {count}  {number}  {name}")).trim_end());
    }
}

fn print_replay_result(replayed: &ReplayResult, as_json: bool, console: &Console) {
    if as_json {
        return console.print_json(&json!(replayed));
    }
    let status = replayed.status.map(|status| status.to_string()).unwrap_or_default();
    console.print_line(sanitize(&format!("#{}  {status}  {}", replayed.event, replayed.response)).trim_end());
}

fn exit_status(all: &[ReplayResult]) -> ExitStatus {
    if all.iter().any(|one| one.status.is_none()) {
        ExitStatus::Unreachable
    } else if all.iter().all(ReplayResult::is_accepted) {
        ExitStatus::Done
    } else {
        ExitStatus::Rejected
    }
}
