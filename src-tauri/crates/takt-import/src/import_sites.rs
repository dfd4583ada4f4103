//! The sites of imports, and the contract and reference data of each.

use std::{path::Path, sync::Arc};

use takt_browse::reference::{Reference, ReferenceRequest, References};
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
    pub fn choose(&self, import: ImportId, site: &str) -> Result<ImportView, Problem> {
        let kind = self.sites.find(site)?.kind;
        if self.imports.is_in_folder(import, &self.home.samples())? {
            if kind != SiteKind::Practice {
                return Err(Problem::obstacle("sample-elsewhere"));
            }
            self.imports.fix_site(import, site, FixedBy::Sample)?;
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
        let chosen = self.sites.chosen()?.name;
        self.choose(import, &chosen)?;
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
    pub async fn check_against(
        &self,
        site: &str,
        import: ImportId,
        again: bool,
        canceller: &Canceller,
    ) -> Result<ImportView, Problem> {
        self.require(import, site)?;
        let wants = self.imports.reference_requests(import)?;
        let read = self.references.read_requests(site, &wants, again, canceller).await;
        self.imports.check_against(import, self.references.snapshot(site, &wants)?, read.err())
    }

    /// Checks the rows against reference data that was read before. Sends no request.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open, or no site has this name.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the import is for another site (`other-site`).
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn check_against_stored(&self, site: &str, import: ImportId) -> Result<ImportView, Problem> {
        self.require(import, site)?;
        let wants = self.imports.reference_requests(import)?;
        self.imports.check_against(import, self.references.snapshot(site, &wants)?, None)
    }

    /// Checks that the import is for this site. An import without a site is assigned to it.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open, or no site has this name.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the import is for another site (`other-site`), or is a
    ///   sample (`sample-elsewhere`).
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn require(&self, import: ImportId, site: &str) -> Result<(), Problem> {
        match self.imports.destination(import)? {
            None => self.choose(import, site).map(|_| ()),
            Some(current) if current.site == site => Ok(()),
            Some(current) => Err(other_site(&current.site, site)),
        }
    }

    /// Sets the values that earlier sheets will create, and checks the rows again.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    pub fn set_predecessors(&self, id: ImportId, made: PredecessorValues) -> Result<ImportView, Problem> {
        self.imports.with_book(id, |book| {
            if book.current_mut()?.set_predecessors(Arc::new(made)) {
                book.bump_revision();
            }
            Ok(())
        })
    }
}

impl Imports {
    /// Returns the contract of a site, or of the chosen site without one. Falls back to the built-in contract.
    pub(crate) fn contract(&self, site: Option<&str>) -> Arc<Contract> {
        let of_site = |sites: &Arc<Sites>| -> Result<Arc<Contract>, Problem> {
            match site {
                Some(site) => sites.contract(site),
                None => sites.contract(&sites.chosen()?.name),
            }
        };
        let contract = self.sites.as_ref().map(of_site).transpose();
        let contract = contract.inspect_err(|problem| tracing::warn!(%problem, "a site's contract couldn't be read"));
        contract.ok().flatten().unwrap_or_else(|| Arc::clone(&self.contract))
    }

    /// Returns the import's site, or `None` before one was chosen.
    pub(crate) fn destination(&self, id: ImportId) -> Result<Option<ImportSite>, Problem> {
        let book = self.book(id)?;
        let book = book.lock();
        Ok(book.destination().cloned())
    }

    fn choose_site(&self, id: ImportId, site: &str) -> Result<ImportView, Problem> {
        self.with_book(id, |book| {
            let current = book.destination().cloned();
            if current.as_ref().is_some_and(|current| current.site == site) {
                return Ok(());
            }
            if let Some(ImportSite { site: current, fixed: Some(_) }) = current {
                return Err(other_site(&current, site));
            }
            let unknown = Arc::new(self.no_reference());
            let before = self.contract(book.site().as_deref());
            book.change_site(ImportSite { site: site.to_owned(), fixed: None }, &unknown);
            if Arc::ptr_eq(&before, &self.contract(Some(site))) {
                return Ok(());
            }
            self.with_context(book.site().as_deref(), |ctx| book.change_contract(ctx))
        })
    }

    /// Binds the import to this site, so that the user can't change it.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the import is bound to another site (`other-site`).
    pub fn fix_site(&self, id: ImportId, site: &str, by: FixedBy) -> Result<(), Problem> {
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
        let contract = self.contract(book.site().as_deref());
        Ok(book.current()?.reference_requests(&contract))
    }

    /// Checks the rows against this data. `problem` is the reason if the site couldn't be read again. The revision only
    /// changes with the items to send. Otherwise, a check that ends late would refuse rows that someone just sends.
    fn check_against(
        &self,
        id: ImportId,
        reference: Arc<Reference>,
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

fn other_site(current: &str, other: &str) -> Problem {
    Problem::obstacle_with("other-site", &[("site", current), ("other", other)])
}
