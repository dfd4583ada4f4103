//! Describes which read returns what a change wrote.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{FieldPair, Provenance};

/// A parameter of a read, and the field of an item with its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct QueryParameter {
    pub parameter: String,
    pub own: String,
}

/// The part of a row's list that an item corresponds to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Entry {
    /// The row's list. `theirs` in `key` are fields of its parts.
    pub list: String,
    pub key: Vec<FieldPair>,
}

/// A list within an item, and the key field of its parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct KeyedList {
    pub list: String,
    pub key: String,
}

/// The effect of a list within an item on the service's list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ListEffect {
    /// It replaces the service's list.
    #[default]
    Replaces,
    /// Its parts are added. A part with an existing key changes that part, and all others stay.
    Adds,
}

/// The effects of the lists within an operation's items (assumption `sent-lists`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ListEffects {
    /// One effect for all lists.
    Every(ListEffect),
    /// The effects by list name, with `*` for all others.
    Each(BTreeMap<String, ListEffect>),
}

impl Default for ListEffects {
    fn default() -> Self {
        Self::Every(ListEffect::default())
    }
}

impl ListEffects {
    /// The name for all lists that aren't named.
    const ALL_OTHER_LISTS: &str = "*";

    /// Returns the effect of the list with this name.
    #[must_use]
    pub fn effect_for_list(&self, list: &str) -> ListEffect {
        match self {
            Self::Every(effect) => *effect,
            Self::Each(effects) => {
                effects.get(list).or_else(|| effects.get(Self::ALL_OTHER_LISTS)).copied().unwrap_or_default()
            }
        }
    }

    /// Returns the named lists.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let names = match self {
            Self::Every(_) => None,
            Self::Each(effects) => Some(effects.keys()),
        };
        names.into_iter().flatten().map(String::as_str).filter(|name| *name != Self::ALL_OTHER_LISTS)
    }
}

/// The read that returns what a change wrote (`x-takt-read-back`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReadBack {
    /// The id of the operation that reads it.
    pub list: String,
    /// The fields that identify an item's row. A field that the item omits must be blank in the row.
    pub key: Vec<FieldPair>,
    /// Fields of the item that match any row if the item omits them.
    #[serde(default)]
    pub every: Vec<String>,
    /// The part of a row, if the item isn't a whole row.
    #[serde(default)]
    pub entry: Option<Entry>,
    /// The parameters that filter the read by an item. Empty if only the whole list can be read.
    #[serde(default)]
    pub asks: Vec<QueryParameter>,
    /// The lists within the item.
    #[serde(default)]
    pub lists: Vec<KeyedList>,
    pub provenance: Provenance,
}
