//! The sites of imports, and the contract and reference data of each.

use std::{path::Path, sync::Arc};

use takt_browse::reference::{ReferenceRequest, ReferenceSnapshot, References};
use takt_client::Canceller;
use takt_contract::Contract;
use takt_core::{Home, Problem};
use takt_sites::{Context, SiteKind, Sites};

use crate::{
    import_id::ImportId,
    import_site::{FixedBy, ImportSite},
    imports::Imports,
    plan::StepItems,
    reference_checks::PredecessorValues,
    view::ImportView,
};

/// All items of an import, and the site that they were checked and previewed for.
#[derive(Debug, Clone)]
pub struct SiteItems {
    pub site: String,
    /// In the order of sending.
    pub steps: Vec<StepItems>,
}

/// The sites of imports, with the sites' reference data.
#[derive(Clone)]
pub struct ImportSites {
    pub sites: Arc<Sites>,
    pub(crate) home: Home,
    pub(crate) imports: Arc<Imports>,
    pub(crate) references: Arc<References>,
}

takt_core::opaque_debug!(ImportSites);

impl ImportSites {
    /// Creates the sites of `imports`. `references` has the sites' reference data.
    #[must_use]
    pub fn new(context: &Context, imports: Arc<Imports>, references: Arc<References>) -> Self {
        Self { sites: Arc::clone(&context.sites), home: context.home.clone(), imports, references }
    }

    /// Returns the import's site, or `None` before one was chosen.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    pub fn destination(&self, import: ImportId) -> Result<Option<ImportSite>, Problem> {
        self.imports.destination(import)
    }

    /// Sets the import's site. Reference data of the previous site is dropped, and previews for it become invalid.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open, or no site has this name.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the import follows a submission of another site
    ///   (`other-site`), or is a sample, which stays on the practice plant (`sample-elsewhere`).
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn choose_site(&self, import: ImportId, site: &str) -> Result<ImportView, Problem> {
        let kind = self.sites.find(site)?.kind;
        if self.imports.is_in_folder(import, &self.home.samples())? {
            if kind != SiteKind::Practice {
                return Err(Problem::obstacle("sample-elsewhere"));
            }
            self.imports.bind_to_site(import, site, FixedBy::Sample)?;
        }
        self.imports.choose_site(import, site)
    }

    /// Returns the import's site. An import without a site gets the chosen site.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the import is a sample, and another site than the
    ///   practice plant is chosen (`sample-elsewhere`).
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn site_or_chosen(&self, import: ImportId) -> Result<String, Problem> {
        if let Some(current) = self.imports.destination(import)? {
            return Ok(current.site);
        }
        let chosen = self.sites.selected_site()?.name;
        self.choose_site(import, &chosen)?;
        Ok(chosen)
    }

    /// Reads the reference data that the sheet's fields need, and checks the rows against it. Known data is read again
    /// only if `again` is true. Data that can't be read is reported in [`ImportView::reference_checks`], and older data
    /// is used.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open, or no site has this name.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the import is for another site (`other-site`).
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read. A list that can't be read isn't
    ///   an error, but is reported in the view.
    pub async fn check_against_site(
        &self,
        site: &str,
        import: ImportId,
        again: bool,
        canceller: &Canceller,
    ) -> Result<ImportView, Problem> {
        self.require_site(import, site)?;
        let wants = self.imports.reference_requests(import)?;
        let read = self.references.read_requests(site, &wants, again, canceller).await;
        self.imports.check_against_site(import, self.references.snapshot(site, &wants)?, read.err())
    }

    /// Checks the rows against reference data that was read before. Sends no request.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open, or no site has this name.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the import is for another site (`other-site`).
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn check_against_stored_data(&self, site: &str, import: ImportId) -> Result<ImportView, Problem> {
        self.require_site(import, site)?;
        let wants = self.imports.reference_requests(import)?;
        self.imports.check_against_site(import, self.references.snapshot(site, &wants)?, None)
    }

    /// Checks that the import is for this site. An import without a site is assigned to it.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open, or no site has this name.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the import is for another site (`other-site`), or is a
    ///   sample (`sample-elsewhere`).
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn require_site(&self, import: ImportId, site: &str) -> Result<(), Problem> {
        match self.imports.destination(import)? {
            None => self.choose_site(import, site).map(|_| ()),
            // The contract may have been edited since.
            Some(current) if current.site == site => self.imports.apply_contract(import, site),
            Some(current) => Err(other_site_problem(&current.site, site)),
        }
    }

    /// Sets the values that earlier sheets will create, and checks the rows again.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    pub fn set_predecessors(&self, id: ImportId, values: PredecessorValues) -> Result<ImportView, Problem> {
        self.imports.with_book(id, |book| {
            if book.current_mut()?.set_predecessors(Arc::new(values)) {
                book.bump_revision();
            }
            Ok(())
        })
    }
}

