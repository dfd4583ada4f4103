//! `takt forward`: the targets to which a site's events are forwarded.

use std::path::Path;

use takt_engine::{
    forward::{
        ForwardTarget, ForwardedEvent, IdleReason, TargetSettings, TargetStart, TargetState, TestSent,
        forward_fault_text,
    },
    sites::VaultStorage,
};

use crate::{
    arguments::{AddTargetArguments, ForwardCommand, FromArgument},
    console::{Console, sanitize},
    exit_codes::{ExitStatus, Failure},
    secret_file,
    session::{self, Session},
};

pub(super) async fn run(command: ForwardCommand, site: Option<&str>, console: &Console) -> Result<ExitStatus, Failure> {
    let session = open_session(&command, site, console)?;
    match command {
        ForwardCommand::List { json } => print_targets(&list_targets(&session, site).await?, json, console),
        ForwardCommand::Add(arguments) => add_target(&session, arguments, console)?,
        ForwardCommand::Remove { name } => {
            session.engine.inbox().targets().remove(&session.site, find_target_id(&session, &name).await?)?
        }
        ForwardCommand::Pause { name } => {
            session.engine.inbox().targets().pause(&session.site, find_target_id(&session, &name).await?)?
        }
        ForwardCommand::Resume { name, from_now, allow_http } => {
            let id = find_target_id(&session, &name).await?;
            if allow_http {
                session.engine.inbox().targets().allow_http(&session.site, id)?;
            }
            session.engine.inbox().targets().resume(&session.site, id, from_now)?;
            print_unencrypted_hint(&find_target(&session, &name).await?, console);
        }
        ForwardCommand::Status { name, json } => {
            let target = find_target(&session, &name).await?;
            let set_aside =
                session.engine.inbox().targets().list_excluded_events(&session.site, i64::from(target.id))?;
            print_target(&target, &set_aside, json, console);
        }
        ForwardCommand::Retry { name, events } => {
            let target = find_target(&session, &name).await?;
            let id = i64::from(target.id);
            let again = session.engine.inbox().targets().requeue_events(&session.site, id, &events)?;
            session.engine.inbox().targets().retry_now(&session.site, id)?;
            console.print_text("forward.again", &[("count", again.to_string())]);
            print_idle_hint(&target, console);
        }
        ForwardCommand::Secret { name, header_file, secret_file } => {
            store_secrets(&session, &name, header_file.as_deref(), secret_file.as_deref(), console).await?;
        }
        ForwardCommand::Test { name } => return send_test(&session, &name, console).await,
    }
    Ok(ExitStatus::Done)
}

/// Opens a session, with the keychain only for commands that need a target's secrets. The practice plant stores none
/// there.
fn open_session(command: &ForwardCommand, site: Option<&str>, console: &Console) -> Result<Session, Failure> {
    use ForwardCommand::{Add, Remove, Secret, Test};
    let secret = matches!(command, Add(_) | Remove { .. } | Secret { .. } | Test { .. });
    if secret && !session::is_practice(site) {
        Session::open_with_keychain(site, console)
    } else {
        Session::open_local(site, console)
    }
}

/// Returns the targets of the named site, or of all sites.
async fn list_targets(session: &Session, site: Option<&str>) -> Result<Vec<ForwardTarget>, Failure> {
    let mut targets = session.engine.inbox().targets().list().await?;
    targets.retain(|target| site.is_none() || target.site == session.site);
    Ok(targets)
}

async fn find_target(session: &Session, name: &str) -> Result<ForwardTarget, Failure> {
    let mut targets = session.engine.inbox().targets().list().await?.into_iter();
    let target = targets.find(|target| target.site == session.site && target.name == name);
    target.ok_or_else(|| {
        Failure::Usage("forward.unknown", vec![("name", sanitize(name)), ("site", sanitize(&session.site))])
    })
}

async fn find_target_id(session: &Session, name: &str) -> Result<i64, Failure> {
    Ok(i64::from(find_target(session, name).await?.id))
}

fn add_target(session: &Session, arguments: AddTargetArguments, console: &Console) -> Result<(), Failure> {
    let AddTargetArguments { name, to, allow_http, kinds, from, header_file, secret_file } = arguments;
    let headers = header_file.as_deref().map(read_headers).transpose()?.unwrap_or_default();
    let secret = read_secret(secret_file.as_deref())?;
    let stores_secrets = !headers.is_empty() || secret.is_some();
    let start = match from {
        FromArgument::Now => TargetStart::Now,
        FromArgument::Beginning => TargetStart::Beginning,
        FromArgument::Moment(moment) => TargetStart::Since { moment },
    };
    let settings = TargetSettings { name, address: to, kinds, headers, secret, allow_http };
    session.engine.inbox().targets().add(&session.site, &settings, &start)?;
    warn_about_memory_vault(session, stores_secrets, console);
    console.print_text("forward.added", &[("name", sanitize(settings.name.trim())), ("site", sanitize(&session.site))]);
    Ok(())
}

/// Returns a target's settings with empty secrets, so that the stored secrets remain unchanged.
fn settings_of(target: &ForwardTarget) -> TargetSettings {
    TargetSettings {
        name: target.name.clone(),
        address: target.address.clone(),
        kinds: target.kinds.clone(),
        headers: target.headers.iter().map(|name| (name.clone(), String::new())).collect(),
        secret: None,
        allow_http: target.allow_http,
    }
}

