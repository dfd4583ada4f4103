//! The package for Fedora, SUSE and their relatives, by rpmbuild: it finds what the program links to by itself, and is told
//! what the window loads.

use std::{fs, path::PathBuf};

use crate::{
    console::timed,
    error::XtaskError,
    package::{Options, Tree, folder},
    process::{catch, exists, program},
    setup, window_libraries,
};

const HEAD: &str = "%global debug_package %{nil}
%global _build_id_links none
%global __os_install_post %{nil}
Name: takt
Release: 1
Summary: Planner's console for a shop-floor production-execution service
License: MIT
Requires: ca-certificates
Recommends: libayatana-appindicator-gtk3
Recommends: xdg-utils

%description
Sign in, drop a spreadsheet, see what it would change, send it in batches, and
know for every row what became of it. With the window (takt-desktop), the
command line (takt) and a practice plant.

%install
mkdir -p %{buildroot}/usr/share/zsh
cp -a %{tree}/usr %{buildroot}/
mv %{buildroot}/usr/share/zsh/vendor-completions %{buildroot}/usr/share/zsh/site-functions
mkdir -p %{buildroot}/usr/share/licenses/takt
mv %{buildroot}/usr/share/doc/takt/copyright %{buildroot}/usr/share/licenses/takt/LICENSE

%files
%license /usr/share/licenses/takt/LICENSE
%doc /usr/share/doc/takt/licenses.json
/usr/bin/takt
/usr/bin/takt-desktop
/usr/lib/systemd/user/takt-*.service
/usr/share/applications/takt.desktop
/usr/share/icons/hicolor/*/apps/takt.*
/usr/share/man/man1/*.1.gz
/usr/share/bash-completion/completions/takt
/usr/share/zsh/site-functions/_takt
/usr/share/fish/vendor_completions.d/takt.fish
";

pub(super) fn build(tree: &Tree, options: &Options) -> Result<PathBuf, XtaskError> {
    if !exists("rpmbuild") {
        setup::install(&["rpm"])?;
    }
    timed(&format!("making the rpm {}", options.version), || make(tree, options))
}

fn make(tree: &Tree, options: &Options) -> Result<PathBuf, XtaskError> {
    let scratch = folder().join("rpm");
    if scratch.exists() {
        fs::remove_dir_all(&scratch).map_err(XtaskError::file(&scratch))?;
    }
    fs::create_dir_all(&scratch).map_err(XtaskError::file(&scratch))?;
    let spec = scratch.join("takt.spec");
    let loaded: String =
        window_libraries::libraries()?.iter().map(|name| format!("Requires: {name}()(64bit)\n")).collect();
    fs::write(&spec, format!("Version: {}\n{loaded}{HEAD}", options.version)).map_err(XtaskError::file(&spec))?;
    let mut rpmbuild = program("rpmbuild");
    rpmbuild.args(["-bb", "--quiet"]);
    for (name, value) in [("_topdir", scratch.as_path()), ("_rpmdir", &scratch), ("tree", tree.root())] {
        rpmbuild.arg("--define").arg(format!("{name} {}", value.display()));
    }
    rpmbuild.args(["--define", "_rpmfilename %{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm"]).arg(&spec);
    catch(rpmbuild)?;
    let entries = fs::read_dir(&scratch).map_err(XtaskError::file(&scratch))?;
    let made =
        entries.flatten().map(|entry| entry.path()).find(|path| path.extension().is_some_and(|kind| kind == "rpm"));
    let made = made.ok_or_else(|| XtaskError::Missing("rpmbuild made no package".to_owned()))?;
    let out = folder().join(made.file_name().unwrap_or_default());
    fs::rename(&made, &out).map_err(XtaskError::file(&out))?;
    Ok(out)
}
