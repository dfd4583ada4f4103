//! The commands of the web UI, one file per noun. Commands convert arguments and results, and call the engine. They
//! must not contain business rules.

pub(crate) mod app;
pub(crate) mod background;
pub(crate) mod clipboard;
pub(crate) mod contract;
pub(crate) mod deleted;
pub(crate) mod event;
pub(crate) mod floor;
pub(crate) mod forward;
pub(crate) mod graphql;
pub(crate) mod help;
pub(crate) mod history;
pub(crate) mod import;
pub(crate) mod import_source;
pub(crate) mod open_request;
pub(crate) mod order;
pub(crate) mod picture;
pub(crate) mod plant;
pub(crate) mod preference;
pub(crate) mod preview;
pub(crate) mod reading;
pub(crate) mod receiver;
pub(crate) mod rehearsal;
pub(crate) mod rule;
pub(crate) mod sample;
pub(crate) mod saved_file;
pub(crate) mod sign_in;
pub(crate) mod site;
pub(crate) mod storage;
pub(crate) mod submission;
pub(crate) mod table;
pub(crate) mod team;
pub(crate) mod template;
pub(crate) mod update;
pub(crate) mod vault;
pub(crate) mod window;
