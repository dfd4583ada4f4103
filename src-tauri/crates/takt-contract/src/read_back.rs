//! Where what a change wrote is read again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{FieldPair, Provenance};

/// A parameter of a read, and the field of an item that it is asked with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct QueryParameter {
    pub parameter: String,
    pub own: String,
}

/// The part of a row's list that an item is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Entry {
    /// The row's list; what `key` calls theirs are fields of its parts.
    pub list: String,
    pub key: Vec<FieldPair>,
}

/// A list within an item, and the field that tells its parts apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct KeyedList {
    pub list: String,
    pub key: String,
}

/// What a list within an item does to the list that the service holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ListEffect {
    /// It takes the place of the list that was held.
    #[default]
    Replaces,
    /// Its parts are added. One with the key of a part that is held changes that part, and all others stay.
    Adds,
}

/// What the lists within an operation's items do (assumption `sent-lists`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ListEffects {
    /// All of them.
    Every(ListEffect),
    /// By their names, and under `*` all others.
    Each(BTreeMap<String, ListEffect>),
}

impl Default for ListEffects {
    fn default() -> Self {
        Self::Every(ListEffect::default())
    }
}

impl ListEffects {
    /// Stands for every list that isn't named.
    const OTHERS: &str = "*";

    /// What the list of this name does.
    #[must_use]
    pub fn of(&self, list: &str) -> ListEffect {
        match self {
            Self::Every(effect) => *effect,
            Self::Each(effects) => effects.get(list).or_else(|| effects.get(Self::OTHERS)).copied().unwrap_or_default(),
        }
    }

    /// The lists that are named.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let named = match self {
            Self::Every(_) => None,
            Self::Each(effects) => Some(effects.keys()),
        };
        named.into_iter().flatten().map(String::as_str).filter(|name| *name != Self::OTHERS)
    }
}

/// The read that shows what a change wrote (`x-takt-read-back`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReadBack {
    /// The operation that reads it.
    pub list: String,
    /// Which of its rows an item is about. A field that the item leaves out is blank in the row.
    pub key: Vec<FieldPair>,
    /// Fields of the item that it leaves out to mean every row, whatever stands there.
    #[serde(default)]
    pub every: Vec<String>,
    /// Where the item isn't a row but a part of one.
    #[serde(default)]
    pub entry: Option<Entry>,
    /// By what the read can be narrowed to an item. Empty where only the whole list can be read.
    #[serde(default)]
    pub asks: Vec<QueryParameter>,
    /// The item's own lists.
    #[serde(default)]
    pub lists: Vec<KeyedList>,
    pub provenance: Provenance,
}
