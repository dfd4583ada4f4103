//! Finds the system's proxy configuration script (PAC). Takt doesn't run scripts, so the check reports the script as a
//! possible cause of failures.

use std::{
    process::{Command, Stdio},
    time::Duration,
};

use tokio::{task::spawn_blocking, time::timeout};

/// The timeout of the program that reads the system's settings.
const PROXY_LOOKUP_TIMEOUT: Duration = Duration::from_secs(3);

/// Returns the script's address, if the system has one.
pub(super) async fn find_proxy_script() -> Option<String> {
    let (program, arguments) = lookup_command();
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stderr(Stdio::null());
    #[cfg(windows)]
    {
        // Prevents a console window from opening.
        const CREATE_NO_WINDOW: u32 = 0x0800_0000;
        std::os::windows::process::CommandExt::creation_flags(&mut command, CREATE_NO_WINDOW);
    }
    let result = timeout(PROXY_LOOKUP_TIMEOUT, spawn_blocking(move || command.output())).await.ok()?.ok()?.ok()?;
    parse_address(&String::from_utf8_lossy(&result.stdout))
}

#[cfg(windows)]
fn lookup_command() -> (&'static str, &'static [&'static str]) {
    ("reg", &["query", r"HKCU\Software\Microsoft\Windows\CurrentVersion\Internet Settings", "/v", "AutoConfigURL"])
}

#[cfg(target_os = "macos")]
fn lookup_command() -> (&'static str, &'static [&'static str]) {
    ("scutil", &["--proxy"])
}

#[cfg(not(any(windows, target_os = "macos")))]
fn lookup_command() -> (&'static str, &'static [&'static str]) {
    ("gsettings", &["list-recursively", "org.gnome.system.proxy"])
}

/// Parses the output of any platform's program.
fn parse_address(output: &str) -> Option<String> {
    let words = |line: &str| line.split([' ', '\t', '\'']).filter(|word| !word.is_empty()).map(str::to_owned).collect();
    let lines: Vec<Vec<String>> = output.lines().map(words).collect();
    let after = |name: &str| lines.iter().find(|line| line.iter().any(|word| word == name))?.last().cloned();
    let is_on =
        after("mode").is_none_or(|mode| mode == "auto") && after("ProxyAutoConfigEnable").is_none_or(|on| on == "1");
    let found = ["AutoConfigURL", "ProxyAutoConfigURLString", "autoconfig-url"].into_iter().find_map(after);
    found.filter(|address| is_on && address.contains("://"))
}

#[cfg(test)]
mod tests {
    use super::parse_address;

    #[test]
    fn each_system_says_it_otherwise() {
        let windows = "\r\nHKEY_CURRENT_USER\\Software\r\n    AutoConfigURL    REG_SZ    http://wpad/proxy.pac\r\n\r\n";
        let macos =
            "<dictionary> {\n  ProxyAutoConfigEnable : 1\n  ProxyAutoConfigURLString : http://wpad/proxy.pac\n}";
        let gnome = "org.gnome.system.proxy autoconfig-url 'http://wpad/proxy.pac'\norg.gnome.system.proxy mode 'auto'";
        for said in [windows, macos, gnome] {
            assert_eq!(parse_address(said).as_deref(), Some("http://wpad/proxy.pac"), "{said}");
        }
        for said in
            ["", &macos.replace(": 1", ": 0"), &gnome.replace("'auto'", "'none'"), "autoconfig-url ''\nmode 'auto'"]
        {
            assert_eq!(parse_address(said), None, "{said}");
        }
    }
}
