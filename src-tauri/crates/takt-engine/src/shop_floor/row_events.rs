//! What happened to an order after a row was sent: the events that name it, joined by the row's own key.
//!
//! Which parts of an operation's key name an order and its operation is the contract's. Leaves to `order` which those are.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use takt_contract::{FloorTurn, Names};
use takt_core::{Problem, RowResult, blocking::run_blocking};
use takt_inbox::{events::short, inbox::CATCH_UP_TIMEOUT};
use takt_journal::{
    Inbox, SubmissionId,
    inbox::{NamingEvent, OrderEventQuery},
};
use takt_submit::submission::{ResultPage, ResultRow};

use crate::{order::Naming, shop_floor::ShopFloor};

/// Events of one row that are told; the newest.
const MAX_EVENTS: u32 = 20;
/// Accepted rows that are looked through for what hasn't begun.
const MAX_ROWS: u32 = 100_000;
const AT_ONCE: u32 = 1_000;

/// A row of a submission, as the window has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RowQuery {
    pub key: String,
    /// The batch that carried it; what came before that was sent isn't told. Absent: since the submission began.
    pub batch: Option<u32>,
}

/// What came after a row was sent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RowEvents {
    /// How many events named its order.
    pub count: u32,
    /// The newest of them, newest first; no more than 20.
    pub events: Vec<RowEvent>,
    /// Its order began, or ended, since.
    pub begun: bool,
}

/// An event that named a row's order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RowEvent {
    pub event: i32,
    /// When it came; ISO 8601 in UTC.
    pub received: String,
    pub kind: Option<i32>,
    pub names: Option<Names>,
    pub turn: Option<FloorTurn>,
    pub station: Option<String>,
}

impl ShopFloor {
    /// The events that named the orders of these rows after they were sent; one answer for each row, in their order. None
    /// where the operation's rows are about no order.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - A [journal code](takt_core::problem#journal-codes): the submission or the events can't be read. Where the events'
    ///   file can't be opened, nothing is told instead.
    pub async fn row_events(
        &self,
        submission: SubmissionId,
        rows: &[RowQuery],
    ) -> Result<Option<Vec<RowEvents>>, Problem> {
        let view = self.submissions.view(submission)?;
        let Some(naming) = self.orders.naming(&view.operation) else { return Ok(None) };
        let (inbox, reading) = match self.reader.of(Some(&view.site)) {
            // Where the file of what came can't be made or read, the rows are told all the same.
            Err(problem) if problem.code.is_of_journal() => {
                tracing::warn!(?problem, "rows are told without the events since");
                return Ok(None);
            }
            opened => opened?,
        };
        reading.catch_up(CATCH_UP_TIMEOUT).await;
        let since = self.sent_at(submission, rows)?;
        let asked: Vec<_> = rows.iter().map(|row| event_query(&naming, &view.site, row, &since)).collect();
        let begins = self.kinds_that_begin();
        let matched =
            run_blocking(move || asked.iter().map(|asked| match_events(&inbox, asked.as_ref(), &begins)).collect());
        let matched: Vec<MatchedEvents> = matched.await?;
        Ok(Some(matched.into_iter().map(|found| self.to_row_events(found)).collect()))
    }

    /// Accepted rows of a submission whose order hasn't begun since they were sent. None where its rows are about no order.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - A [journal code](takt_core::problem#journal-codes): the submission or the events can't be read.
    pub async fn rows_not_begun(
        &self,
        submission: SubmissionId,
        offset: u32,
        limit: u32,
    ) -> Result<Option<ResultPage>, Problem> {
        let view = self.submissions.view(submission)?;
        let Some(naming) = self.orders.naming(&view.operation) else { return Ok(None) };
        let (inbox, reading) = self.reader.of(Some(&view.site))?;
        reading.catch_up(CATCH_UP_TIMEOUT).await;
        let begins = self.kinds_that_begin();
        let mut waiting: Vec<ResultRow> = Vec::new();
        let mut from = 0;
        loop {
            let page = self.submissions.result_rows(submission, Some(RowResult::Accepted), from, AT_ONCE)?;
            from += AT_ONCE;
            let is_last = from >= page.total.min(MAX_ROWS);
            let rows: Vec<_> =
                page.rows.iter().map(|row| RowQuery { key: row.key.clone(), batch: row.batch }).collect();
            let since = self.sent_at(submission, &rows)?;
            let asked: Vec<_> = rows.iter().map(|row| event_query(&naming, &view.site, row, &since)).collect();
            let (inbox, begins) = (inbox.clone(), begins.clone());
            let begun = run_blocking(move || {
                let begun = |asked: &Option<OrderEventQuery>| {
                    asked.as_ref().map_or(Ok(true), |asked| inbox.named_by(asked, &begins))
                };
                Ok(asked.iter().map(begun).collect::<Result<Vec<_>, _>>()?)
            });
            let begun = begun.await?;
            waiting.extend(page.rows.into_iter().zip(begun).filter(|(_, begun)| !begun).map(|(row, _)| row));
            if is_last {
                break;
            }
        }
        let total = u32::try_from(waiting.len()).unwrap_or(u32::MAX);
        let rows = waiting.into_iter().skip(offset as usize).take(limit as usize).collect();
        Ok(Some(ResultPage { total, offset, rows }))
    }

    /// The events after which an order has begun.
    fn kinds_that_begin(&self) -> BTreeSet<i64> {
        let begins = |turn| matches!(turn, FloorTurn::Running | FloorTurn::Ended);
        let kinds = self.contract.events().iter();
        kinds
            .filter(|kind| kind.floor.as_ref().is_some_and(|floor| begins(floor.moves)))
            .map(|kind| i64::from(kind.id))
            .collect()
    }

    /// When the batches of these rows were sent; without a batch when the submission began.
    fn sent_at(
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

    fn to_row_events(&self, found: MatchedEvents) -> RowEvents {
        let event = |event: NamingEvent| {
            let kind = self.contract.events().iter().find(|kind| event.kind == Some(i64::from(kind.id)));
            RowEvent {
                event: short(event.event),
                received: event.received.to_string(),
                kind: event.kind.and_then(|kind| i32::try_from(kind).ok()),
                names: kind.map(|kind| kind.names.clone()),
                turn: kind.and_then(|kind| kind.floor.as_ref()).map(|floor| floor.moves),
                station: event.station,
            }
        };
        RowEvents { count: found.count, events: found.events.into_iter().map(event).collect(), begun: found.begun }
    }
}

#[derive(Default)]
struct MatchedEvents {
    count: u32,
    events: Vec<NamingEvent>,
    begun: bool,
}

/// None where the row's key names no order.
fn event_query(
    naming: &Naming,
    site: &str,
    row: &RowQuery,
    since: &BTreeMap<Option<u32>, Timestamp>,
) -> Option<OrderEventQuery> {
    let (code, operation) = naming.named(&row.key)?;
    let since = since.get(&row.batch).or_else(|| since.get(&None)).copied()?;
    Some(OrderEventQuery { site: site.to_owned(), code, operation, since })
}

fn match_events(
    inbox: &Inbox,
    asked: Option<&OrderEventQuery>,
    begins: &BTreeSet<i64>,
) -> Result<MatchedEvents, Problem> {
    let Some(asked) = asked else { return Ok(MatchedEvents::default()) };
    let (count, events) = inbox.naming(asked, MAX_EVENTS)?;
    let begun = count > 0 && inbox.named_by(asked, begins)?;
    Ok(MatchedEvents { count, events, begun })
}
