//! Describes how the items of a change are read back.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{FieldPair, Provenance};

/// A parameter of a read, and the item's field that provides its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct QueryParameter {
    pub parameter: String,
    pub own: String,
}

/// The element of a row's list to which an item corresponds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Entry {
    /// The list in the row. In `key`, `theirs` is a field of its elements.
    pub list: String,
    pub key: Vec<FieldPair>,
}

/// A list within an item, and the field that identifies its elements.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct KeyedList {
    pub list: String,
    pub key: String,
}

/// The effect of a list within an item on the list in the service.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ListEffect {
    /// It replaces the service's list.
    #[default]
    Replaces,
    /// The elements are added. An element with an existing key replaces that element. Other elements are unchanged.
    Adds,
}

/// The effects of the lists within an operation's items (assumption `sent-lists`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ListEffects {
    /// The effect of every list.
    Every(ListEffect),
    /// The effects by the name of the list, with `*` for all others.
    Each(BTreeMap<String, ListEffect>),
}

impl Default for ListEffects {
    fn default() -> Self {
        Self::Every(ListEffect::default())
    }
}

impl ListEffects {
    /// The name for all lists without an own effect.
    const ALL_OTHER_LISTS: &str = "*";

    /// Returns the effect of a list. It replaces the service's list if nothing else is stated.
    #[must_use]
    pub fn effect_for_list(&self, list: &str) -> ListEffect {
        match self {
            Self::Every(effect) => *effect,
            Self::Each(effects) => {
                effects.get(list).or_else(|| effects.get(Self::ALL_OTHER_LISTS)).copied().unwrap_or_default()
            }
        }
    }

    /// Returns the names of the lists with an own effect.
    pub(crate) fn list_names(&self) -> impl Iterator<Item = &str> {
        let names = match self {
            Self::Every(_) => None,
            Self::Each(effects) => Some(effects.keys()),
        };
        names.into_iter().flatten().map(String::as_str).filter(|name| *name != Self::ALL_OTHER_LISTS)
    }
}

/// The read that returns the items of a change (`x-takt-read-back`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReadBack {
    /// The ID of the read.
    pub list: String,
    /// The fields that identify the row of an item. If the item omits such a field, it must be empty in the row.
    pub key: Vec<FieldPair>,
    /// Key fields that match any value in the row if the item omits them.
    #[serde(default)]
    pub every: Vec<String>,
    /// The element of a row to which an item corresponds. Absent if an item is a whole row.
    #[serde(default)]
    pub entry: Option<Entry>,
    /// The parameters that limit the read to an item. Empty if only the whole list can be read.
    #[serde(default)]
    pub asks: Vec<QueryParameter>,
    /// The lists within an item whose elements have a key.
    #[serde(default)]
    pub lists: Vec<KeyedList>,
    pub provenance: Provenance,
}
