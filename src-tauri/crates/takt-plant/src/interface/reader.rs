//! JSON from outside, read within bounds: a body of a few megabytes must not become gigabytes of values.
//!
//! Owns how much of a body becomes memory. Leaves to `items` what a batch is, and to `body` how large a body may be.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// The member of a batch that holds its items.
pub(crate) const ITEMS: &str = "items";
/// A hundred for each of ten thousand items.
const MAX_VALUES: usize = 1_000_000;
/// An item with so many that are wrong takes milliseconds and megabytes to be told so.
const MAX_VALUES_PER_ITEM: usize = 20_000;
/// Members of an item, for which room is made at once.
const USUAL: usize = 20;

/// Why a body isn't read.
#[derive(Debug)]
pub(crate) enum Unread {
    /// It isn't JSON, or its nesting is deeper than the parser goes.
    NoJson(serde_json::Error),
    /// It has more than so many items.
    Items(usize),
    /// One of its items has more than so many values.
    Item(usize),
    /// It has more than so many values, wherever they stand.
    Values(usize),
}

/// The body of a batch. Reading stops at the first item beyond `most_items`.
pub(crate) fn batch(bytes: &[u8], most_items: usize) -> Result<Value, Unread> {
    read(bytes, Place::Body, most_items)
}

/// Any other body.
pub(crate) fn value(bytes: &[u8]) -> Result<Value, Unread> {
    read(bytes, Place::Inside, 0)
}

fn read(bytes: &[u8], place: Place, most_items: usize) -> Result<Value, Unread> {
    let mut budget = Budget { items: most_items, values: MAX_VALUES, item: MAX_VALUES, out: None };
    let mut parser = serde_json::Deserializer::from_slice(bytes);
    let read = Reading { budget: &mut budget, place }.deserialize(&mut parser);
    let ended = read.and_then(|value| parser.end().map(|()| value));
    ended.map_err(|error| match budget.out {
        Some(Place::Items) => Unread::Items(most_items),
        Some(Place::Item) => Unread::Item(MAX_VALUES_PER_ITEM),
        Some(_) => Unread::Values(MAX_VALUES),
        None => Unread::NoJson(error),
    })
}

/// Where in a body a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The whole.
    Body,
    /// The list of items.
    Items,
    /// One of them.
    Item,
    /// Another member of the body.
    Beside,
    /// Deeper.
    Inside,
}

/// What may still be read.
#[derive(Debug)]
struct Budget {
    items: usize,
    values: usize,
    /// Values of the present item.
    item: usize,
    /// What ran out.
    out: Option<Place>,
}

impl Budget {
    fn spend<E: Error>(&mut self, place: Place) -> Result<(), E> {
        let left = match place {
            Place::Items => &mut self.items,
            Place::Item => &mut self.item,
            Place::Body | Place::Beside | Place::Inside => &mut self.values,
        };
        match left.checked_sub(1) {
            Some(rest) => {
                *left = rest;
                Ok(())
            }
            None => {
                self.out = Some(place);
                Err(E::custom("too much"))
            }
        }
    }
}

struct Reading<'a> {
    budget: &'a mut Budget,
    place: Place,
}

impl Reading<'_> {
    fn at(&mut self, place: Place) -> Reading<'_> {
        Reading { budget: self.budget, place }
    }
}

impl<'de> DeserializeSeed<'de> for Reading<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        match self.place {
            Place::Item => self.budget.item = MAX_VALUES_PER_ITEM,
            Place::Body | Place::Beside => self.budget.item = MAX_VALUES,
            Place::Items | Place::Inside => {}
        }
        self.budget.spend(Place::Inside)?;
        self.budget.spend(Place::Item)?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reading<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut parts: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        let items = self.place == Place::Items;
        while let Some(value) = parts.next_element_seed(self.at(if items { Place::Item } else { Place::Inside }))? {
            values.push(value);
            // The one beyond the limit is already read, and nothing after it.
            if items {
                self.budget.spend(Place::Items)?;
            }
        }
        Ok(values.into())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut parts: A) -> Result<Value, A::Error> {
        let mut members = Map::with_capacity(if self.place == Place::Item { USUAL } else { 0 });
        while let Some(name) = parts.next_key::<String>()? {
            let place = match self.place {
                Place::Body if name == ITEMS => Place::Items,
                Place::Body => Place::Beside,
                _ => Place::Inside,
            };
            let value = parts.next_value_seed(self.at(place))?;
            members.insert(name, value);
        }
        Ok(members.into())
    }
}
