//! Finds the lists with rows of orders, and the fields that name an order. The contract determines the list of orders:
//! other operations refer to it, and it can be narrowed to an order.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use takt_contract::{Contract, FieldKind, Operation, OperationKind, ParameterPlace};

use takt_import::is_detail_list;

/// The way in which a list is narrowed to an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "by", rename_all = "lowercase")]
pub enum OrderBy {
    Code {
        parameter: String,
    },
    /// The list can't be narrowed, and is read between two dates.
    Dates {
        from: String,
        to: String,
    },
}

/// A list with rows of orders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OrderPart {
    pub operation: String,
    /// The field with the order's code.
    pub field: String,
    pub by: OrderBy,
    /// True for the list of orders.
    pub own: bool,
}

/// The lists, fields and keys that name orders.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OrderLists {
    /// The lists with rows of orders. The list of orders comes first.
    pub parts: Vec<OrderPart>,
    /// The field that names an order, by list.
    pub fields: BTreeMap<String, String>,
    /// The 0-based positions of an order's code in items' keys, by operation.
    pub keys: BTreeMap<String, Vec<u32>>,
}

/// The list of orders, and the fields that name an order.
pub(super) struct OrderFields<'a> {
    /// The list that other operations refer to.
    list: &'a str,
    field: &'a str,
    /// Fields of other operations that refer to an order.
    names: BTreeSet<&'a str>,
}

pub(super) fn find_order_lists(contract: &Contract) -> OrderLists {
    let Some(orders) = OrderFields::find(contract) else { return OrderLists::default() };
    let operations = contract.operations();
    let named_fields =
        operations.iter().filter_map(|operation| Some((operation.id.clone(), orders.order_field(operation)?)));
    let keys = operations.iter().map(|operation| (operation.id.clone(), orders.key_positions(operation)));
    let keys = keys.filter(|(_, key_positions)| !key_positions.is_empty()).collect();
    OrderLists { parts: order_parts(contract, &orders), fields: named_fields.collect(), keys }
}

fn order_parts(contract: &Contract, orders: &OrderFields<'_>) -> Vec<OrderPart> {
    let reads = contract.operations().iter().filter(|operation| operation.kind == OperationKind::Read);
    let (own, others): (Vec<_>, Vec<_>) = reads.partition(|operation| orders.is_order_list(contract, operation));
    let field_count = |operation: &&Operation| operation.answer.as_ref().map_or(0, |answer| answer.fields.len());
    let detailed = own.into_iter().max_by_key(field_count);
    let part = |operation: &Operation, own| {
        let (field, by) = orders.order_parameter(operation)?;
        Some(OrderPart { operation: operation.id.clone(), field, by, own })
    };
    let own = detailed.into_iter().filter_map(|operation| part(operation, true));
    own.chain(others.into_iter().filter_map(|operation| part(operation, false))).collect()
}

impl<'a> OrderFields<'a> {
    /// Finds the list of orders: a list that other operations refer to, and that can be narrowed to the field they
    /// refer to.
    pub(super) fn find(contract: &'a Contract) -> Option<Self> {
        let operations = contract.operations();
        let (list, field) = operations.iter().find_map(|operation| {
            let narrowed_field = narrowing_parameter(operation)?.1;
            let is_referred_to =
                references(contract).any(|(list, theirs, _)| list == operation.id && theirs == narrowed_field);
            (is_referred_to && operation.key.iter().any(|key| key == narrowed_field))
                .then_some((operation.id.as_str(), narrowed_field))
        })?;
        let references_to_orders =
            references(contract).filter(|(other, theirs, own)| *other == list && *theirs == field && *own != field);
        Some(Self { list, field, names: references_to_orders.map(|(_, _, own)| own).collect() })
    }

    /// Returns the list that other operations refer to.
    pub(super) fn list(&self) -> &'a str {
        self.list
    }

    /// Returns true if the operation returns the list of orders, perhaps in another form.
    fn is_order_list(&self, contract: &Contract, operation: &Operation) -> bool {
        let narrowed = narrowing_parameter(operation).is_some_and(|(_, field)| field == self.field);
        narrowed && (operation.id == self.list || is_detail_list(contract, &operation.id, self.list))
    }

    /// Returns the positions of an order's code in the key of an operation's items.
    pub(super) fn key_positions(&self, operation: &Operation) -> Vec<u32> {
        let names = |name: &String| {
            let is_paired = operation.read_back.as_ref().is_some_and(|back| {
                back.list == self.list && back.key.iter().any(|pair| pair.own == *name && pair.theirs == self.field)
            });
            is_paired || self.names.contains(name.as_str())
        };
        let is_sent = operation.request.is_some();
        (0..).zip(&operation.key).filter(|(_, name)| is_sent && names(name)).map(|(position, _)| position).collect()
    }

    /// Returns the position of an order's operation in the key of an operation's items: the other part of the orders'
    /// key.
    pub(super) fn operation_position(&self, contract: &Contract, operation: &Operation) -> Option<usize> {
        let other = contract.operation(self.list)?.key.iter().find(|key| *key != self.field)?;
        let is_operation = |name: &String| {
            let read_back = operation.read_back.as_ref().filter(|back| back.list == self.list);
            read_back.is_some_and(|back| back.key.iter().any(|pair| pair.own == *name && pair.theirs == *other))
                || name == other
        };
        operation.key.iter().position(is_operation)
    }

    /// Returns the field by which a list's rows name an order.
    fn order_field(&self, operation: &Operation) -> Option<String> {
        if let Some((_, field)) = narrowing_parameter(operation) {
            return Some(field.to_owned());
        }
        let fields = &operation.answer.as_ref().filter(|_| operation.kind == OperationKind::Read)?.fields;
        let field = fields.iter().find(|field| self.names.contains(field.name.as_str()))?;
        Some(field.name.clone())
    }

    /// Returns the field by which a list's rows name an order, and the parameters that narrow the list to one order.
    fn order_parameter(&self, operation: &Operation) -> Option<(String, OrderBy)> {
        let field = self.order_field(operation)?;
        if let Some((parameter, _)) = narrowing_parameter(operation) {
            return Some((field, OrderBy::Code { parameter: parameter.to_owned() }));
        }
        let query =
            |kind| operation.parameters.iter().filter(move |one| one.place != ParameterPlace::Path && one.kind == kind);
        let mut dates = query(FieldKind::DateTime).map(|parameter| parameter.name.clone());
        Some((field, OrderBy::Dates { from: dates.next()?, to: dates.next()? }))
    }
}

/// Returns the parameter that narrows a list, and the field it is compared to.
fn narrowing_parameter(operation: &Operation) -> Option<(&str, &str)> {
    operation.parameters.iter().find_map(|parameter| Some((parameter.name.as_str(), parameter.narrows.as_deref()?)))
}

/// Returns every reference to a list: the list, the field referred to, and the field that refers.
fn references(contract: &Contract) -> impl Iterator<Item = (&str, &str, &str)> {
    let shapes = contract.operations().iter().filter_map(|operation| operation.request.as_ref());
    let flat = shapes.flat_map(|shape| shape.fields_with_paths());
    flat.filter_map(|(_, field)| {
        let refers = field.refers_to.as_ref()?;
        Some((refers.list.as_deref()?, refers.field.as_str(), field.name.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contract_defines_the_lists_of_an_order() {
        let contract = Contract::builtin().unwrap();
        let OrderLists { parts: found, fields, keys } = find_order_lists(&contract);
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
