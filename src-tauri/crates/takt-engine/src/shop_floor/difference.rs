//! What the service itself says of its orders, held against what the events say.
//!
//! Which list tells of orders, and which of its fields mean station, begin, end and status, is what the contract says of its
//! picture of the plan. Leaves reading to `browse`.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use takt_browse::BrowseQuery;
use takt_client::Canceller;
use takt_contract::{
    Operation,
    picture::{PictureKind, Span, StatusWords},
};
use takt_core::{Problem, blocking::run_blocking};
use takt_inbox::inbox::CATCH_UP_TIMEOUT;
use takt_journal::{
    Inbox, JournalError,
    inbox::{FloorOrder, FloorState},
};

use super::{
    FloorOrderView, ShopFloor,
    service_floor::{OrderKey, ServiceFloor, ServiceOrder},
    view,
};

/// What the service says otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FloorRead {
    /// When it was read; ISO 8601 in UTC.
    pub at: String,
    /// Orders (operations of them) that were read.
    pub orders: u32,
    pub differences: Vec<FloorDifference>,
    /// False where reading was ended before the end.
    pub whole: bool,
}

/// A work station that the service has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FloorStationName {
    pub(super) code: String,
    pub(super) name: Option<String>,
}

/// An order of which the service says something else than the events. Its texts are not trusted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct FloorDifference {
    pub code: String,
    pub operation: String,
    /// As the events have it; absent where none told of it.
    pub reported: Option<FloorOrderView>,
    /// As the service has it: planned, running (begun, whether it runs or is paused) or ended; absent where it isn't there.
    pub service_state: Option<FloorState>,
    /// The service's words for its state.
    pub status: Option<String>,
    pub station: Option<String>,
}

/// The list of orders, and what its fields mean.
struct Plan<'a> {
    operation: &'a Operation,
    lane: &'a str,
    /// The fields of the code and of the operation.
    key: (&'a str, &'a str),
    real: &'a Span,
    status: Option<&'a str>,
    words: Option<&'a StatusWords>,
    /// The fields of the requested, the good and the bad quantity.
    quantities: Option<[&'a str; 3]>,
    /// The list of the stations.
    stations: Option<&'a str>,
}

impl ShopFloor {
    /// Reads the service's own orders and stations, and says where they differ from what the events say. What was read whole
    /// stands on the floor from then on.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the contract has no list that tells what runs
    ///   (`nothing-to-read`).
    /// - A [journal code](takt_core::problem#journal-codes): the events can't be read.
    /// - What reading the lists fails with, as [`takt_browse::Browse::read_all`].
    pub async fn read(&self, site: &str, canceller: &Canceller) -> Result<FloorRead, Problem> {
        let nothing = || Problem::in_the_way("nothing-to-read");
        let plan = self.orders.list_of_orders().and_then(Plan::of).ok_or_else(nothing)?;
        let (inbox, reading) = self.reader.of(Some(site))?;
        reading.catch_up(CATCH_UP_TIMEOUT).await;
        let front = {
            let inbox = inbox.clone();
            run_blocking(move || Ok(inbox.front()?.0)).await?
        };
        let rows = self.read_whole(site, &plan.operation.id, canceller).await?;
        let stations = match plan.stations {
            Some(list) => self.stations(site, list, canceller).await?,
            None => Vec::new(),
        };
        let service_orders: BTreeMap<OrderKey, ServiceOrder> =
            rows.iter().filter_map(|row| plan.service_order(row)).collect();
        let begun: BTreeMap<OrderKey, ServiceOrder> = service_orders
            .iter()
            .filter(|(_, held)| held.state == FloorState::Running)
            .map(|(key, held)| (key.clone(), held.clone()))
            .collect();
        let (name, keys) = (site.to_owned(), begun.keys().cloned().collect::<Vec<_>>());
        let event_orders = run_blocking(move || {
            let mut event_orders: BTreeMap<OrderKey, FloorOrder> = BTreeMap::new();
            for order in inbox.floor().of(&name)?.orders {
                event_orders.insert((order.code.clone(), order.operation.clone()), order);
            }
            event_orders.extend(orders_of(&inbox, &name, keys)?);
            Ok(event_orders)
        });
        let event_orders = event_orders.await?;
        let is_gone = |key: &OrderKey| service_orders.get(key).is_some_and(|held| held.state != FloorState::Running);
        let gone = event_orders.keys().filter(|key| is_gone(key)).cloned().collect();
        let orders = u32::try_from(service_orders.len()).unwrap_or(u32::MAX);
        let whole = !canceller.is_cancelled();
        // What wasn't read may be there all the same.
        let differences = if whole { differences(service_orders, &event_orders) } else { Vec::new() };
        let at = (self.clock)();
        if whole {
            let words = plan.words.cloned();
            self.keep_service_floor(site, ServiceFloor { at, front, begun, gone, stations, words });
        }
        Ok(FloorRead { at: at.to_string(), orders, differences, whole })
    }

