//! Lists events by kind, station, order, employee, state and time, and by any text in them. Also finds the events that
//! name an order since a time.
//!
//! A page is found through indexes only, newest first, and contains no body. So listing a million events stays fast.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::database::{Connection, Row, SqlValue, params, params_from_iter};
use crate::inbox::event::SignatureState;
use crate::inbox::reading::{EventState, NamedOrder};
use crate::inbox::search_text::SearchWords;
use crate::inbox::store::Inbox;
use crate::inbox::stored_time::time_from_milliseconds;
use crate::{JournalError, StoredWord};

/// The filter of a list. An absent or empty field matches everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFilter {
    pub site: Option<String>,
    /// The service's numbers for kinds of events.
    pub kinds: Vec<i64>,
    pub states: Vec<EventState>,
    pub station: Option<String>,
    pub employee: Option<String>,
    /// The code of an order.
    pub order: Option<String>,
    /// Words or beginnings of words. The event must contain all of them.
    pub text: Option<String>,
    pub since: Option<Timestamp>,
    pub until: Option<Timestamp>,
    /// The number of the newest event to include. It prevents a displayed list from changing.
    pub up_to: Option<i64>,
    /// The numbers of the events to include. Empty for all.
    pub event_numbers: Vec<i64>,
}

/// An event in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRow {
    pub id: i64,
    pub site: String,
    pub received: Timestamp,
    pub state: EventState,
    pub kind: Option<i64>,
    pub station: Option<String>,
    pub station_name: Option<String>,
    pub employee: Option<String>,
    pub person: Option<String>,
    pub description: Option<String>,
    /// The code of the first order that the event names. `orders` is their number.
    pub order: Option<String>,
    pub orders: u32,
    pub signed: SignatureState,
    pub replay: bool,
    /// The number of duplicates that were received.
    pub copies: u32,
    /// The answer, if the event expected one: allowed or not.
    pub allowed: Option<bool>,
    /// The cause of the decision, in one word: `rule`, `default`, `failure` or `slow`.
    pub answered_by: Option<String>,
}

/// A page of the matching events, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPage {
    pub rows: Vec<EventRow>,
    /// The number of matching events. Counted up to 10,000 if the filter restricts more than the site.
    pub total: u32,
}

/// The maximum number of counted events, which limits the time for counting.
const MAX_COUNTED_EVENTS: u32 = 10_000;

impl Inbox {
    /// Returns the matching events, newest first.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn events(&self, filter: &EventFilter, offset: u32, limit: u32) -> Result<EventPage, JournalError> {
        self.store.read(|connection| {
            let rows = page(connection, filter, offset, limit)?;
            let total = match (selects_all_events_of_sites(filter), &filter.site) {
                (true, None) => count_all(connection, filter.up_to)?,
                (true, Some(site)) => count_site(connection, site, filter.up_to)?,
                (false, _) => count(connection, filter)?,
            };
            Ok(EventPage { rows, total })
        })
    }

    /// Returns one event, or none if it doesn't exist or the reader hasn't read it.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn event(&self, id: i64) -> Result<Option<EventRow>, JournalError> {
        self.store.read(|connection| {
            let sql = format!(
                "SELECT {EVENT_COLUMNS} FROM reading JOIN event ON event.id = reading.event WHERE reading.event = ?1"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query([id])?;
            rows.next()?.map(event_from_row).transpose()
        })
    }

    /// Returns the numbers of matching events, oldest first.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn event_numbers(&self, filter: &EventFilter, limit: u32) -> Result<Vec<i64>, JournalError> {
        self.store.read(|connection| {
            let EventSelection { from, values } = select_events(connection, filter);
            let sql = format!("SELECT DISTINCT found.event FROM {from} ORDER BY found.event LIMIT {limit}");
            let mut statement = connection.prepare_cached(&sql)?;
            let numbers = statement.query_map(params_from_iter(&values), |row| row.get(0))?;
            Ok(numbers.collect::<Result<_, _>>()?)
        })
    }

    /// Returns matching events with smaller numbers than `before`, newest first. Repeated calls return a list of any
    /// length.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn events_before(&self, filter: &EventFilter, before: i64, limit: u32) -> Result<Vec<EventRow>, JournalError> {
        let up_to = filter.up_to.unwrap_or(i64::MAX).min(before.saturating_sub(1));
        let filter = EventFilter { up_to: Some(up_to), ..filter.clone() };
        self.store.read(|connection| page(connection, &filter, 0, limit))
    }

    /// Returns the events with these numbers, oldest first. Skips numbers that don't exist.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn events_by_number(&self, numbers: &[i64]) -> Result<Vec<EventRow>, JournalError> {
        let sql = format!(
            "SELECT {EVENT_COLUMNS} FROM reading JOIN event ON event.id = reading.event WHERE reading.event IN ({})
             ORDER BY reading.event",
            (1..=numbers.len()).map(|number| format!("?{number}")).collect::<Vec<_>>().join(", ")
        );
        self.store.read(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params_from_iter(numbers))?;
            let mut events = Vec::new();
            while let Some(found) = rows.next()? {
                events.push(event_from_row(found)?);
            }
            Ok(events)
        })
    }

    /// Returns the orders that an event names.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn orders_named_by(&self, event: i64) -> Result<Vec<NamedOrder>, JournalError> {
        self.store.read(|connection| {
            let sql = "SELECT code, operation FROM named WHERE event = ?1 ORDER BY code, operation";
            let mut statement = connection.prepare_cached(sql)?;
            let named =
                statement.query_map([event], |row| Ok(NamedOrder { code: row.get(0)?, operation: row.get(1)? }))?;
            Ok(named.collect::<Result<_, _>>()?)
        })
    }
}

