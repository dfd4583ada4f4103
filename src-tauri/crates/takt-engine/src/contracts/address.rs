//! A site's document, fetched from the site itself.

use std::path::PathBuf;

use takt_client::ClientError;
use takt_core::{Code, Problem};
use takt_openapi::{Document, DocumentError};

use super::{ContractPreview, Contracts, MatchChoice, refused};

/// Where a document is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocumentPlace {
    /// On this computer.
    File(PathBuf),
    /// At the site: a path, or an address of the site's own origin.
    Address(String),
    /// At the site, wherever services usually have it.
    UsualAddresses,
}

impl Contracts {
    /// As [`Contracts::preview`], of a document that the site itself gives. It is asked for without a token first; what lies there
    /// and is no document is passed over, as many services answer every address with a page.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`]: there is no document at any usual place (`no-document`).
    /// - As [`Contracts::preview`], and a [client code](takt_core::problem#client-codes).
    pub async fn preview_address(
        &self,
        site: &str,
        place: Option<&str>,
        choices: &[MatchChoice],
    ) -> Result<ContractPreview, Problem> {
        let client = self.sites.client(site)?;
        let of_client = |error: ClientError| Problem::of_client(site, error);
        let places = match place {
            Some(place) => vec![place.to_owned()],
            None => self.sites.builtin_contract().document_places().to_vec(),
        };
        let mut not_a_document = None;
        for place in &places {
            for address in client.document_addresses(place).map_err(of_client)? {
                let Some(fetched) = client.document(&address).await.map_err(of_client)? else { continue };
                match Document::read(&fetched.bytes) {
                    Ok(_) => return self.preview(Some(site), &fetched.address, &fetched.bytes, choices),
                    // A person converts it; another place has the same one.
                    Err(error @ (DocumentError::Swagger2 | DocumentError::OtherVersion { .. })) => {
                        return Err(refused(&fetched.address, &error));
                    }
                    Err(error) => not_a_document = Some(refused(&fetched.address, &error)),
                }
            }
        }
        // Where a person named the place, what is wrong there is what helps.
        let named = not_a_document.filter(|_| place.is_some());
        Err(named.unwrap_or_else(|| Problem::in_the_way("no-document")))
    }

    /// As [`Contracts::preview`], of a document wherever it is.
    ///
    /// # Errors
    ///
    /// - As [`Contracts::preview_file`] and [`Contracts::preview_address`].
    /// - [`Code::InvalidInput`]: an address without a site.
    pub async fn preview_place(
        &self,
        site: Option<&str>,
        place: &DocumentPlace,
        choices: &[MatchChoice],
    ) -> Result<ContractPreview, Problem> {
        let address = match place {
            DocumentPlace::File(path) => return self.preview_file(site, path, choices),
            DocumentPlace::Address(address) => Some(address.as_str()),
            DocumentPlace::UsualAddresses => None,
        };
        let site = site.ok_or_else(|| Problem::new(Code::InvalidInput).details("an address needs a site"))?;
        self.preview_address(site, address, choices).await
    }
}
