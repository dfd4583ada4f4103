//! A virtual display for the window (Xvfb).

use std::{process::Command, time::Duration};

use crate::Program;

const START_TIMEOUT: Duration = Duration::from_secs(20);

/// A virtual display. It ends when it is dropped.
#[derive(Debug)]
pub struct Display {
    _program: Program,
    name: String,
}

impl Display {
    /// Starts a display with the first free number.
    #[must_use]
    pub fn start(width: u32, height: u32) -> Self {
        let mut command = Command::new("Xvfb");
        command.args(["-displayfd", "1", "-nolisten", "tcp", "-screen", "0", &format!("{width}x{height}x24")]);
        let mut program = Program::start("Xvfb", command);
        let number = program.first_line(START_TIMEOUT);
        Self { _program: program, name: format!(":{}", number.trim()) }
    }

    /// Returns the value for `$DISPLAY`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}
