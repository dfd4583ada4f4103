//! Sign-in through the system's browser.

use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::{Code, Problem, client::Revocation, sites::SIGN_IN_HINT_DELAY, system::open_in_browser};
use tauri::{AppHandle, Runtime};
use tauri_specta::Event;

use crate::{
    commands::site,
    events::{SignInChanged, SignInState},
    practice,
    state::{AppStateAccess, run_blocking},
};

/// A sign-in that waits for the user in the browser.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SignInView {
    /// The address that was opened in the browser, for copying.
    pub(crate) address: String,
    /// False if the browser can't be redirected to Takt. Then the user must paste the browser's final address.
    pub(crate) heard: bool,
    /// The time in seconds until the sign-in is canceled.
    pub(crate) seconds: u32,
    /// The redirect address, which must be registered with the identity provider.
    pub(crate) redirect: String,
    /// The time in seconds without a redirect after which a hint is shown.
    pub(crate) hint_after: u32,
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn sign_in_start<R: Runtime>(app: AppHandle<R>) -> Result<SignInView, Problem> {
    let state = app.app_state();
    let chosen = app.chosen_site().await?;
    let pending = state.engine.sites().begin_sign_in_to_paste(&chosen.name).await?;
    let address = pending.address().to_owned();
    let seconds = u32::try_from(pending.timeout().as_secs()).unwrap_or(u32::MAX);
    let view = SignInView {
        address: address.clone(),
        heard: pending.has_redirect_port(),
        seconds,
        redirect: pending.redirect_uri().to_owned(),
        hint_after: u32::try_from(SIGN_IN_HINT_DELAY.as_secs()).unwrap_or(u32::MAX),
    };
    state.set_sign_in(pending.canceller(), pending.redirect_sender());
    emit_state(&app, SignInState::Waiting, None);
    let waiting = app.clone();
    tokio::spawn(async move {
        let (outcome, problem) = match pending.wait().await {
            Ok(()) => (SignInState::Done, None),
            Err(problem) if problem.code == Code::SignInCancelled => (SignInState::Cancelled, Some(problem)),
            Err(problem) => (SignInState::Failed, Some(problem)),
        };
        emit_state(&waiting, outcome, problem);
        site::emit_changed(&waiting);
    });
    // If no browser opens, the user can copy the address.
    if !run_blocking(move || Ok(open_in_browser(&address))).await? {
        tracing::warn!("the system's browser didn't open");
    }
    Ok(view)
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn sign_in_cancel<R: Runtime>(app: AppHandle<R>) -> Result<(), Problem> {
    app.app_state().cancel_sign_in();
    Ok(())
}

/// Passes the browser's final address to the waiting sign-in.
#[tauri::command]
#[specta::specta]
pub(crate) async fn sign_in_paste<R: Runtime>(app: AppHandle<R>, address: String) -> Result<(), Problem> {
    match app.app_state().redirect_sender() {
        Some(redirect_sender) => redirect_sender.paste(&address),
        None => Err(Problem::new(Code::SignInCancelled)),
    }
}

/// Signs in to the practice plant without a browser, and cancels a waiting sign-in. Other sites can't be signed in to
/// this way.
#[tauri::command]
#[specta::specta]
pub(crate) async fn practice_sign_in<R: Runtime>(app: AppHandle<R>) -> Result<(), Problem> {
    app.app_state().cancel_sign_in();
    let handle = app.clone();
    run_blocking(move || practice::sign_in(&handle)).await?;
    site::emit_changed(&app);
    Ok(())
}

/// Signs out. Returns false if the provider didn't revoke the tokens, so that they stay valid there until they expire.
#[tauri::command]
#[specta::specta]
pub(crate) async fn sign_out<R: Runtime>(app: AppHandle<R>) -> Result<bool, Problem> {
    let chosen = app.chosen_site().await?;
    let revoked = app.engine().sites().sign_out_and_revoke(&chosen.name).await?;
    site::emit_changed(&app);
    Ok(revoked != Revocation::Failed)
}

fn emit_state<R: Runtime>(app: &AppHandle<R>, state: SignInState, problem: Option<Problem>) {
    if let Err(error) = (SignInChanged { state, problem }).emit(app) {
        tracing::debug!(%error, "nobody hears how the sign-in stands");
    }
}
