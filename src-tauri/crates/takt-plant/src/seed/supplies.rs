//! Material supplies of running and next orders. Most are paid for running orders, and unpaid for planned ones.

use super::{orders::PlannedOrder, seeder::Seeder};
use crate::store::{ENDED, PLANNED, Supply};

impl Seeder<'_> {
    pub(super) fn supplies(&mut self, orders: &[PlannedOrder]) {
        let mut near: Vec<&PlannedOrder> = orders.iter().filter(|order| order.state != ENDED).collect();
        near.sort_by_key(|order| (order.state == PLANNED, order.begin));
        let wanted = near.into_iter().flat_map(|order| order.parts.iter().map(move |part| (order, part)));
        for (order, part) in wanted.take(self.counts.supplies) {
            let is_completed = self.chance(if order.state == PLANNED { 0.1 } else { 0.8 });
            let for_the_whole = self.chance(0.2);
            let eighths = u8::try_from(self.integer(8, 250)).unwrap_or(8);
            let id = self.store.next_id();
            self.store.put_supply(Supply {
                id,
                work_order_code: order.code.clone(),
                operation_code: (!for_the_whole).then(|| order.operation.to_owned()),
                code: part.code.clone(),
                description: part.description.as_str().unwrap_or_default().to_owned(),
                // Pieces are whole numbers, unlike meters and kilograms.
                quantity: if part.unit == "pcs" { f64::from(eighths) } else { f64::from(eighths) / 8.0 },
                is_completed,
            });
        }
    }
}
