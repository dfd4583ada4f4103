//! The names of the developers' commands, which `main` dispatches and tidy compares with the documentation.

/// The names after `cargo xtask`.
pub(crate) const COMMANDS: [&str; 20] = [
    "run",
    "test",
    "lint",
    "window-journey",
    "crash",
    "fuzz",
    "bench",
    "setup",
    "tidy",
    "samples",
    "pictures",
    "docs",
    "reference",
    "licenses",
    "check-dependencies",
    "icons",
    "package",
    "check-packages",
    "release",
    "check-windows",
];