const EVENT_COLUMNS: &str =
    "reading.event, reading.site, reading.received, reading.state, reading.kind, reading.station,
    reading.station_name, reading.employee, reading.person, reading.description, reading.order_code, reading.orders,
    event.signed, event.replay, (SELECT COUNT(*) FROM copy WHERE copy.event = reading.event),
    (SELECT allowed FROM answer WHERE answer.event = reading.event),
    (SELECT by FROM answer WHERE answer.event = reading.event)";

fn page(
    connection: &Connection<'_>,
    filter: &EventFilter,
    offset: u32,
    limit: u32,
) -> Result<Vec<EventRow>, JournalError> {
    let EventSelection { from, values } = select_events(connection, filter);
    // The numbers are found in indexes first, so that only the rows of this page are read.
    let sql = format!(
        "SELECT {EVENT_COLUMNS} FROM reading JOIN event ON event.id = reading.event WHERE reading.event IN
         (SELECT found.event FROM {from} ORDER BY found.event DESC LIMIT {limit} OFFSET {offset})
         ORDER BY reading.event DESC"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(&values))?;
    let mut events = Vec::new();
    while let Some(found) = rows.next()? {
        events.push(event_from_row(found)?);
    }
    Ok(events)
}

fn count(connection: &Connection<'_>, filter: &EventFilter) -> Result<u32, JournalError> {
    let EventSelection { from, values } = select_events(connection, filter);
    let sql = format!("SELECT COUNT(*) FROM (SELECT 1 FROM {from} LIMIT {MAX_COUNTED_EVENTS}) AS counted");
    Ok(connection.prepare_cached(&sql)?.query_row(params_from_iter(&values), |row| row.get(0))?)
}

/// Counts all events by their numbers, which are consecutive because only the oldest events are removed.
fn count_all(connection: &Connection<'_>, up_to: Option<i64>) -> Result<u32, JournalError> {
    let sql = "SELECT MIN(event), MAX(event) FROM reading";
    let (first, last): (Option<i64>, Option<i64>) =
        connection.prepare_cached(sql)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (Some(first), Some(last)) = (first, last) else { return Ok(0) };
    let count = last.min(up_to.unwrap_or(i64::MAX)) - first + 1;
    Ok(u32::try_from(count.max(0)).unwrap_or(u32::MAX))
}

fn count_site(connection: &Connection<'_>, site: &str, up_to: Option<i64>) -> Result<u32, JournalError> {
    let sql = "SELECT COUNT(*) FROM reading WHERE site = ?1 AND event <= ?2";
    let values = (site, up_to.unwrap_or(i64::MAX));
    Ok(connection.prepare_cached(sql)?.query_row(values, |row| row.get(0))?)
}

/// Returns whether the filter selects all events of one site or of all sites. These are counted completely, in an
/// index.
fn selects_all_events_of_sites(filter: &EventFilter) -> bool {
    *filter == EventFilter { site: filter.site.clone(), up_to: filter.up_to, ..EventFilter::default() }
}

/// A source of the matching events (`found.event`), with the values of its placeholders.
struct EventSelection {
    from: String,
    values: Vec<SqlValue>,
}

/// Values in the order of their placeholders.
#[derive(Default)]
struct Values(Vec<SqlValue>);

impl Values {
    /// Adds a value and returns its placeholder.
    fn placeholder(&mut self, value: impl Into<SqlValue>) -> String {
        self.0.push(value.into());
        format!("?{}", self.0.len())
    }
}

fn select_events(connection: &Connection<'_>, filter: &EventFilter) -> EventSelection {
    let mut values = Values::default();
    let mut conditions = Vec::new();
    let (source, column) = if let Some(words) = SearchWords::parse(filter.text.as_deref()) {
        let placeholder = values.placeholder(words.query(connection));
        conditions.push(words.condition(connection, &placeholder));
        ("event_text", "event_text.rowid")
    } else if let Some(order) = &filter.order {
        conditions.push(format!("named.code = {}", values.placeholder(order.clone())));
        ("named", "named.event")
    } else {
        ("reading", "reading.event")
    };
    if let Some(up_to) = filter.up_to {
        conditions.push(format!("{column} <= {}", values.placeholder(up_to)));
    }
    if !filter.event_numbers.is_empty() {
        // Numbers can't inject SQL, and there may be more of them than allowed placeholders.
        let numbers: Vec<_> = filter.event_numbers.iter().map(i64::to_string).collect();
        conditions.push(format!("{column} IN ({})", numbers.join(", ")));
    }
    let reading = reading_conditions(filter, source == "event_text", &mut values);
    if source == "reading" {
        conditions.extend(reading);
    } else if !reading.is_empty() {
        let reading = reading.join(" AND ");
        conditions.push(format!("EXISTS (SELECT 1 FROM reading WHERE reading.event = {column} AND {reading})"));
    }
    let condition = if conditions.is_empty() { "TRUE".to_owned() } else { conditions.join(" AND ") };
    EventSelection {
        from: format!("(SELECT {column} AS event FROM {source} WHERE {condition}) AS found"),
        values: values.0,
    }
}

/// Returns the conditions on the reading of an event.
fn reading_conditions(filter: &EventFilter, includes_order: bool, values: &mut Values) -> Vec<String> {
    let mut conditions = Vec::new();
    let mut equal = |column: &str, value: &Option<String>| {
        if let Some(value) = value {
            let (sign, column) = column.strip_prefix('+').map_or(("", column), |column| ("+", column));
            conditions.push(format!("{sign}reading.{column} = {}", values.placeholder(value.clone())));
        }
    };
    // The sign keeps SQLite from using the site's index if another one finds fewer rows.
    equal(if is_narrowed(filter) { "+site" } else { "site" }, &filter.site);
    equal("station", &filter.station);
    equal("employee", &filter.employee);
    for (compare, time) in [(">=", filter.since), ("<", filter.until)] {
        if let Some(time) = time {
            conditions.push(format!("reading.received {compare} {}", values.placeholder(time.as_millisecond())));
        }
    }
    if !filter.kinds.is_empty() {
        let placeholders: Vec<_> = filter.kinds.iter().map(|kind| values.placeholder(*kind)).collect();
        conditions.push(format!("reading.kind IN ({})", placeholders.join(", ")));
    }
    if !filter.states.is_empty() {
        let placeholders: Vec<_> =
            filter.states.iter().map(|state| values.placeholder(state.word().to_owned())).collect();
        conditions.push(format!("reading.state IN ({})", placeholders.join(", ")));
        // SQLite uses the index of the other states only if the statement repeats that index's condition.
        if !filter.states.contains(&EventState::Sound) {
            conditions.push("reading.state <> 'sound'".to_owned());
        }
    }
    if let Some(order) = filter.order.as_ref().filter(|_| includes_order) {
        let placeholder = values.placeholder(order.clone());
        conditions.push(format!(
            "EXISTS (SELECT 1 FROM named WHERE named.code = {placeholder} AND named.event = reading.event)"
        ));
    }
    conditions
}

/// Returns whether the filter restricts more than the site and the time.
fn is_narrowed(filter: &EventFilter) -> bool {
    let EventFilter { kinds, states, station, employee, order, text, event_numbers, .. } = filter;
    let words = [station, employee, order, text];
    !event_numbers.is_empty() || !kinds.is_empty() || !states.is_empty() || words.into_iter().any(Option::is_some)
}

fn event_from_row(row: Row<'_>) -> Result<EventRow, JournalError> {
    Ok(EventRow {
        id: row.get(0)?,
        site: row.get(1)?,
        received: time_from_milliseconds(row.get(2)?)?,
        state: EventState::from_word(&row.get::<_, String>(3)?)?,
        kind: row.get(4)?,
        station: row.get(5)?,
        station_name: row.get(6)?,
        employee: row.get(7)?,
        person: row.get(8)?,
        description: row.get(9)?,
        order: row.get(10)?,
        orders: row.get(11)?,
        signed: SignatureState::from_word(&row.get::<_, String>(12)?)?,
        replay: row.get(13)?,
        copies: row.get(14)?,
        allowed: row.get(15)?,
        answered_by: row.get(16)?,
    })
}

/// Returns the sources of the matching events for each filter alone, for all together, and for none.
#[cfg(test)]
pub(crate) fn selections(connection: &Connection<'_>) -> Vec<String> {
    let word = || Some("one".to_owned());
    let time = Some(Timestamp::UNIX_EPOCH);
    let single = [
        EventFilter::default(),
        EventFilter { site: word(), ..EventFilter::default() },
        EventFilter { kinds: vec![1, 2], ..EventFilter::default() },
        EventFilter { states: vec![EventState::Sound], ..EventFilter::default() },
        EventFilter { states: vec![EventState::Malformed], ..EventFilter::default() },
        EventFilter { station: word(), ..EventFilter::default() },
        EventFilter { employee: word(), ..EventFilter::default() },
        EventFilter { order: word(), ..EventFilter::default() },
        EventFilter { text: word(), ..EventFilter::default() },
        EventFilter { since: time, ..EventFilter::default() },
        EventFilter { until: time, ..EventFilter::default() },
        EventFilter { up_to: Some(1), ..EventFilter::default() },
        EventFilter { event_numbers: vec![1, 2], ..EventFilter::default() },
    ];
    let all = EventFilter {
        site: word(),
        kinds: vec![1, 2],
        states: vec![EventState::Malformed],
        station: word(),
        employee: word(),
        order: word(),
        text: None,
        since: time,
        until: time,
        up_to: Some(1),
        event_numbers: vec![1, 2],
    };
    let with_text = EventFilter { text: word(), ..all.clone() };
    let filters = single.iter().chain([&all, &with_text]);
    filters.map(|filter| select_events(connection, filter).from).collect()
}

/// Selects events of a site that name an order, or one operation of it, since a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderEventQuery {
    pub site: String,
    pub code: String,
    /// Absent for any operation. An event that names the order without an operation matches every operation.
    pub operation: Option<String>,
    pub since: Timestamp,
}

