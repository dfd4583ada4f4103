//! Data for rules that answer events with a reply (`EventKind::asks`): the member that names an order, and example
//! rules.

use serde::{Deserialize, Serialize};

use crate::Names;

/// How rules refer to events with a reply. Both parts are empty if the document states nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct Answering {
    /// The member whose first part is the operator's order.
    pub order: Option<String>,
    pub examples: Vec<RuleExample>,
}

/// An example of a rule for planners.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RuleExample {
    pub id: String,
    pub names: Names,
    /// The service's numbers of the events that the rule applies to.
    pub events: Vec<i32>,
    /// The condition in CEL. The rule applies if it is true.
    pub when: String,
    /// The message to the operator, with `{…}` in CEL. Absent if the rule allows.
    #[serde(default)]
    pub refuse: Option<Names>,
}
