//! The compiler for Windows: Debian's Rust, with a standard library that is built once from Debian's source of it.

use std::{ffi::OsStr, fs, path::PathBuf, process::Command};

use crate::{
    console::timed,
    error::XtaskError,
    package_options::path_flags,
    place,
    process::{catch, program},
    setup,
    windows::folder,
};

pub(super) const TARGET: &str = "x86_64-pc-windows-gnu";
/// The compiler, its source, a linker, and what runs Windows' programs.
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
/// Other toolchains aren't on it.
const PATH: &str = "/usr/bin:/bin";
const CARGO: &str = "/usr/bin/cargo";
/// What the cargo that runs this command says to it, of another toolchain and another package.
const FOREIGN: [&str; 5] = ["RUSTUP_TOOLCHAIN", "RUSTC", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "LD_LIBRARY_PATH"];
const FLAGS: &str = "CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUSTFLAGS";
const CRATES: &str = "build-std=std,panic_unwind,panic_abort,proc_macro,test";

#[derive(Debug)]
pub(super) struct Toolchain {
    sysroot: PathBuf,
}

impl Toolchain {
    /// Installs what is missing, and builds the standard library where it isn't that of the compiler that is here.
    pub(super) fn prepare() -> Result<Self, XtaskError> {
        if !cfg!(target_os = "linux") {
            return Err(XtaskError::Missing("checking for Windows needs Debian or a relative of it".to_owned()));
        }
        setup::install(&PACKAGES)?;
        let toolchain = Self { sysroot: folder().join("standard-library") };
        let mut rustc = own("/usr/bin/rustc");
        rustc.arg("-vV");
        let version = catch(rustc)?;
        let stamp = toolchain.sysroot.join("stamp");
        if fs::read_to_string(&stamp).is_ok_and(|found| found == version) {
            return Ok(toolchain);
        }
        timed("Windows: building Rust's standard library (once, about two minutes)", || toolchain.build_library())?;
        fs::write(&stamp, version).map_err(XtaskError::file(&stamp))?;
        Ok(toolchain)
    }

    /// Cargo that builds for Windows.
    pub(super) fn cargo<S: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = S>) -> Command {
        let mut command = self.bare(CARGO);
        command.args(words);
        command
    }

    /// Cargo that builds what is handed on: the programs name no folder of this computer.
    pub(super) fn cargo_without_places<S: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = S>) -> Command {
        let mut command = self.cargo(words);
        command.env(FLAGS, format!("{} {}", self.flags(), path_flags("--remap-path-prefix", &place::root())));
        command
    }

    pub(super) fn clippy<S: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = S>) -> Command {
        let mut command = self.bare("/usr/bin/cargo-clippy");
        command.arg("clippy").args(words);
        command
    }

    fn bare(&self, name: &str) -> Command {
        let mut command = own(name);
        command.env("CARGO", CARGO).env("CARGO_TARGET_DIR", folder()).env("CARGO_INCREMENTAL", "0");
        command.env("CARGO_BUILD_TARGET", TARGET);
        command.env(FLAGS, self.flags());
        command
    }

    fn flags(&self) -> String {
        format!("--sysroot={}", self.sysroot.display())
    }

    /// An empty crate makes cargo build the library; what it is made of is then the target's own, as a toolchain has it.
    fn build_library(&self) -> Result<(), XtaskError> {
        let scratch = folder().join("sysroot-build");
        fs::create_dir_all(&scratch).map_err(XtaskError::file(&scratch))?;
        let manifest = "[package]\nname = \"empty\"\nedition = \"2024\"\n[lib]\npath = \"lib.rs\"\n[workspace]\n";
        for (name, text) in [("Cargo.toml", manifest), ("lib.rs", "")] {
            fs::write(scratch.join(name), text).map_err(XtaskError::file(scratch.join(name)))?;
        }
        let mut build = own(CARGO);
        build.args(["build", "--quiet", "--release", "-Z", CRATES, "--target", TARGET]).current_dir(&scratch);
        build.env("RUSTC_BOOTSTRAP", "1").env("CARGO_TARGET_DIR", scratch.join("target"));
        // As toolchains ship it: without its bitcode no released program can be optimised across crates.
        build.env(FLAGS, "-Cembed-bitcode=yes");
        catch(build)?;
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

/// A program of Debian's toolchain that sees no other one.
fn own(name: &str) -> Command {
    let mut command = program(name);
    for name in FOREIGN {
        command.env_remove(name);
    }
    command.env("PATH", PATH);
    command
}

/// Where cargo puts what it builds for Windows with this profile.
pub(super) fn built(profile: &str) -> PathBuf {
    place::target().join("windows").join(TARGET).join(profile)
}
