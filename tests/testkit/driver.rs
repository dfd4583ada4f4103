//! The WebDriver of the product's window: WebKitGTK's driver, or Edge's on Windows, which also drives WebView2. One
//! driver drives one window at a time.

use std::{
    net::{Ipv4Addr, TcpListener, TcpStream},
    process::Command,
    time::Duration,
};

use crate::{Display, Program};

const DRIVER: &str = if cfg!(windows) { "msedgedriver" } else { "WebKitWebDriver" };
const START_TIMEOUT: Duration = Duration::from_secs(20);

/// A WebDriver. It ends with its window when it is dropped.
#[derive(Debug)]
pub struct Driver {
    program: Program,
    port: u16,
}

impl Driver {
    /// Starts a driver that passes `environment` to its window. It also sets the variable that enables automation,
    /// without which opening a session would hang.
    #[must_use]
    pub fn start(display: Option<&Display>, environment: &[(String, String)]) -> Self {
        let port = free_port();
        let mut command = Command::new(DRIVER);
        command.arg(format!("--port={port}"));
        if let Some(display) = display {
            command.env("DISPLAY", display.name()).env_remove("WAYLAND_DISPLAY");
        }
        command.env("TAURI_WEBVIEW_AUTOMATION", "true");
        command.envs(environment.iter().map(|(name, value)| (name, value)));
        let mut program = Program::start(DRIVER, command);
        program.wait_for("open port", START_TIMEOUT, |_| TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok());
        Self { program, port }
    }

    #[must_use]
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns the output of the driver and the window.
    #[must_use]
    pub fn error_text(&self) -> String {
        format!("{}{}", self.program.output_text(), self.program.error_text())
    }

    /// Kills the driver and its window.
    pub fn kill(&mut self) {
        self.program.kill();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
    listener.local_addr().expect("a listener has an address").port()
}
