//! Compares the service's own orders to the state reported by events.
//!
//! The contract's plan picture defines the list of orders, and its fields for station, begin, end and status. Reading
//! belongs to `browse`.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use takt_browse::BrowseQuery;
use takt_client::Canceller;
use takt_contract::{
    FieldKind, Operation, Parameter, ParameterPlace,
    picture::{DateRangeFields, PictureKind, StatusValues},
};
use takt_core::{Problem, blocking::run_blocking, site_time::parse_site_timestamp};
use takt_inbox::CATCH_UP_TIMEOUT;
use takt_journal::inbox::{FloorOrder, FloorState};

use super::{
    floor::ShopFloor,
    service_floor::{OrderKey, ServiceAlert, ServiceFloor, ServiceOrder, load_event_orders},
    view::{FloorOrderView, FloorStationName, LateOrder, order_view},
};

/// Limits the listed late orders. Their count includes all of them.
const MAX_LATE_ORDERS: usize = 10;

/// The differences between the service and the events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FloorRead {
    /// The time of the read, in ISO 8601 and UTC.
    pub at: String,
    /// The number of order operations read.
    pub orders: u32,
    pub differences: Vec<FloorDifference>,
    /// False if the read was canceled.
    pub complete: bool,
}

/// An order whose state differs between the service and the events. Its texts aren't trusted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct FloorDifference {
    pub code: String,
    pub operation: String,
    /// The state reported by events. `None` if no event reported it.
    pub reported: Option<FloorOrderView>,
    /// The state on the service: planned, running (begun, whether running or paused) or ended. `None` if the service
    /// doesn't list it.
    pub service_state: Option<FloorState>,
    /// The status as the service names it.
    pub status: Option<String>,
    pub station: Option<String>,
}

/// The period of alerts that are read from the service, before and after now. Older alerts aren't shown as open. A
/// practice plant's clock may be ahead.
const ALERT_PERIOD: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The list of alerts with the roles of its fields.
struct AlertListRoles<'a> {
    operation: &'a Operation,
    id: &'a str,
    station: &'a str,
    kind: Option<&'a str>,
    opened: &'a str,
    acknowledged: &'a str,
    closed: &'a str,
}

/// The list of orders with the roles of its fields.
struct OrderListRoles<'a> {
    operation: &'a Operation,
    station: &'a str,
    /// The fields of the order's code and of its operation.
    key: (&'a str, &'a str),
    /// The field of the planned end.
    planned_end: &'a str,
    /// The fields of the actual begin and end.
    actual_dates: &'a DateRangeFields,
    status: Option<&'a str>,
    /// The status words for running and paused.
    status_values: Option<&'a StatusValues>,
    /// The fields of the requested, good and bad quantities.
    quantities: Option<[&'a str; 3]>,
    /// The list of stations.
    stations: Option<&'a str>,
}

