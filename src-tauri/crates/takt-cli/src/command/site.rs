//! `takt site`: adds, lists, checks, exports and removes sites.

use std::{
    collections::BTreeMap,
    io::{self, Read},
    path::{Path, PathBuf},
};

use serde_json::json;
use takt_engine::{
    Engine, Problem, Words,
    contract::{DriftEntry, text_without_byte_order_mark},
    serialized_name,
    site_file::SiteFiles,
    sites::{
        ClientAuthentication, ConnectionCheck, ConnectionPart, ConnectionStep, IgnoredHeader, NetworkSettings,
        SignInSettings, Site, SiteKind, SiteTest, StepOutcome,
    },
    system::write_file,
};

use super::{contract, vault};
use crate::{
    arguments::{ClientSecretMethod, ContractFileArguments, SiteArguments, SiteCommand, SiteUse},
    console::{Console, sanitize},
    exit_codes::{self, ExitStatus, Failure},
    secret_file,
    session::{self, Session},
};

/// The difference in seconds below which clocks are reported as equal.
const MAX_CLOCK_DIFFERENCE: u32 = 5;
/// The maximum number of bytes that are read for a client secret. All secrets are shorter.
const MAX_SECRET_LENGTH: u64 = 64 * 1024;

pub(super) async fn run(command: SiteCommand, console: &Console) -> Result<ExitStatus, Failure> {
    match command {
        SiteCommand::Add(arguments) => add_site(*arguments, console).await,
        SiteCommand::List { json } => list_sites(json, console),
        SiteCommand::Remove { name } => {
            session::open_engine_with_keychain(console)?.remove_site(&name)?;
            console.print_remark("site.removed", &[("site", sanitize(&name))]);
            Ok(ExitStatus::Done)
        }
        SiteCommand::Test { name } => test_site(&name, console).await,
        SiteCommand::Check { name, transcript, json } => {
            check_site(SiteCheckRequest { name, transcript, json }, console).await
        }
        SiteCommand::Export { name, out } => {
            SiteFiles::new(&*session::open_engine_with_keychain(console)?).export(&name, &out)?;
            console.print_remark("site.exported", &[("site", sanitize(&name)), ("file", out.display().to_string())]);
            Ok(ExitStatus::Done)
        }
        SiteCommand::Import { file, yes, json } => import_site(&file, yes, json, console).await,
    }
}

async fn add_site(arguments: SiteArguments, console: &Console) -> Result<ExitStatus, Failure> {
    let mut secrets = secret_file::site_secrets()?;
    if arguments.client_secret_stdin {
        secrets.client = Some(read_secret()?);
    }
    let engine = session::open_engine_with_keychain(console)?;
    let name = arguments.name.clone();
    let (has_secret, contract) = (secrets.client.is_some(), arguments.contract.clone());
    let path = |file: Option<PathBuf>| file.map(|file| file.to_string_lossy().into_owned());
    let saved = engine.save_site(
        Site {
            name: arguments.name,
            kind: match arguments.kind {
                SiteUse::Test => SiteKind::Test,
                SiteUse::Production => SiteKind::Production,
            },
            base_url: arguments.base_url,
            auth_url: arguments.auth_url,
            client_id: arguments.client_id,
            redirect_uris: arguments.redirect_uris,
            scope: arguments.scope,
            time_zone: arguments.time_zone,
            batch_size: arguments.batch_size,
            proxy: arguments.proxy,
            ca_file: path(arguments.ca),
            reserved_prefix: arguments.reserved_prefix,
            allow_http: arguments.allow_http,
            sign_in: SignInSettings {
                client_authentication: arguments.client_authentication.map(|way| match way {
                    ClientSecretMethod::Post => ClientAuthentication::Post,
                    ClientSecretMethod::Basic => ClientAuthentication::Basic,
                }),
                authorize_address: arguments.authorize_address,
                token_address: arguments.token_address,
                revocation_address: arguments.revocation_address,
            },
            network: NetworkSettings {
                no_proxy: arguments.no_proxy,
                client_certificate: path(arguments.client_certificate),
                client_key: path(arguments.client_key),
                connect_timeout: arguments.connect_timeout,
                read_timeout: arguments.read_timeout,
            },
            rehearsal_of: None,
        },
        secrets,
    )?;
    console.print_remark("site.added", &[("site", sanitize(&name))]);
    if saved.secret_forgotten {
        console.print_remark("site.secret-forgotten", &[("site", sanitize(&name))]);
    }
    if saved.proxy_password_forgotten {
        console.print_remark("site.proxy-password-forgotten", &[("site", sanitize(&name))]);
    }
    if saved.certificate_passphrase_forgotten {
        console.print_remark("site.certificate-passphrase-forgotten", &[("site", sanitize(&name))]);
    }
    if has_secret {
        session::print_vault_storage(engine.sites().secrets().storage(), console);
    }
    if let Some(file) = contract {
        let arguments = ContractFileArguments { file: Some(file), address: None, matches: Vec::new(), json: false };
        contract::adopt_document(&engine, &arguments, &name, console).await?;
    }
    Ok(ExitStatus::Done)
}

