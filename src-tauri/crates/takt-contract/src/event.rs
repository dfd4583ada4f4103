//! Events that the service sends: what each is called, what it carries, and whether it waits for an answer.

use serde::{Deserialize, Serialize};

use crate::{Field, Names, Provenance};

/// One of the service's events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct EventKind {
    /// The service's number for it.
    pub id: i32,
    /// The service's name for it.
    pub name: String,
    /// When it is fired, in the specification's words.
    pub fired: String,
    /// The specification's name of what it carries.
    pub payload: String,
    /// True where the service waits for an answer that may refuse.
    pub asks: bool,
    /// What it carries.
    pub fields: Vec<Field>,
    pub names: Names,
    pub provenance: Provenance,
}