impl ShopFloor {
    /// Reads the service's orders, alerts and stations, and returns the differences of the orders from the events. After
    /// a complete read, [`ShopFloor::view`] uses the service's state. Without a readable list of alerts, only alerts from
    /// events are shown.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the contract has no list of running orders
    ///   (`nothing-to-read`).
    /// - A [journal code](takt_core::problem#journal-codes): the events can't be read.
    /// - The errors of [`takt_browse::Browse::read_all`] for the lists.
    pub async fn compare_with_service(&self, site: &str, canceller: &Canceller) -> Result<FloorRead, Problem> {
        let no_list = || Problem::obstacle("nothing-to-read");
        let roles = self.orders.order_list().and_then(OrderListRoles::find).ok_or_else(no_list)?;
        let (reader, name) = (Arc::clone(&self.reader), site.to_owned());
        let (inbox, reading) = run_blocking(move || reader.open(Some(&name))).await?;
        reading.catch_up(CATCH_UP_TIMEOUT).await;
        let last_event = {
            let inbox = inbox.clone();
            run_blocking(move || Ok(inbox.reading_progress()?.0)).await?
        };
        let rows = self.read_rows(site, &roles.operation.id, canceller).await?;
        let stations = match roles.stations {
            Some(list) => self.read_stations(site, list, canceller).await?,
            None => Vec::new(),
        };
        let time_zone = {
            let (sites, name) = (Arc::clone(&self.sites), site.to_owned());
            run_blocking(move || Ok(sites.find(&name)?.time_zone)).await?
        };
        let zone = TimeZone::get(&time_zone).unwrap_or(TimeZone::UTC);
        let alerts = self.read_alerts(site, &zone, canceller).await.unwrap_or_else(|problem| {
            // The path of the list is assumed, and a person may read orders but no alerts.
            tracing::info!(%problem, "the list of alerts couldn't be read");
            None
        });
        let now = (self.clock)();
        let mut late: Vec<(Timestamp, &Value)> =
            rows.iter().filter_map(|row| Some((roles.missed_end(row, &zone, now)?, row))).collect();
        late.sort_by_key(|(planned_end, _)| *planned_end);
        let late_orders = u32::try_from(late.len()).unwrap_or(u32::MAX);
        let longest_late = late.iter().take(MAX_LATE_ORDERS).map(|(planned_end, row)| LateOrder {
            code: non_empty_text(row, roles.key.0).unwrap_or_default(),
            operation: non_empty_text(row, roles.key.1).unwrap_or_default(),
            planned_end: planned_end.to_string(),
        });
        let longest_late = longest_late.collect();
        let service_orders: BTreeMap<OrderKey, ServiceOrder> =
            rows.iter().filter_map(|row| roles.to_service_order(row)).collect();
        let begun: BTreeMap<OrderKey, ServiceOrder> = service_orders
            .iter()
            .filter(|(_, order)| order.state == FloorState::Running)
            .map(|(key, order)| (key.clone(), order.clone()))
            .collect();
        let (name, keys) = (site.to_owned(), begun.keys().cloned().collect::<Vec<_>>());
        let event_orders = run_blocking(move || {
            let mut event_orders: BTreeMap<OrderKey, FloorOrder> = BTreeMap::new();
            for order in inbox.floor().state_of_site(&name)?.orders {
                event_orders.insert((order.code.clone(), order.operation.clone()), order);
            }
            event_orders.extend(load_event_orders(&inbox, &name, keys)?);
            Ok(event_orders)
        });
        let event_orders = event_orders.await?;
        let is_ended_or_planned =
            |key: &OrderKey| service_orders.get(key).is_some_and(|order| order.state != FloorState::Running);
        let not_running = event_orders.keys().filter(|key| is_ended_or_planned(key)).cloned().collect();
        let orders = u32::try_from(service_orders.len()).unwrap_or(u32::MAX);
        let complete = !canceller.is_cancelled();
        // An incomplete read may lack orders, so it shows no differences.
        let differences = if complete { find_differences(service_orders, &event_orders) } else { Vec::new() };
        let at = (self.clock)();
        if complete {
            let status_values = roles.status_values.cloned();
            self.store_service_floor(
                site,
                ServiceFloor {
                    at,
                    last_event,
                    begun,
                    not_running,
                    stations,
                    alerts,
                    late_orders,
                    longest_late,
                    status_values,
                },
            );
        }
        Ok(FloorRead { at: at.to_string(), orders, differences, complete })
    }

    async fn read_rows(&self, site: &str, operation: &str, canceller: &Canceller) -> Result<Vec<Value>, Problem> {
        self.read_filtered_rows(site, operation, BTreeMap::new(), canceller).await
    }

    async fn read_filtered_rows(
        &self,
        site: &str,
        operation: &str,
        parameters: BTreeMap<String, String>,
        canceller: &Canceller,
    ) -> Result<Vec<Value>, Problem> {
        let set = self.browse.row_set(site, operation)?;
        let query = BrowseQuery { operation: operation.to_owned(), parameters };
        self.browse.read_all(&query, &set, canceller, |_| {}).await?;
        Ok(set.rows(0..usize::MAX))
    }

