//! Signing in through the system's browser: the address to open, the way back over a loopback address, the tokens.
//!
//! Owns the wait. Opening the browser belongs to whoever has one; the address can always be copied.

mod listener;
mod page;
mod question;

use std::time::Duration;

use oauth2::{CsrfToken, PkceCodeVerifier};

use crate::{Canceller, Client, ClientError};
use listener::Listener;

/// A sign-in that waits for the browser. Dropping it closes the port.
#[derive(Debug)]
pub struct PendingSignIn {
    client: Client,
    listener: Listener,
    address: String,
    state: CsrfToken,
    verifier: PkceCodeVerifier,
    limit: Duration,
    canceller: Canceller,
}

/// The port is open before the address is known to anybody.
pub(crate) async fn begin(client: Client, limit: Duration) -> Result<PendingSignIn, ClientError> {
    let listener = Listener::bind(&client.access().redirect_uris).await?;
    let question = client.provider().question(listener.redirect_uri())?;
    Ok(PendingSignIn {
        client,
        listener,
        address: question.address,
        state: question.state,
        verifier: question.verifier,
        limit,
        canceller: Canceller::new(),
    })
}

impl PendingSignIn {
    /// What to open in the browser.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Where the browser comes back to.
    #[must_use]
    pub fn redirect_uri(&self) -> &str {
        self.listener.redirect_uri()
    }

    /// Ends the wait from elsewhere.
    #[must_use]
    pub fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }

    /// Waits for the browser, asks for the tokens and keeps them.
    pub async fn wait(self) -> Result<(), ClientError> {
        let canceller = self.canceller.clone();
        tokio::select! {
            () = canceller.cancelled() => Err(ClientError::SignInCancelled),
            result = self.finish() => result,
        }
    }

    async fn finish(self) -> Result<(), ClientError> {
        let waited = tokio::time::timeout(self.limit, self.listener.code(self.state.secret())).await;
        let code = waited.map_err(|_| ClientError::SignInTimedOut)??;
        let secret = self.client.client_secret().await?;
        let redirect_uri = self.listener.redirect_uri();
        let tokens = self.client.provider().tokens(secret.as_ref(), code.reveal(), redirect_uri, self.verifier).await?;
        let client = self.client.clone();
        // Keychains block.
        let kept = tokio::task::spawn_blocking(move || client.adopt(tokens)).await;
        kept.map_err(|error| ClientError::Lost(error.to_string()))
    }
}