/// An event that names an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamingEvent {
    pub event: i64,
    pub received: Timestamp,
    /// The service's number for the kind of the event.
    pub kind: Option<i64>,
    pub station: Option<String>,
}

/// Selects the events that name an order, without untrusted events and replays.
const ORDER_EVENTS: &str = "FROM named JOIN reading ON reading.event = named.event JOIN event ON event.id = named.event
    WHERE named.code = ?1 AND reading.site = ?2 AND reading.received >= ?3 AND (CAST(?4 AS TEXT) IS NULL OR named.operation IN (?4, ''))
    AND event.replay = 0 AND event.signed IN ('unchecked', 'valid')";

impl Inbox {
    /// Returns the number of matching events, and at most `limit` of them, newest first.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn find_order_events(
        &self,
        query: &OrderEventQuery,
        limit: u32,
    ) -> Result<(u32, Vec<NamingEvent>), JournalError> {
        let OrderEventQuery { site, code, operation, since } = query;
        let since = since.as_millisecond();
        self.store.read(|connection| {
            let sql = format!("SELECT COUNT(DISTINCT named.event) {ORDER_EVENTS}");
            let mut statement = connection.prepare_cached(&sql)?;
            let count = statement.query_row(params![code, site, since, operation], |row| row.get(0))?;
            if count == 0 {
                return Ok((0, Vec::new()));
            }
            let sql = format!(
                "SELECT DISTINCT named.event, reading.received, reading.kind, reading.station {ORDER_EVENTS}
                 ORDER BY named.event DESC LIMIT {limit}"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![code, site, since, operation])?;
            let mut events = Vec::new();
            while let Some(row) = rows.next()? {
                let received = time_from_milliseconds(row.get(1)?)?;
                events.push(NamingEvent { event: row.get(0)?, received, kind: row.get(2)?, station: row.get(3)? });
            }
            Ok((count, events))
        })
    }

    /// Returns whether a matching event has one of these kinds.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn has_order_event(&self, query: &OrderEventQuery, kinds: &BTreeSet<i64>) -> Result<bool, JournalError> {
        let OrderEventQuery { site, code, operation, since } = query;
        self.store.read(|connection| {
            let sql = format!("SELECT DISTINCT reading.kind {ORDER_EVENTS} AND reading.kind IS NOT NULL");
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![code, site, since.as_millisecond(), operation])?;
            while let Some(row) = rows.next()? {
                if kinds.contains(&row.get(0)?) {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }
}
