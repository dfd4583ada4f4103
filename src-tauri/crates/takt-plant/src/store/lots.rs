//! Consumed lots of work orders' raw materials.

use jiff::civil::DateTime;
use serde_json::json;

use super::{
    apply::{Missing, Refusals},
    members::{Members, json_number, text},
    resource::Resource,
    rows::Store,
};
use crate::{PlantError, domain_event::EventKind};

impl Store {
    /// Stores a lot, replacing the one with its key.
    pub(crate) fn put_lot(
        &mut self,
        item: &Members,
        now: DateTime,
        user: Option<&str>,
        badge: Option<&str>,
    ) -> Result<(), Refusals> {
        let mut missing = Missing::default();
        missing.check_order(self, item, "workOrderCode");
        missing.check(self, Resource::Materials, item, "materialCode", "material");
        missing.into_result()?;
        let material = self.row(Resource::Materials, &[text(item, "materialCode")]).unwrap_or_default();
        let mut lot = item.clone();
        lot.insert("date".to_owned(), json!(now.to_string()));
        for (member, source) in [("description", "description"), ("uoM", "uoM")] {
            let known = material.get(source).cloned().unwrap_or_default();
            lot.entry(member).or_insert(known);
        }
        self.upsert(Resource::ConsumedLots, &mut lot.clone())?;
        self.update_consumed(&lot, user, badge).map_err(|error| vec![error.to_string()])
    }

    /// Updates the order's raw materials from its lots. A lot without an operation belongs to the first one.
    fn update_consumed(&mut self, lot: &Members, user: Option<&str>, badge: Option<&str>) -> Result<(), PlantError> {
        let (order, operation) = (text(lot, "workOrderCode"), text(lot, "operationCode"));
        let material = text(lot, "materialCode");
        let rows = self.rows_of(Resource::WorkOrders, order);
        let updated = rows
            .into_iter()
            .enumerate()
            .find(|(_, row)| operation.is_empty() || text(row, "operationCode") == operation);
        let Some((index, mut row)) = updated else { return Ok(()) };
        let operation = text(&row, "operationCode").to_owned();
        let mut lots = self.rows_of(Resource::ConsumedLots, order);
        lots.retain(|lot| {
            let own = text(lot, "operationCode");
            text(lot, "materialCode") == material && (own == operation || own.is_empty() && index == 0)
        });
        let parts = row.get_mut("rawMaterials").and_then(|parts| parts.as_array_mut());
        if let Some(part) = parts.into_iter().flatten().find(|part| part["code"] == material) {
            let quantity = |lot: &Members| lot.get("quantity").and_then(serde_json::Value::as_f64).unwrap_or_default();
            let entry = |lot: &Members| json!({ "quantity": lot["quantity"], "serialNumber": lot["serialNumber"] });
            part["quantityConsumed"] = json_number(lots.iter().map(quantity).sum());
            part["consumedRawMaterials"] = lots.iter().filter(|lot| quantity(lot) != 0.0).map(entry).collect();
        }
        self.record_order_event(&row, EventKind::WorkOrderConsumedRawMaterialUpdated, user, badge);
        self.put(Resource::WorkOrders, row)
    }

    /// Sets the quantities of an operation's consumed lots to 0.
    pub(crate) fn clear_lots(&mut self, code: &str, operation: &str) -> Result<(), PlantError> {
        for mut lot in self.rows_of(Resource::ConsumedLots, code) {
            if text(&lot, "operationCode") == operation && lot.get("quantity") != Some(&json!(0)) {
                lot.insert("quantity".to_owned(), json!(0));
                self.put(Resource::ConsumedLots, lot)?;
            }
        }
        Ok(())
    }
}
