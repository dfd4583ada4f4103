//! What an order produces, and what it consumes.

use serde_json::{Value, json};

use super::{MoveContext, MoveError, OrderName, RowResult, refused, times};
use crate::{
    domain_event::EventKind,
    store::{ENDED, IN_EXECUTION, Line, Members, PAUSED, Resource, Store, number, produced, text},
};

/// More than this isn't counted in pieces any more.
const MAX_PIECES: f64 = 1e12;

impl Store {
    /// The order on which quantities would be recorded.
    pub(super) fn trackable(&self, order: &OrderName, good: f64, bad: f64) -> RowResult {
        let usable = |quantity: f64| quantity.is_finite() && quantity >= 0.0;
        if !usable(good) || !usable(bad) || good + bad <= 0.0 {
            return Err(MoveError::Wrong("The quantities must be 0 or above, and one of them above 0.".to_owned()));
        }
        let row = self.order_that(order, "produced for", &[IN_EXECUTION, PAUSED])?;
        let (good_before, bad_before) = produced(&row);
        countable(good_before + good)?;
        countable(bad_before + bad)?;
        Ok(row)
    }

    /// Records quantities on top of what was produced.
    pub(super) fn record(&mut self, order: &OrderName, good: f64, bad: f64, hand: &MoveContext<'_>) -> RowResult {
        let before = self.trackable(order, good, bad)?;
        let mut row = before.clone();
        let (good_before, bad_before) = produced(&before);
        row.insert("producedGoodQuantity".to_owned(), number(exact(good_before + good)));
        row.insert("producedBadQuantity".to_owned(), number(exact(bad_before + bad)));
        times::account(&mut row, hand.now, self.zone());
        self.track(&mut row, &before, hand.now);
        let badge = self.operator(&row, hand);
        let line = Line {
            kind: EventKind::WorkOrderProducedQuantityUpdated,
            now: hand.now,
            user: None,
            badge: badge.as_deref(),
            duration: None,
            note: None,
        };
        self.settle(row, &line)
    }

    /// Records that an order consumed of one of its raw materials, even when it is closed.
    pub(super) fn take(
        &mut self,
        order: &OrderName,
        material: &str,
        quantity: f64,
        serial_number: &str,
        hand: &MoveContext<'_>,
    ) -> RowResult {
        if !quantity.is_finite() || quantity <= 0.0 {
            return Err(MoveError::Wrong("The quantity must be above 0.".to_owned()));
        }
        let row = self.order_that(order, "consumed for", &[IN_EXECUTION, PAUSED, ENDED])?;
        let (code, operation) = (text(&row, "code"), text(&row, "operationCode"));
        let parts = row.get("rawMaterials").and_then(Value::as_array);
        if !parts.into_iter().flatten().any(|part| part["code"] == material) {
            let text = format!("Operation {operation} of work order {code} has no raw material {material}.");
            return Err(MoveError::Unknown(text));
        }
        let known = self.row(Resource::ConsumedLots, &[code, operation, material, serial_number]);
        let before = known.and_then(|lot| lot.get("quantity")?.as_f64()).unwrap_or_default();
        countable(before + quantity)?;
        let lot = Members::from_iter([
            ("workOrderCode".to_owned(), json!(code)),
            ("operationCode".to_owned(), json!(operation)),
            ("materialCode".to_owned(), json!(material)),
            ("serialNumber".to_owned(), json!(serial_number)),
            ("quantity".to_owned(), number(exact(before + quantity))),
        ]);
        let badge = self.operator(&row, hand);
        self.lot(&lot, hand.now, None, badge.as_deref()).map_err(|reasons| refused(&reasons))?;
        Ok(self.row(Resource::WorkOrders, &[code, operation]).unwrap_or_default())
    }
}

/// Refuses a sum in which a single piece no longer counts.
fn countable(sum: f64) -> Result<(), MoveError> {
    let is = sum.is_finite() && sum <= MAX_PIECES;
    if is { Ok(()) } else { Err(MoveError::Wrong(format!("The quantities add up to more than {MAX_PIECES}."))) }
}

/// A sum without the noise of binary fractions: no quantity is finer than a millionth.
pub(super) fn exact(quantity: f64) -> f64 {
    let rounded = (quantity * 1e6).round() / 1e6;
    if rounded.is_finite() { rounded } else { quantity }
}
