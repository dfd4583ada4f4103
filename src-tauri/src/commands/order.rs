//! One order: what each list says of it, and what was sent about it.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use specta::Type;
use takt_engine::{
    Engine, Problem,
    browse::Arrangement,
    order::{OrderLists, OrderRows, OrderSubmission, OrderTimeSpan},
};
use tauri::{AppHandle, Runtime, WebviewWindow};

use crate::state::RowSetId;
use crate::{
    commands::site,
    state::{AppStateAccess, cancellable, run_blocking},
};

/// Rows that cross at once; the list has them all.
const MAX_ROWS: usize = 500;
/// Operations of one order that are shown with their lists.
const MAX_WHOLE_OPERATIONS: u32 = 60;

/// What one list says of an order.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub(crate) struct OrderList {
    /// The set that keeps these rows, and no others.
    set: RowSetId,
    /// The first of them; whole where they are the order's own.
    rows: Vec<Value>,
    total: u32,
    /// With what the list was asked.
    parameters: BTreeMap<String, String>,
    /// When the order was planned or executed, of the order's own list.
    around: Option<OrderTimeSpan>,
    /// What the clock on the site's wall showed when this was read, as the service writes a date-time.
    now: String,
    /// False where reading was stopped before the end.
    whole: bool,
}

/// What in the lists is about orders.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn order_lists<R: Runtime>(app: AppHandle<R>) -> Result<OrderLists, Problem> {
    Ok(app.app_state().engine.orders().lists())
}

/// Reads what one list says of an order at the chosen site. `ticket` names the reading for `ticket_stop`.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn order_list<R: Runtime>(
    app: AppHandle<R>,
    window: WebviewWindow<R>,
    code: String,
    operation: String,
    around: Option<OrderTimeSpan>,
    ticket: u32,
) -> Result<OrderList, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    let chosen = engine.sites().chosen()?;
    let found = cancellable(&app, ticket, |canceller| {
        let (engine, asked, around) = (&engine, (&chosen.name, &code, &operation), around.as_ref());
        async move { engine.orders().rows(asked.0, asked.1, asked.2, around, &canceller).await }
    });
    let found = found.await;
    site::changed(&app);
    let found = found?;
    let own = engine.orders().lists().parts.iter().any(|part| part.own && part.operation == operation);
    let (set, _) = app.app_state().add_set(window.label(), found.rows.clone());
    let now = engine.sites().local_time(&chosen.name)?.strftime("%Y-%m-%dT%H:%M:%S").to_string();
    if own && !found.rows.is_empty() {
        // What can't be remembered is read all the same.
        engine
            .orders()
            .remember(&chosen.name, &code)
            .unwrap_or_else(|problem| tracing::warn!(?problem, "an order isn't remembered"));
    }
    run_blocking(move || {
        let rows = if own { whole(&engine, &found)? } else { first(&engine, &found)? };
        let OrderRows { rows: all, parameters, around, whole } = found;
        let total = u32::try_from(all.len()).unwrap_or(u32::MAX);
        Ok(OrderList { set, rows, total, parameters, around, now, whole })
    })
    .await
}

/// Whether the chosen site has an order of that code. `ticket` names the reading for `ticket_stop`.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn order_exists<R: Runtime>(app: AppHandle<R>, code: String, ticket: u32) -> Result<bool, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    let chosen = engine.sites().chosen()?;
    let found = cancellable(&app, ticket, |canceller| {
        let (engine, site, code) = (&engine, &chosen.name, &code);
        async move { engine.orders().exists(site, code, &canceller).await }
    });
    let found = found.await;
    site::changed(&app);
    found
}

/// The orders that were looked at last at the chosen site, newest first.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn orders_recent<R: Runtime>(app: AppHandle<R>) -> Result<Vec<String>, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    let chosen = engine.sites().chosen()?;
    run_blocking(move || engine.orders().recent(&chosen.name)).await
}

/// The submissions to the chosen site that touched an order, newest first.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn order_submissions<R: Runtime>(
    app: AppHandle<R>,
    code: String,
) -> Result<Vec<OrderSubmission>, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    let chosen = engine.sites().chosen()?;
    run_blocking(move || engine.orders().submissions_about(&chosen.name, &code)).await
}

fn whole(engine: &Engine, found: &OrderRows) -> Result<Vec<Value>, Problem> {
    let most = u32::try_from(found.rows.len()).unwrap_or(u32::MAX).min(MAX_WHOLE_OPERATIONS);
    (0..most).map(|position| Ok(engine.browse().whole_row(&found.rows, position)?.row)).collect()
}

fn first(engine: &Engine, found: &OrderRows) -> Result<Vec<Value>, Problem> {
    Ok(engine.browse().table_rows(&found.rows, &Arrangement::default(), 0, MAX_ROWS)?.rows)
}
