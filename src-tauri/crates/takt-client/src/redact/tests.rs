//! Tests that known secrets are removed in the forms in which servers echo them.

use super::*;

const TOKEN: &str = "eyJhbGciOi.9f8e7d6c5b4a-XYZ_~";
const AWKWARD: &str = "p/ss\"w+rd&=<ü> 77";

fn redactor_with_secrets() -> Redactor {
    let redactor = Redactor::default();
    redactor.register_token(&Secret::new(TOKEN));
    redactor.register_secret(&Secret::new(AWKWARD));
    redactor
}

#[test]
fn known_secrets_are_found_in_every_encoding() {
    let redactor = redactor_with_secrets();
    for secret in [TOKEN, AWKWARD] {
        let json = serde_json::json!({ "echo": secret }).to_string();
        let percent: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
        let all_percent: String = secret.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let escaped: String = secret.chars().map(|character| format!("\\u{:04X}", u32::from(character))).collect();
        let entities: String = secret.chars().map(|character| format!("&#{};", u32::from(character))).collect();
        let twice = serde_json::json!({ "outer": json }).to_string();
        for text in [
            secret,
            &json,
            &json.replace('/', "\\/"),
            &percent.replace('+', "%20"),
            &all_percent,
            &escaped,
            &entities,
            &twice,
        ] {
            let left = redactor.redact_text(text);
            assert!(left.contains(SECRET_PLACEHOLDER), "{secret}: {text} left {left}");
            assert!(!left.contains(&secret[..MIN_SECRET_LENGTH]), "{text} left {left}");
        }
        assert!(serde_json::from_str::<serde_json::Value>(&redactor.redact_text(&json)).is_ok());
        assert!(serde_json::from_str::<serde_json::Value>(&redactor.redact_text(&twice)).is_ok());
    }
}

#[test]
fn known_secrets_are_found_within_base64() {
    use base64::{
        Engine,
        engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
    };
    let redactor = redactor_with_secrets();
    for before in ["", "i", "id", "id:", "client:"] {
        for secret in [TOKEN, AWKWARD] {
            let whole = format!("{before}{secret}");
            for text in [STANDARD.encode(&whole), URL_SAFE_NO_PAD.encode(&whole), STANDARD.encode(format!("{whole}!"))]
            {
                let left = redactor.redact_text(&text);
                assert!(left.contains(SECRET_PLACEHOLDER), "{text} left {left}");
                assert!(left.len() - SECRET_PLACEHOLDER.len() <= before.len() * 2 + 8, "{text} left {left}");
            }
        }
    }
}

#[test]
fn names_tell_secrets_that_nobody_knows() {
    let redactor = Redactor::default();
    let unknown = "Zq81-unknown-value";
    for text in [
        format!("Authorization: Bearer {unknown}\r\nHost: works"),
        format!("<li>authorization: {unknown}</li>"),
        format!("Cookie: a=1; b={unknown}"),
        format!("x-api-key: {unknown}"),
        format!(r#"{{"Authorization": "Bearer {unknown}", "code": "A-1"}}"#),
        format!(r#"[["cookie", "a={unknown}"]]"#),
        format!(r#"{{"headers": {{"X-Api-Key": ["{unknown}"]}}}}"#),
        format!(r#"{{"access_token":"{unknown}","token_type":"Bearer"}}"#),
        format!(r#"{{"echo":"{{\"refreshToken\":\"{unknown}\"}}"}}"#),
        format!("{{'client_secret': '{unknown}'}}"),
        format!("grant_type=refresh_token&refresh_token={unknown}&x=1"),
        format!("code_verifier={unknown}"),
        format!("it sent Bearer {unknown} to us"),
        format!("GET /x?access_token={unknown} HTTP/1.1"),
    ] {
        let left = redactor.redact_text(&text);
        assert!(!left.contains(unknown) && left.contains(SECRET_PLACEHOLDER), "{text} left {left}");
        assert_eq!(redactor.redact_text(&left), left, "once is enough");
    }
}

#[test]
fn what_is_no_secret_stays() {
    let redactor = redactor_with_secrets();
    for text in [
        "",
        "code A-1 is unknown",
        r#"{"errors":["quantity must be above 0","Bearer authentication is needed"]}"#,
        r#"Bearer realm="works", error="invalid_token""#,
        r#"{"error":"invalid_grant","error_description":"The refresh token was used before."}"#,
        "100 % of 5 & 6 \\ 7",
    ] {
        assert_eq!(redactor.redact_text(text), text);
    }
    let rows = br#"{"data":[{"code":"password","note":"Authorization: none"}]}"#.to_vec();
    assert_eq!(redactor.redact_data(rows.clone()), rows, "data changes only where a known secret stands");
}

#[test]
fn data_loses_known_secrets_only() {
    let redactor = redactor_with_secrets();
    redactor.register_secret(&Secret::new("production"));
    let rows = format!(r#"{{"data":[{{"code":"production","note":"sent with {TOKEN}"}}]}}"#);
    let left = String::from_utf8(redactor.redact_data(rows.into_bytes())).unwrap_or_default();
    assert_eq!(left, format!(r#"{{"data":[{{"code":"production","note":"sent with {SECRET_PLACEHOLDER}"}}]}}"#));
}

#[test]
fn headers_lose_their_values_by_name_and_by_value() {
    let given =
        [("Authorization", "x"), ("Cookie", "a=1"), ("X-Gateway-Token", "t"), ("X-Echo", TOKEN), ("Host", "works")];
    let given = given.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let values: Vec<String> =
        redactor_with_secrets().redact_headers(given).into_iter().map(|(_, value)| value).collect();
    assert_eq!(values, [SECRET_PLACEHOLDER, SECRET_PLACEHOLDER, SECRET_PLACEHOLDER, SECRET_PLACEHOLDER, "works"]);
}

#[test]
fn debug_shows_nothing() {
    assert!(!format!("{:?}", redactor_with_secrets()).contains(TOKEN));
}

#[test]
fn large_and_hostile_texts_take_no_time() {
    let redactor = redactor_with_secrets();
    let hostile = ["%".repeat(200_000), "\\\"token\\\":".repeat(20_000), "&#".repeat(100_000), "token=".repeat(30_000)];
    let began = std::time::Instant::now();
    for text in &hostile {
        drop(redactor.redact_text(text));
    }
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "{:?}", began.elapsed());
}
