//! Sign-in in the system's browser, with a visible wait.

use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::{Code, Problem, client::Revocation, sites::SIGN_IN_HINT_DELAY, system::open_in_browser};
use tauri::{AppHandle, Runtime};
use tauri_specta::Event;

use crate::{
    commands::site,
    events::{SignInChanged, SignInState},
    practice,
    state::AppStateAccess,
};

/// A sign-in that waits.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SignInView {
    /// Where the browser was sent to, so that a person can copy it.
    pub(crate) address: String,
    /// False where the browser can't come back here: then the address on which it ended is pasted.
    pub(crate) heard: bool,
    /// How many seconds it waits.
    pub(crate) seconds: u32,
    /// Where the browser is to come back to; the identity provider must know this address.
    pub(crate) redirect: String,
    /// After so many seconds without the browser a person is told what usually is wrong.
    pub(crate) hint_after: u32,
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn sign_in_start<R: Runtime>(app: AppHandle<R>) -> Result<SignInView, Problem> {
    let desk = app.app_state();
    let chosen = desk.engine.sites().chosen()?;
    let pending = desk.engine.sites().begin_sign_in_to_paste(&chosen.name).await?;
    let address = pending.address().to_owned();
    let seconds = u32::try_from(pending.limit().as_secs()).unwrap_or(u32::MAX);
    let view = SignInView {
        address: address.clone(),
        heard: pending.is_heard(),
        seconds,
        redirect: pending.redirect_uri().to_owned(),
        hint_after: u32::try_from(SIGN_IN_HINT_DELAY.as_secs()).unwrap_or(u32::MAX),
    };
    desk.set_sign_in(pending.canceller(), pending.redirect_sender());
    emit_state(&app, SignInState::Waiting, None);
    let waiting = app.clone();
    tokio::spawn(async move {
        let (state, problem) = match pending.wait().await {
            Ok(()) => (SignInState::Done, None),
            Err(problem) if problem.code == Code::SignInCancelled => (SignInState::Cancelled, Some(problem)),
            Err(problem) => (SignInState::Failed, Some(problem)),
        };
        emit_state(&waiting, state, problem);
        site::changed(&waiting);
    });
    // Where no browser opens, the address can still be copied.
    if !open_in_browser(&address) {
        tracing::warn!("the system's browser didn't open");
    }
    Ok(view)
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn sign_in_cancel<R: Runtime>(app: AppHandle<R>) -> Result<(), Problem> {
    app.app_state().cancel_sign_in();
    Ok(())
}

/// Hands the sign-in that waits the address on which the browser ended.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn sign_in_paste<R: Runtime>(app: AppHandle<R>, address: String) -> Result<(), Problem> {
    match app.app_state().redirect_sender() {
        Some(redirect_sender) => redirect_sender.paste(&address),
        None => Err(Problem::new(Code::SignInCancelled)),
    }
}

/// Signs in to the practice plant without a browser; whatever waits ends. No other site can be signed in to so.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn practice_sign_in<R: Runtime>(app: AppHandle<R>) -> Result<(), Problem> {
    app.app_state().cancel_sign_in();
    practice::sign_in(&app)?;
    site::changed(&app);
    Ok(())
}

/// False where the provider couldn't be told: the sign-in ended here, and lasts there until it runs out.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn sign_out<R: Runtime>(app: AppHandle<R>) -> Result<bool, Problem> {
    let desk = app.app_state();
    let chosen = desk.engine.sites().chosen()?;
    let revoked = desk.engine.sites().sign_out_for_good(&chosen.name).await?;
    site::changed(&app);
    Ok(revoked != Revocation::Failed)
}

fn emit_state<R: Runtime>(app: &AppHandle<R>, state: SignInState, problem: Option<Problem>) {
    if let Err(error) = (SignInChanged { state, problem }).emit(app) {
        tracing::debug!(%error, "nobody hears how the sign-in stands");
    }
}
