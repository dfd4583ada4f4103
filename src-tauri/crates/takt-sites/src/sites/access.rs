//! Converts a site's settings to the client's access settings.

use std::{path::PathBuf, sync::Arc, time::Duration};

use takt_client::{
    Client, ClientCertificate, ClientError, Secret, SecretKind, SiteAccess, Timeouts, Vault, sign_in::ProviderSettings,
};
use takt_contract::form::ErrorForm;
use takt_core::Problem;

use super::{Sites, forget};
use crate::{ClientAuthentication, NetworkSettings, SignInSettings, Site};

pub(super) fn access(site: &Site) -> SiteAccess {
    SiteAccess {
        name: site.name.clone(),
        base_url: site.base_url.clone(),
        auth_url: site.auth_url.clone(),
        client_id: site.client_id.clone(),
        scope: site.scope.clone(),
        redirect_uris: site.redirect_uris.clone(),
        provider: provider(&site.sign_in),
        proxy: site.proxy.clone(),
        no_proxy: site.network.no_proxy,
        ca_file: site.ca_file.as_ref().map(PathBuf::from),
        client_certificate: client_certificate(&site.network),
        lock_file: None,
        timeouts: Timeouts::default(),
        errors: ErrorForm::default(),
    }
}

/// Returns a site's timeouts, with defaults for missing ones.
pub(super) fn timeouts(settings: &NetworkSettings, default: Timeouts) -> Timeouts {
    let seconds_or =
        |seconds: Option<u32>, default| seconds.map_or(default, |seconds| Duration::from_secs(seconds.into()));
    Timeouts {
        connect: seconds_or(settings.connect_timeout, default.connect),
        whole: seconds_or(settings.read_timeout, default.whole),
        ..default
    }
}

fn client_certificate(settings: &NetworkSettings) -> Option<ClientCertificate> {
    let file = settings.client_certificate.as_ref().map(PathBuf::from)?;
    Some(ClientCertificate { file, key_file: settings.client_key.as_ref().map(PathBuf::from) })
}

fn provider(settings: &SignInSettings) -> ProviderSettings {
    ProviderSettings {
        client_authentication: settings.client_authentication.map(|way| match way {
            ClientAuthentication::Post => takt_client::sign_in::ClientAuthentication::Post,
            ClientAuthentication::Basic => takt_client::sign_in::ClientAuthentication::Basic,
        }),
        authorize: settings.authorize_address.clone(),
        token: settings.token_address.clone(),
        revocation: settings.revocation_address.clone(),
    }
}

impl Sites {
    /// Checks that a client can be created, with this passphrase or the stored one. Nothing is stored.
    pub(super) fn check_access(&self, access: &SiteAccess, passphrase: Option<&str>) -> Result<(), ClientError> {
        const KIND: SecretKind = SecretKind::CertificatePassphrase;
        let vault = Vault::memory_with(self.vault.redactor().clone());
        if let Some(origin) = access.certificate_origin() {
            let stored = || self.vault.get_for(&access.name, KIND, &origin);
            if let Some(passphrase) = passphrase.map(Secret::new).or_else(stored) {
                vault.put_for(&access.name, KIND, &origin, &passphrase);
            }
        }
        Client::new(access.clone(), vault, Arc::clone(&self.clock)).map(drop)
    }

    /// Stores the proxy's encoded password, or forgets it if it is empty. Returns true if it was stored.
    pub(super) fn store_proxy_password(&self, access: &SiteAccess, password: Option<Secret>) -> Result<bool, Problem> {
        const KIND: SecretKind = SecretKind::ProxyPassword;
        match (password, access.proxy_origin()) {
            (None, _) | (Some(_), None) => Ok(false),
            (Some(password), Some(_)) if password.is_empty() => forget(&self.vault, &access.name, KIND).map(|()| false),
            (Some(password), Some(origin)) => {
                self.vault.put_for(&access.name, KIND, &origin, &password);
                Ok(true)
            }
        }
    }

    /// Stores the passphrase of a client certificate, or forgets it if it is empty. Returns true if it was stored.
    pub(super) fn store_passphrase(&self, access: &SiteAccess, passphrase: Option<String>) -> Result<bool, Problem> {
        const KIND: SecretKind = SecretKind::CertificatePassphrase;
        match (passphrase, access.certificate_origin()) {
            (None, _) | (Some(_), None) => Ok(false),
            (Some(text), Some(_)) if text.is_empty() => forget(&self.vault, &access.name, KIND).map(|()| false),
            (Some(text), Some(origin)) => {
                self.vault.put_for(&access.name, KIND, &origin, &Secret::new(text));
                Ok(true)
            }
        }
    }
}
