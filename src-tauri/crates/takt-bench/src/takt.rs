//! The release build of the command line in a home with a signed-in user.

use std::{
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::Path,
    process::{Command, Stdio},
};

use crate::{
    error::{BenchError, unexpected_result},
    http::send_request,
    process::{run_captured, takt, write},
    subject::Plant,
};

/// The name of the site that [`prepare_home`] adds.
pub(crate) const SITE: &str = "bench";
/// The address of a session bus that doesn't exist, so that this computer's keychain isn't used.
const NO_BUS: &str = "unix:path=/nowhere";

/// Prepares a home with this plant as its site and a signed-in user.
pub(crate) fn prepare_home(home: &Path, plant: &Plant) -> Result<(), BenchError> {
    write(&home.join("passphrase"), b"of the bench alone\n")?;
    add_site(home, plant)?;
    sign_in(home, plant.subject.address)
}

pub(crate) fn takt_in_home(home: &Path) -> Command {
    let mut command = takt();
    command.env("TAKT_HOME", home).env("TAKT_VAULT_PASSPHRASE_FILE", home.join("passphrase"));
    command.env("DBUS_SESSION_BUS_ADDRESS", NO_BUS);
    command
}

fn add_site(home: &Path, plant: &Plant) -> Result<(), BenchError> {
    let (line, _) = plant.start_line_and_token();
    let member = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
    let secret = home.join("secret");
    write(&secret, member("client_secret").as_bytes())?;
    let mut add = takt_in_home(home);
    add.env("TAKT_CLIENT_SECRET_FILE", &secret).args(["site", "add", SITE, "--kind", "test"]);
    for (option, name) in [("--base-url", "base_url"), ("--auth-url", "auth_url"), ("--client-id", "client_id")] {
        add.args([option, &member(name)]);
    }
    for address in line["redirect_uris"].as_array().into_iter().flatten() {
        add.args(["--redirect-uri", address.as_str().unwrap_or_default()]);
    }
    run_captured(add).map(drop)
}

/// Signs in on the plant's page and follows the redirect as a browser does.
fn sign_in(home: &Path, plant: SocketAddr) -> Result<(), BenchError> {
    let failed = |reason: &str| unexpected_result("takt sign-in", reason);
    let mut program = takt_in_home(home);
    program.args(["sign-in", "--site", SITE, "--no-browser"]).stdin(Stdio::null()).stdout(Stdio::piped());
    let start = |source| BenchError::Start { program: "takt sign-in".to_owned(), source };
    let mut program = program.spawn().map_err(start)?;
    let mut lines = BufReader::new(program.stdout.take().ok_or_else(|| failed("it has no output"))?).lines();
    let address = lines.find_map(|line| {
        let line = line.ok()?;
        let at = line.find("http://")?;
        Some(line[at..].split_whitespace().next()?.to_owned())
    });
    let address = address.ok_or_else(|| failed("it names no address"))?;
    let path = address.trim_start_matches(&format!("http://{plant}"));
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    let decided =
        send_request(plant, "POST", path, form, b"user=planner").map_err(|error| failed(&error.to_string()))?;
    let back = decided.header("location").unwrap_or_default().trim_start_matches("http://").to_owned();
    let (host, path) = back.split_once('/').ok_or_else(|| failed("the plant names no way back"))?;
    let host = host.replace("localhost", "127.0.0.1").parse().map_err(|_| failed("the way back isn't an address"))?;
    send_request(host, "GET", &format!("/{path}"), "", &[]).map_err(|error| failed(&error.to_string()))?;
    lines.for_each(drop);
    let ended = program.wait().map_err(start)?;
    if ended.success() { Ok(()) } else { Err(failed(&ended.to_string())) }
}
