//! Applies moves on the floor, with their state transitions and effects.
//!
//! Rows are in `store`, and deliveries of events in `event`. The states of orders are assumed, since the specification
//! has only events for the transitions between them.

mod alerts;
pub(crate) mod day;
mod moves;
mod order_times;
mod orders;
pub(crate) mod shift_calendar;
pub(crate) mod station_tick;
mod supplies;

use serde_json::Value;

use crate::{
    domain_event::{DomainEvent, EventKind, EventSubject},
    store::{Store, get_text},
};

pub(crate) use day::Day;
pub(crate) use moves::MoveContext;
pub use moves::{Move, MoveError, MoveResult, OrderName};

impl Store {
    /// Returns the check to send before a move (events 10 and 11). None if the move needs no check. Sets a missing
    /// operation of the order, so that the move changes the operation that was checked.
    pub(crate) fn required_check(
        &self,
        requested_move: &mut Move,
        badge: Option<&str>,
    ) -> Result<Option<DomainEvent>, MoveError> {
        let (kind, order, row) = match requested_move {
            Move::End { order } => {
                let row = self.find_order_to_end(order)?;
                (EventKind::CanWorkOrderFinalize, order, row)
            }
            Move::Track { order, good, bad } => {
                let row = self.find_order_to_track(order, *good, *bad)?;
                (EventKind::CanWorkOrderTrackQuantity, order, row)
            }
            _ => return Ok(None),
        };
        let operation = get_text(&row, "operationCode").to_owned();
        order.operation = Some(operation.clone());
        let badge = badge.map(str::to_owned).or_else(|| self.find_operator(&row));
        Ok(Some(DomainEvent {
            kind,
            subject: EventSubject::Order { code: order.code.clone(), operation },
            user: None,
            badge,
        }))
    }

    /// Applies a move. After an error, nothing was changed.
    pub(crate) fn apply_move(&mut self, requested_move: &Move, ctx: &MoveContext<'_>) -> Result<MoveResult, MoveError> {
        let row = match requested_move {
            Move::Plan { order, begin, end, station } => {
                self.plan_order(order, begin.as_deref(), end.as_deref(), station.as_deref(), ctx)
            }
            Move::Begin { order } => self.begin_order(order, ctx),
            Move::Pause { order, reason } => self.pause_order(order, reason.as_deref(), ctx),
            Move::Resume { order } => self.resume_order(order, ctx),
            Move::End { order } => self.end_order(order, ctx),
            Move::Reset { order } => self.reset_order(order, ctx),
            Move::Track { order, good, bad } => self.track_quantities(order, *good, *bad, ctx),
            Move::Consume { order, material, quantity, serial_number } => {
                self.consume_material(order, material, *quantity, serial_number, ctx)
            }
            Move::RaiseAlert { station, kind, note } => {
                self.raise_alert(station, kind.as_deref(), note.as_deref(), ctx)
            }
            Move::AcknowledgeAlert { id } => self.acknowledge_alert(*id, ctx),
            Move::CloseAlert { id } => self.close_alert(*id, ctx),
            Move::PaySupply { id } => return self.pay_supply(*id).map(|row| MoveResult { row }),
        };
        row.map(|row| MoveResult { row: Value::Object(row) })
    }
}
