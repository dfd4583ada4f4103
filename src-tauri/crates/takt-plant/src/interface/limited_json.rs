//! Parses JSON with limits, since a body of a few megabytes could contain gigabytes of values.
//!
//! The structure of batches is checked in `items`, and the size of bodies in `request_body`.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// The member that contains the items of a batch.
pub(crate) const ITEMS: &str = "items";
/// The maximum number of values in a body, which allows 100 for each of 10,000 items.
const MAX_VALUES: usize = 1_000_000;
/// The maximum number of values in an item. Reporting that many invalid values takes milliseconds and megabytes.
const MAX_VALUES_PER_ITEM: usize = 20_000;
const ITEM_CAPACITY: usize = 20;

/// The reason why a body can't be parsed.
#[derive(Debug)]
pub(crate) enum ParseError {
    /// The body isn't JSON, or is nested too deeply for the parser.
    NoJson(serde_json::Error),
    /// The body has more items than this limit.
    Items(usize),
    /// An item has more values than this limit.
    Item(usize),
    /// The body has more values than this limit.
    Values(usize),
}

/// Parses the body of a batch. Stops at the first item above `max_items`.
pub(crate) fn parse_batch(bytes: &[u8], max_items: usize) -> Result<Value, ParseError> {
    parse_within_limits(bytes, Position::Body, max_items)
}

/// Parses a body that isn't a batch.
pub(crate) fn parse_value(bytes: &[u8]) -> Result<Value, ParseError> {
    parse_within_limits(bytes, Position::Inside, 0)
}

fn parse_within_limits(bytes: &[u8], position: Position, max_items: usize) -> Result<Value, ParseError> {
    let mut budget = Budget { items: max_items, values: MAX_VALUES, item_values: MAX_VALUES, exceeded_at: None };
    let mut parser = serde_json::Deserializer::from_slice(bytes);
    let read = LimitedReader { budget: &mut budget, position }.deserialize(&mut parser);
    let ended = read.and_then(|value| parser.end().map(|()| value));
    ended.map_err(|error| match budget.exceeded_at {
        Some(Position::Items) => ParseError::Items(max_items),
        Some(Position::Item) => ParseError::Item(MAX_VALUES_PER_ITEM),
        Some(_) => ParseError::Values(MAX_VALUES),
        None => ParseError::NoJson(error),
    })
}

/// The position of a value in the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    /// The whole body.
    Body,
    Items,
    /// One item.
    Item,
    /// Another member of the body.
    OtherMember,
    /// A value at a deeper level.
    Inside,
}

/// The numbers of items and values that may still be parsed.
#[derive(Debug)]
struct Budget {
    items: usize,
    values: usize,
    /// The number of values left for the current item or other member.
    item_values: usize,
    /// Set when a limit is exceeded.
    exceeded_at: Option<Position>,
}

impl Budget {
    fn count_value<E: Error>(&mut self, position: Position) -> Result<(), E> {
        let left = match position {
            Position::Items => &mut self.items,
            Position::Item => &mut self.item_values,
            Position::Body | Position::OtherMember | Position::Inside => &mut self.values,
        };
        match left.checked_sub(1) {
            Some(rest) => {
                *left = rest;
                Ok(())
            }
            None => {
                self.exceeded_at = Some(position);
                Err(E::custom("too much"))
            }
        }
    }
}

struct LimitedReader<'a> {
    budget: &'a mut Budget,
    position: Position,
}

impl LimitedReader<'_> {
    fn at_position(&mut self, position: Position) -> LimitedReader<'_> {
        LimitedReader { budget: self.budget, position }
    }
}

impl<'de> DeserializeSeed<'de> for LimitedReader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        match self.position {
            Position::Item => self.budget.item_values = MAX_VALUES_PER_ITEM,
            Position::Body | Position::OtherMember => self.budget.item_values = MAX_VALUES,
            Position::Items | Position::Inside => {}
        }
        self.budget.count_value(Position::Inside)?;
        self.budget.count_value(Position::Item)?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for LimitedReader<'_> {
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
        let items = self.position == Position::Items;
        while let Some(value) =
            parts.next_element_seed(self.at_position(if items { Position::Item } else { Position::Inside }))?
        {
            values.push(value);
            // The limit was exceeded, so parsing stops here.
            if items {
                self.budget.count_value(Position::Items)?;
            }
        }
        Ok(values.into())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut parts: A) -> Result<Value, A::Error> {
        let mut members = Map::with_capacity(if self.position == Position::Item { ITEM_CAPACITY } else { 0 });
        while let Some(name) = parts.next_key::<String>()? {
            let position = match self.position {
                Position::Body if name == ITEMS => Position::Items,
                Position::Body => Position::OtherMember,
                _ => Position::Inside,
            };
            let value = parts.next_value_seed(self.at_position(position))?;
            members.insert(name, value);
        }
        Ok(members.into())
    }
}
