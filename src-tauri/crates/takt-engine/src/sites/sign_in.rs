//! Signing in to a site, and finding out whether a site works.

use std::time::Duration;

use takt_client::{Canceller, ClientError, NewTokens, Secret};
use takt_contract::{OperationKind, ParameterPlace};

use crate::{Code, Engine, Problem, SiteTest};

/// How long a person may take in the browser.
const PATIENCE: Duration = Duration::from_secs(600);

/// A sign-in that waits for the browser.
#[derive(Debug)]
pub struct PendingSignIn {
    site: String,
    pending: takt_client::PendingSignIn,
}

impl PendingSignIn {
    /// What to open in the browser.
    #[must_use]
    pub fn address(&self) -> &str {
        self.pending.address()
    }

    /// Ends the wait from elsewhere.
    #[must_use]
    pub fn canceller(&self) -> Canceller {
        self.pending.canceller()
    }

    /// Until the person has signed in, cancelled, or taken too long.
    pub async fn wait(self) -> Result<(), Problem> {
        self.pending.wait().await.map_err(|error| Problem::of_client(&self.site, error))
    }
}

impl Engine {
    /// Opens a port for the browser's way back and makes the address to open.
    pub async fn begin_sign_in(&self, site: &str) -> Result<PendingSignIn, Problem> {
        let client = self.client(site)?;
        let pending = client.begin_sign_in(PATIENCE).await.map_err(|error| Problem::of_client(site, error))?;
        Ok(PendingSignIn { site: site.to_owned(), pending })
    }

    /// Forgets the tokens; the client secret stays.
    pub fn sign_out(&self, site: &str) -> Result<(), Problem> {
        let done = self.client(site)?.sign_out();
        done.map_err(|error| Problem::new(Code::WriteFailed).parameter("file", site).details(error))
    }

    /// Keeps tokens that were obtained elsewhere: the embedded plant gives its own out. `expires_in` is in seconds.
    pub fn adopt_tokens(
        &self,
        site: &str,
        access: &str,
        refresh: Option<&str>,
        expires_in: Option<u64>,
    ) -> Result<(), Problem> {
        self.client(site)?.adopt(NewTokens {
            access: Secret::new(access),
            refresh: refresh.map(Secret::new),
            expires_in: expires_in.map(Duration::from_secs),
        });
        Ok(())
    }

    /// Reaches for the service and the identity provider, and reads a little with the kept token.
    pub async fn test_site(&self, site: &str) -> Result<SiteTest, Problem> {
        let client = self.client(site)?;
        let (service, provider) = tokio::join!(client.reach_service(), client.reach_provider());
        let mut test = SiteTest {
            service_reached: service.is_ok(),
            provider_reached: provider.is_ok(),
            token_accepted: None,
            problem: None,
        };
        let unreached = service.err().or(provider.err());
        test.problem = unreached.map(|error| Problem::of_client(site, error));
        if !test.service_reached || !client.signed_in() {
            return Ok(test);
        }
        let Some(path) = self.harmless_read() else { return Ok(test) };
        match client.get(&path, &[("page".to_owned(), "1".to_owned()), ("limit".to_owned(), "1".to_owned())]).await {
            Ok(_) => test.token_accepted = Some(true),
            Err(error) => {
                let unauthorised = error.status() == Some(401) || matches!(error, ClientError::SignInNeeded);
                // Any other answer came after the token was looked at.
                test.token_accepted = if unauthorised { Some(false) } else { error.status().map(|_| true) };
                test.problem = Some(Problem::of_client(site, error));
            }
        }
        Ok(test)
    }

    /// A paged read that needs nothing.
    fn harmless_read(&self) -> Option<String> {
        let bare = |operation: &&takt_contract::Operation| {
            operation.kind == OperationKind::Read
                && operation.paged
                && operation.parameters.iter().all(|part| !part.required && part.place == ParameterPlace::Query)
        };
        self.contract().operations().iter().find(bare).map(|operation| operation.path.clone())
    }
}
