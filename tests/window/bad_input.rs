//! Unreadable files, opened with the window's command. Each has an error code and a hint, and the window stays usable.

use serde_json::json;

use takt_tests::{Engine, TestApp};

#[tokio::test]
async fn what_is_no_workbook_is_refused_with_a_reason_and_nothing_breaks() {
    let app = TestApp::open(Engine::Chromium).await;
    let cases: [(&str, &[u8], &str); 3] = [
        ("notes.xlsx", b"PK\x03\x04 but nothing else", "file-damaged"),
        ("picture.xlsx", b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00", "file-not-workbook"),
        ("empty.csv", b"", "file-empty"),
    ];
    for (name, content, code) in cases {
        let path = app.takt.file(name);
        std::fs::write(&path, content).unwrap();
        let answer = app.invoke("import_open", json!({ "path": path, "ticket": 1, "channel": "__CHANNEL__:0" })).await;
        assert_eq!(answer["problem"]["code"], code, "{name}: {answer}");
        assert!(answer["problem"]["hint"].as_str().is_some_and(|hint| hint.len() > 10), "{answer}");
    }
    app.click("sample-stock.sync").await;
    app.click("step-check").await;
    app.wait_for_element("facet-required").await;
    app.window.close().await;
}