async fn store_secrets(
    session: &Session,
    name: &str,
    header_file: Option<&Path>,
    secret_file: Option<&Path>,
    console: &Console,
) -> Result<(), Failure> {
    let target = find_target(session, name).await?;
    let mut changed = settings_of(&target);
    if let Some(file) = header_file {
        changed.headers = read_headers(file)?;
    }
    changed.secret = read_secret(secret_file)?;
    session.engine.inbox().targets().change(&session.site, i64::from(target.id), &changed)?;
    warn_about_memory_vault(session, true, console);
    console.print_text("forward.stored", &[("name", sanitize(name))]);
    Ok(())
}

fn warn_about_memory_vault(session: &Session, stores_secrets: bool, console: &Console) {
    if stores_secrets && (session.is_practice() || session.engine.sites().secrets().storage() == VaultStorage::Memory) {
        console.print_remark("forward.memory", &[]);
    }
}

/// Reads a secret, which is the first line of the file.
fn read_secret(file: Option<&Path>) -> Result<Option<String>, Failure> {
    Ok(file.map(secret_file::read).transpose()?.and_then(|all| all.into_iter().next()))
}

fn read_headers(file: &Path) -> Result<Vec<(String, String)>, Failure> {
    let wrong = |line: &str| {
        let name = line.split(':').next().unwrap_or_default();
        Failure::Usage("forward.no-header", vec![("file", file.display().to_string()), ("name", sanitize(name))])
    };
    let parse_header = |line: String| match line.split_once(':') {
        Some((name, value)) if !value.trim().is_empty() => Ok((name.trim().to_owned(), value.trim().to_owned())),
        _ => Err(wrong(&line)),
    };
    secret_file::read(file)?.into_iter().map(parse_header).collect()
}

async fn send_test(session: &Session, name: &str, console: &Console) -> Result<ExitStatus, Failure> {
    let target = find_target(session, name).await?;
    let test = session
        .engine
        .inbox()
        .targets()
        .send_test_event(&session.site, &settings_of(&target), Some(i64::from(target.id)))
        .await?;
    print_test(&test, console);
    Ok(match (test.fault, test.status) {
        (None, _) => ExitStatus::Done,
        (Some(_), Some(_)) => ExitStatus::Rejected,
        (Some(_), None) => ExitStatus::Unreachable,
    })
}

fn print_targets(targets: &[ForwardTarget], as_json: bool, console: &Console) {
    for target in targets {
        if as_json { console.print_json(target) } else { print_target_line(target, console) }
    }
    if targets.is_empty() && !as_json {
        console.print_remark("forward.none", &[]);
    }
}

fn print_target(target: &ForwardTarget, set_aside: &[ForwardedEvent], as_json: bool, console: &Console) {
    if as_json {
        console.print_json(target);
        set_aside.iter().for_each(|one| console.print_json(one));
        return;
    }
    print_target_line(target, console);
    if let Some(miss) = &target.miss {
        let why = forward_fault_text(miss.fault, miss.status, &console.texts.engine);
        let parameters = [
            ("event", miss.event.to_string()),
            ("count", miss.tries.to_string()),
            ("since", miss.since.clone()),
            ("next", miss.next.clone()),
            ("why", why),
        ];
        console.print_text("forward.miss", &parameters);
        if !miss.response.is_empty() {
            console.print_line(&format!("  {}", sanitize(&miss.response)));
        }
    }
    for one in set_aside {
        let why = one.fault.map(|kind| forward_fault_text(kind, one.status, &console.texts.engine)).unwrap_or_default();
        let parameters = [("event", one.event.to_string()), ("count", one.tries.to_string()), ("why", why)];
        console.print_text("forward.aside", &parameters);
        if !one.response.is_empty() {
            console.print_line(&format!("  {}", sanitize(&one.response)));
        }
    }
    print_unencrypted_hint(target, console);
    print_idle_hint(target, console);
}

/// Prints the command that allows HTTP if the target's events wait for that.
fn print_unencrypted_hint(target: &ForwardTarget, console: &Console) {
    if target.state == TargetState::Unencrypted {
        console.print_remark("forward.held", &[("name", sanitize(&target.name))]);
    }
}

/// Prints the next step if no process forwards the target's events.
fn print_idle_hint(target: &ForwardTarget, console: &Console) {
    let key = match target.idle {
        None => return,
        Some(IdleReason::NotReceiving) => "forward.idle",
        Some(IdleReason::SecretsMissing) => "forward.idle-secrets",
    };
    console.print_remark(key, &[("site", sanitize(&target.site)), ("name", sanitize(&target.name))]);
}

fn print_test(test: &TestSent, console: &Console) {
    match test.fault {
        None => console.print_text(
            "forward.taken",
            &[("status", test.status.map(|status| status.to_string()).unwrap_or_default())],
        ),
        Some(kind) => {
            console.print_line(&forward_fault_text(kind, test.status, &console.texts.engine));
            if !test.response.is_empty() {
                console.print_line(&format!("  {}", sanitize(&test.response)));
            }
        }
    }
}

fn print_target_line(target: &ForwardTarget, console: &Console) {
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
    console.print_line(&sanitize(&parts.join("  ")));
}
