//! Generates random requests to the sign-in endpoints and the documented control interface.

use rand::{Rng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use url::form_urlencoded::byte_serialize;

use super::{
    generated_values::{damage_value, odd_text, odd_value, to_json_text},
    raw_http::RawRequest,
};
use crate::fixture::Fixture;

/// The method, the path under the control address, and a valid body.
type ControlRequest = (String, String, Value);

/// Returns the documented requests of the control interface, except the reset, which would restart the run.
pub(super) async fn control_requests(fixture: &Fixture) -> Vec<ControlRequest> {
    let html = fixture.client.get(fixture.url("/practice")).send().await.unwrap().text().await.unwrap();
    let front = format!(" {}", fixture.plant.control_url);
    let row = |row: &str| {
        let mut codes = row.split("<code>").skip(1).filter_map(|rest| rest.split_once("</code>")).map(|(code, _)| code);
        let (method, path) = codes.next()?.split_once(&front)?;
        let body = codes.next().unwrap_or("{}").replace("&quot;", "\"");
        Some((method.to_owned(), path.to_owned(), serde_json::from_str(&body).unwrap()))
    };
    let controls: Vec<ControlRequest> =
        html.split("<tr>").filter_map(row).filter(|(_, path, _)| path != "/reset").collect();
    assert!(controls.len() > 15, "{controls:?}");
    controls
}

pub(super) fn random_control_request(
    fixture: &Fixture,
    controls: &[ControlRequest],
    random: &mut ChaCha8Rng,
) -> RawRequest {
    let (method, path, mut body) = controls.choose(random).unwrap().clone();
    for _ in 0..random.random_range(0..3) {
        damage_value(&mut body, random);
    }
    if random.random_bool(0.1) {
        body = odd_value(random);
    }
    let verbs = ["begin", "pause", "resume", "end", "reset", "plan", "track", "consume", "acknowledge", "close", "fly"];
    let path: Vec<String> = path
        .split('/')
        .map(|piece| match piece {
            "{verb}" => verbs.choose(random).copied().unwrap_or_default().to_owned(),
            "{resource}" if random.random_bool(0.5) => "work-orders".to_owned(),
            "{code}" if random.random_bool(0.7) => format!("WO-26{:04}", random.random_range(1..310)),
            "{id}" if random.random_bool(0.7) => random.random_range(0..20).to_string(),
            piece if piece.starts_with('{') && random.random_bool(0.2) => "%ff%fe".to_owned(),
            piece if piece.starts_with('{') => byte_serialize(odd_text(random).as_bytes()).collect(),
            piece => piece.to_owned(),
        })
        .collect();
    let key = if random.random_bool(0.95) { fixture.plant.control_key.as_str() } else { "forged" };
    RawRequest {
        method,
        target: format!("/control{}", path.join("/")),
        headers: vec![("authorization".to_owned(), format!("Bearer {key}"))],
        body: if random.random_bool(0.95) { to_json_text(&body).into_bytes() } else { vec![0xff, 0xfe, b'{'] },
        chunked: random.random_bool(0.1),
    }
}

/// Returns a request to the authorize or token endpoint with some valid and some invalid parameters.
pub(super) fn random_sign_in_request(fixture: &Fixture, random: &mut ChaCha8Rng) -> RawRequest {
    let right = [
        ("client_id", fixture.plant.client_id.as_str()),
        ("client_secret", &fixture.plant.client_secret),
        ("response_type", "code"),
        ("grant_type", ["authorization_code", "refresh_token"].choose(random).copied().unwrap_or_default()),
        ("scope", "service-api offline_access"),
        ("redirect_uri", &fixture.plant.redirect_uris[0]),
        ("state", "s"),
        ("code", "invented"),
        ("refresh_token", "invented"),
        ("code_challenge", "x"),
        ("code_verifier", "x"),
    ];
    let mut pairs = Vec::new();
    for (name, value) in right {
        let spoilt = odd_text(random);
        let value = match random.random_range(0..12) {
            0 => continue,
            1 => spoilt.as_str(),
            2 => {
                pairs.push(format!("{name}="));
                value
            }
            _ => value,
        };
        pairs.push(format!("{name}={}", byte_serialize(value.as_bytes()).collect::<String>()));
    }
    let form = pairs.join("&");
    let asks = random.random_bool(0.5);
    let method = ["GET", "POST", "POST", "PUT"].choose(random).copied().unwrap_or_default();
    let user = ["user=planner", "user=viewer", "user=%ff", "cancel=1", ""].choose(random).copied().unwrap_or_default();
    let (target, body) = match asks {
        true => (format!("/identity/connect/authorize?{form}"), user.to_owned()),
        false => ("/identity/connect/token".to_owned(), form),
    };
    let kind = ["application/x-www-form-urlencoded", "application/x-www-form-urlencoded", "application/json"];
    let kind = kind.choose(random).copied().unwrap_or_default();
    let headers = vec![("content-type".to_owned(), kind.to_owned())];
    RawRequest { method: method.to_owned(), target, headers, body: body.into_bytes(), chunked: random.random_bool(0.2) }
}
