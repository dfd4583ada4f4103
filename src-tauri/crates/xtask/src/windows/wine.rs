//! Wine, with a Windows of its own that nothing else uses.

use std::{fs, path::PathBuf, process::Command, time::Duration};

use crate::{
    console::timed,
    error::XtaskError,
    process::{catch, program},
    windows::folder,
};

/// How long making a Windows may take.
const SETUP: Duration = Duration::from_secs(180);
/// Rust's programs take their random numbers from it, and Wine 8 doesn't have it.
const RANDOM: &str = "bcryptprimitives.dll";
const RANDOM_SOURCE: &str = "#include <windows.h>
BOOLEAN WINAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T length) { return SystemFunction036(bytes, (ULONG)length); }
";
/// The share that tests find at `\\\\takt-share\\files`.
pub(super) const SHARE: &str = "\\\\takt-share\\files";

/// A Windows folder as Linux sees it.
#[derive(Debug)]
pub(super) struct Wine {
    prefix: PathBuf,
}

impl Wine {
    pub(super) fn prepare() -> Result<Self, XtaskError> {
        let wine = Self { prefix: folder().join("wine") };
        let library = wine.drive().join("windows/system32").join(RANDOM);
        if !library.is_file() {
            timed("Windows: setting up Wine", || wine.set_up(&library))?;
        }
        Ok(wine)
    }

    /// Drive `C:`.
    pub(super) fn drive(&self) -> PathBuf {
        self.prefix.join("drive_c")
    }

    /// A program of Windows, not yet started. It is ended where it takes longer.
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

    /// Ends what lingers, and waits until everything is written.
    pub(super) fn end(&self) {
        let mut server = program("timeout");
        server.args(["30", "wineserver", "-k", "-w"]).env("WINEPREFIX", &self.prefix);
        // Where nothing lingers it ends with an error.
        drop(catch(server));
    }

    fn set_up(&self, library: &std::path::Path) -> Result<(), XtaskError> {
        fs::create_dir_all(&self.prefix).map_err(XtaskError::file(&self.prefix))?;
        let mut boot = self.command(SETUP, "wineboot");
        boot.arg("--init");
        catch(boot)?;
        let share = self.prefix.join("dosdevices/unc/takt-share/files");
        fs::create_dir_all(&share).map_err(XtaskError::file(&share))?;
        let source = self.prefix.join("random.c");
        fs::write(&source, RANDOM_SOURCE).map_err(XtaskError::file(&source))?;
        let mut compiler = program("x86_64-w64-mingw32-gcc");
        compiler.args(["-O2", "-shared", "-o"]).arg(library).arg(&source).arg("-ladvapi32");
        catch(compiler).map(drop)
    }
}