impl Imports {
    /// Returns a site's contract, which decides how rows are read, checked and built.
    pub(crate) fn site_contract(&self, site: &str) -> Result<Arc<Contract>, Problem> {
        self.sites.as_ref().map_or_else(|| Ok(Arc::clone(&self.contract)), |sites| sites.contract(site))
    }

    /// Returns the contract of the chosen site, for an import without a site. If it can't be read, returns the built-in
    /// contract, so that the file can still be viewed. Nothing of such an import is sent.
    pub(crate) fn chosen_contract(&self) -> Arc<Contract> {
        let of_chosen = |sites: &Arc<Sites>| sites.contract(&sites.selected_site()?.name);
        let contract = self.sites.as_ref().map(of_chosen).transpose();
        let contract = contract.inspect_err(|problem| tracing::warn!(%problem, "a site's contract couldn't be read"));
        contract.ok().flatten().unwrap_or_else(|| Arc::clone(&self.contract))
    }

    /// Returns the import's site, or `None` before one was chosen.
    pub(crate) fn destination(&self, id: ImportId) -> Result<Option<ImportSite>, Problem> {
        let book = self.book(id)?;
        let book = book.lock();
        Ok(book.destination().cloned())
    }

    /// Sets the site, and applies its current contract.
    pub(crate) fn choose_site(&self, id: ImportId, site: &str) -> Result<ImportView, Problem> {
        self.with_book(id, |book| {
            let contract = self.site_contract(site)?;
            match book.destination().cloned() {
                Some(current) if current.site == site => {}
                Some(ImportSite { site: current, fixed: Some(_) }) => return Err(other_site_problem(&current, site)),
                _ => {
                    let reference = Arc::new(self.empty_reference());
                    book.change_site(ImportSite { site: site.to_owned(), fixed: None }, &reference);
                }
            }
            if Arc::ptr_eq(&book.contract(), &contract) {
                return Ok(());
            }
            self.with_context(&contract, |ctx| book.change_contract(&contract, ctx))
        })
    }

    /// Applies the current contract of the import's site, if it was edited.
    fn apply_contract(&self, id: ImportId, site: &str) -> Result<(), Problem> {
        let contract = self.site_contract(site)?;
        let is_current = {
            let book = self.book(id)?;
            Arc::ptr_eq(&book.lock().contract(), &contract)
        };
        if is_current { Ok(()) } else { self.choose_site(id, site).map(drop) }
    }

    /// Binds the import to this site, so that the user can't change it.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the import is bound to another site (`other-site`).
    pub fn bind_to_site(&self, id: ImportId, site: &str, by: FixedBy) -> Result<(), Problem> {
        self.choose_site(id, site)?;
        let fixed = ImportSite { site: site.to_owned(), fixed: Some(by) };
        self.with_book(id, |book| {
            book.set_destination(fixed);
            Ok(())
        })
        .map(|_| ())
    }

    fn is_in_folder(&self, id: ImportId, folder: &Path) -> Result<bool, Problem> {
        let book = self.book(id)?;
        let book = book.lock();
        Ok(book.current()?.path().parent() == Some(folder))
    }

    /// Returns requests for the reference data that the current sheet needs.
    pub(crate) fn reference_requests(&self, id: ImportId) -> Result<Vec<ReferenceRequest>, Problem> {
        let book = self.book(id)?;
        let book = book.lock();
        Ok(book.current()?.reference_requests(&book.contract()))
    }

    /// Checks the rows against this data. `problem` is the reason if the site couldn't be read again. The revision only
    /// increases if the items to send change. Otherwise, a late check would invalidate rows that are being sent.
    fn check_against_site(
        &self,
        id: ImportId,
        reference: Arc<ReferenceSnapshot>,
        problem: Option<Problem>,
    ) -> Result<ImportView, Problem> {
        self.with_book(id, |book| {
            if book.current_mut()?.set_reference(reference, problem) {
                book.bump_revision();
            }
            Ok(())
        })
    }
}

fn other_site_problem(current: &str, other: &str) -> Problem {
    Problem::obstacle_with("other-site", &[("site", current), ("other", other)])
}
