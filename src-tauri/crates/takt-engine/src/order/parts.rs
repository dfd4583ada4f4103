//! Which lists know something of an order, and by which field, as the contract has it: the orders themselves are what other
//! operations refer to, and what their own list can be narrowed to.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use takt_contract::{Contract, FieldKind, Operation, OperationKind, ParameterPlace};

use takt_import::import::shows_the_same;

/// How a list is asked for one order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "by", rename_all = "lowercase")]
pub enum OrderBy {
    Code {
        parameter: String,
    },
    /// Not at all: it is read between two dates.
    Dates {
        from: String,
        to: String,
    },
}

/// A list that knows something of an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OrderPart {
    pub operation: String,
    /// The field of its rows that holds the order's code.
    pub field: String,
    pub by: OrderBy,
    /// True for the list of the orders themselves.
    pub own: bool,
}

/// What in the lists is about orders.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OrderLists {
    /// The lists that know something of an order: first that of the orders themselves.
    pub parts: Vec<OrderPart>,
    /// By list: the field of its rows that names an order.
    pub fields: BTreeMap<String, String>,
    /// By operation: where in its items' keys an order's code stands, 0-based.
    pub keys: BTreeMap<String, Vec<u32>>,
}

/// The orders' own list, and what names an order.
pub(super) struct OrderFields<'a> {
    /// The list that others refer to.
    list: &'a str,
    field: &'a str,
    /// Fields by which others name an order.
    names: BTreeSet<&'a str>,
}

pub(super) fn lists(contract: &Contract) -> OrderLists {
    let Some(orders) = OrderFields::of(contract) else { return OrderLists::default() };
    let operations = contract.operations();
    let named = operations.iter().filter_map(|operation| Some((operation.id.clone(), orders.named(operation)?)));
    let keys = operations.iter().map(|operation| (operation.id.clone(), orders.places(operation)));
    let keys = keys.filter(|(_, places)| !places.is_empty()).collect();
    OrderLists { parts: parts(contract, &orders), fields: named.collect(), keys }
}

fn parts(contract: &Contract, orders: &OrderFields<'_>) -> Vec<OrderPart> {
    let reads = contract.operations().iter().filter(|operation| operation.kind == OperationKind::Read);
    let (own, others): (Vec<_>, Vec<_>) = reads.partition(|operation| orders.is_own(contract, operation));
    let most = |operation: &&Operation| operation.answer.as_ref().map_or(0, |answer| answer.fields.len());
    let detailed = own.into_iter().max_by_key(most);
    let part = |operation: &Operation, own| {
        let (field, by) = orders.order_parameter(operation)?;
        Some(OrderPart { operation: operation.id.clone(), field, by, own })
    };
    let own = detailed.into_iter().filter_map(|operation| part(operation, true));
    own.chain(others.into_iter().filter_map(|operation| part(operation, false))).collect()
}

impl<'a> OrderFields<'a> {
    /// What is referred to, and can be narrowed to what it is referred to by.
    pub(super) fn of(contract: &'a Contract) -> Option<Self> {
        let operations = contract.operations();
        let (list, field) = operations.iter().find_map(|operation| {
            let narrows = narrows(operation)?.1;
            let referred = references(contract).any(|(list, theirs, _)| list == operation.id && theirs == narrows);
            (referred && operation.key.iter().any(|key| key == narrows)).then_some((operation.id.as_str(), narrows))
        })?;
        let named =
            references(contract).filter(|(other, theirs, own)| *other == list && *theirs == field && *own != field);
        Some(Self { list, field, names: named.map(|(_, _, own)| own).collect() })
    }

