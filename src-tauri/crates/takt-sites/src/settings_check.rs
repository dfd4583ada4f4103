//! Checks a site's settings as typed by the user.

use jiff::tz::TimeZone;
use takt_client::ClientError;

use takt_core::{
    Code, Problem,
    invisible::{escape_invisible, is_invisible},
};

use crate::{NetworkSettings, SignInSettings, Site, SiteKind, site::PRACTICE};

const MAX_NAME_LENGTH: usize = 64;
const MAX_BATCH_SIZE: u32 = 10_000;
/// The longest timeout that users can set.
const MAX_TIMEOUT_SECONDS: u32 = 600;
/// A redirect address with any free port on this computer.
const DEFAULT_REDIRECT_URI: &str = "http://127.0.0.1:0/callback";

/// Trims the settings, fills in missing optional ones, and checks them.
pub(crate) fn normalize(mut site: Site, scope: &str) -> Result<Site, Problem> {
    for text in [&mut site.name, &mut site.base_url, &mut site.auth_url, &mut site.client_id, &mut site.time_zone] {
        *text = text.trim().to_owned();
    }
    site.scope = site.scope.split_whitespace().collect::<Vec<_>>().join(" ");
    if site.scope.is_empty() {
        scope.clone_into(&mut site.scope);
    }
    site.redirect_uris =
        site.redirect_uris.iter().map(|uri| uri.trim().to_owned()).filter(|uri| !uri.is_empty()).collect();
    if site.redirect_uris.is_empty() {
        site.redirect_uris = vec![DEFAULT_REDIRECT_URI.to_owned()];
    }
    site.proxy = site.proxy.map(|proxy| proxy.trim().to_owned()).filter(|proxy| !proxy.is_empty());
    site.allow_http &= site.first_unencrypted_address().is_some();
    site.ca_file = site.ca_file.map(|file| file.trim().to_owned()).filter(|file| !file.is_empty());
    site.reserved_prefix =
        site.reserved_prefix.map(|prefix| prefix.trim().to_owned()).filter(|prefix| !prefix.is_empty());
    let NetworkSettings { client_certificate, client_key, .. } = &mut site.network;
    for file in [client_certificate, client_key] {
        *file = file.take().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    }
    let SignInSettings { authorize_address, token_address, revocation_address, .. } = &mut site.sign_in;
    for address in [authorize_address, token_address, revocation_address] {
        *address = address.take().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    }
    if site.time_zone.is_empty() {
        "UTC".clone_into(&mut site.time_zone);
    }
    check_settings(&site)?;
    Ok(site)
}

/// Converts an error about an invalid setting to [`Code::InvalidInput`]. Any other error is a bug.
pub(crate) fn invalid_setting(error: &ClientError) -> Problem {
    match error {
        ClientError::Settings { setting, reason } => {
            Problem::new(Code::InvalidInput).parameter("what", *setting).details(reason)
        }
        other => Problem::new(Code::Bug).details(other),
    }
}

/// Rejects plain http to another computer, unless the user allows it.
pub(crate) fn require_encryption(site: &Site) -> Result<(), Problem> {
    match site.first_unencrypted_address() {
        Some(address) if !site.allow_http => Err(Problem::obstacle_with("plain-http", &[("address", address)])),
        Some(_) | None => Ok(()),
    }
}

/// Returns the name of a site's lock file, which is safe as a file name.
pub(crate) fn lock_file_name(site: &str) -> String {
    let name = takt_core::hex::to_hex(site.as_bytes());
    format!("{name}.lock")
}

fn check_settings(site: &Site) -> Result<(), Problem> {
    let invalid = |what: &str| Err(Problem::new(Code::InvalidInput).parameter("what", what));
    // Names that look the same must be equal, so invisible characters aren't allowed.
    let is_forbidden = |letter: char| letter.is_control() || is_invisible(letter);
    let is_invalid_name = site.name.chars().any(is_forbidden) || site.name.chars().count() > MAX_NAME_LENGTH;
    if site.name.is_empty()
        || is_invalid_name
        || site.name.eq_ignore_ascii_case(PRACTICE)
        || site.kind == SiteKind::Practice
    {
        return invalid(&escape_invisible(&site.name));
    }
    if site.client_id.is_empty() {
        return invalid("client ID");
    }
    if TimeZone::get(&site.time_zone).is_err() {
        return invalid(&site.time_zone);
    }
    if let Some(size) = site.batch_size.filter(|size| !(1..=MAX_BATCH_SIZE).contains(size)) {
        return invalid(&size.to_string());
    }
    let NetworkSettings { no_proxy, client_certificate, client_key, connect_timeout, read_timeout } = &site.network;
    if let Some(seconds) = [connect_timeout, read_timeout].into_iter().flatten().find(|seconds| !is_timeout(**seconds))
    {
        return invalid(&seconds.to_string());
    }
    if *no_proxy && site.proxy.is_some() {
        return invalid("proxy");
    }
    if client_key.is_some() && client_certificate.is_none() {
        return invalid("client certificate");
    }
    match site.redirect_uris.iter().find(|uri| !takt_client::is_redirect_uri(uri)) {
        Some(uri) => invalid(uri),
        None => Ok(()),
    }
}

fn is_timeout(seconds: u32) -> bool {
    (1..=MAX_TIMEOUT_SECONDS).contains(&seconds)
}
