//! Requests and pays material supplies.

use serde_json::Value;

use super::moves::MoveError;
use crate::{
    PlantError,
    domain_event::{DomainEvent, EventKind, EventSubject},
    store::{Members, Store, Supply, get_text},
};

impl Store {
    /// Pays a supply and records the event.
    pub(super) fn pay_supply(&mut self, id: i64) -> Result<Value, MoveError> {
        let Some(supply) = self.supply(id) else {
            return Err(MoveError::Unknown(format!("There is no material supply {id}.")));
        };
        if supply.is_completed {
            return Err(MoveError::InvalidState(format!("Material supply {id} is paid already.")));
        }
        let supply = Supply { is_completed: true, ..supply.clone() };
        let row = serde_json::to_value(&supply).map_err(PlantError::from)?;
        self.put_supply(supply);
        let subject = EventSubject::Supply(id);
        self.record_event(DomainEvent { kind: EventKind::MaterialSupplyUpdated, subject, user: None, badge: None });
        Ok(row)
    }

    /// Requests the raw materials of an order, unless it already has supplies.
    pub(crate) fn request_supplies(&mut self, order: &Members) {
        let (code, operation) = (get_text(order, "code"), get_text(order, "operationCode"));
        if self.supplies_of(code, operation).next().is_some() {
            return;
        }
        let parts = order.get("rawMaterials").and_then(Value::as_array);
        for part in parts.into_iter().flatten().filter_map(Value::as_object) {
            let id = self.next_id();
            self.put_supply(Supply {
                id,
                work_order_code: code.to_owned(),
                // Some supplies are for the whole order, for which the specification allows null.
                operation_code: (id % 5 != 0).then(|| operation.to_owned()),
                code: get_text(part, "code").to_owned(),
                description: get_text(part, "description").to_owned(),
                quantity: part.get("quantity").and_then(Value::as_f64).unwrap_or_default(),
                is_completed: false,
            });
        }
    }
}
