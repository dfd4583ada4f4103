//! Embeds the web UI, the icon and the capability file.

fn main() {
    tauri_build::build();
}
