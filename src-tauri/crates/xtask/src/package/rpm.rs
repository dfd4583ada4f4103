//! Builds the packages for Fedora and SUSE with rpmbuild, which determines the linked libraries.

use std::{fs, path::PathBuf};

use crate::{
    console::timed,
    error::XtaskError,
    package::tree::{Trees, folder},
    package_options::Options,
    process::{capture_output, exists, program},
    setup,
};

/// The specification of both packages. Up to 0.1.0-1, the package `takt` contained the window, so updating it installs
/// both packages. Updating a later version must not install the window on a server.
const SPECIFICATION: &str = "%global debug_package %{nil}
%global _build_id_links none
%global __os_install_post %{nil}
Name: takt
Release: 2
Summary: Planner's console for a shop-floor service: command line
License: MIT
Requires: ca-certificates
Recommends: takt-desktop
Recommends: xdg-utils

%description
Check a spreadsheet, see what it would change, send it in batches, and know for
every row what became of it. Runs on servers and in scripts, and brings a
practice plant. The window is in the package takt-desktop.

%package -n takt-desktop
Summary: Planner's console for a shop-floor service: window
Requires: takt = %{version}-%{release}
Obsoletes: takt < 0.1.0-2
Recommends: libayatana-appindicator-gtk3
Recommends: xdg-utils

%description -n takt-desktop
Sign in, drop a spreadsheet, see what it would change, send it in batches, and
know for every row what became of it. The window of Takt.

%install
mkdir -p %{buildroot}/usr/share/zsh
cp -a %{command_line}/usr %{window}/usr %{buildroot}/
mv %{buildroot}/usr/share/zsh/vendor-completions %{buildroot}/usr/share/zsh/site-functions
for package in takt takt-desktop; do
  mkdir -p %{buildroot}/usr/share/licenses/$package
  mv %{buildroot}/usr/share/doc/$package/copyright %{buildroot}/usr/share/licenses/$package/LICENSE
done

%files
%license /usr/share/licenses/takt/LICENSE
%doc /usr/share/doc/takt/licenses.json
/usr/bin/takt
/usr/lib/systemd/user/takt-*.service
/usr/share/man/man1/*.1.gz
/usr/share/bash-completion/completions/takt
/usr/share/zsh/site-functions/_takt
/usr/share/fish/vendor_completions.d/takt.fish

%files -n takt-desktop
%license /usr/share/licenses/takt-desktop/LICENSE
%doc /usr/share/doc/takt-desktop/licenses.json
/usr/bin/takt-desktop
/usr/share/applications/takt.desktop
/usr/share/icons/hicolor/*/apps/takt.*
";

pub(super) fn build(trees: &Trees, options: &Options) -> Result<Vec<PathBuf>, XtaskError> {
    if !exists("rpmbuild") {
        setup::install(&["rpm"])?;
    }
    timed(&format!("making the rpm packages {}", options.version), || build_packages(trees, options))
}

fn build_packages(trees: &Trees, options: &Options) -> Result<Vec<PathBuf>, XtaskError> {
    let scratch = folder().join("rpm");
    if scratch.exists() {
        fs::remove_dir_all(&scratch).map_err(XtaskError::file(&scratch))?;
    }
    fs::create_dir_all(&scratch).map_err(XtaskError::file(&scratch))?;
    let specification = scratch.join("takt.spec");
    let text = format!("Version: {}\n{SPECIFICATION}", options.version);
    fs::write(&specification, text).map_err(XtaskError::file(&specification))?;
    let mut rpmbuild = program("rpmbuild");
    rpmbuild.args(["-bb", "--quiet"]);
    for (name, value) in [
        ("_topdir", scratch.as_path()),
        ("_rpmdir", &scratch),
        ("command_line", trees.command_line.root()),
        ("window", trees.window.root()),
    ] {
        rpmbuild.arg("--define").arg(format!("{name} {}", value.display()));
    }
    // The percent signs are doubled, since otherwise both packages would have the same file name.
    rpmbuild.args(["--define", "_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm"]).arg(&specification);
    capture_output(rpmbuild)?;
    let entries = fs::read_dir(&scratch).map_err(XtaskError::file(&scratch))?;
    let packages_made = entries.flatten().map(|entry| entry.path());
    let packages_made = packages_made.filter(|path| path.extension().is_some_and(|kind| kind == "rpm"));
    let mut packages = Vec::new();
    for package in packages_made {
        let out = folder().join(package.file_name().unwrap_or_default());
        fs::rename(&package, &out).map_err(XtaskError::file(&out))?;
        packages.push(out);
    }
    packages.sort();
    Ok(packages)
}
