//! `cargo xtask window-symbols`: which functions of GTK, WebKit and what belongs to them the window's program calls on Linux, as the
//! list from which `takt-window-libraries` makes its stubs. And the check that a program needs none of these libraries to start.

use std::{collections::BTreeSet, fs, path::Path};

use crate::{
    console::print,
    error::XtaskError,
    place,
    process::{cargo, catch, program},
    setup::{self, Purpose},
};

const LIST: &str = "src-tauri/crates/takt-window-libraries/symbols.txt";
const PROGRAM: &str = "takt-desktop";
/// What the command line needs as well, and every system has.
const ALWAYS_THERE: [&str; 8] =
    ["libc.so.", "libm.so.", "libgcc_s.so.", "libdl.so.", "libpthread.so.", "librt.so.", "ld-linux-", "libdbus-1.so."];
/// How `nm` marks functions.
const FUNCTIONS: [&str; 3] = ["T", "W", "i"];

/// Links the program as usual, sees what it asks of which library, and writes that down.
pub(crate) fn run() -> Result<(), XtaskError> {
    setup::prepare(Purpose::Window)?;
    let mut build = cargo(["build", "--quiet", "--package", PROGRAM]);
    build.env("LINK_WINDOW_LIBRARIES", "1");
    catch(build)?;
    let built = place::built(PROGRAM);
    let mut wanted = BTreeSet::new();
    for (_, name) in symbols(&built, "--undefined-only")? {
        wanted.insert(name);
    }
    let mut list = String::new();
    for library in needed(&built)? {
        list.push_str(&library);
        list.push('\n');
        for (kind, name) in symbols(Path::new(&find(&library)?), "--defined-only")? {
            if !wanted.remove(&name) {
                continue;
            }
            if !FUNCTIONS.contains(&kind.as_str()) {
                let reason = format!("{name} of {library} is a value, which no stub stands in for");
                return Err(XtaskError::Answer { program: PROGRAM.to_owned(), reason });
            }
            list.push_str(&format!(" {name}\n"));
        }
    }
    let path = place::root().join(LIST);
    fs::write(&path, &list).map_err(XtaskError::file(&path))?;
    print(&format!("✓ {} functions in {LIST}", list.lines().filter(|line| line.starts_with(' ')).count()));
    Ok(())
}

/// Fails where the system's loader would look for a library of the window's before the program runs.
pub(crate) fn check(file: &Path) -> Result<(), XtaskError> {
    let found = needed(file)?;
    if found.is_empty() {
        return Ok(());
    }
    let reason = format!(
        "it needs {} to start, where the command line may not have them; `cargo xtask window-symbols` makes {LIST} anew",
        found.join(", ")
    );
    Err(XtaskError::Answer { program: file.display().to_string(), reason })
}

/// The libraries of the list, as the system names them.
pub(crate) fn libraries() -> Result<Vec<String>, XtaskError> {
    Ok(read()?.lines().filter(|line| !line.starts_with(' ')).map(str::to_owned).collect())
}

/// A library that refers to each function of the list, and is good for nothing else: Debian's tools read off it which packages the window
/// needs, and from which version on.
pub(crate) fn link_all(folder: &Path) -> Result<std::path::PathBuf, XtaskError> {
    let (source, out) = (folder.join("window.s"), folder.join("window.so"));
    let list = read()?;
    let functions = list.lines().filter(|line| line.starts_with(' ')).map(|line| format!(".quad {}\n", line.trim()));
    let text = format!(".data\n{}.section .note.GNU-stack,\"\",%progbits\n", functions.collect::<String>());
    fs::write(&source, text).map_err(XtaskError::file(&source))?;
    let mut compiler = program("cc");
    compiler.args(["-shared", "-nostdlib", "-Wl,--no-as-needed", "-o"]).arg(&out).arg(&source);
    for library in libraries()? {
        compiler.arg(find(&library)?);
    }
    catch(compiler)?;
    Ok(out)
}

fn read() -> Result<String, XtaskError> {
    let path = place::root().join(LIST);
    fs::read_to_string(&path).map_err(XtaskError::file(&path))
}

/// The libraries that the program is linked to, without those that are always there; in the order of their names.
fn needed(file: &Path) -> Result<Vec<String>, XtaskError> {
    let mut readelf = program("readelf");
    readelf.args(["--dynamic", "--wide"]).arg(file).env("LC_ALL", "C");
    Ok(needed_in(&catch(readelf)?))
}

fn needed_in(printed: &str) -> Vec<String> {
    let entries = printed.lines().filter(|line| line.contains("(NEEDED)"));
    let names = entries.filter_map(|line| Some(line.rsplit_once('[')?.1.trim().trim_end_matches(']').to_owned()));
    let of_window = names.filter(|name| !ALWAYS_THERE.iter().any(|known| name.starts_with(known)));
    of_window.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Kind and name, without versions.
fn symbols(file: &Path, which: &str) -> Result<Vec<(String, String)>, XtaskError> {
    let mut nm = program("nm");
    nm.args(["--dynamic", which]).arg(file);
    Ok(symbols_in(&catch(nm)?))
}

fn symbols_in(printed: &str) -> Vec<(String, String)> {
    let read = |line: &str| {
        let mut words = line.split_whitespace().rev();
        let (name, kind) = (words.next()?, words.next()?);
        Some((kind.to_owned(), name.split('@').next()?.to_owned()))
    };
    printed.lines().filter_map(read).collect()
}

/// Where the linker finds a library.
fn find(library: &str) -> Result<String, XtaskError> {
    let mut compiler = program("cc");
    compiler.arg(format!("-print-file-name={library}"));
    Ok(catch(compiler)?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_window_needs_is_told() {
        let printed = " 0x01 (NEEDED)  Shared library: [libgtk-3.so.0]\n 0x01 (NEEDED)  Shared library: [libc.so.6]\n\
                       0x01 (NEEDED)  Shared library: [libcairo.so.2]\n 0x01 (SONAME)  Library soname: [libx.so.1]\n";
        assert_eq!(needed_in(printed), ["libcairo.so.2", "libgtk-3.so.0"]);
    }

    #[test]
    fn symbols_have_a_kind_and_no_version() {
        let printed =
            "                 U gtk_init\n0000000000012340 T malloc@@GLIBC_2.2.5\n                 w __cxa@GLIBC_2\n";
        let read = symbols_in(printed);
        let pairs: Vec<_> = read.iter().map(|(kind, name)| (kind.as_str(), name.as_str())).collect();
        assert_eq!(pairs, [("U", "gtk_init"), ("T", "malloc"), ("w", "__cxa")]);
    }
}
