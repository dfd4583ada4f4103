//! What the web UI can ask for, one file per noun. Commands translate and delegate; none decides anything.

pub(crate) mod app;
pub(crate) mod background;
pub(crate) mod decision;
pub(crate) mod deleted;
pub(crate) mod event;
pub(crate) mod graphql;
pub(crate) mod history;
pub(crate) mod import;
pub(crate) mod opening;
pub(crate) mod order;
pub(crate) mod picture;
pub(crate) mod plan;
pub(crate) mod plant;
pub(crate) mod preference;
pub(crate) mod preview;
pub(crate) mod reading;
pub(crate) mod receiver;
pub(crate) mod rows;
pub(crate) mod sample;
pub(crate) mod sense;
pub(crate) mod sign_in;
pub(crate) mod site;
pub(crate) mod submission;
pub(crate) mod table;
pub(crate) mod template;
pub(crate) mod ticket;
