//! Restrictions of a hijacked page. It can't open files that weren't chosen, redirect sites and events, load external
//! content, or bypass the isolation frame.

use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, Engine, Takt, Window};

async fn call_command(window: &Window, command: &str, arguments: Value) -> Value {
    let code = "const done = arguments[arguments.length - 1];
        window.__TAURI_INTERNALS__.invoke(arguments[0], arguments[1]).then(done, (problem) => done({ problem }));";
    window.client.execute_async(code, vec![json!(command), arguments]).await.unwrap()
}

fn problem_code(answer: &Value) -> &str {
    answer["problem"]["parameters"]["obstacle"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

#[tokio::test]
async fn nothing_leads_elsewhere_without_a_person() {
    let takt = Takt::new();
    let environment = [("LANG", "en_US.UTF-8"), ("TAKT_OPEN_FROM", ""), ("TAKT_DIALOGS", "refuse")];
    let window = Window::open(Engine::WebView, &takt, &environment).await;
    window
        .wait_until(
            "the window",
            CHANGE_TIMEOUT,
            "return document.querySelector('[data-testid=\"import-open\"]') !== null",
        )
        .await;

    let file = takt.write("orders.csv", "Code\nWO-1\n");
    let opening = json!({ "path": file, "ticket": 1, "channel": "__CHANNEL__:0" });
    assert_eq!(problem_code(&call_command(&window, "import_open", opening).await), "file-not-chosen");

    let mut site = call_command(&window, "app_state", json!({})).await["sites"][0]["site"].clone();
    site["name"] = json!("Works");
    site["kind"] = json!("production");
    site["baseUrl"] = json!("http://127.0.0.1:9");
    site["authUrl"] = json!("http://127.0.0.1:9");
    site["clientId"] = json!("takt");
    let saved = call_command(&window, "site_save", json!({ "site": site, "secrets": {} })).await;
    assert_eq!(problem_code(&saved), "not-confirmed");
    let sites = call_command(&window, "app_state", json!({})).await["sites"].clone();
    assert_eq!(sites.as_array().map(Vec::len), Some(1), "{sites}");

    let settings = json!({ "name": "ERP", "address": "http://127.0.0.1:9", "kinds": [], "headers": [], "secrets": {} });
    let added = call_command(&window, "forward_add", json!({ "settings": settings, "start": { "from": "now" } })).await;
    assert_eq!(problem_code(&added), "not-confirmed");
    let tried = call_command(&window, "forward_test", json!({ "settings": settings, "before": null })).await;
    assert_eq!(problem_code(&tried), "not-confirmed");
    assert_eq!(call_command(&window, "forward_targets", json!({})).await, json!([]));
    window.close().await;
}

#[tokio::test]
async fn the_page_takes_nothing_that_is_not_its_own() {
    let takt = Takt::new();
    let window = Window::open(Engine::WebView, &takt, &[("LANG", "en_US.UTF-8")]).await;
    window
        .wait_until(
            "the window",
            CHANGE_TIMEOUT,
            "return document.querySelector('[data-testid=\"import-open\"]') !== null",
        )
        .await;
    let code = r#"
        window.refused = [];
        document.addEventListener('securitypolicyviolation', (event) => window.refused.push(event.effectiveDirective));
        const put = (name, members) => document.body.append(Object.assign(document.createElement(name), members));
        document.head.append(Object.assign(document.createElement('base'), { href: 'https://example.invalid/' }));
        put('iframe', { src: 'https://example.invalid/' });
        put('object', { data: 'https://example.invalid/x', type: 'text/html' });
        put('script', { src: 'https://example.invalid/x.js' });
        put('form', { action: 'https://example.invalid/', method: 'post' });
        document.body.lastElementChild.submit();
        fetch('https://example.invalid/').catch(() => {});
        return true;"#;
    window.script(code, Vec::new()).await;
    let wanted = ["base-uri", "connect-src", "form-action", "frame-src", "object-src", "script-src-elem"];
    let all = format!("return {}.every((name) => window.refused.includes(name))", json!(wanted));
    window.wait_until("refusals", CHANGE_TIMEOUT, &all).await;
    window.close().await;
}

/// A message that the page creates doesn't come from the isolation frame, so it must be refused.
#[tokio::test]
async fn no_message_goes_around_the_isolation_frame() {
    let takt = Takt::new();
    let window = Window::open(Engine::WebView, &takt, &[("LANG", "en_US.UTF-8")]).await;
    window
        .wait_until(
            "the window",
            CHANGE_TIMEOUT,
            "return document.querySelector('[data-testid=\"import-open\"]') !== null",
        )
        .await;
    assert!(call_command(&window, "app_state", json!({})).await["sites"].is_array());

    // The isolation frame forwards messages with `postMessage`.
    let code = "const done = arguments[arguments.length - 1];
        const { transformCallback, postMessage } = window.__TAURI_INTERNALS__;
        const callback = transformCallback((answer) => done({ answer }), true);
        const error = transformCallback((refused) => done({ refused: String(refused) }), true);
        postMessage({ cmd: 'app_state', callback, error, payload: arguments[0], options: undefined });";
    let forged = json!({ "nonce": vec![0; 12], "payload": vec![0; 32], "contentType": "application/json" });
    for payload in [json!({}), forged] {
        let answer = window.client.execute_async(code, vec![payload]).await.unwrap();
        assert!(answer["refused"].is_string() && answer["answer"].is_null(), "{answer}");
    }

    let unknown = call_command(&window, "plugin:fs|read_file", json!({ "path": "/etc/hostname" })).await;
    assert_eq!(unknown["problem"], json!("Command refused_by_isolation not found"), "{unknown}");
    let code = "const done = arguments[arguments.length - 1];
        const huge = { name: 'x'.repeat(65 * 1024 * 1024) };
        window.__TAURI_INTERNALS__.invoke('site_choose', huge).then(done, (problem) => done({ problem }));";
    let huge = window.client.execute_async(code, Vec::new()).await.unwrap();
    assert_eq!(huge["problem"], json!("Command refused_by_isolation not found"));
    window.close().await;
}
