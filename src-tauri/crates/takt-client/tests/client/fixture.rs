//! A plant and a signed-in client, with the settings that connect them.

use std::{
    net::{SocketAddr, TcpListener},
    sync::Arc,
    time::Duration,
};

use jiff::Timestamp;
use takt_client::{
    Client, Clock, Secret, SecretKind, SiteAccess, Timeouts, Vault,
    sign_in::{NewTokens, ProviderSettings},
};
use takt_plant::{Fault, Plant, PlantConfig, RunningPlant};

pub(crate) const SITE: &str = "test";
pub(crate) const MATERIALS: &str = "/api/v1/Materials";

pub(crate) struct Fixture {
    pub(crate) plant: RunningPlant,
    pub(crate) client: Client,
    pub(crate) vault: Vault,
}

pub(crate) fn clock() -> Clock {
    Arc::new(Timestamp::now)
}

/// Returns a port that was free when it was tested. Another program may open it meanwhile.
pub(crate) fn free_port() -> u16 {
    let socket = TcpListener::bind("127.0.0.1:0").expect("a free port");
    socket.local_addr().expect("its address").port()
}

/// A redirect address with any free port.
const ANY_PORT: &str = "http://127.0.0.1:0/callback";

pub(crate) fn config() -> PlantConfig {
    PlantConfig { redirect_uris: vec![ANY_PORT.to_owned()], ..PlantConfig::default() }
}

/// Like [`config`], but with a fixed port for the redirect.
pub(crate) fn config_with_port() -> PlantConfig {
    PlantConfig { redirect_uris: vec![format!("http://127.0.0.1:{}/callback", free_port())], ..PlantConfig::default() }
}

pub(crate) async fn plant(config: PlantConfig) -> RunningPlant {
    Plant::start(config, SocketAddr::from(([127, 0, 0, 1], 0))).await.expect("the plant starts")
}

pub(crate) fn access(plant: &RunningPlant) -> SiteAccess {
    SiteAccess {
        base_url: plant.base_url.clone(),
        auth_url: plant.auth_url.clone(),
        redirect_uris: plant.redirect_uris.clone(),
        client_id: plant.client_id.clone(),
        ..unreachable_site()
    }
}

/// Returns a site with addresses on which no server listens.
pub(crate) fn unreachable_site() -> SiteAccess {
    let base_url = format!("http://127.0.0.1:{}", free_port());
    SiteAccess {
        name: SITE.to_owned(),
        auth_url: base_url.clone(),
        base_url,
        client_id: "takt-practice".to_owned(),
        scope: "service-portal-api service-api offline_access".to_owned(),
        redirect_uris: vec![ANY_PORT.to_owned()],
        provider: ProviderSettings::default(),
        proxy: None,
        no_proxy: false,
        ca_file: None,
        client_certificate: None,
        lock_file: None,
        timeouts: Timeouts {
            connect: Duration::from_secs(5),
            request: Duration::from_secs(10),
            retry_wait: Duration::from_millis(10),
        },
        errors: contract().error_form().clone(),
    }
}

impl Fixture {
    /// Starts without a signed-in user. The client secret is stored.
    pub(crate) async fn signed_out(config: PlantConfig) -> Self {
        let plant = plant(config).await;
        Self::with(plant, |access| access)
    }

    pub(crate) fn with(plant: RunningPlant, change: impl FnOnce(SiteAccess) -> SiteAccess) -> Self {
        let vault = Vault::memory();
        vault.put(SITE, SecretKind::ClientSecret, &Secret::new(plant.client_secret.clone()));
        let client = Client::new(change(access(&plant)), vault.clone(), clock()).expect("a client");
        Self { plant, client, vault }
    }

    pub(crate) async fn signed_in(config: PlantConfig, user: &str) -> Self {
        let fixture = Self::signed_out(config).await;
        fixture.store_tokens(user, None);
        fixture
    }

    /// Starts with a signed-in user. The fault affects every request.
    pub(crate) async fn with_fault(fault: &str) -> Self {
        let faults = vec![Fault::parse(fault).expect("a fault")];
        let fixture = Self::signed_in(config(), "planner").await;
        fixture.plant.plant().set_faults(faults, 1);
        fixture
    }

    /// Stores tokens issued by the plant. The client assumes that they expire after `expires_in`.
    pub(crate) fn store_tokens(&self, user: &str, expires_in: Option<Duration>) {
        let pair = self.plant.issue_tokens(user).expect("a pair");
        self.client.store_tokens(NewTokens {
            access: Secret::new(pair.access_token),
            refresh: pair.refresh_token.map(Secret::new),
            expires_in: expires_in.or(Some(Duration::from_secs(pair.expires_in))),
            scopes: None,
        });
    }

    /// Returns how many requests for an operation the plant has logged.
    pub(crate) fn request_count(&self, operation: &str) -> usize {
        self.plant.log().iter().filter(|entry| entry.operation.as_deref() == Some(operation)).count()
    }
}

fn contract() -> takt_contract::Contract {
    takt_contract::Contract::builtin().unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the paging parameters and the row schema of the list of materials.
pub(crate) fn materials() -> takt_client::ListForm {
    let contract = contract();
    let operation = contract.operation("materials.list");
    let Some((operation, shape)) = operation.and_then(|operation| Some((operation, operation.answer.clone()?))) else {
        panic!("the service lists materials")
    };
    takt_client::ListForm { paging: operation.paging.clone(), shape: std::sync::Arc::new(shape) }
}
