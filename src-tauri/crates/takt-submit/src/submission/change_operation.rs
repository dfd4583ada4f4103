//! The contract's definition of an operation that changes data.

use jiff::tz::TimeZone;
use takt_contract::{Contract, Operation, OperationKind, RowSchema, form::BatchForm};
use takt_core::{Code, Problem};

/// The parts of an operation's definition that sending and read-back need.
#[derive(Debug, Clone)]
pub(super) struct ChangeOperation {
    pub(super) method: String,
    pub(super) path: String,
    /// The structure of the request and its items.
    pub(super) shape: RowSchema,
    /// The structure of the response.
    pub(super) batch: BatchForm,
    /// The time zone of times without an offset.
    pub(super) zone: TimeZone,
    pub(super) key: Vec<String>,
    pub(super) batch_size: u32,
    pub(super) deletes: bool,
    /// Whether a list shows the written data. Otherwise the user decides about unconfirmed rows, so there should be
    /// few.
    pub(super) readable: bool,
    /// Whether the operation was only learned from its read, and no accepted row has proven it yet.
    pub(super) untried: bool,
}

impl ChangeOperation {
    pub(super) fn find(contract: &Contract, operation: &str) -> Result<Self, Problem> {
        let definition = contract.operation(operation);
        let definition = definition.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", operation))?;
        match (definition.kind, &definition.request) {
            (OperationKind::Sync | OperationKind::Delete, Some(shape)) => Ok(Self::new(definition, shape)),
            (OperationKind::Sync | OperationKind::Delete, None) | (OperationKind::Read | OperationKind::Query, _) => {
                Err(Problem::obstacle_with("not-a-change", &[("operation", operation)]))
            }
        }
    }

    fn new(operation: &Operation, shape: &RowSchema) -> Self {
        Self {
            method: operation.method.clone(),
            path: operation.path.clone(),
            shape: shape.clone(),
            batch: operation.batch.clone(),
            zone: operation.time_zone.clone(),
            key: operation.key.clone(),
            batch_size: operation.batch_size.max(1),
            deletes: operation.kind == OperationKind::Delete,
            readable: operation.read_back.is_some(),
            untried: operation.untried,
        }
    }
}

#[cfg(test)]
impl ChangeOperation {
    /// Finds a sync of the built-in contract and replaces its key.
    pub(super) fn for_tests(key: &[&str]) -> Self {
        let contract = Contract::builtin().unwrap();
        let mut target = Self::find(&contract, "work-orders.sync").unwrap();
        target.key = key.iter().map(|field| (*field).to_owned()).collect();
        target
    }
}
