//! A proxy configuration script (PAC) that the system names: Takt runs none, and says so where it may be why nothing is reached.

use std::{
    process::{Command, Stdio},
    time::Duration,
};

use tokio::{task::spawn_blocking, time::timeout};

/// How long the system's own program may take.
const PROXY_LOOKUP_TIMEOUT: Duration = Duration::from_secs(3);

/// The script's address, where the system names one.
pub(super) async fn find() -> Option<String> {
    let (program, arguments) = question();
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stderr(Stdio::null());
    #[cfg(windows)]
    {
        // No window of its own.
        const CREATE_NO_WINDOW: u32 = 0x0800_0000;
        std::os::windows::process::CommandExt::creation_flags(&mut command, CREATE_NO_WINDOW);
    }
    let asked = timeout(PROXY_LOOKUP_TIMEOUT, spawn_blocking(move || command.output())).await.ok()?.ok()?.ok()?;
    address(&String::from_utf8_lossy(&asked.stdout))
}

#[cfg(windows)]
fn question() -> (&'static str, &'static [&'static str]) {
    ("reg", &["query", r"HKCU\Software\Microsoft\Windows\CurrentVersion\Internet Settings", "/v", "AutoConfigURL"])
}

#[cfg(target_os = "macos")]
fn question() -> (&'static str, &'static [&'static str]) {
    ("scutil", &["--proxy"])
}

#[cfg(not(any(windows, target_os = "macos")))]
fn question() -> (&'static str, &'static [&'static str]) {
    ("gsettings", &["list-recursively", "org.gnome.system.proxy"])
}

/// Out of what any of the programs says.
fn address(said: &str) -> Option<String> {
    let words = |line: &str| line.split([' ', '\t', '\'']).filter(|word| !word.is_empty()).map(str::to_owned).collect();
    let lines: Vec<Vec<String>> = said.lines().map(words).collect();
    let after = |name: &str| lines.iter().find(|line| line.iter().any(|word| word == name))?.last().cloned();
    let is_on =
        after("mode").is_none_or(|mode| mode == "auto") && after("ProxyAutoConfigEnable").is_none_or(|on| on == "1");
    let named = ["AutoConfigURL", "ProxyAutoConfigURLString", "autoconfig-url"].into_iter().find_map(after);
    named.filter(|address| is_on && address.contains("://"))
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn each_system_says_it_otherwise() {
        let windows = "\r\nHKEY_CURRENT_USER\\Software\r\n    AutoConfigURL    REG_SZ    http://wpad/proxy.pac\r\n\r\n";
        let macos =
            "<dictionary> {\n  ProxyAutoConfigEnable : 1\n  ProxyAutoConfigURLString : http://wpad/proxy.pac\n}";
        let gnome = "org.gnome.system.proxy autoconfig-url 'http://wpad/proxy.pac'\norg.gnome.system.proxy mode 'auto'";
        for said in [windows, macos, gnome] {
            assert_eq!(address(said).as_deref(), Some("http://wpad/proxy.pac"), "{said}");
        }
        for said in
            ["", &macos.replace(": 1", ": 0"), &gnome.replace("'auto'", "'none'"), "autoconfig-url ''\nmode 'auto'"]
        {
            assert_eq!(address(said), None, "{said}");
        }
    }
}
