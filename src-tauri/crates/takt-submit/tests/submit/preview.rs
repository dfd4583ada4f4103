//! Tests of change previews, rows opened as imports, and orders on the practice plant over loopback. Their results are
//! compared to the plant's data.

mod alarms;
mod exported;
mod kinds;
mod large;
mod links;
mod order;
mod overlap;
mod reads;
mod results;
mod rows;
mod site;
mod stage;
