//! The work that a machine is prepared for.

/// The work that the machine is prepared for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The command line without window and web UI.
    CommandLine,
    Window,
    /// `cargo xtask lint`.
    Lint,
    /// The tests that run on every system.
    PortableTests,
    /// The tests before a pull request.
    Tests,
    AllTests,
}

impl Purpose {
    /// Returns whether tests open the window.
    pub(super) fn needs_window_tests(self) -> bool {
        matches!(self, Self::Tests | Self::AllTests)
    }
}
