//! Converts a site's settings to the client's access settings.

use std::{path::PathBuf, time::Duration};

use takt_client::{ClientCertificate, SiteAccess, Timeouts, sign_in::ProviderSettings};
use takt_contract::form::ErrorForm;

use crate::{ClientAuthentication, NetworkSettings, SignInSettings, Site};

/// Returns the access settings without a lock file, and with default timeouts.
pub(crate) fn site_access(site: &Site) -> SiteAccess {
    SiteAccess {
        name: site.name.clone(),
        base_url: site.base_url.clone(),
        auth_url: site.auth_url.clone(),
        client_id: site.client_id.clone(),
        scope: site.scope.clone(),
        redirect_uris: site.redirect_uris.clone(),
        provider: provider_settings(&site.sign_in),
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
pub(crate) fn site_timeouts(settings: &NetworkSettings, default: Timeouts) -> Timeouts {
    let seconds_or =
        |seconds: Option<u32>, default| seconds.map_or(default, |seconds| Duration::from_secs(seconds.into()));
    Timeouts {
        connect: seconds_or(settings.connect_timeout, default.connect),
        request: seconds_or(settings.read_timeout, default.request),
        ..default
    }
}

fn client_certificate(settings: &NetworkSettings) -> Option<ClientCertificate> {
    let file = settings.client_certificate.as_ref().map(PathBuf::from)?;
    Some(ClientCertificate { file, key_file: settings.client_key.as_ref().map(PathBuf::from) })
}

fn provider_settings(settings: &SignInSettings) -> ProviderSettings {
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