    /// Reads the recent alerts by their IDs. Returns `None` if the contract has no list of alerts, or if a row has no
    /// number as ID.
    async fn read_alerts(
        &self,
        site: &str,
        zone: &TimeZone,
        canceller: &Canceller,
    ) -> Result<Option<BTreeMap<i64, ServiceAlert>>, Problem> {
        let Some(roles) = self.contract.operations().iter().find_map(AlertListRoles::find) else {
            return Ok(None);
        };
        let now = zone.to_datetime((self.clock)());
        let bounds = [now.saturating_sub(ALERT_PERIOD), now.saturating_add(ALERT_PERIOD)];
        let texts = bounds.map(|bound| bound.strftime("%Y-%m-%dT%H:%M:%S").to_string());
        let parameters = date_parameters(roles.operation).into_iter().flatten().zip(texts).collect();
        let rows = self.read_filtered_rows(site, &roles.operation.id, parameters, canceller).await?;
        Ok(rows.iter().map(|row| roles.to_service_alert(row, zone)).collect())
    }

    async fn read_stations(
        &self,
        site: &str,
        list: &str,
        canceller: &Canceller,
    ) -> Result<Vec<FloorStationName>, Problem> {
        let Some((lane, label)) = self.contract.operation(list).and_then(station_list_fields) else {
            return Ok(Vec::new());
        };
        let rows = self.read_rows(site, list, canceller).await?;
        let with_name = |row: &Value| {
            Some(FloorStationName { code: non_empty_text(row, lane)?, name: non_empty_text(row, label?) })
        };
        let without_name = |row: &Value| Some(FloorStationName { code: non_empty_text(row, lane)?, name: None });
        Ok(rows.iter().filter_map(|row| with_name(row).or_else(|| without_name(row))).collect())
    }
}

impl<'a> AlertListRoles<'a> {
    /// Returns the field roles that the contract's picture of alerts defines for a list.
    fn find(operation: &'a Operation) -> Option<Self> {
        let [id] = operation.key.as_slice() else { return None };
        operation.pictures.iter().find_map(|picture| match &picture.draw {
            PictureKind::Alerts { lane, label, opened, acknowledged, closed } => Some(Self {
                operation,
                id,
                station: lane,
                kind: label.first().map(String::as_str),
                opened,
                acknowledged,
                closed,
            }),
            _ => None,
        })
    }

    fn to_service_alert(&self, row: &Value, zone: &TimeZone) -> Option<(i64, ServiceAlert)> {
        let time = |field: &str| parse_site_timestamp(&non_empty_text(row, field)?, zone);
        let alert = ServiceAlert {
            station: non_empty_text(row, self.station),
            kind: self.kind.and_then(|field| non_empty_text(row, field)),
            opened: time(self.opened),
            acknowledged: time(self.acknowledged),
            is_closed: non_empty_text(row, self.closed).is_some(),
        };
        Some((row.get(self.id)?.as_i64()?, alert))
    }
}

/// Returns the names of the parameters for the begin and the end of a list's period, if it has both.
fn date_parameters(operation: &Operation) -> Option<[String; 2]> {
    let is_date =
        |parameter: &&Parameter| parameter.place != ParameterPlace::Path && parameter.kind == FieldKind::DateTime;
    let mut names = operation.parameters.iter().filter(is_date).map(|parameter| parameter.name.clone());
    Some([names.next()?, names.next()?])
}

impl<'a> OrderListRoles<'a> {
    /// Returns the field roles that the contract's plan picture defines for the list of orders.
    fn find(operation: &'a Operation) -> Option<Self> {
        let quantities = operation.pictures.iter().find_map(|picture| match &picture.draw {
            PictureKind::Produced { requested, good, bad, .. } => Some([requested.as_str(), good, bad]),
            _ => None,
        });
        operation.pictures.iter().find_map(|picture| match &picture.draw {
            PictureKind::Plan { lane, label, planned, real: Some(real), status, words, calendar, .. } => {
                let [code, part] = label.as_slice() else { return None };
                let (status, status_values, stations) = (status.as_deref(), words.as_ref(), calendar.as_deref());
                Some(OrderListRoles {
                    operation,
                    station: lane,
                    key: (code, part),
                    planned_end: &planned.end,
                    actual_dates: real,
                    status,
                    status_values,
                    quantities,
                    stations,
                })
            }
            _ => None,
        })
    }

