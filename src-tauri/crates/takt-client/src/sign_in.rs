//! Signs in with the system's browser. The redirect is received on a loopback address or pasted by the user.
//!
//! This module waits for the redirect and requests the tokens. Callers open the browser. The user can always copy
//! the address.

mod listener;
mod page;
mod redirect;

use std::{sync::Arc, time::Duration};

use oauth2::{CsrfToken, PkceCodeVerifier};
use tokio::sync::mpsc;
use url::Url;

pub use crate::{
    access::{ClientAuthentication, ProviderSettings},
    oauth::Revocation,
    token_pair::NewTokens,
};

use crate::{Canceller, Client, ClientError};
use listener::{BrowserConnection, Listener, RedirectResult};

/// A sign-in that waits for the redirect. Dropping it closes the port.
#[derive(Debug)]
pub struct PendingSignIn {
    client: Client,
    /// None if the browser is redirected elsewhere or no port could be opened. Then the user pastes the redirect
    /// address.
    listener: Option<Listener>,
    redirect_uri: String,
    address: String,
    state: Arc<CsrfToken>,
    verifier: PkceCodeVerifier,
    timeout: Duration,
    canceller: Canceller,
    sender: mpsc::UnboundedSender<RedirectResult>,
    receiver: mpsc::UnboundedReceiver<RedirectResult>,
}

/// Sends a pasted redirect address to a waiting sign-in.
#[derive(Debug, Clone)]
pub struct RedirectSender {
    state: Arc<CsrfToken>,
    sender: mpsc::UnboundedSender<RedirectResult>,
}

impl RedirectSender {
    /// Sends a pasted address. The sign-in keeps waiting if the address isn't its redirect.
    ///
    /// # Errors
    /// Fails if the address isn't the redirect of this sign-in, or if the sign-in has ended.
    pub fn paste(&self, address: &str) -> Result<(), ClientError> {
        let redirect = redirect::parse_pasted(address, self.state.secret()).ok_or(ClientError::WrongPastedAddress)?;
        self.sender.send(redirect.map_err(ClientError::from)).map_err(|_| ClientError::SignInCancelled)
    }
}

impl Client {
    /// Opens the port for the redirect and builds the address for the browser. The sign-in ends after `timeout`.
    ///
    /// # Errors
    /// Fails if no port can be opened, or if the provider's addresses can't be used.
    pub async fn begin_sign_in(&self, timeout: Duration) -> Result<PendingSignIn, ClientError> {
        begin(self.clone(), timeout, false).await
    }

    /// Like [`Self::begin_sign_in`], but works without a port, too. The user can paste the redirect address.
    ///
    /// # Errors
    /// Fails if the provider's addresses can't be used.
    pub async fn begin_sign_in_to_paste(&self, timeout: Duration) -> Result<PendingSignIn, ClientError> {
        begin(self.clone(), timeout, true).await
    }
}

/// Opens the port before returning the address for the browser. With `can_paste`, a port isn't required.
async fn begin(client: Client, timeout: Duration, can_paste: bool) -> Result<PendingSignIn, ClientError> {
    let redirect_uris = &client.access().redirect_uris;
    let (listener, redirect_uri) = match (Listener::bind(redirect_uris).await, redirect_uris.first()) {
        (Ok(listener), _) => {
            let redirect_uri = listener.redirect_uri().to_owned();
            (Some(listener), redirect_uri)
        }
        // Port 0 would be any free port, which the browser can't know.
        (Err(cause), Some(first)) if can_paste && Url::parse(first).is_ok_and(|url| url.port() != Some(0)) => {
            tracing::info!(%cause, "nobody listens for the browser's way back");
            (None, first.clone())
        }
        (Err(cause), _) => return Err(cause),
    };
    let request = client.provider().authorization_request(&redirect_uri).await?;
    if let Ok(address) = Url::parse(&request.address) {
        client.transport().transcript().note_opened(&address, client.redactor());
    }
    let (sender, receiver) = mpsc::unbounded_channel();
    Ok(PendingSignIn {
        client,
        listener,
        redirect_uri,
        address: request.address,
        state: Arc::new(request.state),
        verifier: request.verifier,
        timeout,
        canceller: Canceller::new(),
        sender,
        receiver,
    })
}

impl PendingSignIn {
    /// Returns the address to open in the browser.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns the redirect address of this sign-in, with the opened port.
    #[must_use]
    pub fn redirect_uri(&self) -> &str {
        &self.redirect_uri
    }

    /// Returns whether a port is open for the redirect. If not, the user must paste the redirect address.
    #[must_use]
    pub fn is_listening(&self) -> bool {
        self.listener.is_some()
    }

    /// Returns how long the sign-in waits for the redirect.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Returns a canceller for [`Self::wait`].
    #[must_use]
    pub fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }

    /// Returns a sender for a redirect address that the user pastes.
    #[must_use]
    pub fn redirect_sender(&self) -> RedirectSender {
        RedirectSender { state: Arc::clone(&self.state), sender: self.sender.clone() }
    }

    /// Waits for the redirect, requests the tokens and stores them.
    ///
    /// # Errors
    /// Fails if the sign-in is canceled or takes too long, if the provider refuses it, or if the user declines.
    pub async fn wait(self) -> Result<(), ClientError> {
        let (canceller, redactor) = (self.canceller.clone(), self.client.redactor().clone());
        let result = tokio::select! {
            () = canceller.cancelled() => Err(ClientError::SignInCancelled),
            result = self.finish() => result,
        };
        result.map_err(|error| error.redacted(&redactor))
    }

    async fn finish(mut self) -> Result<(), ClientError> {
        let waited = tokio::time::timeout(self.timeout, self.wait_for_redirect()).await;
        let (redirect, browser) = waited.map_err(|_| ClientError::SignInTimedOut)?;
        let done = self.get_tokens(redirect).await;
        if let Some(browser) = browser {
            browser.show(done.is_ok()).await;
        }
        done
    }

    async fn get_tokens(self, redirect: RedirectResult) -> Result<(), ClientError> {
        let response = redirect?;
        self.client.redactor().register_token(&response.code);
        let provider = self.client.provider();
        provider.check_issuer(response.issuer.as_deref()).await?;
        let secret = self.client.client_secret().await?;
        let (code, redirect_uri) = (response.code.reveal(), &self.redirect_uri);
        let tokens = provider.request_tokens(secret.as_ref(), code, redirect_uri, self.verifier).await;
        let tokens = tokens.map_err(|cause| self.client.explain_refusal(secret.as_ref(), cause))?;
        let client = self.client.clone();
        // Runs as a blocking task, since keychains block.
        let stored = tokio::task::spawn_blocking(move || client.store_tokens(tokens)).await;
        stored.map_err(|error| ClientError::Lost(error.to_string()))
    }

    /// Waits for the browser's redirect or a pasted address, and returns the first of them.
    async fn wait_for_redirect(&mut self) -> (RedirectResult, Option<BrowserConnection>) {
        let pasted = self.receiver.recv();
        let Some(listener) = &self.listener else {
            return (pasted.await.unwrap_or(Err(ClientError::SignInCancelled)), None);
        };
        tokio::select! {
            received = listener.wait_for_redirect(self.state.secret()) => received,
            Some(redirect) = pasted => (redirect, None),
        }
    }
}
