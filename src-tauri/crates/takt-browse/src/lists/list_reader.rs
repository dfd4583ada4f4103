//! Reads lists of the service: the main type, its construction, and the shapes of the contract's lists.

use std::sync::Arc;

use takt_contract::Shape;
use takt_core::{Clock, Code, Home, Problem};
use takt_journal::Journal;
use takt_sites::{Context, Sites};

use super::set::RowSet;
use crate::reference::References;

/// Reads lists of the service: pages, sets of rows, tables and files.
#[derive(Clone)]
pub struct Browse {
    pub journal: Arc<Journal>,
    pub sites: Arc<Sites>,
    pub(crate) references: Arc<References>,
    pub clock: Clock,
    pub(crate) home: Home,
}

takt_core::opaque_debug!(Browse);

impl Browse {
    /// Creates a reader for the sites of `context`. Lists that were read also update `references`.
    #[must_use]
    pub fn new(context: &Context, references: Arc<References>) -> Self {
        Self {
            journal: Arc::clone(&context.journal),
            sites: Arc::clone(&context.sites),
            references,
            clock: Arc::clone(&context.clock),
            home: context.home.clone(),
        }
    }

    /// Creates an empty set for rows of a read operation.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: the contract has no such operation, or the operation returns no rows.
    pub fn row_set(&self, site: &str, operation: &str) -> Result<RowSet, Problem> {
        let shape = self.answer_shape(site, operation)?;
        let known = shape.fields.iter().map(|field| field.name.clone()).collect();
        Ok(RowSet::new(site, operation, known))
    }

    /// Returns the shape of a read operation's rows.
    pub(super) fn answer_shape(&self, site: &str, operation: &str) -> Result<Shape, Problem> {
        let contract = self.sites.contract(site)?;
        let shape = contract.operation(operation).and_then(|operation| operation.answer.clone());
        shape.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", operation))
    }
}
