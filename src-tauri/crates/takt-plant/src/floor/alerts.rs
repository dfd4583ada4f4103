//! Raises, acknowledges and closes alerts of work stations. Each change sends a `ProductionAlert` event. For
//! acknowledging and closing, that is an assumption.

use jiff::civil::DateTime;
use serde_json::{Value, json};

use super::moves::{MoveContext, MoveError, RowResult};
use crate::{
    domain_event::{DomainEvent, EventKind, EventSubject},
    store::{Members, Resource, Store, get_text},
    time_window::parse_date_time,
};

const DEFAULT_KIND: &str = "Help";

/// The numbers in the contract's assumption `alert-status`.
const OPENED: i64 = 0;
const ACKNOWLEDGED: i64 = 1;
const CLOSED: i64 = 2;

impl Store {
    /// Raises an alert at a work station, for its current order if there is one.
    pub(super) fn raise_alert(
        &mut self,
        station: &str,
        kind: Option<&str>,
        note: Option<&str>,
        ctx: &MoveContext<'_>,
    ) -> RowResult {
        let Some(station_row) = self.row(Resource::WorkStations, &[station]) else {
            return Err(MoveError::Unknown(format!("There is no work station {station}.")));
        };
        let current = self.table(Resource::WorkOrders).floor_index().current_orders(station).next();
        let order = current.and_then(|(position, _)| self.row_at(Resource::WorkOrders, position));
        let id = self.next_id();
        let badge = ctx.badge.map(str::to_owned);
        let badge = badge.or_else(|| order.as_ref().and_then(|order| self.find_operator(order)));
        let of_order = |name: &str| order.as_ref().map(|order| get_text(order, name));
        let alert = Members::from_iter([
            ("id".to_owned(), json!(id)),
            ("type".to_owned(), json!(kind.unwrap_or(DEFAULT_KIND))),
            ("status".to_owned(), json!(OPENED)),
            ("workStationCode".to_owned(), json!(station)),
            ("workStation".to_owned(), json!(get_text(&station_row, "description"))),
            ("opened".to_owned(), json!(self.format_alert_time(id, ctx.now))),
            ("note".to_owned(), json!(note)),
            ("workOrderCode".to_owned(), json!(of_order("code"))),
            ("operationCode".to_owned(), json!(of_order("operationCode"))),
            ("employeeBadge".to_owned(), json!(badge)),
        ]);
        self.save_alert(id, alert, ctx)
    }

    pub(super) fn acknowledge_alert(&mut self, id: i64, ctx: &MoveContext<'_>) -> RowResult {
        let mut alert = self.find_alert(id)?;
        if !get_text(&alert, "acknowledged").is_empty() || !get_text(&alert, "closed").is_empty() {
            return Err(MoveError::InvalidState(format!("Alert {id} is acknowledged already.")));
        }
        let now = self.latest_time(&alert, "opened", ctx.now);
        alert.insert("acknowledged".to_owned(), json!(self.format_alert_time(id, now)));
        alert.insert("status".to_owned(), json!(ACKNOWLEDGED));
        self.save_alert(id, alert, ctx)
    }

    /// Closes an alert, and acknowledges it if necessary.
    pub(super) fn close_alert(&mut self, id: i64, ctx: &MoveContext<'_>) -> RowResult {
        let mut alert = self.find_alert(id)?;
        if !get_text(&alert, "closed").is_empty() {
            return Err(MoveError::InvalidState(format!("Alert {id} is closed already.")));
        }
        let now = self.latest_time(&alert, "opened", ctx.now);
        let now = self.latest_time(&alert, "acknowledged", now);
        let now = json!(self.format_alert_time(id, now));
        if get_text(&alert, "acknowledged").is_empty() {
            alert.insert("acknowledged".to_owned(), now.clone());
        }
        alert.insert("closed".to_owned(), now);
        alert.insert("status".to_owned(), json!(CLOSED));
        self.save_alert(id, alert, ctx)
    }

    fn find_alert(&self, id: i64) -> RowResult {
        let alert = self.row(Resource::Alerts, &[&id.to_string()]);
        alert.ok_or_else(|| MoveError::Unknown(format!("There is no alert {id}.")))
    }

    fn save_alert(&mut self, id: i64, alert: Members, ctx: &MoveContext<'_>) -> RowResult {
        let known = Some(get_text(&alert, "employeeBadge")).filter(|badge| !badge.is_empty());
        let badge = ctx.badge.or(known).map(str::to_owned);
        self.put(Resource::Alerts, alert)?;
        self.record_event(DomainEvent {
            kind: EventKind::ProductionAlert,
            subject: EventSubject::Alert(id),
            user: None,
            badge,
        });
        self.find_alert(id)
    }

    fn latest_time(&self, alert: &Members, name: &str, now: DateTime) -> DateTime {
        parse_date_time(get_text(alert, name), self.zone()).map_or(now, |earlier| now.max(earlier))
    }

    /// Formats a date of an alert. The specification allows a trailing Z, so every third alert has one.
    fn format_alert_time(&self, id: i64, now: DateTime) -> Value {
        if id % 3 == 0
            && let Ok(zoned) = now.to_zoned_datetime(self.zone().clone())
        {
            return json!(zoned.timestamp().to_string());
        }
        json!(now.to_string())
    }
}
