//! Inspections: planning, execution, properties.

use serde_json::json;

use super::{
    apply::{Missing, Refusals},
    members::{Members, text},
    order_state::{PLANNED, state_by_dates},
    resource::Resource,
    rows::Store,
};

impl Store {
    pub(super) fn upsert_inspection(&mut self, item: &mut Members) -> Result<(), Refusals> {
        let mut missing = Missing::default();
        missing.check_order(self, item, "workOrderCode");
        missing.check(self, Resource::InspectionProcesses, item, "processCode", "inspection process");
        missing.check(self, Resource::WorkStations, item, "workStationCode", "work station");
        missing.into_result()?;
        let key = [text(item, "code"), text(item, "operationCode")];
        if !self.has(Resource::Inspections, &key) {
            item.insert("statusDescription".to_owned(), json!(PLANNED));
        }
        self.upsert(Resource::Inspections, item)
    }

    pub(super) fn update_inspection_execution(&mut self, item: &mut Members) -> Result<(), Refusals> {
        let (code, operation) = (text(item, "code"), text(item, "operationCode"));
        let Some(mut row) = self.row(Resource::Inspections, &[code, operation]) else {
            return Err(vec![format!("code: there is no inspection {code} of operation {operation}.")]);
        };
        let mut missing = Missing::default();
        missing.check(self, Resource::WorkStations, item, "workStationCode", "work station");
        missing.into_result()?;
        self.layout(Resource::Inspections).merge(&mut row, item);
        if item.get("statusDescription").is_none() {
            row.insert("statusDescription".to_owned(), json!(state_by_dates(&row)));
        }
        self.write_row(Resource::Inspections, row)
    }

    /// Sets a property of a work order on its inspections.
    pub(super) fn set_inspection_property(&mut self, item: &Members) -> Result<(), Refusals> {
        let mut missing = Missing::default();
        missing.check_order(self, item, "workOrderCode");
        missing.into_result()?;
        let order = text(item, "workOrderCode");
        if !self.table(Resource::Inspections).has_order(order) {
            return Err(vec![format!("workOrderCode: work order {order} has no inspections.")]);
        }
        self.set_property_on_rows(Resource::Inspections, item)
    }
}
