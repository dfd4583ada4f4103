//! One order: its rows in each list, and the submissions about it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use specta::Type;
use takt_engine::{
    Engine, Problem,
    browse::Arrangement,
    order::{OrderLists, OrderRows, OrderSubmission, OrderTimeSpan},
};
use tauri::{AppHandle, Runtime, WebviewWindow};

use crate::{
    commands::site,
    state::{AppStateAccess, RowSetId, cancellable},
};

/// The maximum number of rows per response. The set contains all of them.
const MAX_ROWS: usize = 500;
/// The maximum number of complete rows per response for the order's own list.
const MAX_COMPLETE_OPERATIONS: u32 = 60;

/// An order's rows in one list, for the order's page.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub(crate) struct OrderList {
    /// The set of exactly these rows.
    set: RowSetId,
    /// The first rows, with all fields if the list is the list of orders.
    rows: Vec<Value>,
    total: u32,
    /// The list's filters that select the order.
    parameters: BTreeMap<String, String>,
    /// The time span in which the order was planned or executed. Absent for lists other than the list of orders.
    around: Option<OrderTimeSpan>,
    /// The site's local time when the rows were read, in the service's date-time format.
    now: String,
    /// False if reading was canceled before the end.
    complete: bool,
}

/// Lists the lists, fields and keys that contain an order's code.
#[tauri::command]
#[specta::specta]
pub(crate) async fn order_lists<R: Runtime>(app: AppHandle<R>) -> Result<OrderLists, Problem> {
    Ok(app.engine().orders().lists())
}

/// Reads the rows of an order in one list of the chosen site. Cancel it with `ticket_stop`.
#[tauri::command]
#[specta::specta]
pub(crate) async fn order_list<R: Runtime>(
    app: AppHandle<R>,
    window: WebviewWindow<R>,
    code: String,
    operation: String,
    around: Option<OrderTimeSpan>,
    ticket: u32,
) -> Result<OrderList, Problem> {
    let engine = app.engine();
    let chosen = app.chosen_site().await?;
    let reading = cancellable(&app, ticket, |canceller| {
        let (engine, site, code, operation, around) = (&engine, &chosen.name, &code, &operation, around.as_ref());
        async move { engine.orders().rows(site, code, operation, around, &canceller).await }
    });
    let found = reading.await;
    site::emit_changed(&app);
    let found = found?;
    let own = engine.orders().lists().parts.iter().any(|part| part.own && part.operation == operation);
    let (set, _) = app.app_state().add_set(window.label(), found.rows.clone());
    app.with_engine(move |engine| {
        let now = engine.sites().local_time(&chosen.name)?.strftime("%Y-%m-%dT%H:%M:%S").to_string();
        if own && !found.rows.is_empty() {
            // A failure to remember the order doesn't fail the reading.
            engine
                .orders()
                .record_opened(&chosen.name, &code)
                .unwrap_or_else(|problem| tracing::warn!(?problem, "an order isn't remembered"));
        }
        let rows = if own { complete_rows(engine, &found)? } else { first_rows(engine, &found)? };
        let OrderRows { rows: all, parameters, order_dates: around, complete } = found;
        let total = u32::try_from(all.len()).unwrap_or(u32::MAX);
        Ok(OrderList { set, rows, total, parameters, around, now, complete })
    })
    .await
}

/// Returns whether the chosen site has an order with that code. Cancel it with `ticket_stop`.
#[tauri::command]
#[specta::specta]
pub(crate) async fn order_exists<R: Runtime>(app: AppHandle<R>, code: String, ticket: u32) -> Result<bool, Problem> {
    let engine = app.engine();
    let chosen = app.chosen_site().await?;
    let found = cancellable(&app, ticket, |canceller| {
        let (engine, site, code) = (&engine, &chosen.name, &code);
        async move { engine.orders().exists(site, code, &canceller).await }
    });
    let found = found.await;
    site::emit_changed(&app);
    found
}

/// Lists the orders that were opened last at the chosen site, newest first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn orders_recent<R: Runtime>(app: AppHandle<R>) -> Result<Vec<String>, Problem> {
    app.with_engine(move |engine| engine.orders().recent_orders(&engine.sites().selected_site()?.name)).await
}

/// Lists the submissions to the chosen site about an order, newest first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn order_submissions<R: Runtime>(
    app: AppHandle<R>,
    code: String,
) -> Result<Vec<OrderSubmission>, Problem> {
    app.with_engine(move |engine| engine.orders().submissions_about(&engine.sites().selected_site()?.name, &code)).await
}

fn complete_rows(engine: &Engine, found: &OrderRows) -> Result<Vec<Value>, Problem> {
    let limit = u32::try_from(found.rows.len()).unwrap_or(u32::MAX).min(MAX_COMPLETE_OPERATIONS);
    (0..limit).map(|position| Ok(engine.browse().row_detail(&found.rows, position)?.row)).collect()
}

fn first_rows(engine: &Engine, found: &OrderRows) -> Result<Vec<Value>, Problem> {
    Ok(engine.browse().table_rows(&found.rows, &Arrangement::default(), 0, MAX_ROWS)?.rows)
}
