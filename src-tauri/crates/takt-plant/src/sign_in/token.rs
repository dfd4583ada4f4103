//! The token endpoint, which exchanges codes and refresh tokens for token pairs, and the revocation endpoint (RFC
//! 7009).

use axum::{
    body::Body,
    http::{HeaderMap, StatusCode},
    response::Response,
};

use crate::{
    FaultKind, Plant, TokenPair,
    form::Parameters,
    grants::Code,
    secret,
    sign_in::client::{Denial, authenticated, json_response},
    user::User,
};

const NO_CODE: Denial = Denial::grant("The code is unknown, used or expired, or was given for something else.");
const NO_REFRESH: Denial = Denial::grant("The refresh token is unknown, used, expired or revoked.");
const SCOPE_TOO_WIDE: Denial = Denial::scope("scope must name no more than was granted.");

/// `POST /connect/token`: exchanges a code or refresh token. Also returns the user for the log.
pub(crate) fn exchange(plant: &Plant, headers: &HeaderMap, body: &[u8]) -> (Response, Option<User>) {
    match exchange_grant(plant, headers, body) {
        Ok((pair, user)) => {
            let text = serde_json::to_string(&pair).unwrap_or_default();
            (json_response(StatusCode::OK, text), Some(user))
        }
        Err(denial) => (denial.to_response(), None),
    }
}

/// `POST /connect/revocation`: revokes a token. An unknown token counts as revoked.
pub(crate) fn revoke(plant: &Plant, headers: &HeaderMap, body: &[u8]) -> Response {
    match revoke_token(plant, headers, body) {
        Ok(()) => json_response(StatusCode::OK, Body::empty()),
        Err(denial) => denial.to_response(),
    }
}

fn revoke_token(plant: &Plant, headers: &HeaderMap, body: &[u8]) -> Result<(), Denial> {
    let form = authenticated(plant, headers, body)?;
    let token = form.get_nonempty("token").ok_or(Denial::request("token is missing."))?;
    plant.identity.update_grants(|grants| grants.revoke(token));
    Ok(())
}

fn exchange_grant(plant: &Plant, headers: &HeaderMap, body: &[u8]) -> Result<(TokenPair, User), Denial> {
    let form = authenticated(plant, headers, body)?;
    match form.get_nonempty("grant_type").ok_or(Denial::request("grant_type is missing."))? {
        "authorization_code" => exchange_code(plant, &form),
        "refresh_token" => exchange_refresh(plant, &form),
        _ => Err(Denial::GRANT_TYPE),
    }
}

fn exchange_code(plant: &Plant, form: &Parameters) -> Result<(TokenPair, User), Denial> {
    let text = form.get_nonempty("code").ok_or(Denial::request("code is missing."))?;
    let redirect_uri = form.get_nonempty("redirect_uri").ok_or(Denial::request("redirect_uri is missing."))?;
    let now = plant.now();
    let identity = &plant.identity;
    // One critical section, so that a second use of the code revokes the tokens of the first.
    identity.update_grants(|grants| {
        let code = grants.use_code(text, now).ok_or(NO_CODE)?;
        let Code { user, scope, redirect_uri: granted_for, challenge, .. } = code;
        if redirect_uri != granted_for || !verifier_matches(challenge.as_deref(), form.get_nonempty("code_verifier")) {
            return Err(NO_CODE);
        }
        let pair = identity.new_pair(&scope)?;
        grants.start_family(user, &pair, now, identity.expiry(now));
        grants.set_code_family(text, &pair);
        Ok((pair, user))
    })
}

/// Whether the verifier matches the challenge. A verifier without a challenge means that an attacker removed the
/// challenge.
fn verifier_matches(challenge: Option<&str>, verifier: Option<&str>) -> bool {
    match (challenge, verifier) {
        (None, None) => true,
        (Some(challenge), Some(verifier)) => {
            (43..=128).contains(&verifier.len()) && secret::are_equal(&secret::challenge(verifier), challenge)
        }
        (Some(_), None) | (None, Some(_)) => false,
    }
}

fn exchange_refresh(plant: &Plant, form: &Parameters) -> Result<(TokenPair, User), Denial> {
    let text = form.get_nonempty("refresh_token").ok_or(Denial::request("refresh_token is missing."))?;
    let now = plant.now();
    if plant.dice.lock().roll(|kind| kind == FaultKind::RevokeRefresh).is_some() {
        plant.identity.update_grants(|grants| grants.revoke_family_of(text));
        return Err(NO_REFRESH);
    }
    let identity = &plant.identity;
    // One critical section, so that a second use of the token fails.
    identity.update_grants(|grants| {
        let requested_scope = form.get_nonempty("scope");
        // A scope that is too wide is a mistake of the client and doesn't use up the token.
        if let (Some(requested_scope), Some(granted)) = (requested_scope, grants.scope_of(text))
            && requested_scope.split_whitespace().any(|name| !granted.split(' ').any(|known| known == name))
        {
            return Err(SCOPE_TOO_WIDE);
        }
        let inherited = grants.use_refresh(text, now).ok_or(NO_REFRESH)?;
        let user = inherited.user;
        let mut pair = identity.new_pair(&inherited.scope)?;
        if let Some(requested_scope) = requested_scope {
            pair.scope = requested_scope.split_whitespace().collect::<Vec<_>>().join(" ");
        }
        grants.add_pair(inherited, &pair, now, identity.expiry(now));
        Ok((pair, user))
    })
}
