//! Rehearsals: a practice plant inside this program that starts with a copy of a site's lists and uses the site's
//! contract.

use std::{net::SocketAddr, sync::Arc};

use serde::Serialize;
use specta::Type;
use takt_engine::{
    Code, Engine, Problem,
    rehearsal::{ListSelection, RehearsalComparison, RehearsalProgress, Rehearsals, SiteRows, SkippedList},
    submission::SubmissionId,
};
use takt_plant::{CopyReport, Plant, PlantConfig, PlantCopy, PlantError, RunningPlant, copied_lists};
use tauri::{AppHandle, Runtime, ipc::Channel};

use crate::{
    commands::site,
    receiving,
    state::{AppStateAccess, cancellable, report_progress},
};

const PLANNER: &str = "planner";

/// A running copy of a site, and the data that it contains or lacks.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RehearsalView {
    /// The name of the site that was added for the copy.
    site: String,
    report: CopyReport,
    skipped: Vec<SkippedList>,
    /// Lists that changed while they were read, so that their rows may be inconsistent.
    uneven: Vec<String>,
    unread_templates: u32,
    requests: u32,
}

/// Copies a site and chooses the copy. Cancel it with `ticket_stop`. Then there is no copy, and `None` is returned.
#[tauri::command]
#[specta::specta]
pub(crate) async fn rehearsal_start<R: Runtime>(
    app: AppHandle<R>,
    site: String,
    mask_people: bool,
    ticket: u32,
    channel: Channel<RehearsalProgress>,
) -> Result<Option<RehearsalView>, Problem> {
    let original = site.clone();
    let name = app.with_engine(move |engine| Rehearsals::new(engine).check_copyable(&original)).await?;
    let engine = app.engine();
    let (reader, channel, original) = (&engine, &channel, &site);
    let read = cancellable(&app, ticket, |canceller| async move {
        let selections = list_selections();
        let report = |progress| report_progress(channel, progress);
        Rehearsals::new(reader).read_site(original, &selections, &canceller, report).await
    });
    let read = read.await;
    // Reading may have ended the sign-in.
    site::emit_changed(&app);
    let read = read?;
    if read.is_canceled {
        return Ok(None);
    }
    // The new copy replaces an earlier copy of the same site.
    app.app_state().end_rehearsal(&name).await;
    let original = site.clone();
    let (config, read) =
        app.with_engine(move |engine| Ok((plant_config(engine, &original, &read, mask_people)?, read))).await?;
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    let plant = Plant::start(config, address).await.map_err(|error| plant_problem(&error))?;
    let (name, plant) = app.with_engine(move |engine| Ok((add_site(engine, &site, &plant)?, plant))).await?;
    let report = plant.plant().copy_report().cloned().unwrap_or_default();
    app.app_state().store_rehearsal(&name, plant);
    let chosen = name.clone();
    app.with_engine(move |engine| engine.sites().select_site(&chosen)).await?;
    receiving::update_tray(&app);
    site::emit_changed(&app);
    let SiteRows { skipped, changed_lists: uneven, unread_templates, requests, .. } = read;
    Ok(Some(RehearsalView { site: name, report, skipped, uneven, unread_templates, requests }))
}

/// Compares a rehearsal with the real submission. Returns `None` if there is nothing to compare.
#[tauri::command]
#[specta::specta]
pub(crate) async fn rehearsal_comparison<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
) -> Result<Option<RehearsalComparison>, Problem> {
    app.with_engine(move |engine| Rehearsals::new(engine).find_comparison(id)).await
}

fn list_selections() -> Vec<ListSelection> {
    let selection = |(operation, fallback): (&str, Option<&str>)| ListSelection {
        operation: operation.to_owned(),
        fallback: fallback.map(str::to_owned),
    };
    copied_lists().into_iter().map(selection).collect()
}

/// Configures a plant that starts with the rows that were read from the site.
fn plant_config(engine: &Engine, site: &str, read: &SiteRows, mask_people: bool) -> Result<PlantConfig, Problem> {
    let mut copy = PlantCopy::default();
    for list in &read.lists {
        let mut rows = Vec::with_capacity(list.len());
        list.for_each_row(|_, row| rows.push(row.to_owned()));
        copy.add_list(list.operation(), rows.iter().map(String::as_str));
    }
    for template in &read.templates {
        let mut rows = Vec::new();
        template.rows.for_each_row(|_, row| rows.push(row.to_owned()));
        copy.add_template(template.id, rows.iter().map(String::as_str));
    }
    if mask_people {
        copy.mask_people();
    }
    Ok(PlantConfig {
        copy: Some(Arc::new(copy)),
        contract: Some(engine.sites().contract(site)?),
        time_zone: engine.sites().find(site)?.time_zone,
        ..PlantConfig::default()
    })
}

/// Adds a site for the running plant, signs in, and returns the site's name.
fn add_site(engine: &Engine, original: &str, plant: &RunningPlant) -> Result<String, Problem> {
    let name = Rehearsals::new(engine).set_up_copy(original, &plant.access())?;
    let tokens = plant.issue_tokens(PLANNER).map_err(|error| plant_problem(&error))?;
    let refresh = tokens.refresh_token.as_deref();
    engine.sites().adopt_tokens(&name, &tokens.access_token, refresh, Some(tokens.expires_in))?;
    Ok(name)
}

fn plant_problem(error: &PlantError) -> Problem {
    Problem::new(Code::PlantMove).details(error)
}
