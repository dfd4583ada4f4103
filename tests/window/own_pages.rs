//! The window shows its own pages alone, wherever a script or a link would lead it.

use std::time::Duration;

use crate::desk::Desk;

#[tokio::test]
async fn no_address_leads_out_of_the_window() {
    let desk = Desk::open().await;
    for address in ["http://127.0.0.1:9/", "data:text/html,gone", "file:///etc/hostname"] {
        desk.window.script("location.href = arguments[0]", vec![address.into()]).await;
        tokio::time::sleep(Duration::from_millis(300)).await;
        desk.sees("import-open").await;
        let here = desk.window.script("return location.protocol", Vec::new()).await;
        assert_eq!(here, "tauri:", "{address}");
    }
    desk.window.close().await;
}
