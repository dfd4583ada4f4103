//! Change previews, rows opened as imports, and orders, against the practice plant over loopback: what they say is held
//! against what the plant holds.

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
