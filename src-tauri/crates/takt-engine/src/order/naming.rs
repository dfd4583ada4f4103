//! Finds the order of a row by the parts of its key.

use takt_contract::Operation;

use super::{order_rows::Orders, parts::OrderFields};

/// The separator of a key's parts in rows.
pub(super) const KEY_SEPARATOR: &str = " · ";

/// The positions of the order's code and operation in an operation's keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Naming {
    code: usize,
    /// `None` if the key contains no operation of the order.
    operation: Option<usize>,
}

impl Naming {
    /// Returns the order's code and, if the key contains it, its operation. Returns `None` without a code.
    pub(crate) fn order_of_key(&self, key: &str) -> Option<(String, Option<String>)> {
        let parts: Vec<&str> = key.split(KEY_SEPARATOR).collect();
        let part = |position: usize| parts.get(position).filter(|part| !part.is_empty()).map(|part| (*part).to_owned());
        Some((part(self.code)?, self.operation.and_then(part)))
    }
}

impl Orders {
    /// Returns the operation that lists orders.
    pub(crate) fn list_of_orders(&self) -> Option<&Operation> {
        self.contract.operation(OrderFields::find(&self.contract)?.list())
    }

    /// Returns the key positions of an operation, or `None` if its items have no order.
    pub(crate) fn naming(&self, operation: &str) -> Option<Naming> {
        let orders = OrderFields::find(&self.contract)?;
        let operation = self.contract.operation(operation)?;
        let code = *orders.key_positions(operation).first()? as usize;
        Some(Naming { code, operation: orders.operation_position(&self.contract, operation) })
    }
}

#[cfg(test)]
mod tests {
    use takt_contract::Contract;

    use super::*;

    #[test]
    fn a_key_names_its_order() {
        let contract = Contract::builtin().unwrap();
        let orders = OrderFields::find(&contract).unwrap();
        let position = |id: &str| orders.operation_position(&contract, contract.operation(id).unwrap());
        assert_eq!(position("work-orders.sync"), Some(1));
        assert_eq!(position("work-orders.properties"), Some(1));
        assert_eq!(position("consumed-lots.sync"), Some(1));
        assert_eq!(position("materials.sync"), None);
        let naming = Naming { code: 0, operation: Some(1) };
        assert_eq!(naming.order_of_key("WO-1 · 10"), Some(("WO-1".to_owned(), Some("10".to_owned()))));
        assert_eq!(naming.order_of_key("WO-1"), Some(("WO-1".to_owned(), None)));
        assert_eq!(naming.order_of_key(""), None);
    }
}
