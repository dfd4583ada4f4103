//! Sign-in in the system's browser, with a visible wait.

use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::{Code, Problem, open_in_browser};
use tauri::{AppHandle, Wry};
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
    // Where no browser opens, the address can still be copied.
    if !open_in_browser(&address) {
        tracing::warn!("the system's browser didn't open");
    }
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

fn tell(app: &AppHandle<Wry>, state: SignInState, problem: Option<Problem>) {
    if let Err(error) = (SignInChanged { state, problem }).emit(app) {
        tracing::debug!(%error, "nobody hears how the sign-in stands");
    }
}
