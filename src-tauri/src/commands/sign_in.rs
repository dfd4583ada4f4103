//! Sign-in in the system's browser, with a visible wait.

use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::{Code, Problem};
use tauri::{AppHandle, Wry};
use tauri_plugin_opener::OpenerExt;
use tauri_specta::Event;

use crate::{
    commands::site,
    desk::DeskState,
    events::{SignInChanged, SignInState},
};

/// The address that the browser was sent to, so that a person can copy it.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub(crate) struct SignInView {
    pub(crate) address: String,
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn sign_in_start(app: AppHandle<Wry>) -> Result<SignInView, Problem> {
    let desk = app.desk();
    let chosen = desk.engine.chosen_site()?;
    desk.replace_sign_in(None);
    let pending = desk.engine.begin_sign_in(&chosen.name).await?;
    let address = pending.address().to_owned();
    desk.replace_sign_in(Some(pending.canceller()));
    tell(&app, SignInState::Waiting, None);
    let waiting = app.clone();
    tokio::spawn(async move {
        let (state, problem) = match pending.wait().await {
            Ok(()) => (SignInState::Done, None),
            Err(problem) if problem.code == Code::SignInCancelled => (SignInState::Cancelled, Some(problem)),
            Err(problem) => (SignInState::Failed, Some(problem)),
        };
        tell(&waiting, state, problem);
        site::changed(&waiting);
    });
    open_browser(&app, &address);
    Ok(SignInView { address })
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn sign_in_cancel(app: AppHandle<Wry>) -> Result<(), Problem> {
    app.desk().replace_sign_in(None);
    Ok(())
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn sign_out(app: AppHandle<Wry>) -> Result<(), Problem> {
    let desk = app.desk();
    let chosen = desk.engine.chosen_site()?;
    desk.engine.sign_out(&chosen.name)?;
    site::changed(&app);
    Ok(())
}

/// The program that `BROWSER` names, else the system's own choice. Where none opens, the address can still be copied.
fn open_browser(app: &AppHandle<Wry>, address: &str) {
    let named = std::env::var_os("BROWSER").filter(|name| !name.is_empty());
    let opened = match named {
        Some(program) => {
            std::process::Command::new(program).arg(address).spawn().map(drop).map_err(|error| error.to_string())
        }
        None => app.opener().open_url(address, None::<&str>).map_err(|error| error.to_string()),
    };
    if let Err(error) = opened {
        tracing::warn!(error, "the system's browser didn't open");
    }
}

fn tell(app: &AppHandle<Wry>, state: SignInState, problem: Option<Problem>) {
    if let Err(error) = (SignInChanged { state, problem }).emit(app) {
        tracing::debug!(%error, "nobody hears how the sign-in stands");
    }
}
