//! Events found again: by kind, station, order, employee, state, time, and by any text that they hold.
//!
//! A page is found over indexes alone, newest first, and holds nothing of a body: a million events stay quick.

mod through;

use crate::StoredWord;
use crate::database::{Connection, Row, SqlValue, params_from_iter};
use jiff::Timestamp;

use super::{EventState, Inbox, SignatureState, search_text::SearchWords, time};
use crate::JournalError;

/// What a person looks for. Absent or empty: whatever it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFilter {
    pub site: Option<String>,
    /// Ids of events by the service's numbers.
    pub kinds: Vec<i64>,
    pub states: Vec<EventState>,
    pub station: Option<String>,
    pub employee: Option<String>,
    /// An order's code.
    pub order: Option<String>,
    /// Words that all stand in the event, each perhaps only begun.
    pub text: Option<String>,
    pub since: Option<Timestamp>,
    pub until: Option<Timestamp>,
    /// No event that came after this one: a list that is looked at stands still.
    pub up_to: Option<i64>,
    /// Of those that fit only these, by their numbers; empty: all.
    pub only: Vec<i64>,
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
    /// The first order that it names, and how many there are.
    pub order: Option<String>,
    pub orders: u32,
    pub signed: SignatureState,
    pub replay: bool,
    /// How often it came again.
    pub copies: u32,
    /// What was answered, where it asked: allowed or not.
    pub allowed: Option<bool>,
    /// In a word, what led to that.
    pub answered_by: Option<String>,
}

/// A part of the events that fit, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPage {
    pub rows: Vec<EventRow>,
    /// How many fit; where more than the site is asked for, no more than 10,000 are counted.
    pub total: u32,
}

/// Counting goes no further than this: who finds more narrows the search.
const COUNTED: u32 = 10_000;

impl Inbox {
    /// Events that fit, newest first.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn events(&self, filter: &EventFilter, offset: u32, limit: u32) -> Result<EventPage, JournalError> {
        self.store.read(|connection| {
            let rows = page(connection, filter, offset, limit)?;
            let total = match (wide(filter), &filter.site) {
                (true, None) => count_all(connection, filter.up_to)?,
                (true, Some(site)) => count_of(connection, site, filter.up_to)?,
                (false, _) => count(connection, filter)?,
            };
            Ok(EventPage { rows, total })
        })
    }

    /// One event of a list.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn event(&self, id: i64) -> Result<Option<EventRow>, JournalError> {
        self.store.read(|connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM reading JOIN event ON event.id = reading.event WHERE reading.event = ?1"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query([id])?;
            rows.next()?.map(row).transpose()
        })
    }
}

const COLUMNS: &str = "reading.event, reading.site, reading.received, reading.state, reading.kind, reading.station,
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
    let EventSelection { from, given } = select_events(connection, filter);
    // The positions first, from indexes alone; only the rows of this page are read.
    let sql = format!(
        "SELECT {COLUMNS} FROM reading JOIN event ON event.id = reading.event WHERE reading.event IN
         (SELECT found.event FROM {from} ORDER BY found.event DESC LIMIT {limit} OFFSET {offset})
         ORDER BY reading.event DESC"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(&given))?;
    let mut events = Vec::new();
    while let Some(found) = rows.next()? {
        events.push(row(found)?);
    }
    Ok(events)
}

fn count(connection: &Connection<'_>, filter: &EventFilter) -> Result<u32, JournalError> {
    let EventSelection { from, given } = select_events(connection, filter);
    let sql = format!("SELECT COUNT(*) FROM (SELECT 1 FROM {from} LIMIT {COUNTED}) AS counted");
    Ok(connection.prepare_cached(&sql)?.query_row(params_from_iter(&given), |row| row.get(0))?)
}

/// Without any condition the numbers themselves tell: they are given one after the other, and forgotten from the oldest on.
fn count_all(connection: &Connection<'_>, up_to: Option<i64>) -> Result<u32, JournalError> {
    let sql = "SELECT MIN(event), MAX(event) FROM reading";
    let (first, last): (Option<i64>, Option<i64>) =
        connection.prepare_cached(sql)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (Some(first), Some(last)) = (first, last) else { return Ok(0) };
    let count = last.min(up_to.unwrap_or(i64::MAX)) - first + 1;
    Ok(u32::try_from(count.max(0)).unwrap_or(u32::MAX))
}

fn count_of(connection: &Connection<'_>, site: &str, up_to: Option<i64>) -> Result<u32, JournalError> {
    let sql = "SELECT COUNT(*) FROM reading WHERE site = ?1 AND event <= ?2";
    let given = (site, up_to.unwrap_or(i64::MAX));
    Ok(connection.prepare_cached(sql)?.query_row(given, |row| row.get(0))?)
}

/// Everything of a site, or of all: counted to the end, over an index.
fn wide(filter: &EventFilter) -> bool {
    *filter == EventFilter { site: filter.site.clone(), up_to: filter.up_to, ..EventFilter::default() }
}

/// Where the events stand that fit (`found.event`), and what its places stand for.
struct EventSelection {
    from: String,
    given: Vec<SqlValue>,
}

/// Values in the order of their places.
#[derive(Default)]
struct Given(Vec<SqlValue>);

