//! Which site an import's rows go to: one, from here to the last row. What is checked, previewed and sent asks here.

use std::{
    path::Path,
    sync::{Arc, PoisonError},
};

use serde::{Deserialize, Serialize};

use super::{ImportView, Imports, ItemSet, PlanItems};
use crate::{Engine, PlanRequest, PreviewChoice, Problem, SiteKind, SubmissionRequest, submission::in_the_way};

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
    Submission { id: u32 },
    /// A sample's rows mean something in the practice plant alone.
    Sample,
}

/// What an import would send, and the one site that it was checked and previewed for.
#[derive(Debug, Clone)]
pub struct SiteItems {
    pub site: String,
    pub set: ItemSet,
}

/// The same for a workbook of several steps.
#[derive(Debug, Clone)]
pub struct SiteSteps {
    pub site: String,
    pub steps: Vec<PlanItems>,
}

impl SiteItems {
    /// The request that sends them there.
    #[must_use]
    pub fn request(self) -> SubmissionRequest {
        let Self { site, set } = self;
        SubmissionRequest {
            site,
            operation: set.operation,
            file: set.file,
            hash: set.hash,
            sheet: set.sheet,
            items: set.items,
            mapping: set.mapping,
            ..SubmissionRequest::default()
        }
    }
}

impl SiteSteps {
    /// The request that sends them there.
    #[must_use]
    pub fn request(self) -> PlanRequest {
        PlanRequest { site: self.site, steps: self.steps, ..PlanRequest::default() }
    }
}

impl Engine {
    /// From here on the import is for this site. What was found at another one, and its preview, no longer count.
    ///
    /// # Errors
    ///
    /// Where the import follows a submission of another site, and where a sample would leave the practice plant.
    pub fn choose_import_site(&self, import: u32, site: &str) -> Result<ImportView, Problem> {
        let kind = self.site(site)?.kind;
        if self.imports().is_in_folder(import, &self.home().samples())? {
            if kind != SiteKind::Practice {
                return Err(Problem::in_the_way("sample-elsewhere"));
            }
            self.imports().fix_site(import, site, FixedBy::Sample)?;
        }
        self.imports().choose_site(import, site)
    }

    /// The site that an import is for. One that is for none yet is for the chosen site from here on.
    pub fn import_site(&self, import: u32) -> Result<String, Problem> {
        if let Some(own) = self.imports().destination(import)? {
            return Ok(own.site);
        }
        let chosen = self.chosen_site()?.name;
        self.choose_import_site(import, &chosen)?;
        Ok(chosen)
    }

    /// What an import would send to this site, with what its preview saw where a choice is given. Taking it remembers the mapping.
    ///
    /// # Errors
    ///
    /// Where the import is for another site, or its preview was taken of another one or of other rows.
    pub fn items_for(&self, import: u32, site: &str, choice: Option<PreviewChoice>) -> Result<SiteItems, Problem> {
        self.require_import_site(import, site)?;
        let mut set = self.imports().items(import)?;
        if let Some(choice) = choice {
            self.look_over(import, site, [&mut set], choice)?;
        }
        Ok(SiteItems { site: site.to_owned(), set })
    }

    /// The same of a workbook's steps.
    ///
    /// # Errors
    ///
    /// As [`Engine::items_for`].
    pub fn steps_for(&self, import: u32, site: &str, choice: Option<PreviewChoice>) -> Result<SiteSteps, Problem> {
        self.require_import_site(import, site)?;
        let mut steps = self.imports().plan_items(import)?;
        if let Some(choice) = choice {
            self.look_over(import, site, steps.iter_mut().map(|step| &mut step.set), choice)?;
        }
        Ok(SiteSteps { site: site.to_owned(), steps })
    }

    /// An import that is for no site yet is for this one from here on.
    pub(crate) fn require_import_site(&self, import: u32, site: &str) -> Result<(), Problem> {
        match self.imports().destination(import)? {
            None => self.choose_import_site(import, site).map(|_| ()),
            Some(own) if own.site == site => Ok(()),
            Some(own) => Err(other_site(&own.site, site)),
        }
    }
}

impl Imports {
    /// The site that the import is for; absent before one was chosen.
    pub fn destination(&self, id: u32) -> Result<Option<ImportSite>, Problem> {
        let book = self.book(id)?;
        let book = book.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(book.destination().cloned())
    }

    fn choose_site(&self, id: u32, site: &str) -> Result<ImportView, Problem> {
        self.with_book(id, |book| {
            let own = book.destination().cloned();
            if own.as_ref().is_some_and(|own| own.site == site) {
                return Ok(());
            }
            if let Some(ImportSite { site: own, fixed: Some(_) }) = own {
                return Err(other_site(&own, site));
            }
            let unknown = Arc::new(self.no_reference());
            book.go_to(ImportSite { site: site.to_owned(), fixed: None }, &unknown);
            Ok(())
        })
    }

    /// From here on the import is for this site and can't be for another.
    pub(crate) fn fix_site(&self, id: u32, site: &str, by: FixedBy) -> Result<(), Problem> {
        self.choose_site(id, site)?;
        let fixed = ImportSite { site: site.to_owned(), fixed: Some(by) };
        self.with_book(id, |book| {
            book.keep_destination(fixed);
            Ok(())
        })
        .map(|_| ())
    }

    fn is_in_folder(&self, id: u32, folder: &Path) -> Result<bool, Problem> {
        let book = self.book(id)?;
        let book = book.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(book.current()?.path().parent() == Some(folder))
    }
}

fn other_site(own: &str, other: &str) -> Problem {
    in_the_way("other-site", &[("site", own), ("other", other)])
}
