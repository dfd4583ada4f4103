//! Which order a row was about, by the parts of its key.

use takt_contract::Operation;

use super::{Orders, parts::OrderFields};

/// Between the parts of a key, as rows show it.
pub(super) const JOINT: &str = " · ";

/// Where in the keys of an operation's items an order stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Naming {
    code: usize,
    /// Absent where the key names no operation of the order.
    operation: Option<usize>,
}

impl Naming {
    /// The order's code and, where the key says so, its operation. None where the key names none.
    pub(crate) fn named(&self, key: &str) -> Option<(String, Option<String>)> {
        let parts: Vec<&str> = key.split(JOINT).collect();
        let part = |place: usize| parts.get(place).filter(|part| !part.is_empty()).map(|part| (*part).to_owned());
        Some((part(self.code)?, self.operation.and_then(part)))
    }
}

impl Orders {
    /// The list of the orders themselves.
    pub(crate) fn list_of_orders(&self) -> Option<&Operation> {
        self.contract.operation(OrderFields::of(&self.contract)?.list())
    }

    /// None where the operation's items are about no order.
    pub(crate) fn naming(&self, operation: &str) -> Option<Naming> {
        let orders = OrderFields::of(&self.contract)?;
        let operation = self.contract.operation(operation)?;
        let code = *orders.places(operation).first()? as usize;
        Some(Naming { code, operation: orders.operation_place(&self.contract, operation) })
    }
}

#[cfg(test)]
mod tests {
    use takt_contract::Contract;

    use super::*;

    #[test]
    fn a_key_names_its_order() {
        let contract = Contract::builtin().unwrap();
        let orders = OrderFields::of(&contract).unwrap();
        let place = |id: &str| orders.operation_place(&contract, contract.operation(id).unwrap());
        assert_eq!(place("work-orders.sync"), Some(1));
        assert_eq!(place("work-orders.properties"), Some(1));
        assert_eq!(place("consumed-lots.sync"), Some(1));
        assert_eq!(place("materials.sync"), None);
        let naming = Naming { code: 0, operation: Some(1) };
        assert_eq!(naming.named("WO-1 · 10"), Some(("WO-1".to_owned(), Some("10".to_owned()))));
        assert_eq!(naming.named("WO-1"), Some(("WO-1".to_owned(), None)));
        assert_eq!(naming.named(""), None);
    }
}
