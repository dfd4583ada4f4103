//! Signs in to the practice plant without a browser. The plant's embedded identity provider issues the token. Other
//! sites must never sign in this way. A preference can require the browser for the practice plant, too.

use takt_engine::{Code, Engine, Problem};
use takt_plant::{PlantError, RunningPlant};
use tauri::{AppHandle, Runtime};

use crate::{preferences, state::AppStateAccess};

/// The name of the embedded plant's site.
pub(crate) const PRACTICE: &str = "practice";
/// The plant's user as which the window signs in.
const USER: &str = "planner";

/// Signs in at the start, unless the user prefers the sign-in in the browser.
pub(crate) fn sign_in_at_start<R: Runtime>(app: &AppHandle<R>) {
    if preferences::load(app).practice_sign_in == Some(true) {
        return;
    }
    if let Err(problem) = sign_in(app) {
        // The sign-in in the browser still works.
        tracing::warn!(?problem, "nobody is signed in to the practice plant");
    }
}

/// Signs in to the practice plant.
///
/// # Errors
/// The plant isn't running, or issues no token.
pub(crate) fn sign_in<R: Runtime>(app: &AppHandle<R>) -> Result<(), Problem> {
    let state = app.app_state();
    let plant = state.plant.as_ref().ok_or_else(|| Problem::obstacle("no-plant"))?;
    adopt_tokens(&state.engine, plant)
}

fn adopt_tokens(engine: &Engine, plant: &RunningPlant) -> Result<(), Problem> {
    let failed = |error: PlantError| Problem::new(Code::PlantMove).details(error);
    let tokens = plant.issue_tokens(USER).map_err(failed)?;
    let refresh = tokens.refresh_token.as_deref();
    engine.sites().adopt_tokens(PRACTICE, &tokens.access_token, refresh, Some(tokens.expires_in))
}
