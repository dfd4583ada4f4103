//! What rules may say of the events that ask: by which name an order is found in them, and examples that people start from.

use serde::{Deserialize, Serialize};

use crate::Names;

/// How rules speak of the events that ask. A document that says nothing of it has neither.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct Answering {
    /// The member whose first part is what an operator works on.
    pub order: Option<String>,
    pub examples: Vec<RuleExample>,
}

/// A rule that planners want, to start from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RuleExample {
    pub id: String,
    pub names: Names,
    /// The service's numbers of the events that it is for.
    pub events: Vec<i32>,
    /// In CEL: true where the rule speaks.
    pub when: String,
    /// What the operator is told, with `{…}` in CEL; absent where the rule allows.
    #[serde(default)]
    pub refuse: Option<Names>,
}
