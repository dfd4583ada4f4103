//! Being signed in to the practice plant without a browser: the plant is part of this program, and its own identity provider
//! gives this window a token. No other site is ever signed in to so, and a person can have the plant ask as a site does.

use takt_engine::{Code, Engine, Problem};
use takt_plant::{PlantError, RunningPlant};
use tauri::{AppHandle, Runtime};

use crate::{preferences, state::AppStateAccess};

/// The site of the embedded plant.
pub(crate) const PRACTICE: &str = "practice";
/// Who the plant takes the person at the window for.
const PERSON: &str = "planner";

/// Signs in at the start, unless a person wants to be asked.
pub(crate) fn sign_in_at_start<R: Runtime>(app: &AppHandle<R>) {
    if preferences::load(app).practice_sign_in == Some(true) {
        return;
    }
    if let Err(problem) = sign_in(app) {
        // Its sign-in in the browser is still there.
        tracing::warn!(?problem, "nobody is signed in to the practice plant");
    }
}

/// Signs in now.
///
/// # Errors
/// The plant doesn't run, or gives no token.
pub(crate) fn sign_in<R: Runtime>(app: &AppHandle<R>) -> Result<(), Problem> {
    let state = app.app_state();
    let plant = state.plant.as_ref().ok_or_else(|| Problem::in_the_way("no-plant"))?;
    adopt(&state.engine, plant)
}

fn adopt(engine: &Engine, plant: &RunningPlant) -> Result<(), Problem> {
    let failed = |error: PlantError| Problem::new(Code::PlantMove).details(error);
    let tokens = plant.issue_tokens(PERSON).map_err(failed)?;
    let refresh = tokens.refresh_token.as_deref();
    engine.sites().adopt_tokens(PRACTICE, &tokens.access_token, refresh, Some(tokens.expires_in))
}