/// Imports a site file. If `yes` is false, only prints a preview of its changes.
async fn import_site(file: &Path, yes: bool, as_json: bool, console: &Console) -> Result<ExitStatus, Failure> {
    let engine = session::open_engine_with_keychain(console)?;
    let preview = if yes { SiteFiles::new(&engine).import(file)? } else { SiteFiles::new(&engine).preview(file)? };
    if as_json {
        console.print_json(&json!(preview));
        return Ok(ExitStatus::Done);
    }
    let parameters = [
        ("site", sanitize(&preview.name)),
        ("address", sanitize(&preview.base_url)),
        ("operations", preview.operations.to_string()),
        ("mappings", (preview.mappings - preview.known_mappings).to_string()),
        ("rules", preview.rules.to_string()),
        ("targets", preview.targets.to_string()),
    ];
    console.print_text("site.file", &parameters);
    if preview.replaces {
        console.print_text("site.file-replaces", &parameters);
    }
    for own in &preview.own_files {
        console.print_text(&format!("site.own-{}", own.name()), &[]);
    }
    console.print_remark(if yes { "site.imported" } else { "site.file-yes" }, &parameters);
    Ok(ExitStatus::Done)
}

/// Reads the client secret from the first line of standard input.
fn read_secret() -> Result<String, Failure> {
    let mut text = String::new();
    let read = io::stdin().take(MAX_SECRET_LENGTH).read_to_string(&mut text);
    let secret = text_without_byte_order_mark(&text).lines().next().unwrap_or_default();
    if read.is_err() || secret.is_empty() {
        return Err(Failure::Usage("site.no-secret", Vec::new()));
    }
    Ok(secret.to_owned())
}

fn list_sites(json: bool, console: &Console) -> Result<ExitStatus, Failure> {
    let engine = session::open_engine_with_keychain(console)?;
    let (sites, place) = (engine.sites().list()?, engine.sites().secrets().storage());
    if json {
        for view in &sites {
            let site = &view.site;
            console.print_json(&json!({
                "name": site.name,
                "kind": site.kind,
                "baseUrl": site.base_url,
                "authUrl": site.auth_url,
                "clientId": site.client_id,
                "redirectUris": site.redirect_uris,
                "scope": site.scope,
                "timeZone": site.time_zone,
                "batchSize": site.batch_size,
                "allowHttp": site.allow_http,
                "encrypted": !view.unencrypted,
                "signIn": site.sign_in,
                "proxy": site.proxy,
                "caFile": site.ca_file,
                "network": site.network,
                "chosen": view.chosen,
                "signedIn": view.signed_in,
                "keychainFailed": view.keychain_failed,
                "hasSecret": view.has_secret,
                "vault": place,
            }));
        }
        return Ok(ExitStatus::Done);
    }
    let text = |key: &str| console.texts.text(key, &[]);
    let mut rows = vec![vec![text("site.name"), text("site.address"), text("site.sign-in")]];
    rows.extend(sites.into_iter().map(|view| match view.site.kind {
        SiteKind::Practice => vec![view.site.name, text("site.embedded"), text("site.by-itself")],
        SiteKind::Test | SiteKind::Production => {
            let state = match (view.keychain_failed, view.signed_in) {
                (true, _) => "site.keychain-failed",
                (false, true) => "site.signed-in",
                (false, false) => "site.signed-out",
            };
            let address = if view.unencrypted {
                console.texts.text("site.unencrypted", &[("address", view.site.base_url)])
            } else {
                view.site.base_url
            };
            vec![view.site.name, address, text(state)]
        }
    }));
    console.print_table(&rows);
    console.print_remark(vault::storage_key(place), &[]);
    Ok(ExitStatus::Done)
}

async fn test_site(name: &str, console: &Console) -> Result<ExitStatus, Failure> {
    let session = Session::open(Some(name), console).await?;
    let test = session.engine.sites().test(&session.site).await?;
    let print_outcome =
        |key: &str, outcome: &str| console.print_text(key, &[("outcome", console.texts.text(outcome, &[]))]);
    let reached_key = |reached_key: bool| if reached_key { "site.reached" } else { "site.not-reached" };
    print_outcome("site.service", reached_key(test.service_reached));
    print_outcome("site.provider", reached_key(test.provider_reached));
    print_outcome(
        "site.token",
        match test.token_accepted {
            Some(true) => "site.accepted",
            Some(false) => "site.refused",
            None => "site.signed-out",
        },
    );
    console.print_text("site.clock", &[("outcome", clock_text(test.clock_ahead_seconds, console))]);
    print_odd_headers(&test.odd_headers, console);
    if let Some(problem) = &test.problem {
        console.print_problem(problem);
    }
    Ok(test_status(&test))
}

