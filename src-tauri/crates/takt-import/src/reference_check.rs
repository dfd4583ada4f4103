//! The reference data that imports need from a site, and the checks against it.

use std::sync::Arc;

use crate::{
    import_id::ImportId, import_sites::ImportSites, imports::Imports, reference_checks::PredecessorValues,
    view::ImportView,
};
use takt_browse::reference::{Reference, ReferenceRequest};
use takt_core::Problem;

impl Imports {
    /// Returns the reference data that the current sheet needs.
    pub(crate) fn reference_requests(&self, id: ImportId) -> Result<Vec<ReferenceRequest>, Problem> {
        let book = self.book(id)?;
        let book = book.lock();
        let contract = self.contract(book.site().as_deref());
        Ok(book.current()?.reference_requests(&contract))
    }

    /// Checks the rows against this data. `problem` is why the site couldn't be read again.
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

    /// Returns empty reference data.
    pub(crate) fn no_reference(&self) -> Reference {
        Reference::nothing(&self.contract, &self.clock)
    }
}

impl ImportSites {
    /// Makes the values of earlier sheets known, and checks the rows again.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    pub fn take_made(&self, id: ImportId, made: PredecessorValues) -> Result<ImportView, Problem> {
        self.imports.recompute(id, |book| {
            book.current_mut()?.set_predecessors(Arc::new(made));
            Ok(())
        })
    }
}
