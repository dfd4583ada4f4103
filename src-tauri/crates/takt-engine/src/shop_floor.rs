//! Shows the state of the shop floor by its events: running stations, pauses, open alerts, and their age.
//!
//! `floor` shows the state, and `difference` and `service_floor` add the service's own report. `order_events` returns
//! an order's time line, and `row_events` the events after a row was sent. takt-inbox evaluates events, and
//! takt-journal stores the state.

mod difference;
mod floor;
mod order_events;
mod row_events;
mod service_floor;
mod view;

pub use difference::{FloorDifference, FloorRead};
pub(crate) use floor::ServiceFloors;
pub use floor::ShopFloor;
pub use order_events::{OrderEvent, OrderEvents};
pub use row_events::{RowEvent, RowEvents, RowQuery};
pub use takt_journal::inbox::FloorState;
pub use view::{Floor, FloorAlertView, FloorOrderView, FloorStationView, LateOrder, StationState};