    /// Returns the planned end of a row if it has passed, although the order hasn't ended.
    fn missed_end(&self, row: &Value, zone: &TimeZone, now: Timestamp) -> Option<Timestamp> {
        let planned_end = non_empty_text(row, self.planned_end).and_then(|text| parse_site_timestamp(&text, zone))?;
        let is_late = non_empty_text(row, &self.actual_dates.end).is_none() && planned_end < now;
        is_late.then_some(planned_end)
    }

    fn to_service_order(&self, row: &Value) -> Option<(OrderKey, ServiceOrder)> {
        let begun = non_empty_text(row, &self.actual_dates.begin);
        let quantity = |index: usize| row.get(self.quantities?[index]).and_then(Value::as_f64);
        let state = match (&begun, non_empty_text(row, &self.actual_dates.end)) {
            (None, _) => FloorState::Planned,
            (Some(_), None) => FloorState::Running,
            (Some(_), Some(_)) => FloorState::Ended,
        };
        let key = (non_empty_text(row, self.key.0)?, non_empty_text(row, self.key.1).unwrap_or_default());
        Some((
            key,
            ServiceOrder {
                state,
                status: self.status.and_then(|field| non_empty_text(row, field)),
                station: non_empty_text(row, self.station),
                begun,
                requested: quantity(0),
                good: quantity(1),
                bad: quantity(2),
            },
        ))
    }
}

/// Returns the orders that the service or the events report as running, and whose states differ.
fn find_differences(
    mut service_orders: BTreeMap<OrderKey, ServiceOrder>,
    event_orders: &BTreeMap<OrderKey, FloorOrder>,
) -> Vec<FloorDifference> {
    service_orders.retain(|key, order| order.state == FloorState::Running || event_orders.contains_key(key));
    let keys: BTreeSet<_> = service_orders.keys().chain(event_orders.keys()).cloned().collect();
    let mut differences = Vec::new();
    for key in keys {
        let (service_order, event_order) = (service_orders.get(&key), event_orders.get(&key));
        if event_order
            .zip(service_order)
            .is_some_and(|(event_order, service_order)| is_consistent(event_order, service_order))
        {
            continue;
        }
        let (code, operation) = key;
        differences.push(FloorDifference {
            code,
            operation,
            reported: event_order.cloned().map(order_view),
            service_state: service_order.map(|order| order.state),
            status: service_order.and_then(|order| order.status.clone()),
            station: service_order.and_then(|order| order.station.clone()),
        });
    }
    differences
}

/// Returns true if both states agree. Only the status shows whether an order is paused, so it must equal the last
/// event's status.
fn is_consistent(event_order: &FloorOrder, service_order: &ServiceOrder) -> bool {
    let state = match event_order.state {
        FloorState::Paused | FloorState::Running => FloorState::Running,
        FloorState::Seen if event_order.begun.is_some() && event_order.ended.is_none() => FloorState::Running,
        FloorState::Seen => return true,
        state => state,
    };
    let same_status =
        event_order.status.is_none() || service_order.status.is_none() || event_order.status == service_order.status;
    let same_station = event_order.station.is_none()
        || service_order.station.is_none()
        || event_order.station == service_order.station;
    state == service_order.state && same_status && same_station
}

/// Returns the fields of a list of stations: the code and the label.
fn station_list_fields(operation: &Operation) -> Option<(&str, Option<&str>)> {
    operation.pictures.iter().find_map(|picture| match &picture.draw {
        PictureKind::Calendar { lane, label, .. } => Some((lane.as_str(), label.first().map(String::as_str))),
        _ => None,
    })
}

fn non_empty_text(row: &Value, field: &str) -> Option<String> {
    row.get(field).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}
