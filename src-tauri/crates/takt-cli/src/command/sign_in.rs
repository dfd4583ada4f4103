//! `takt sign-in` and `takt sign-out`: signs in with the browser or a pasted address, and revokes tokens.

use std::{future::pending, io, path::PathBuf, thread};

use takt_engine::{Engine, client::Revocation, sites::SIGN_IN_HINT_DELAY, system::write_file};
use tokio::sync::mpsc;

use crate::{
    console::{Console, sanitize},
    exit_codes::{ExitStatus, Failure},
    secret_file,
    session::{self, Interruption},
};

/// The maximum number of lines that are read from standard input, as candidates for the browser's final address.
const MAX_LINES: usize = 100;

/// The arguments of `takt sign-in` other than the site.
pub(super) struct SignInRequest {
    pub(super) no_browser: bool,
    pub(super) paste: bool,
    pub(super) transcript: Option<PathBuf>,
}

pub(super) async fn sign_in(
    site: Option<&str>,
    request: SignInRequest,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let Some(site) = site.filter(|site| !session::is_practice(Some(site))) else {
        console.print_remark("sign-in.practice", &[]);
        return Ok(ExitStatus::Done);
    };
    let engine = session::open_engine_with_keychain(console)?;
    engine.sites().secrets().set_session_secrets(site, &secret_file::site_secrets()?)?;
    let Some(file) = &request.transcript else { return complete_sign_in(&engine, site, &request, console).await };
    let client = engine.sites().client(site)?;
    client.begin_transcript();
    let outcome = complete_sign_in(&engine, site, &request, console).await;
    write_file(file, client.transcript().as_bytes())?;
    console.print_remark("site.transcript", &[("file", file.display().to_string())]);
    outcome
}

async fn complete_sign_in(
    engine: &Engine,
    site: &str,
    request: &SignInRequest,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let &SignInRequest { no_browser, paste, .. } = request;
    let mut interruption = Interruption::listen()?;
    let pending = if paste {
        engine.sites().begin_sign_in_to_paste(site).await?
    } else {
        engine.sites().begin_sign_in(site).await?
    };
    let address = pending.address().to_owned();
    if no_browser {
        console.print_line(&address);
    } else {
        let opened = takt_engine::system::open_in_browser(&address);
        console.print_remark(if opened { "sign-in.opened" } else { "sign-in.no-browser" }, &[("address", address)]);
    }
    console.print_remark("sign-in.waits", &[("minutes", (pending.timeout().as_secs() / 60).to_string())]);
    let redirect_sender = pending.redirect_sender();
    let mut lines = paste.then(|| {
        console.print_remark("sign-in.paste", &[]);
        read_lines()
    });
    let redirect = pending.redirect_uri().to_owned();
    let waiting = pending.wait();
    tokio::pin!(waiting);
    let hint = tokio::time::sleep(SIGN_IN_HINT_DELAY);
    tokio::pin!(hint);
    let mut hinted = false;
    loop {
        tokio::select! {
            outcome = &mut waiting => break outcome?,
            () = interruption.next() => return Ok(ExitStatus::Interrupted),
            () = &mut hint, if !hinted => {
                hinted = true;
                console.print_remark("sign-in.nothing-came", &[("redirect", redirect.clone())]);
            }
            line = next_line(&mut lines) => {
                if let Err(problem) = redirect_sender.paste(&line) {
                    console.print_problem(&problem);
                }
            }
        }
    }
    console.print_remark("sign-in.done", &[("site", sanitize(site))]);
    session::print_vault_storage(engine.sites().secrets().storage(), console);
    Ok(ExitStatus::Done)
}

/// Reads lines of standard input in a thread. The thread may wait for input forever, and ends with the process.
fn read_lines() -> mpsc::UnboundedReceiver<String> {
    let (sender, receiver) = mpsc::unbounded_channel();
    thread::spawn(move || {
        let lines = io::stdin().lines().map_while(Result::ok).filter(|line| !line.trim().is_empty());
        for line in lines.take(MAX_LINES) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

/// Returns the next line. Never returns if there is no input or it has ended.
async fn next_line(lines: &mut Option<mpsc::UnboundedReceiver<String>>) -> String {
    let Some(lines) = lines else { return pending().await };
    match lines.recv().await {
        Some(line) => line,
        None => pending().await,
    }
}

pub(super) async fn sign_out(site: Option<&str>, console: &Console) -> Result<ExitStatus, Failure> {
    let Some(site) = site.filter(|site| !session::is_practice(Some(site))) else {
        console.print_remark("sign-in.practice", &[]);
        return Ok(ExitStatus::Done);
    };
    let revoked = session::open_engine_with_keychain(console)?.sites().sign_out_and_revoke(site).await?;
    console.print_remark("sign-out.done", &[("site", sanitize(site))]);
    if revoked == Revocation::Failed {
        console.print_remark("sign-out.not-revoked", &[("site", sanitize(site))]);
    }
    Ok(ExitStatus::Done)
}
