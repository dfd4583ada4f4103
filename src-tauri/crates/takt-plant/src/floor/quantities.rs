//! Produced and consumed quantities of an order.

use serde_json::{Value, json};

use super::{
    moves::{MoveContext, MoveError, OrderName, RowResult, not_saved},
    times,
};
use crate::{
    domain_event::EventKind,
    store::{ENDED, HistoryEntry, IN_EXECUTION, Members, PAUSED, Resource, Store, json_number, produced, text},
};

/// The largest quantity. Single pieces no longer count in larger ones.
const MAX_PIECES: f64 = 1e12;

impl Store {
    /// Returns the row of the operation that quantities would be recorded for.
    pub(super) fn find_trackable(&self, order: &OrderName, good: f64, bad: f64) -> RowResult {
        let usable = |quantity: f64| quantity.is_finite() && quantity >= 0.0;
        if !usable(good) || !usable(bad) || good + bad <= 0.0 {
            return Err(MoveError::Wrong("The quantities must be 0 or above, and one of them above 0.".to_owned()));
        }
        let row = self.find_order(order, "produced for", &[IN_EXECUTION, PAUSED])?;
        let (good_before, bad_before) = produced(&row);
        check_countable(good_before + good)?;
        check_countable(bad_before + bad)?;
        Ok(row)
    }

    /// Adds to the produced quantities.
    pub(super) fn track_quantities(
        &mut self,
        order: &OrderName,
        good: f64,
        bad: f64,
        ctx: &MoveContext<'_>,
    ) -> RowResult {
        let before = self.find_trackable(order, good, bad)?;
        let mut row = before.clone();
        let (good_before, bad_before) = produced(&before);
        row.insert("producedGoodQuantity".to_owned(), json_number(round_quantity(good_before + good)));
        row.insert("producedBadQuantity".to_owned(), json_number(round_quantity(bad_before + bad)));
        times::count_elapsed(&mut row, ctx.now, self.zone());
        self.add_produced(&mut row, &before, ctx.now);
        let badge = self.choose_operator(&row, ctx);
        let entry = HistoryEntry {
            kind: EventKind::WorkOrderProducedQuantityUpdated,
            now: ctx.now,
            user: None,
            badge: badge.as_deref(),
            duration: None,
            note: None,
        };
        self.save_order(row, &entry)
    }

    /// Records consumption of a raw material, also for an ended order.
    pub(super) fn consume(
        &mut self,
        order: &OrderName,
        material: &str,
        quantity: f64,
        serial_number: &str,
        ctx: &MoveContext<'_>,
    ) -> RowResult {
        if !quantity.is_finite() || quantity <= 0.0 {
            return Err(MoveError::Wrong("The quantity must be above 0.".to_owned()));
        }
        let row = self.find_order(order, "consumed for", &[IN_EXECUTION, PAUSED, ENDED])?;
        let (code, operation) = (text(&row, "code"), text(&row, "operationCode"));
        let parts = row.get("rawMaterials").and_then(Value::as_array);
        if !parts.into_iter().flatten().any(|part| part["code"] == material) {
            let text = format!("Operation {operation} of work order {code} has no raw material {material}.");
            return Err(MoveError::Unknown(text));
        }
        let known = self.row(Resource::ConsumedLots, &[code, operation, material, serial_number]);
        let before = known.and_then(|lot| lot.get("quantity")?.as_f64()).unwrap_or_default();
        check_countable(before + quantity)?;
        let lot = Members::from_iter([
            ("workOrderCode".to_owned(), json!(code)),
            ("operationCode".to_owned(), json!(operation)),
            ("materialCode".to_owned(), json!(material)),
            ("serialNumber".to_owned(), json!(serial_number)),
            ("quantity".to_owned(), json_number(round_quantity(before + quantity))),
        ]);
        let badge = self.choose_operator(&row, ctx);
        self.put_lot(&lot, ctx.now, None, badge.as_deref()).map_err(|reasons| not_saved(&reasons))?;
        Ok(self.row(Resource::WorkOrders, &[code, operation]).unwrap_or_default())
    }
}

/// Refuses a sum in which a single piece no longer counts.
fn check_countable(sum: f64) -> Result<(), MoveError> {
    let fits = sum.is_finite() && sum <= MAX_PIECES;
    if fits { Ok(()) } else { Err(MoveError::Wrong(format!("The quantities add up to more than {MAX_PIECES}."))) }
}

/// Rounds to millionths to remove the noise of binary fractions. No quantity is finer.
pub(super) fn round_quantity(quantity: f64) -> f64 {
    let rounded = (quantity * 1e6).round() / 1e6;
    if rounded.is_finite() { rounded } else { quantity }
}
