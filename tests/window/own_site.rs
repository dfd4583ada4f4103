//! Opens windows that are signed in to a user's site.

use serde_json::{Value, json};
use takt_tests::{ANY_PORT, Engine, Plant, TestApp};

/// Opens a window with a site that signs in at the plant. `base_url` is the plant's address, or a test server's.
pub(crate) async fn signed_in(engine: Engine, name: &str, plant: &Plant, base_url: &str) -> TestApp {
    let app = TestApp::open(engine).await;
    let mut site = app.invoke("app_state", json!({})).await["sites"][0]["site"].clone();
    site["name"] = json!(name);
    site["kind"] = json!("test");
    site["baseUrl"] = json!(base_url);
    site["authUrl"] = json!(plant.member("auth_url"));
    site["clientId"] = json!(plant.member("client_id"));
    site["redirectUris"] = json!([ANY_PORT]);
    let secret = plant.member("client_secret");
    let saved = app.invoke("site_save", json!({ "site": site, "secrets": { "client": secret } })).await;
    assert_eq!(saved["problem"], Value::Null, "{saved}");
    assert_eq!(app.invoke("site_choose", json!({ "name": name })).await, Value::Null);
    app.click("nav-browse").await;
    app.wait_for_element("sign-in").await;
    app.sign_in().await;
    app.wait_until_gone("sign-in").await;
    app
}
