//! The system's libraries that the window needs on Linux: GTK, WebKit and what belongs to them, loaded when a window is to be opened.
//!
//! Owns all unsafe code of the project, and whether WebKit uses hardware acceleration. One program is the window and the
//! command line, and the command line has to start where these libraries aren't, and without waiting for them. So the program
//! isn't linked to them: each of their functions that it calls is a stub here, which jumps to where [`load`] found the
//! function. `symbols.txt` lists them; `cargo xtask window-symbols` makes it anew, and a test of the product holds that the
//! program needs none of these libraries to start.

#[cfg(target_os = "linux")]
mod hardware_acceleration;
#[cfg(stubs)]
mod stubs;

/// A library of the window's that can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{library}: {reason}")]
pub struct MissingLibrary {
    /// As the system names it, such as `libgtk-3.so.0`.
    pub library: String,
    /// As the system's loader says it.
    pub reason: String,
}

/// Loads the libraries; before that, nothing of GTK or WebKit may be called. The first call does the work, later ones tell how it
/// ended.
///
/// # Errors
/// A library is missing on this computer, or too old to have a function that the window needs.
#[cfg(stubs)]
pub fn load() -> Result<(), MissingLibrary> {
    stubs::load()
}

/// Here they are linked, or part of the system.
///
/// # Errors
/// Never.
#[cfg(not(stubs))]
pub fn load() -> Result<(), MissingLibrary> {
    Ok(())
}

/// Turns WebKit's hardware acceleration off where this computer has no graphics card. Call it before any other thread is
/// started; beside others it changes nothing.
#[cfg(target_os = "linux")]
pub fn disable_hardware_acceleration_without_graphics_card() {
    let [devices, threads] = ["/dev", "/proc/self/task"].map(std::path::Path::new);
    hardware_acceleration::disable_without_graphics_card(devices, threads);
}

/// Elsewhere the system sees to it.
#[cfg(not(target_os = "linux"))]
pub fn disable_hardware_acceleration_without_graphics_card() {}
