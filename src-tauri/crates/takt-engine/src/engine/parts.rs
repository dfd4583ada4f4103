//! The engine's parts, handed out.

use takt_browse::{Browse, GraphQl, Pictures, References};
use takt_import::{ImportSites, ImportSources, Imports};
use takt_inbox::{AnswerRules, EventInbox};
use takt_sites::Sites;
use takt_submit::{History, Previews, Submissions, Templates};

use super::Engine;
use crate::{contracts::Contracts, maintenance::Maintenance, order::Orders, shop_floor::ShopFloor};

impl Engine {
    /// Where Takt talks to: sites, signing in, and what time it is there.
    #[must_use]
    pub fn sites(&self) -> &Sites {
        &self.sites
    }

    /// What sites hold, as far as checks need it.
    #[must_use]
    pub fn reference(&self) -> &References {
        &self.references
    }

    /// Reading what a site holds.
    #[must_use]
    pub fn browse(&self) -> &Browse {
        &self.browse
    }

    /// Pictures of what was read.
    #[must_use]
    pub fn pictures(&self) -> &Pictures {
        &self.pictures
    }

    /// Queries in GraphQL.
    #[must_use]
    pub fn graphql(&self) -> &GraphQl {
        &self.graphql
    }

    /// Workbooks that were opened to be sent.
    #[must_use]
    pub fn imports(&self) -> &Imports {
        &self.imports
    }

    /// The site that each import is for.
    #[must_use]
    pub fn import_sites(&self) -> &ImportSites {
        &self.import_sites
    }

    /// Imports without a file of the planner's, and blank workbooks.
    #[must_use]
    pub fn import_sources(&self) -> &ImportSources {
        &self.import_sources
    }

    /// What imports would change.
    #[must_use]
    pub fn previews(&self) -> &Previews {
        &self.previews
    }

    /// What is sent, and what became of it.
    #[must_use]
    pub fn submissions(&self) -> &Submissions {
        &self.submissions
    }

    /// Templates and their links: looked at and deleted.
    #[must_use]
    pub fn templates(&self) -> &Templates {
        &self.templates
    }

    /// What was submitted before.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// One order with everything that is known about it.
    #[must_use]
    pub fn orders(&self) -> &Orders {
        &self.orders
    }

    /// The rules by which sites answer events.
    #[must_use]
    pub fn answers(&self) -> &AnswerRules {
        &self.answers
    }

    /// Events that came.
    #[must_use]
    pub fn inbox(&self) -> &EventInbox {
        &self.inbox
    }

    /// The floor as the events have it.
    #[must_use]
    pub fn floor(&self) -> &ShopFloor {
        &self.floor
    }

    /// Backups, purges, and what storage takes.
    #[must_use]
    pub fn maintenance(&self) -> &Maintenance {
        &self.maintenance
    }

    /// The contracts of sites: what a document would change, taking it, earlier versions.
    #[must_use]
    pub fn contracts(&self) -> &Contracts {
        &self.contracts
    }
}
