//! The overview of the floor: orders per station, open alerts, unpaid supplies.

use serde_json::Value;

use crate::{
    store::{Members, Resource, Store, Supply, text},
    view::{AlertView, MAX_ENTRIES, OrderView, StationView, SupplyView},
};

/// The maximum number of planned orders that are shown per station.
const MAX_NEXT_ORDERS: usize = 3;

impl Store {
    /// Returns every work station, in order.
    pub(crate) fn station_views(&self) -> Vec<StationView> {
        self.table(Resource::WorkStations)
            .all_positions()
            .filter_map(|position| self.row_at(Resource::WorkStations, position))
            .map(|row| self.station(&row))
            .collect()
    }

    /// Returns open alerts, newest first.
    pub(crate) fn alert_views(&self) -> Vec<AlertView> {
        let mut open: Vec<_> = self.table(Resource::Alerts).floor().alerts().collect();
        open.sort_by_key(|alert| std::cmp::Reverse((alert.opened, alert.id)));
        let row = |id: i64| self.row(Resource::Alerts, &[&id.to_string()]);
        open.into_iter().take(MAX_ENTRIES).filter_map(|alert| row(alert.id)).map(|row| alert(&row)).collect()
    }

    /// Returns unpaid supplies, oldest first.
    pub(crate) fn supply_views(&self) -> Vec<SupplyView> {
        self.open_supplies().take(MAX_ENTRIES).map(supply).collect()
    }

    fn station(&self, station: &Members) -> StationView {
        let code = text(station, "code");
        let floor = self.table(Resource::WorkOrders).floor();
        let view = |position: u32| self.row_at(Resource::WorkOrders, position).map(|row| order(&row));
        StationView {
            code: code.to_owned(),
            description: text(station, "description").to_owned(),
            current: floor.current(code).filter_map(|(position, _)| view(position)).collect(),
            next: floor.planned(code).take(MAX_NEXT_ORDERS).filter_map(|(_, position)| view(position)).collect(),
        }
    }
}

fn order(row: &Members) -> OrderView {
    let date = |name: &str| Some(text(row, name).to_owned()).filter(|date| !date.is_empty());
    OrderView {
        code: text(row, "code").to_owned(),
        operation_code: text(row, "operationCode").to_owned(),
        material_code: text(row, "materialCode").to_owned(),
        status_description: text(row, "statusDescription").to_owned(),
        requested_quantity: number(row, "requestedQuantity"),
        produced_good_quantity: number(row, "producedGoodQuantity"),
        produced_bad_quantity: number(row, "producedBadQuantity"),
        begin_planned: date("beginPlanned"),
        end_planned: date("endPlanned"),
    }
}

fn alert(row: &Members) -> AlertView {
    AlertView {
        id: number(row, "id"),
        kind: text(row, "type").to_owned(),
        note: text(row, "note").to_owned(),
        work_station_code: text(row, "workStationCode").to_owned(),
        status: number(row, "status"),
        opened: text(row, "opened").to_owned(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a number to look at")]
fn supply(supply: &Supply) -> SupplyView {
    SupplyView {
        id: supply.id as f64,
        work_order_code: supply.work_order_code.clone(),
        operation_code: supply.operation_code.clone(),
        code: supply.code.clone(),
        description: supply.description.clone(),
        quantity: supply.quantity,
    }
}

fn number(row: &Members, name: &str) -> f64 {
    row.get(name).and_then(Value::as_f64).unwrap_or_default()
}