    async fn read_whole(&self, site: &str, operation: &str, canceller: &Canceller) -> Result<Vec<Value>, Problem> {
        let set = self.browse.row_set(site, operation)?;
        let query = BrowseQuery { operation: operation.to_owned(), parameters: BTreeMap::new() };
        self.browse.read_all(&query, &set, canceller, |_| {}).await?;
        Ok(set.rows(0..usize::MAX))
    }

    async fn stations(&self, site: &str, list: &str, canceller: &Canceller) -> Result<Vec<FloorStationName>, Problem> {
        let Some((lane, label)) = self.contract.operation(list).and_then(lane) else { return Ok(Vec::new()) };
        let rows = self.read_whole(site, list, canceller).await?;
        let station = |row: &Value| Some(FloorStationName { code: text(row, lane)?, name: text(row, label?) });
        let bare = |row: &Value| Some(FloorStationName { code: text(row, lane)?, name: None });
        Ok(rows.iter().filter_map(|row| station(row).or_else(|| bare(row))).collect())
    }
}

impl<'a> Plan<'a> {
    /// What the list of the orders says of its picture.
    fn of(operation: &'a Operation) -> Option<Self> {
        let quantities = operation.pictures.iter().find_map(|picture| match &picture.draw {
            PictureKind::Produced { requested, good, bad, .. } => Some([requested.as_str(), good, bad]),
            _ => None,
        });
        operation.pictures.iter().find_map(|picture| match &picture.draw {
            PictureKind::Plan { lane, label, real: Some(real), status, words, calendar, .. } => {
                let [code, part] = label.as_slice() else { return None };
                let (status, words, stations) = (status.as_deref(), words.as_ref(), calendar.as_deref());
                Some(Plan { operation, lane, key: (code, part), real, status, words, quantities, stations })
            }
            _ => None,
        })
    }

    fn service_order(&self, row: &Value) -> Option<(OrderKey, ServiceOrder)> {
        let begun = text(row, &self.real.begin);
        let quantity = |place: usize| row.get(self.quantities?[place]).and_then(Value::as_f64);
        let state = match (&begun, text(row, &self.real.end)) {
            (None, _) => FloorState::Planned,
            (Some(_), None) => FloorState::Running,
            (Some(_), Some(_)) => FloorState::Ended,
        };
        let key = (text(row, self.key.0)?, text(row, self.key.1).unwrap_or_default());
        Some((
            key,
            ServiceOrder {
                state,
                status: self.status.and_then(|field| text(row, field)),
                station: text(row, self.lane),
                begun,
                requested: quantity(0),
                good: quantity(1),
                bad: quantity(2),
            },
        ))
    }
}

/// What events say of these orders, in whatever state.
pub(super) fn orders_of(
    inbox: &Inbox,
    site: &str,
    keys: impl IntoIterator<Item = OrderKey>,
) -> Result<Vec<(OrderKey, FloorOrder)>, JournalError> {
    let mut orders = Vec::new();
    for (code, operation) in keys {
        if let Some(order) = inbox.floor().order(site, &code, &operation)? {
            orders.push(((code, operation), order));
        }
    }
    Ok(orders)
}

/// What one of both has begun, and the other has otherwise.
fn differences(
    mut held: BTreeMap<OrderKey, ServiceOrder>,
    told: &BTreeMap<OrderKey, FloorOrder>,
) -> Vec<FloorDifference> {
    held.retain(|key, held| held.state == FloorState::Running || told.contains_key(key));
    let keys: BTreeSet<_> = held.keys().chain(told.keys()).cloned().collect();
    let mut differences = Vec::new();
    for key in keys {
        let (held, told) = (held.get(&key), told.get(&key));
        if told.zip(held).is_some_and(|(told, held)| agree(told, held)) {
            continue;
        }
        let (code, operation) = key;
        differences.push(FloorDifference {
            code,
            operation,
            reported: told.cloned().map(view::order),
            service_state: held.map(|held| held.state),
            status: held.and_then(|held| held.status.clone()),
            station: held.and_then(|held| held.station.clone()),
        });
    }
    differences
}

/// Whether it is paused is only said by the service's words: they must be those of the last event.
fn agree(told: &FloorOrder, held: &ServiceOrder) -> bool {
    let state = match told.state {
        FloorState::Paused | FloorState::Running => FloorState::Running,
        FloorState::Seen if told.begun.is_some() && told.ended.is_none() => FloorState::Running,
        FloorState::Seen => return true,
        state => state,
    };
    let said = told.status.is_none() || held.status.is_none() || told.status == held.status;
    let placed = told.station.is_none() || held.station.is_none() || told.station == held.station;
    state == held.state && said && placed
}

/// The fields of a list of stations: the code, and what people call it.
fn lane(operation: &Operation) -> Option<(&str, Option<&str>)> {
    operation.pictures.iter().find_map(|picture| match &picture.draw {
        PictureKind::Calendar { lane, label, .. } => Some((lane.as_str(), label.first().map(String::as_str))),
        _ => None,
    })
}

fn text(row: &Value, field: &str) -> Option<String> {
    row.get(field).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}
