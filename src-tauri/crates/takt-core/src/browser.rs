//! Opening an address in the person's browser: `$BROWSER` where it is set, else what the system opens it with. A file opens in the
//! program that the system has for it.

use std::{
    env,
    path::Path,
    process::{Command, Stdio},
};

/// False where there was nothing to start; the address can always be copied.
#[must_use]
pub fn open_in_browser(address: &str) -> bool {
    let chosen = env::var("BROWSER").ok().filter(|browser| !browser.trim().is_empty());
    match chosen {
        // A list in the order of preference, as everywhere on Unix.
        Some(list) => list.split(separator()).any(|browser| start(&words(browser, address))),
        None => start(&usual(address)),
    }
}

/// Opens a file in the program that the system has for it; false where there was nothing to start.
#[must_use]
pub fn open_file(path: &Path) -> bool {
    start(&usual(&path.display().to_string()))
}

/// Shows a file where it lies, chosen where the system can do that; false where there was nothing to start.
#[must_use]
pub fn show_in_folder(path: &Path) -> bool {
    let mut command = if cfg!(windows) {
        Command::new("explorer")
    } else if cfg!(target_os = "macos") {
        Command::new("open")
    } else {
        Command::new("xdg-open")
    };
    choose_file(&mut command, path);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}

/// Explorer reads its own command line, in which the path stands between quotes.
#[cfg(windows)]
fn choose_file(command: &mut Command, path: &Path) {
    use std::os::windows::process::CommandExt;

    command.raw_arg(format!("/select,\"{}\"", path.display()));
}

#[cfg(target_os = "macos")]
fn choose_file(command: &mut Command, path: &Path) {
    command.arg("-R").arg(path);
}

/// There is no one way that all desktops have, so the folder is what is opened.
#[cfg(not(any(windows, target_os = "macos")))]
fn choose_file(command: &mut Command, path: &Path) {
    command.arg(path.parent().unwrap_or(path));
}

fn separator() -> char {
    if cfg!(windows) { ';' } else { ':' }
}

/// A command with `%s` where the address goes; without one it comes last.
fn words(browser: &str, address: &str) -> Vec<String> {
    // A program's path may hold spaces.
    if Path::new(browser).is_file() {
        return vec![browser.to_owned(), address.to_owned()];
    }
    let mut words: Vec<String> = browser.split_whitespace().map(|word| word.replace("%s", address)).collect();
    if !browser.contains("%s") && !words.is_empty() {
        words.push(address.to_owned());
    }
    words
}

fn usual(address: &str) -> Vec<String> {
    let command: &[&str] = if cfg!(windows) {
        // Not `cmd /c start`: a shell would read the `&` of the address.
        &["rundll32", "url.dll,FileProtocolHandler"]
    } else if cfg!(target_os = "macos") {
        &["open"]
    } else {
        &["xdg-open"]
    };
    command.iter().copied().chain([address]).map(str::to_owned).collect()
}

fn start(words: &[String]) -> bool {
    let Some((program, arguments)) = words.split_first() else { return false };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_goes_where_it_belongs() {
        assert_eq!(words("firefox -P work %s", "http://a/?b&c"), ["firefox", "-P", "work", "http://a/?b&c"]);
        assert_eq!(words("links", "http://a"), ["links", "http://a"]);
        assert_eq!(words(" ", "http://a"), [""; 0]);
    }
}
