//! Joins submitted rows to the later events that name their orders, by the rows' keys.
//!
//! `order` determines the positions of the order and its operation in a key, by the contract.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use takt_contract::{EventOutcome, Names};
use takt_core::{Problem, RowResult, blocking::run_blocking};
use takt_inbox::{CATCH_UP_TIMEOUT, events::short_id};
use takt_journal::{
    Inbox, SubmissionId,
    inbox::{NamingEvent, OrderEventQuery},
};
use takt_submit::submission::{ResultPage, ResultRow};

use super::floor::ShopFloor;
use crate::order::OrderKeyPositions;

/// The maximum number of returned events per row. The newest are returned, and all are counted.
const MAX_EVENTS: u32 = 20;
/// The maximum number of accepted rows that are searched for orders that haven't begun.
const MAX_ROWS: u32 = 100_000;
const ROWS_PER_PAGE: u32 = 1_000;

/// A row of a submission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RowQuery {
    pub key: String,
    /// The row's batch. Only later events are included. If `None`, events since the submission's start are included.
    pub batch: Option<u32>,
}

/// The events after a row was sent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RowEvents {
    /// The number of events that named the row's order.
    pub count: u32,
    /// The newest events, newest first, at most 20.
    pub events: Vec<RowEvent>,
    /// True if the row's order began or ended since.
    pub begun: bool,
}

/// An event that named a row's order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RowEvent {
    pub event: i32,
    /// The time of receipt, in ISO 8601 and UTC.
    pub received: String,
    pub kind: Option<i32>,
    pub names: Option<Names>,
    pub turn: Option<EventOutcome>,
    pub station: Option<String>,
}

impl ShopFloor {
    /// Returns the later events of these rows' orders, one entry per row, in the rows' order. Returns `None` if the
    /// operation's rows have no order.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - A [journal code](takt_core::problem#journal-codes): the submission or the events can't be read. If the events'
    ///   file can't be opened, returns `None` instead.
    pub async fn row_events(
        &self,
        submission: SubmissionId,
        rows: &[RowQuery],
    ) -> Result<Option<Vec<RowEvents>>, Problem> {
        let floor = self.clone();
        let view = run_blocking(move || floor.submissions.view(submission)).await?;
        let Some(positions) = self.orders.order_key_positions(&view.operation) else { return Ok(None) };
        let (reader, site) = (Arc::clone(&self.reader), view.site.clone());
        let (inbox, reading) = match run_blocking(move || reader.open(Some(&site))).await {
            // If the events' file can't be created or read, rows are shown without events.
            Err(problem) if problem.code.is_journal_failure() => {
                tracing::warn!(?problem, "rows are told without the events since");
                return Ok(None);
            }
            result => result?,
        };
        reading.catch_up(CATCH_UP_TIMEOUT).await;
        let (floor, rows) = (self.clone(), rows.to_vec());
        let matched = run_blocking(move || {
            let since = floor.load_sent_times(submission, &rows)?;
            let begin_kinds = floor.begin_kinds();
            let queries = rows.iter().map(|row| event_query(&positions, &view.site, row, &since));
            queries.map(|query| match_events(&inbox, query.as_ref(), &begin_kinds)).collect()
        });
        let matched: Vec<MatchedEvents> = matched.await?;
        Ok(Some(matched.into_iter().map(|matched_events| self.to_row_events(matched_events)).collect()))
    }

