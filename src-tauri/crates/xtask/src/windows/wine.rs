//! Wine with its own prefix, a folder with drive `C:` and a registry.

use std::{fs, path::PathBuf, process::Command, time::Duration};

use crate::{
    console::timed,
    error::XtaskError,
    process::{capture_output, program},
    windows::toolchain::folder,
};

/// The time limit for creating the prefix.
const SETUP_TIMEOUT: Duration = Duration::from_secs(180);
/// The library from which Rust programs get random numbers. Wine 8 lacks it, so it is built from the source below.
const RANDOM_LIBRARY: &str = "bcryptprimitives.dll";
const RANDOM_SOURCE: &str = "#include <windows.h>
BOOLEAN WINAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T length) { return SystemFunction036(bytes, (ULONG)length); }
";
/// The address of a network share for tests.
pub(super) const SHARE: &str = "\\\\takt-share\\files";

/// A Wine prefix, which is reused by later runs.
#[derive(Debug)]
pub(super) struct Wine {
    prefix: PathBuf,
}

impl Wine {
    pub(super) fn prepare() -> Result<Self, XtaskError> {
        let wine = Self { prefix: folder().join("wine") };
        let library = wine.drive().join("windows/system32").join(RANDOM_LIBRARY);
        if !library.is_file() {
            timed("Windows: setting up Wine", || wine.set_up(&library))?;
        }
        Ok(wine)
    }

    /// Returns the folder on this computer that Wine uses as drive `C:`.
    pub(super) fn drive(&self) -> PathBuf {
        self.prefix.join("drive_c")
    }

    /// Returns a command that runs a Windows program, and kills it after the time limit.
    pub(super) fn command(&self, limit: Duration, windows_program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = program("timeout");
        command.args(["--kill-after=5", &limit.as_secs().to_string(), "wine"]).arg(windows_program);
        command.env("WINEPREFIX", &self.prefix).env("WINEDEBUG", "-all").env("WINEDLLOVERRIDES", "mscoree,mshtml=");
        command
            .env("LC_ALL", "C.UTF-8")
            .env("TAKT_TEST_SHARE", SHARE)
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY");
        command
    }

    /// Ends remaining processes, and waits until Wine has written all files.
    pub(super) fn end_processes(&self) {
        let mut server = program("timeout");
        server.args(["30", "wineserver", "-k", "-w"]).env("WINEPREFIX", &self.prefix);
        // The command fails if no process remains.
        drop(capture_output(server));
    }

    fn set_up(&self, library: &std::path::Path) -> Result<(), XtaskError> {
        fs::create_dir_all(&self.prefix).map_err(XtaskError::file(&self.prefix))?;
        let mut boot = self.command(SETUP_TIMEOUT, "wineboot");
        boot.arg("--init");
        capture_output(boot)?;
        let share = self.prefix.join("dosdevices/unc/takt-share/files");
        fs::create_dir_all(&share).map_err(XtaskError::file(&share))?;
        let source = self.prefix.join("random.c");
        fs::write(&source, RANDOM_SOURCE).map_err(XtaskError::file(&source))?;
        let mut compiler = program("x86_64-w64-mingw32-gcc");
        compiler.args(["-O2", "-shared", "-o"]).arg(library).arg(&source).arg("-ladvapi32");
        capture_output(compiler).map(drop)
    }
}
