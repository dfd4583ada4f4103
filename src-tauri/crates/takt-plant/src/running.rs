//! Starts a plant that listens on loopback, and stops it.

use std::{fmt, net::SocketAddr, sync::Arc, time::Duration};

use parking_lot::Mutex;
use serde::Serialize;
use takt_contract::ServiceAccess;
use tokio::{net::TcpListener, task::JoinHandle, time::timeout};

use crate::{
    LogEntry, Plant, PlantConfig, PlantError, TokenPair,
    identity::CLIENT_ID,
    plant_urls::{CONTROL_PATH, IDENTITY_PATH},
    server::{CuttableListener, IDLE_TIMEOUT, serve_connections},
};

/// The maximum time for requests in flight when the plant stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// The addresses and credentials of a running plant. `takt plant` prints them as JSON.
#[derive(Serialize)]
pub struct RunningPlant {
    pub base_url: String,
    pub auth_url: String,
    pub client_id: String,
    pub client_secret: String,
    pub redirect_uris: Vec<String>,
    pub control_url: String,
    pub control_key: String,
    pub time_zone: String,
    #[serde(skip)]
    plant: Arc<Plant>,
    #[serde(skip)]
    server_task: Mutex<Option<JoinHandle<()>>>,
}

impl Plant {
    /// Builds a plant and listens at `address`. Port 0 means any free port. Dropping the [`RunningPlant`] stops the
    /// plant.
    ///
    /// # Errors
    ///
    /// - [`PlantError::Listen`]: the address is in use, or doesn't belong to this computer.
    /// - Other errors of [`Plant::new`].
    pub async fn start(config: PlantConfig, address: SocketAddr) -> Result<RunningPlant, PlantError> {
        let failed = |source| PlantError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let bound = listener.local_addr().map_err(failed)?;
        // Building a large plant takes long, so it runs as a blocking task.
        let built = tokio::task::spawn_blocking(move || Self::new(config)).await;
        let plant = built.map_err(|stopped| failed(std::io::Error::other(stopped)))??;
        let simulated = Arc::clone(&plant);
        tokio::spawn(async move { simulated.simulate_day().await });
        let listener = CuttableListener { listener, refusals: plant.refusal_builder() };
        let server_task =
            tokio::spawn(serve_connections(listener, plant.router(), plant.shutdown_token.clone(), IDLE_TIMEOUT));
        let base_url = format!("http://{bound}");
        tracing::info!(%base_url, "the practice plant listens");
        Ok(RunningPlant {
            auth_url: format!("{base_url}{IDENTITY_PATH}"),
            client_id: CLIENT_ID.to_owned(),
            client_secret: plant.identity.client_secret().to_owned(),
            redirect_uris: plant.identity.redirect_uris().to_vec(),
            control_url: format!("{base_url}{CONTROL_PATH}"),
            control_key: plant.control_key.clone(),
            time_zone: plant.config.time_zone.clone(),
            base_url,
            plant,
            server_task: Mutex::new(Some(server_task)),
        })
    }
}

impl RunningPlant {
    /// Returns the addresses and credentials that a client needs.
    #[must_use]
    pub fn access(&self) -> ServiceAccess {
        ServiceAccess {
            base_url: self.base_url.clone(),
            auth_url: self.auth_url.clone(),
            client_id: self.client_id.clone(),
            client_secret: self.client_secret.clone(),
            redirect_uris: self.redirect_uris.clone(),
            time_zone: self.time_zone.clone(),
        }
    }

    /// Returns the plant that answers the requests.
    #[must_use]
    pub fn plant(&self) -> &Arc<Plant> {
        &self.plant
    }

    /// Issues tokens for `planner` or `viewer` without a sign-in.
    ///
    /// # Errors
    ///
    /// Fails as [`Plant::issue_tokens`] does.
    pub fn issue_tokens(&self, user: &str) -> Result<TokenPair, PlantError> {
        self.plant.issue_tokens(user)
    }

    /// Returns the logged requests, oldest first. Empty if the log can't be read.
    #[must_use]
    pub fn log(&self) -> Vec<LogEntry> {
        self.plant.log()
    }

    /// Stops listening, waits briefly for requests in flight, and releases the port and the data folder. Calling it
    /// again has no effect.
    pub async fn stop(&self) {
        self.plant.shutdown_token.cancel();
        let server_task = self.server_task.lock().take();
        if let Some(mut server_task) = server_task
            && timeout(SHUTDOWN_TIMEOUT, &mut server_task).await.is_err()
        {
            server_task.abort();
        }
        self.plant.close();
    }
}

impl Drop for RunningPlant {
    fn drop(&mut self) {
        self.plant.shutdown_token.cancel();
    }
}

impl fmt::Debug for RunningPlant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RunningPlant").field("base_url", &self.base_url).finish_non_exhaustive()
    }
}
