//! The compiler for Windows: Debian's Rust, with a standard library that is built from Debian's source.

use std::{ffi::OsStr, fs, path::PathBuf, process::Command};

use crate::{
    console::timed,
    error::XtaskError,
    package_options::path_flags,
    paths,
    process::{capture_output, program},
    setup,
};

pub(super) const TARGET: &str = "x86_64-pc-windows-gnu";
/// Debian's packages with the compiler, its source, a linker, and Wine.
const PACKAGES: [&str; 9] = [
    "rustc-web",
    "cargo-web",
    "rust-web-src",
    "rust-web-clippy",
    "rust-web-llvm",
    "gcc-mingw-w64-x86-64-win32",
    "g++-mingw-w64-x86-64-win32",
    "wine64",
    "wine",
];
/// A search path that excludes other toolchains.
const SEARCH_PATH: &str = "/usr/bin:/bin";
const CARGO: &str = "/usr/bin/cargo";
/// Variables of the cargo that runs this command. They refer to another toolchain, so they are removed.
const TOOLCHAIN_VARIABLES: [&str; 5] =
    ["RUSTUP_TOOLCHAIN", "RUSTC", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "LD_LIBRARY_PATH"];
const FLAGS_VARIABLE: &str = "CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUSTFLAGS";
const BUILD_STD: &str = "build-std=std,panic_unwind,panic_abort,proc_macro,test";

#[derive(Debug)]
pub(super) struct Toolchain {
    sysroot: PathBuf,
}

impl Toolchain {
    /// Installs missing packages. Builds the standard library if it is missing or for another version of the compiler.
    pub(super) fn prepare() -> Result<Self, XtaskError> {
        if !cfg!(target_os = "linux") {
            return Err(XtaskError::Missing("checking for Windows needs Debian or a relative of it".to_owned()));
        }
        setup::install(&PACKAGES)?;
        let toolchain = Self { sysroot: folder().join("standard-library") };
        let mut rustc = isolated_program("/usr/bin/rustc");
        rustc.arg("-vV");
        let version = capture_output(rustc)?;
        let stamp = toolchain.sysroot.join("stamp");
        if fs::read_to_string(&stamp).is_ok_and(|found| found == version) {
            return Ok(toolchain);
        }
        timed("Windows: building Rust's standard library (once, about two minutes)", || toolchain.build_library())?;
        fs::write(&stamp, version).map_err(XtaskError::file(&stamp))?;
        Ok(toolchain)
    }

    /// Returns a cargo command that builds for Windows.
    pub(super) fn cargo<S: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = S>) -> Command {
        let mut command = self.command(CARGO);
        command.args(words);
        command
    }

    /// Returns a cargo command for releases, whose programs contain no paths of this computer.
    pub(super) fn release_cargo<S: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = S>) -> Command {
        let mut command = self.cargo(words);
        command.env(FLAGS_VARIABLE, format!("{} {}", self.flags(), path_flags("--remap-path-prefix", &paths::root())));
        command
    }

    pub(super) fn clippy<S: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = S>) -> Command {
        let mut command = self.command("/usr/bin/cargo-clippy");
        command.arg("clippy").args(words);
        command
    }

    fn command(&self, name: &str) -> Command {
        let mut command = isolated_program(name);
        command.env("CARGO", CARGO).env("CARGO_TARGET_DIR", folder()).env("CARGO_INCREMENTAL", "0");
        command.env("CARGO_BUILD_TARGET", TARGET);
        command.env(FLAGS_VARIABLE, self.flags());
        command
    }

    fn flags(&self) -> String {
        format!("--sysroot={}", self.sysroot.display())
    }

    /// Builds the standard library as dependency of an empty crate, and copies its parts into the layout of a
    /// toolchain.
    fn build_library(&self) -> Result<(), XtaskError> {
        let scratch = folder().join("sysroot-build");
        fs::create_dir_all(&scratch).map_err(XtaskError::file(&scratch))?;
        let manifest = "[package]\nname = \"empty\"\nedition = \"2024\"\n[lib]\npath = \"lib.rs\"\n[workspace]\n";
        for (name, text) in [("Cargo.toml", manifest), ("lib.rs", "")] {
            fs::write(scratch.join(name), text).map_err(XtaskError::file(scratch.join(name)))?;
        }
        let mut build = isolated_program(CARGO);
        build.args(["build", "--quiet", "--release", "-Z", BUILD_STD, "--target", TARGET]).current_dir(&scratch);
        build.env("RUSTC_BOOTSTRAP", "1").env("CARGO_TARGET_DIR", scratch.join("target"));
        // Link-time optimization of released programs needs bitcode in the standard library, as toolchains provide it.
        build.env(FLAGS_VARIABLE, "-Cembed-bitcode=yes");
        capture_output(build)?;
        let library = self.sysroot.join("lib/rustlib").join(TARGET).join("lib");
        if self.sysroot.exists() {
            fs::remove_dir_all(&self.sysroot).map_err(XtaskError::file(&self.sysroot))?;
        }
        fs::create_dir_all(&library).map_err(XtaskError::file(&library))?;
        let built = scratch.join("target").join(TARGET).join("release/deps");
        for entry in fs::read_dir(&built).map_err(XtaskError::file(&built))? {
            let path = entry.map_err(XtaskError::file(&built))?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.ends_with(".rlib") && !name.starts_with("libempty-") {
                fs::copy(&path, library.join(&name)).map_err(XtaskError::file(&path))?;
            }
        }
        fs::remove_dir_all(&scratch).map_err(XtaskError::file(&scratch))
    }
}

/// Returns a command for a program of Debian's toolchain, without access to other toolchains.
fn isolated_program(name: &str) -> Command {
    let mut command = program(name);
    for name in TOOLCHAIN_VARIABLES {
        command.env_remove(name);
    }
    command.env("PATH", SEARCH_PATH);
    command
}

/// Returns cargo's output folder for Windows in the profile's subfolder.
pub(super) fn output_folder(profile: &str) -> PathBuf {
    paths::target().join("windows").join(TARGET).join(profile)
}

/// Returns the folder for Wine and all builds for Windows, below the build folder.
pub(super) fn folder() -> PathBuf {
    paths::target().join("windows")
}
