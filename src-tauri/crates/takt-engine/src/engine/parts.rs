//! Returns the engine's parts.

use takt_browse::{Browse, GraphQl, Pictures, References};
use takt_import::{ImportSites, ImportSources, Imports};
use takt_inbox::{AnswerRules, EventInbox};
use takt_sites::Sites;
use takt_submit::{History, Previews, Submissions, Templates};

use super::Engine;
use crate::{contracts::Contracts, maintenance::Maintenance, order::Orders, shop_floor::ShopFloor};

impl Engine {
    /// Returns the sites: their settings, signing in, and their local time.
    #[must_use]
    pub fn sites(&self) -> &Sites {
        &self.sites
    }

    /// Returns the sites' reference data.
    #[must_use]
    pub fn reference(&self) -> &References {
        &self.references
    }

    /// Returns the reader of sites' lists.
    #[must_use]
    pub fn browse(&self) -> &Browse {
        &self.browse
    }

    /// Returns the charts of rows.
    #[must_use]
    pub fn pictures(&self) -> &Pictures {
        &self.pictures
    }

    /// Returns the GraphQL client.
    #[must_use]
    pub fn graphql(&self) -> &GraphQl {
        &self.graphql
    }

    /// Returns the open workbooks.
    #[must_use]
    pub fn imports(&self) -> &Imports {
        &self.imports
    }

    /// Returns the sites of imports.
    #[must_use]
    pub fn import_sites(&self) -> &ImportSites {
        &self.import_sites
    }

    /// Returns the sources of imports without a user's file, and blank workbooks.
    #[must_use]
    pub fn import_sources(&self) -> &ImportSources {
        &self.import_sources
    }

    /// Returns the previews of imports.
    #[must_use]
    pub fn previews(&self) -> &Previews {
        &self.previews
    }

    /// Returns the submissions and their results.
    #[must_use]
    pub fn submissions(&self) -> &Submissions {
        &self.submissions
    }

    /// Returns templates and their links.
    #[must_use]
    pub fn templates(&self) -> &Templates {
        &self.templates
    }

    /// Returns earlier submissions.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Returns the orders with everything that is known about them.
    #[must_use]
    pub fn orders(&self) -> &Orders {
        &self.orders
    }

    /// Returns the rules that answer events.
    #[must_use]
    pub fn answers(&self) -> &AnswerRules {
        &self.answers
    }

    /// Returns the received events.
    #[must_use]
    pub fn inbox(&self) -> &EventInbox {
        &self.inbox
    }

    /// Returns the state of the shop floor.
    #[must_use]
    pub fn floor(&self) -> &ShopFloor {
        &self.floor
    }

    /// Returns backups, purges, and storage sizes.
    #[must_use]
    pub fn maintenance(&self) -> &Maintenance {
        &self.maintenance
    }

    /// Returns the sites' contracts.
    #[must_use]
    pub fn contracts(&self) -> &Contracts {
        &self.contracts
    }
}
