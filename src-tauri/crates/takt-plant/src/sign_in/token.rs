//! The token address: codes and refresh tokens become token pairs. The revocation address: tokens end (RFC 7009).

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
    sign_in::client::{Denial, answer, authenticated},
    user::User,
};

const NO_CODE: Denial = Denial::grant("The code is unknown, used or expired, or was given for something else.");
const NO_REFRESH: Denial = Denial::grant("The refresh token is unknown, used, expired or revoked.");
const WIDER: Denial = Denial::scope("scope must name no more than was granted.");

/// `POST /connect/token`. Says who signed in, for the log.
pub(crate) fn exchange(plant: &Plant, headers: &HeaderMap, body: &[u8]) -> (Response, Option<User>) {
    match granted(plant, headers, body) {
        Ok((pair, user)) => {
            let text = serde_json::to_string(&pair).unwrap_or_default();
            (answer(StatusCode::OK, text), Some(user))
        }
        Err(denial) => (denial.answer(), None),
    }
}

/// `POST /connect/revocation`. An unknown token counts as revoked.
pub(crate) fn revoke(plant: &Plant, headers: &HeaderMap, body: &[u8]) -> Response {
    match revoked(plant, headers, body) {
        Ok(()) => answer(StatusCode::OK, Body::empty()),
        Err(denial) => denial.answer(),
    }
}

fn revoked(plant: &Plant, headers: &HeaderMap, body: &[u8]) -> Result<(), Denial> {
    let form = authenticated(plant, headers, body)?;
    let token = form.filled("token").ok_or(Denial::request("token is missing."))?;
    plant.identity.changed(|grants| grants.revoke(token));
    Ok(())
}

fn granted(plant: &Plant, headers: &HeaderMap, body: &[u8]) -> Result<(TokenPair, User), Denial> {
    let form = authenticated(plant, headers, body)?;
    match form.filled("grant_type").ok_or(Denial::request("grant_type is missing."))? {
        "authorization_code" => from_code(plant, &form),
        "refresh_token" => from_refresh(plant, &form),
        _ => Err(Denial::GRANT_TYPE),
    }
}

fn from_code(plant: &Plant, form: &Parameters) -> Result<(TokenPair, User), Denial> {
    let text = form.filled("code").ok_or(Denial::request("code is missing."))?;
    let redirect_uri = form.filled("redirect_uri").ok_or(Denial::request("redirect_uri is missing."))?;
    let now = plant.now();
    let identity = &plant.identity;
    // One step: a second use of the same code revokes the tokens of the first.
    identity.changed(|grants| {
        let code = grants.use_code(text, now).ok_or(NO_CODE)?;
        let Code { user, scope, redirect_uri: granted_for, challenge, .. } = code;
        if redirect_uri != granted_for || !proven(challenge.as_deref(), form.filled("code_verifier")) {
            return Err(NO_CODE);
        }
        let pair = identity.new_pair(&scope)?;
        grants.start(user, &pair, now, identity.expiry(now));
        grants.code_became(text, &pair);
        Ok((pair, user))
    })
}

/// Whether the verifier fits the challenge. A verifier without a challenge means that somebody stripped the challenge.
fn proven(challenge: Option<&str>, verifier: Option<&str>) -> bool {
    match (challenge, verifier) {
        (None, None) => true,
        (Some(challenge), Some(verifier)) => {
            (43..=128).contains(&verifier.len()) && secret::same(&secret::challenge(verifier), challenge)
        }
        (Some(_), None) | (None, Some(_)) => false,
    }
}

fn from_refresh(plant: &Plant, form: &Parameters) -> Result<(TokenPair, User), Denial> {
    let text = form.filled("refresh_token").ok_or(Denial::request("refresh_token is missing."))?;
    let now = plant.now();
    if plant.dice.lock().roll(|kind| kind == FaultKind::RevokeRefresh).is_some() {
        plant.identity.changed(|grants| grants.revoke_family_of(text));
        return Err(NO_REFRESH);
    }
    let identity = &plant.identity;
    // One step: a second use of the same token fails.
    identity.changed(|grants| {
        let asked = form.filled("scope");
        // A scope that is too wide is a mistake of the client and uses nothing up.
        if let (Some(asked), Some(granted)) = (asked, grants.scope_of(text))
            && asked.split_whitespace().any(|name| !granted.split(' ').any(|known| known == name))
        {
            return Err(WIDER);
        }
        let heir = grants.use_refresh(text, now).ok_or(NO_REFRESH)?;
        let user = heir.user;
        let mut pair = identity.new_pair(&heir.scope)?;
        if let Some(asked) = asked {
            pair.scope = asked.split_whitespace().collect::<Vec<_>>().join(" ");
        }
        grants.grow(heir, &pair, now, identity.expiry(now));
        Ok((pair, user))
    })
}
