//! The window shows its own pages alone, wherever a script or a link would lead it.

use std::time::Duration;

use crate::test_app::TestApp;

#[tokio::test]
async fn no_address_leads_out_of_the_window() {
    let app = TestApp::open().await;
    for address in ["http://127.0.0.1:9/", "data:text/html,gone", "file:///etc/hostname"] {
        app.window.script("location.href = arguments[0]", vec![address.into()]).await;
        tokio::time::sleep(Duration::from_millis(300)).await;
        app.sees("import-open").await;
        let here = app.window.script("return location.protocol", Vec::new()).await;
        assert_eq!(here, "tauri:", "{address}");
    }
    app.window.close().await;
}