    /// The list that others refer to.
    pub(super) fn list(&self) -> &'a str {
        self.list
    }

    fn is_own(&self, contract: &Contract, operation: &Operation) -> bool {
        let narrowed = narrows(operation).is_some_and(|(_, field)| field == self.field);
        narrowed && (operation.id == self.list || shows_the_same(contract, &operation.id, self.list))
    }

    /// Where in the key of an operation's items an order's code stands.
    pub(super) fn places(&self, operation: &Operation) -> Vec<u32> {
        let names = |name: &String| {
            let tied = operation.read_back.as_ref().is_some_and(|back| {
                back.list == self.list && back.key.iter().any(|tie| tie.own == *name && tie.theirs == self.field)
            });
            tied || self.names.contains(name.as_str())
        };
        let changes = operation.request.is_some();
        (0..).zip(&operation.key).filter(|(_, name)| changes && names(name)).map(|(place, _)| place).collect()
    }

    /// Where in the key of an operation's items an order's operation stands: the other part of the orders' own key.
    pub(super) fn operation_place(&self, contract: &Contract, operation: &Operation) -> Option<usize> {
        let other = contract.operation(self.list)?.key.iter().find(|key| *key != self.field)?;
        let is_it = |name: &String| {
            let ties = operation.read_back.as_ref().filter(|back| back.list == self.list);
            ties.is_some_and(|back| back.key.iter().any(|tie| tie.own == *name && tie.theirs == *other))
                || name == other
        };
        operation.key.iter().position(is_it)
    }

    /// By which of its fields a list's rows name an order.
    fn named(&self, operation: &Operation) -> Option<String> {
        if let Some((_, field)) = narrows(operation) {
            return Some(field.to_owned());
        }
        let fields = &operation.answer.as_ref().filter(|_| operation.kind == OperationKind::Read)?.fields;
        let field = fields.iter().find(|field| self.names.contains(field.name.as_str()))?;
        Some(field.name.clone())
    }

    /// By which of its fields a list's rows name an order, and how it is asked for one.
    fn order_parameter(&self, operation: &Operation) -> Option<(String, OrderBy)> {
        let field = self.named(operation)?;
        if let Some((parameter, _)) = narrows(operation) {
            return Some((field, OrderBy::Code { parameter: parameter.to_owned() }));
        }
        let query =
            |kind| operation.parameters.iter().filter(move |one| one.place != ParameterPlace::Path && one.kind == kind);
        let mut dates = query(FieldKind::DateTime).map(|parameter| parameter.name.clone());
        Some((field, OrderBy::Dates { from: dates.next()?, to: dates.next()? }))
    }
}

/// The parameter that narrows a list, and the field that is held against it.
fn narrows(operation: &Operation) -> Option<(&str, &str)> {
    operation.parameters.iter().find_map(|parameter| Some((parameter.name.as_str(), parameter.narrows.as_deref()?)))
}

/// Every field that refers to a thing of a list: the list, the thing's field, and its own name.
fn references(contract: &Contract) -> impl Iterator<Item = (&str, &str, &str)> {
    let shapes = contract.operations().iter().filter_map(|operation| operation.request.as_ref());
    let flat = shapes.flat_map(|shape| shape.flat());
    flat.filter_map(|(_, field)| {
        let refers = field.refers_to.as_ref()?;
        Some((refers.list.as_deref()?, refers.field.as_str(), field.name.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contract_says_what_knows_of_an_order() {
        let contract = Contract::builtin().unwrap();
        let OrderLists { parts: found, fields, keys } = lists(&contract);
        assert_eq!(fields["work-orders.list"], "code");
        assert_eq!((fields["alerts.list"].as_str(), fields.len()), ("workOrderCode", 8), "{fields:?}");
        let named: Vec<_> = found.iter().map(|part| (part.operation.as_str(), part.field.as_str(), part.own)).collect();
        assert_eq!(
            named,
            [
                ("work-orders.details", "code", true),
                ("alerts.list", "workOrderCode", false),
                ("labor-times.list", "workOrderCode", false),
                ("inspections.list", "workOrderCode", false),
                ("quality-checks.list", "workOrderCode", false),
                ("consumed-lots.list", "workOrderCode", false),
                ("order-history.list", "workOrderCode", false),
            ]
        );
        let by_dates: Vec<_> = found.iter().filter(|part| matches!(part.by, OrderBy::Dates { .. })).collect();
        assert_eq!(by_dates.len(), 2, "{by_dates:?}");
        assert_eq!(by_dates[0].by, OrderBy::Dates { from: "from".to_owned(), to: "to".to_owned() });
        let named: Vec<&str> = keys.keys().map(String::as_str).collect();
        assert_eq!(
            named,
            [
                "consumed-lots.sync",
                "inspections.properties",
                "work-orders.execution",
                "work-orders.planning-dates",
                "work-orders.properties",
                "work-orders.sync",
            ]
        );
        assert!(keys.values().all(|places| *places == [0]), "{keys:?}");
    }
}