/// Prints the service's headers that were ignored because of invalid values. Commands call this once, at their end.
pub(super) fn print_ignored_headers(engine: &Engine, site: &str, console: &Console) -> Result<(), Problem> {
    print_odd_headers(&engine.sites().ignored_headers(site)?, console);
    Ok(())
}

fn print_odd_headers(headers: &[IgnoredHeader], console: &Console) {
    for header in headers {
        console.print_remark("headers.odd", &[("name", sanitize(&header.name)), ("value", sanitize(&header.value))]);
    }
}

/// Compares this computer's clock with the service's. A difference explains tokens and limits that seem to end too
/// early or too late.
fn clock_text(ahead: Option<i32>, console: &Console) -> String {
    let Some(ahead) = ahead else { return console.texts.text("site.clock-untold", &[]) };
    let seconds = ahead.unsigned_abs();
    if seconds < MAX_CLOCK_DIFFERENCE {
        return console.texts.text("site.clock-same", &[]);
    }
    let time = console.texts.engine.format_duration(f64::from(seconds));
    console.texts.text(if ahead > 0 { "site.clock-ahead" } else { "site.clock-behind" }, &[("time", time)])
}

fn test_status(test: &SiteTest) -> ExitStatus {
    match test {
        SiteTest { service_reached: false, .. } | SiteTest { provider_reached: false, .. } => ExitStatus::Unreachable,
        SiteTest { token_accepted: Some(false), .. } => ExitStatus::SignIn,
        SiteTest { problem: Some(Problem { code, .. }), .. } => exit_codes::status_of_problem(*code),
        SiteTest { problem: None, .. } => ExitStatus::Done,
    }
}

struct SiteCheckRequest {
    name: Option<String>,
    transcript: Option<PathBuf>,
    json: bool,
}

/// Checks the connection to a site step by step. For failures, prints the role that can help, such as IT.
async fn check_site(request: SiteCheckRequest, console: &Console) -> Result<ExitStatus, Failure> {
    let session = Session::open(request.name.as_deref(), console).await?;
    let check = session.engine.sites().check_connection(&session.site).await?;
    let words = session.engine.words();
    let drift = session.engine.contracts().drift(&session.site)?;
    if request.json {
        for step in &check.steps {
            console.print_json(&json!({
                "part": step.part,
                "target": step.target,
                "outcome": step.outcome,
                "milliseconds": step.milliseconds,
                "finding": step.finding,
                "message": finding_text(&words, step),
                "details": step.details,
            }));
        }
        drift.iter().for_each(|entry| console.print_json(&json!({ "drift": entry })));
        console.print_json(&json!({ "site": check.site, "outcome": check.outcome }));
    } else {
        print_steps(&check, &words, console);
        print_drift(&drift, &session.site, console);
    }
    if let Some(file) = request.transcript {
        write_file(&file, check.transcript.as_bytes())?;
        console.print_remark("site.transcript", &[("file", file.display().to_string())]);
    }
    Ok(check_status(&check))
}

fn print_steps(check: &ConnectionCheck, words: &Words, console: &Console) {
    let name = |section: &str, key: String| words.text(&["connection", section, &key], &BTreeMap::new());
    for step in &check.steps {
        let time = step.milliseconds.map(|milliseconds| format!(" ({milliseconds} ms)")).unwrap_or_default();
        let (outcome, part) =
            (name("outcomes", serialized_name(step.outcome)), name("parts", serialized_name(step.part)));
        console.print_line(&format!("{outcome}: {part}{time}: {}", sanitize(&finding_text(words, step))));
        if step.outcome == StepOutcome::Failed
            && let Some(details) = &step.details
        {
            details.lines().for_each(|line| console.print_line(&format!("    {}", sanitize(line))));
        }
    }
}

/// Prints differences between responses and the contract since the contract has been in force.
fn print_drift(drift: &[DriftEntry], site: &str, console: &Console) {
    for entry in drift {
        let parameters = [
            ("operation", sanitize(&entry.operation)),
            ("member", sanitize(&entry.member)),
            ("expected", entry.expected.clone()),
            ("found", sanitize(&entry.found)),
            ("count", entry.count.to_string()),
            ("first", entry.first.clone()),
            ("last", entry.last.clone()),
        ];
        let kind = json!(entry.kind);
        console.print_text(&format!("drift.{}", kind.as_str().unwrap_or_default()), &parameters);
    }
    if !drift.is_empty() {
        console.print_remark("drift.learn", &[("site", sanitize(site))]);
    }
}

fn finding_text(words: &Words, step: &ConnectionStep) -> String {
    words.text(&["connection", "findings", &step.finding], &step.parameters)
}

/// Returns the exit status of a check. It is unreachable if the service or its provider can't be reached, sign-in if
/// the user must sign in, and rejected for other failures.
fn check_status(check: &ConnectionCheck) -> ExitStatus {
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
