//! Fetches a site's document from the site.

use std::path::PathBuf;

use takt_client::ClientError;
use takt_core::{Code, Problem};
use takt_openapi::{Document, DocumentError};
use takt_sites::SiteConnection;

use super::{
    preview::{ContractPreview, MatchChoice, refused},
    site_contracts::Contracts,
};

/// The location of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocumentPlace {
    /// On this computer.
    File(PathBuf),
    /// At the site: a path, or an address with the site's origin.
    Address(String),
    /// At the site, at a usual location.
    UsualAddresses,
}

impl Contracts {
    /// Like [`Contracts::preview`], for a document from the site. The first request has no token. Responses that aren't
    /// documents are skipped, because many services respond to every address with a page.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`]: there is no document at any usual location (`no-document`).
    /// - As for [`Contracts::preview`]. Also a [client code](takt_core::problem#client-codes).
    pub async fn preview_address(
        &self,
        site: &str,
        location: Option<&str>,
        choices: &[MatchChoice],
    ) -> Result<ContractPreview, Problem> {
        let client = SiteConnection::connect(&self.sites, site).await?.client;
        let client_problem = |error: ClientError| Problem::of_client(site, error);
        let locations = match location {
            Some(location) => vec![location.to_owned()],
            None => self.sites.builtin_contract().document_places().to_vec(),
        };
        let mut not_a_document = None;
        for location in &locations {
            for address in client.document_addresses(location).map_err(client_problem)? {
                let Some(fetched) = client.document(&address).await.map_err(client_problem)? else { continue };
                match Document::read(&fetched.bytes) {
                    Ok(_) => return self.preview(Some(site), &fetched.address, &fetched.bytes, choices),
                    // The user must convert it. Other locations have the same version.
                    Err(error @ (DocumentError::Swagger2 | DocumentError::OtherVersion { .. })) => {
                        return Err(refused(&fetched.address, &error));
                    }
                    Err(error) => not_a_document = Some(refused(&fetched.address, &error)),
                }
            }
        }
        // If the user gave the location, report its error.
        let location_error = not_a_document.filter(|_| location.is_some());
        Err(location_error.unwrap_or_else(|| Problem::obstacle("no-document")))
    }

    /// Like [`Contracts::preview`], for a document at any location.
    ///
    /// # Errors
    ///
    /// - As for [`Contracts::preview_file`] and [`Contracts::preview_address`].
    /// - [`Code::InvalidInput`]: an address without a site.
    pub async fn preview_place(
        &self,
        site: Option<&str>,
        location: &DocumentPlace,
        choices: &[MatchChoice],
    ) -> Result<ContractPreview, Problem> {
        let address = match location {
            DocumentPlace::File(path) => return self.preview_file(site, path, choices),
            DocumentPlace::Address(address) => Some(address.as_str()),
            DocumentPlace::UsualAddresses => None,
        };
        let site = site.ok_or_else(|| Problem::new(Code::InvalidInput).details("an address needs a site"))?;
        self.preview_address(site, address, choices).await
    }
}
