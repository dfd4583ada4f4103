//! A sign-in that was begun and waits for the redirect from the browser.

use std::time::Duration;

use takt_client::Canceller;
use takt_core::Problem;
use tokio::sync::watch;

/// The time without a redirect after which a hint shows the usual causes. Takt can't read the provider's page, so the
/// actual cause is unknown.
pub const SIGN_IN_HINT_DELAY: Duration = Duration::from_secs(30);

/// A sign-in that was begun. [`Self::wait`] completes it.
#[derive(Debug)]
pub struct PendingSignIn {
    pub(crate) site: String,
    pub(crate) pending: takt_client::sign_in::PendingSignIn,
    /// Dropped after the port is released. The next sign-in waits for that.
    pub(crate) _end_signal: watch::Sender<()>,
}

/// The active sign-in. A second one cancels it.
#[derive(Debug)]
pub(crate) struct ActiveSignIn {
    pub(crate) canceller: Canceller,
    pub(crate) ended: watch::Receiver<()>,
}

impl PendingSignIn {
    /// Returns the address to open in the browser.
    #[must_use]
    pub fn address(&self) -> &str {
        self.pending.address()
    }

    /// Returns the redirect address, which must be registered with the provider.
    #[must_use]
    pub fn redirect_uri(&self) -> &str {
        self.pending.redirect_uri()
    }

    /// Returns false if only a pasted address can complete the sign-in.
    #[must_use]
    pub fn has_redirect_port(&self) -> bool {
        self.pending.is_listening()
    }

    /// Returns the maximum time that the sign-in waits for the redirect.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.pending.timeout()
    }

    /// Returns a sender for a redirect address that the user pastes.
    #[must_use]
    pub fn redirect_sender(&self) -> RedirectSender {
        RedirectSender { site: self.site.clone(), redirect_sender: self.pending.redirect_sender() }
    }

    #[must_use]
    pub fn canceller(&self) -> Canceller {
        self.pending.canceller()
    }

    /// Waits until the user has signed in or canceled, or the time is up.
    ///
    /// # Errors
    ///
    /// - [`Code::SignInCancelled`](takt_core::Code::SignInCancelled): the user declined, the time was up,
    ///   or another sign-in began.
    /// - [`Code::SignInRefused`](takt_core::Code::SignInRefused): the provider refused the client or its request.
    /// - A [read code](takt_core::problem#read-codes): the provider's response is invalid.
    pub async fn wait(self) -> Result<(), Problem> {
        self.pending.wait().await.map_err(|error| Problem::from_client_error(&self.site, error))
    }
}

/// Passes a pasted redirect address to a sign-in.
#[derive(Debug, Clone)]
pub struct RedirectSender {
    site: String,
    redirect_sender: takt_client::sign_in::RedirectSender,
}

impl RedirectSender {
    /// Completes the sign-in with a pasted address. The sign-in continues to wait if the address isn't its redirect
    /// address.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the address isn't the redirect address of this
    ///   sign-in (`pasted-otherwise`).
    /// - [`Code::SignInCancelled`](takt_core::Code::SignInCancelled): the sign-in has ended.
    pub fn paste(&self, address: &str) -> Result<(), Problem> {
        self.redirect_sender.paste(address).map_err(|error| Problem::from_client_error(&self.site, error))
    }
}
