//! The settings of a site's receiver. Stored in the journal because senders of events depend on the port.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr},
};

use serde::{Deserialize, Serialize};
use takt_core::Problem;

use crate::event_inbox::EventInbox;

const RECEIVERS: &str = "receivers";

/// When and where a site's receiver listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ReceiverSettings {
    /// Whether the receiver runs whenever Takt does.
    pub with_takt: bool,
    #[cfg_attr(feature = "specta", specta(type = String))]
    pub address: IpAddr,
    /// 0 selects a free port, which is then stored.
    pub port: u16,
}

impl Default for ReceiverSettings {
    fn default() -> Self {
        Self { with_takt: false, address: Ipv4Addr::LOCALHOST.into(), port: 0 }
    }
}

impl EventInbox {
    /// Returns the stored settings of a site's receiver, if any.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn receiver_settings(&self, site: &str) -> Result<Option<ReceiverSettings>, Problem> {
        Ok(self.all_receiver_settings()?.remove(site))
    }

    /// Stores the settings of a site's receiver.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be written.
    pub fn store_receiver_settings(&self, site: &str, settings: ReceiverSettings) -> Result<(), Problem> {
        let mut all = self.all_receiver_settings()?;
        all.insert(site.to_owned(), settings);
        Ok(self.journal.settings().set(RECEIVERS, &serde_json::to_value(all).unwrap_or_default())?)
    }

    fn all_receiver_settings(&self) -> Result<BTreeMap<String, ReceiverSettings>, Problem> {
        let stored = self.journal.settings().get(RECEIVERS)?;
        Ok(stored.and_then(|settings| serde_json::from_value(settings).ok()).unwrap_or_default())
    }
}