    /// Returns accepted rows of a submission whose order hasn't begun since. Returns `None` if its rows have no order.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - A [journal code](takt_core::problem#journal-codes): the submission or the events can't be read.
    pub async fn find_unbegun_rows(
        &self,
        submission: SubmissionId,
        offset: u32,
        limit: u32,
    ) -> Result<Option<ResultPage>, Problem> {
        let floor = self.clone();
        let opened = run_blocking(move || {
            let view = floor.submissions.view(submission)?;
            let Some(positions) = floor.orders.order_key_positions(&view.operation) else { return Ok(None) };
            let (inbox, reading) = floor.reader.open(Some(&view.site))?;
            Ok(Some((view.site, positions, inbox, reading)))
        });
        let Some((site, positions, inbox, reading)) = opened.await? else { return Ok(None) };
        reading.catch_up(CATCH_UP_TIMEOUT).await;
        let floor = self.clone();
        let find_waiting = move || {
            let begin_kinds = floor.begin_kinds();
            let mut waiting: Vec<ResultRow> = Vec::new();
            let mut from = 0;
            loop {
                let page = floor.submissions.result_rows(submission, Some(RowResult::Accepted), from, ROWS_PER_PAGE)?;
                from += ROWS_PER_PAGE;
                let is_last = from >= page.total.min(MAX_ROWS);
                let rows: Vec<_> =
                    page.rows.iter().map(|row| RowQuery { key: row.key.clone(), batch: row.batch }).collect();
                let since = floor.load_sent_times(submission, &rows)?;
                for (row, query) in page.rows.into_iter().zip(&rows) {
                    let query = event_query(&positions, &site, query, &since);
                    let has_begun = query.map_or(Ok(true), |query| inbox.has_order_event(&query, &begin_kinds))?;
                    if !has_begun {
                        waiting.push(row);
                    }
                }
                if is_last {
                    return Ok(waiting);
                }
            }
        };
        let waiting = run_blocking(find_waiting).await?;
        let total = u32::try_from(waiting.len()).unwrap_or(u32::MAX);
        let rows = waiting.into_iter().skip(offset as usize).take(limit as usize).collect();
        Ok(Some(ResultPage { total, offset, rows }))
    }

    /// Returns the kinds of events after which an order has begun.
    fn begin_kinds(&self) -> BTreeSet<i64> {
        let begins = |turn| matches!(turn, EventOutcome::Running | EventOutcome::Ended);
        let kinds = self.contract.events().iter();
        kinds
            .filter(|kind| kind.floor.as_ref().is_some_and(|floor| begins(floor.moves)))
            .map(|kind| i64::from(kind.id))
            .collect()
    }

    /// Returns the times when the batches of these rows were sent. The entry `None` is the submission's start.
    fn load_sent_times(
        &self,
        submission: SubmissionId,
        rows: &[RowQuery],
    ) -> Result<BTreeMap<Option<u32>, Timestamp>, Problem> {
        let journal = &self.journal;
        let mut sent = BTreeMap::from([(None, journal.submission(submission)?.started)]);
        for batch in rows.iter().filter_map(|row| row.batch).collect::<BTreeSet<_>>() {
            if let Some(request) = journal.requests().get(submission, batch)? {
                sent.insert(Some(batch), request.started);
            }
        }
        Ok(sent)
    }

    fn to_row_events(&self, matched: MatchedEvents) -> RowEvents {
        let event = |event: NamingEvent| {
            let kind = self.contract.events().iter().find(|kind| event.kind == Some(i64::from(kind.id)));
            RowEvent {
                event: short_id(event.event),
                received: event.received.to_string(),
                kind: event.kind.and_then(|kind| i32::try_from(kind).ok()),
                names: kind.map(|kind| kind.names.clone()),
                turn: kind.and_then(|kind| kind.floor.as_ref()).map(|floor| floor.moves),
                station: event.station,
            }
        };
        RowEvents {
            count: matched.count,
            events: matched.events.into_iter().map(event).collect(),
            begun: matched.begun,
        }
    }
}

/// The events of one row before they are converted for display.
#[derive(Default)]
struct MatchedEvents {
    count: u32,
    events: Vec<NamingEvent>,
    begun: bool,
}

/// Returns the query for a row's events, or `None` if its key contains no order.
fn event_query(
    positions: &OrderKeyPositions,
    site: &str,
    row: &RowQuery,
    since: &BTreeMap<Option<u32>, Timestamp>,
) -> Option<OrderEventQuery> {
    let (code, operation) = positions.parse_order_key(&row.key)?;
    let since = since.get(&row.batch).or_else(|| since.get(&None)).copied()?;
    Some(OrderEventQuery { site: site.to_owned(), code, operation, since })
}

fn match_events(
    inbox: &Inbox,
    query: Option<&OrderEventQuery>,
    begin_kinds: &BTreeSet<i64>,
) -> Result<MatchedEvents, Problem> {
    let Some(query) = query else { return Ok(MatchedEvents::default()) };
    let (count, events) = inbox.find_order_events(query, MAX_EVENTS)?;
    let begun = count > 0 && inbox.has_order_event(query, begin_kinds)?;
    Ok(MatchedEvents { count, events, begun })
}
