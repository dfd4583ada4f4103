//! Signing in through the system's browser: the address to open, the way back over a loopback address or
//! by hand, the tokens.
//!
//! Owns the wait. Opening the browser belongs to whoever has one; the address can always be copied.

mod listener;
mod page;
mod question;

use std::{sync::Arc, time::Duration};

use oauth2::{CsrfToken, PkceCodeVerifier};
use tokio::sync::mpsc;
use url::Url;

pub use crate::{
    oauth::Revocation,
    provider_settings::{ClientAuthentication, ProviderSettings},
    token_pair::NewTokens,
};

use crate::{Canceller, Client, ClientError};
use listener::{Browser, Listener, WayBack};

/// A sign-in that waits for the browser. Dropping it closes the port.
#[derive(Debug)]
pub struct PendingSignIn {
    client: Client,
    /// Absent where the browser's way back leads elsewhere, or no port could be opened: then its address is pasted.
    listener: Option<Listener>,
    redirect_uri: String,
    address: String,
    state: Arc<CsrfToken>,
    verifier: PkceCodeVerifier,
    limit: Duration,
    canceller: Canceller,
    tell: mpsc::UnboundedSender<WayBack>,
    told: mpsc::UnboundedReceiver<WayBack>,
}

/// Hands a sign-in the address on which the browser ended.
#[derive(Debug, Clone)]
pub struct RedirectSender {
    state: Arc<CsrfToken>,
    tell: mpsc::UnboundedSender<WayBack>,
}

impl RedirectSender {
    /// Refuses what isn't the way back of this sign-in, which goes on waiting then.
    ///
    /// # Errors
    /// Where it isn't the way back of this sign-in, or the sign-in has ended.
    pub fn paste(&self, address: &str) -> Result<(), ClientError> {
        let way_back = question::pasted(address, self.state.secret()).ok_or(ClientError::PastedOtherwise)?;
        self.tell.send(way_back.map_err(ClientError::from)).map_err(|_| ClientError::SignInCancelled)
    }
}

impl Client {
    /// Listens for the browser's way back and makes the address to open. Ends by itself after `limit`.
    ///
    /// # Errors
    /// Where no port can be opened for the way back, or the provider's addresses can't be used.
    pub async fn begin_sign_in(&self, limit: Duration) -> Result<PendingSignIn, ClientError> {
        begin(self.clone(), limit, false).await
    }

    /// The same where a person can paste the address on which the browser ended: it begins also where nobody can listen.
    ///
    /// # Errors
    /// Where the provider's addresses can't be used.
    pub async fn begin_sign_in_to_paste(&self, limit: Duration) -> Result<PendingSignIn, ClientError> {
        begin(self.clone(), limit, true).await
    }
}

/// The port is open before the address is known to anybody. With `unheard` it goes on where none can be opened, and waits
/// for the address to be pasted.
async fn begin(client: Client, limit: Duration, unheard: bool) -> Result<PendingSignIn, ClientError> {
    let redirect_uris = &client.access().redirect_uris;
    let (listener, redirect_uri) = match (Listener::bind(redirect_uris).await, redirect_uris.first()) {
        (Ok(listener), _) => {
            let redirect_uri = listener.redirect_uri().to_owned();
            (Some(listener), redirect_uri)
        }
        // A port of 0 is none that a browser could be sent to.
        (Err(cause), Some(first)) if unheard && Url::parse(first).is_ok_and(|url| url.port() != Some(0)) => {
            tracing::info!(%cause, "nobody listens for the browser's way back");
            (None, first.clone())
        }
        (Err(cause), _) => return Err(cause),
    };
    let question = client.provider().question(&redirect_uri).await?;
    if let Ok(address) = Url::parse(&question.address) {
        client.transport().transcript().note_opened(&address, client.redactor());
    }
    let (tell, told) = mpsc::unbounded_channel();
    Ok(PendingSignIn {
        client,
        listener,
        redirect_uri,
        address: question.address,
        state: Arc::new(question.state),
        verifier: question.verifier,
        limit,
        canceller: Canceller::new(),
        tell,
        told,
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
        &self.redirect_uri
    }

    /// False where only a pasted address ends it.
    #[must_use]
    pub fn is_heard(&self) -> bool {
        self.listener.is_some()
    }

    /// How long it waits.
    #[must_use]
    pub fn limit(&self) -> Duration {
        self.limit
    }

    /// Ends the wait from elsewhere.
    #[must_use]
    pub fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }

    /// For a browser whose way back doesn't lead here.
    #[must_use]
    pub fn redirect_sender(&self) -> RedirectSender {
        RedirectSender { state: Arc::clone(&self.state), tell: self.tell.clone() }
    }

    /// Waits for the browser, asks for the tokens and keeps them.
    ///
    /// # Errors
    /// Where the sign-in is cancelled, takes too long, or is refused by the provider.
    pub async fn wait(self) -> Result<(), ClientError> {
        let (canceller, redactor) = (self.canceller.clone(), self.client.redactor().clone());
        let result = tokio::select! {
            () = canceller.cancelled() => Err(ClientError::SignInCancelled),
            result = self.finish() => result,
        };
        result.map_err(|error| error.redacted(&redactor))
    }

    async fn finish(mut self) -> Result<(), ClientError> {
        let waited = tokio::time::timeout(self.limit, self.way_back()).await;
        let (way_back, browser) = waited.map_err(|_| ClientError::SignInTimedOut)?;
        let done = self.get_tokens(way_back).await;
        if let Some(browser) = browser {
            browser.show(done.is_ok()).await;
        }
        done
    }

    async fn get_tokens(self, way_back: WayBack) -> Result<(), ClientError> {
        let given = way_back?;
        self.client.redactor().learn_token(&given.code);
        let provider = self.client.provider();
        provider.check_issuer(given.issuer.as_deref()).await?;
        let secret = self.client.client_secret().await?;
        let (code, redirect_uri) = (given.code.reveal(), &self.redirect_uri);
        let tokens = provider.tokens(secret.as_ref(), code, redirect_uri, self.verifier).await;
        let tokens = tokens.map_err(|cause| self.client.refused(secret.as_ref(), cause))?;
        let client = self.client.clone();
        // Keychains block.
        let kept = tokio::task::spawn_blocking(move || client.adopt(tokens)).await;
        kept.map_err(|error| ClientError::Lost(error.to_string()))
    }

    /// By itself or pasted, whichever is first.
    async fn way_back(&mut self) -> (WayBack, Option<Browser>) {
        let pasted = self.told.recv();
        let Some(listener) = &self.listener else {
            return (pasted.await.unwrap_or(Err(ClientError::SignInCancelled)), None);
        };
        tokio::select! {
            came_back = listener.code(self.state.secret()) => came_back,
            Some(way_back) = pasted => (way_back, None),
        }
    }
}
