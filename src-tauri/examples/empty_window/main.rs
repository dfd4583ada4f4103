//! A window of the same kind with nothing in it: what `cargo xtask bench browse` holds the start and the idle memory of
//! Takt's own window against.

use tauri::{WebviewUrl, WebviewWindowBuilder};

fn main() -> tauri::Result<()> {
    tauri::Builder::default()
        .setup(|app| {
            WebviewWindowBuilder::new(app, "main", WebviewUrl::default()).inner_size(1440.0, 900.0).build()?;
            Ok(())
        })
        .run(tauri::generate_context!("examples/empty_window/tauri.conf.json"))
}
