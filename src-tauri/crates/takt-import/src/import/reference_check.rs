//! Imports beside what a site holds: what they need to know, and the checks against it.

use std::sync::Arc;

use super::{ImportId, ImportSites, ImportView, Imports, PredecessorValues};
use takt_browse::reference::{Reference, ReferenceRequest};
use takt_core::Problem;

impl Imports {
    /// What the sheet needs to know of a site.
    pub(crate) fn reference_requests(&self, id: ImportId) -> Result<Vec<ReferenceRequest>, Problem> {
        let book = self.book(id)?;
        let book = book.lock();
        let contract = self.contract(book.site().as_deref());
        Ok(book.current()?.reference_requests(&contract))
    }

    /// Checks the rows against this. `problem` is why the site couldn't be read anew.
    pub(crate) fn check_against(
        &self,
        id: ImportId,
        reference: Arc<Reference>,
        problem: Option<Problem>,
    ) -> Result<ImportView, Problem> {
        self.recompute(id, |book| {
            book.current_mut()?.set_reference(reference, problem);
            Ok(())
        })
    }

    /// Nothing is known of any site.
    pub(crate) fn no_reference(&self) -> Reference {
        Reference::nothing(&self.contract, &self.clock)
    }
}

impl ImportSites {
    /// Takes what earlier sheets of the workbook make for known, and checks the rows again.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    pub fn take_made(&self, id: ImportId, made: PredecessorValues) -> Result<ImportView, Problem> {
        self.imports.recompute(id, |book| {
            book.current_mut()?.take_made(Arc::new(made));
            Ok(())
        })
    }
}
