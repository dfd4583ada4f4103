//! Which site an import's rows go to: one, from here to the last row. What is checked, previewed and sent asks here.

use std::{path::Path, sync::Arc};
use takt_journal::SubmissionId;

use serde::{Deserialize, Serialize};
use takt_client::Canceller;

use super::{ImportView, Imports, StepItems};
use crate::import::ImportId;
use takt_browse::reference::References;
use takt_contract::Contract;
use takt_core::{Home, Problem};
use takt_sites::{Context, SiteKind, Sites};

/// The site that an import is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ImportSite {
    pub site: String,
    /// Why it can't be another one; absent where a person may choose.
    pub fixed: Option<FixedBy>,
}

/// What holds an import to its site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum FixedBy {
    /// It follows this submission, whose rows are on that site.
    Submission { id: SubmissionId },
    /// A sample's rows mean something in the practice plant alone.
    Sample,
}

/// What an import would send, and the one site that it was checked and previewed for.
#[derive(Debug, Clone)]
pub struct SiteItems {
    pub site: String,
    /// In the order in which they go.
    pub steps: Vec<StepItems>,
}

/// The site that each import is for, and what that site holds beside its rows.
#[derive(Clone)]
pub struct ImportSites {
    pub sites: Arc<Sites>,
    pub(crate) home: Home,
    pub(crate) imports: Arc<Imports>,
    pub(crate) references: Arc<References>,
}

takt_core::opaque_debug!(ImportSites);

impl ImportSites {
    /// The sites that `imports` are for; `references` tell what these hold.
    #[must_use]
    pub fn new(context: &Context, imports: Arc<Imports>, references: Arc<References>) -> Self {
        Self { sites: Arc::clone(&context.sites), home: context.home.clone(), imports, references }
    }

    /// The site that the import is for; absent before one was chosen.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    pub fn destination(&self, import: ImportId) -> Result<Option<ImportSite>, Problem> {
        self.imports.destination(import)
    }

    /// From here on the import is for this site. What was found at another one, and its preview, no longer count.
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
                return Err(Problem::in_the_way("sample-elsewhere"));
            }
            self.imports.fix_site(import, site, FixedBy::Sample)?;
        }
        self.imports.choose_site(import, site)
    }

    /// The site that an import is for. One that is for none yet is for the chosen site from here on.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the import is a sample, and another site than the practice
    ///   plant is chosen (`sample-elsewhere`).
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn of(&self, import: ImportId) -> Result<String, Problem> {
        if let Some(own) = self.imports.destination(import)? {
            return Ok(own.site);
        }
        let chosen = self.sites.chosen()?.name;
        self.choose(import, &chosen)?;
        Ok(chosen)
    }

    /// Reads what the sheet's fields need to know of the site, as far as it isn't known already (`again`: whatever is known),
    /// and checks the rows against it. What can't be read is said in [`ImportView::sense`], and what was read before serves.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open, or no site has this name.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the import is for another site (`other-site`).
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read. That a list can't be read is no
    ///   error, the view tells it.
    pub async fn check_against(
        &self,
        site: &str,
        import: ImportId,
        again: bool,
        canceller: &Canceller,
    ) -> Result<ImportView, Problem> {
        self.require(import, site)?;
        let wants = self.imports.reference_requests(import)?;
        let read = self.references.read_wants(site, &wants, again, canceller).await;
        self.imports.check_against(import, self.references.of(site, &wants)?, read.err())
    }

    /// Checks the rows against what was read of the site before. Nothing is sent.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open, or no site has this name.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the import is for another site (`other-site`).
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn check_against_kept(&self, site: &str, import: ImportId) -> Result<ImportView, Problem> {
        self.require(import, site)?;
        let wants = self.imports.reference_requests(import)?;
        self.imports.check_against(import, self.references.of(site, &wants)?, None)
    }

    /// An import that is for no site yet is for this one from here on.
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
            Some(own) if own.site == site => Ok(()),
            Some(own) => Err(other_site(&own.site, site)),
        }
    }
}

impl Imports {
    /// The contract in force at a site; at the chosen one where there is none yet.
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

    /// The site that the import is for; absent before one was chosen.
    pub(crate) fn destination(&self, id: ImportId) -> Result<Option<ImportSite>, Problem> {
        let book = self.book(id)?;
        let book = book.lock();
        Ok(book.destination().cloned())
    }

    fn choose_site(&self, id: ImportId, site: &str) -> Result<ImportView, Problem> {
        self.with_book(id, |book| {
            let own = book.destination().cloned();
            if own.as_ref().is_some_and(|own| own.site == site) {
                return Ok(());
            }
            if let Some(ImportSite { site: own, fixed: Some(_) }) = own {
                return Err(other_site(&own, site));
            }
            let unknown = Arc::new(self.no_reference());
            let before = self.contract(book.site().as_deref());
            book.go_to(ImportSite { site: site.to_owned(), fixed: None }, &unknown);
            if Arc::ptr_eq(&before, &self.contract(Some(site))) {
                return Ok(());
            }
            self.around(book.site().as_deref(), |around| book.change_contract(around))
        })
    }

    /// From here on the import is for this site and can't be for another.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the import follows a submission of another site
    ///   (`other-site`).
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
}

fn other_site(own: &str, other: &str) -> Problem {
    Problem::in_the_way_of("other-site", &[("site", own), ("other", other)])
}