impl Given {
    /// The place of one more value.
    fn place(&mut self, value: impl Into<SqlValue>) -> String {
        self.0.push(value.into());
        format!("?{}", self.0.len())
    }
}

fn select_events(connection: &Connection<'_>, filter: &EventFilter) -> EventSelection {
    let mut given = Given::default();
    let mut conditions = Vec::new();
    let (source, column) = if let Some(words) = SearchWords::of(filter.text.as_deref()) {
        let place = given.place(words.query(connection));
        conditions.push(words.condition(connection, &place));
        ("event_text", "event_text.rowid")
    } else if let Some(order) = &filter.order {
        conditions.push(format!("named.code = {}", given.place(order.clone())));
        ("named", "named.event")
    } else {
        ("reading", "reading.event")
    };
    if let Some(up_to) = filter.up_to {
        conditions.push(format!("{column} <= {}", given.place(up_to)));
    }
    if !filter.only.is_empty() {
        // Numbers, so they may stand in the statement: there may be more of them than places.
        let numbers: Vec<_> = filter.only.iter().map(i64::to_string).collect();
        conditions.push(format!("{column} IN ({})", numbers.join(", ")));
    }
    let others = others(filter, source == "event_text", &mut given);
    if source == "reading" {
        conditions.extend(others);
    } else if !others.is_empty() {
        let others = others.join(" AND ");
        conditions.push(format!("EXISTS (SELECT 1 FROM reading WHERE reading.event = {column} AND {others})"));
    }
    let condition = if conditions.is_empty() { "TRUE".to_owned() } else { conditions.join(" AND ") };
    EventSelection {
        from: format!("(SELECT {column} AS event FROM {source} WHERE {condition}) AS found"),
        given: given.0,
    }
}

/// Conditions on what was understood of an event.
fn others(filter: &EventFilter, order_too: bool, given: &mut Given) -> Vec<String> {
    let mut conditions = Vec::new();
    let mut equal = |column: &str, value: &Option<String>| {
        if let Some(value) = value {
            let (sign, column) = column.strip_prefix('+').map_or(("", column), |column| ("+", column));
            conditions.push(format!("{sign}reading.{column} = {}", given.place(value.clone())));
        }
    };
    // The sign keeps the site's index out of it where another one finds fewer.
    equal(if narrowed(filter) { "+site" } else { "site" }, &filter.site);
    equal("station", &filter.station);
    equal("employee", &filter.employee);
    for (compare, moment) in [(">=", filter.since), ("<", filter.until)] {
        if let Some(moment) = moment {
            conditions.push(format!("reading.received {compare} {}", given.place(moment.as_millisecond())));
        }
    }
    if !filter.kinds.is_empty() {
        let places: Vec<_> = filter.kinds.iter().map(|kind| given.place(*kind)).collect();
        conditions.push(format!("reading.kind IN ({})", places.join(", ")));
    }
    if !filter.states.is_empty() {
        let places: Vec<_> = filter.states.iter().map(|state| given.place(state.word().to_owned())).collect();
        conditions.push(format!("reading.state IN ({})", places.join(", ")));
        // Said once more, word by word: then the index of what isn't sound is used.
        if !filter.states.contains(&EventState::Sound) {
            conditions.push("reading.state <> 'sound'".to_owned());
        }
    }
    if let Some(order) = filter.order.as_ref().filter(|_| order_too) {
        let place = given.place(order.clone());
        conditions
            .push(format!("EXISTS (SELECT 1 FROM named WHERE named.code = {place} AND named.event = reading.event)"));
    }
    conditions
}

/// Whether more than the site and the time is said.
fn narrowed(filter: &EventFilter) -> bool {
    let EventFilter { kinds, states, station, employee, order, text, only, .. } = filter;
    let words = [station, employee, order, text];
    !only.is_empty() || !kinds.is_empty() || !states.is_empty() || words.into_iter().any(Option::is_some)
}

fn row(row: Row<'_>) -> Result<EventRow, JournalError> {
    Ok(EventRow {
        id: row.get(0)?,
        site: row.get(1)?,
        received: time(row.get(2)?)?,
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

/// Where the events stand that fit, for each filter alone, for all together, and for none.
#[cfg(test)]
pub(crate) fn selections(connection: &Connection<'_>) -> Vec<String> {
    let word = || Some("one".to_owned());
    let moment = Some(Timestamp::UNIX_EPOCH);
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
        EventFilter { since: moment, ..EventFilter::default() },
        EventFilter { until: moment, ..EventFilter::default() },
        EventFilter { up_to: Some(1), ..EventFilter::default() },
        EventFilter { only: vec![1, 2], ..EventFilter::default() },
    ];
    let all = EventFilter {
        site: word(),
        kinds: vec![1, 2],
        states: vec![EventState::Malformed],
        station: word(),
        employee: word(),
        order: word(),
        text: None,
        since: moment,
        until: moment,
        up_to: Some(1),
        only: vec![1, 2],
    };
    let with_text = EventFilter { text: word(), ..all.clone() };
    let filters = single.iter().chain([&all, &with_text]);
    filters.map(|filter| select_events(connection, filter).from).collect()
}
