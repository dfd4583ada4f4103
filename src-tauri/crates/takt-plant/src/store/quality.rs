//! Inspections: planning, execution, properties.

use serde_json::json;

use crate::store::{
    Members, Resource, Store,
    apply::{Missing, Refusals, text},
    orders::{PLANNED, state_of},
};

impl Store {
    pub(super) fn inspection(&mut self, item: &mut Members) -> Result<(), Refusals> {
        let mut missing = Missing::default();
        missing.order(self, item, "workOrderCode");
        missing.check(self, Resource::InspectionProcesses, item, "processCode", "inspection process");
        missing.check(self, Resource::WorkStations, item, "workStationCode", "work station");
        missing.done()?;
        let key = [text(item, "code"), text(item, "operationCode")];
        if !self.has(Resource::Inspections, &key) {
            item.insert("statusDescription".to_owned(), json!(PLANNED));
        }
        self.upsert(Resource::Inspections, item)
    }

    pub(super) fn inspection_execution(&mut self, item: &mut Members) -> Result<(), Refusals> {
        let (code, operation) = (text(item, "code"), text(item, "operationCode"));
        let Some(mut row) = self.row(Resource::Inspections, &[code, operation]) else {
            return Err(vec![format!("code: there is no inspection {code} of operation {operation}.")]);
        };
        let mut missing = Missing::default();
        missing.check(self, Resource::WorkStations, item, "workStationCode", "work station");
        missing.done()?;
        self.layout(Resource::Inspections).merge(&mut row, item);
        if item.get("statusDescription").is_none() {
            row.insert("statusDescription".to_owned(), json!(state_of(&row)));
        }
        self.write_row(Resource::Inspections, row)
    }

    /// Properties of a work order as its inspections show them.
    pub(super) fn inspection_property(&mut self, item: &Members) -> Result<(), Refusals> {
        let mut missing = Missing::default();
        missing.order(self, item, "workOrderCode");
        missing.done()?;
        let order = text(item, "workOrderCode");
        if !self.table(Resource::Inspections).has_order(order) {
            return Err(vec![format!("workOrderCode: work order {order} has no inspections.")]);
        }
        self.set_on_each(Resource::Inspections, item)
    }
}
