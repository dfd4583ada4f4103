//! `takt sync` of the large csv as a whole process, its change preview included, to a plant in a process of its own.

use std::{
    fs,
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use wait4::Wait4;

use crate::{
    bench::{
        http::ask,
        import::{files::made_csv, rows::known_row, whole::takt},
        peers::{folder, write},
        report::{Report, Table, plain},
        subject::{Plant, wrong},
    },
    error::XtaskError,
    process::catch,
};

pub(in crate::bench) const SITE: &str = "bench";
/// No keychain of this computer is touched: there is none on this bus.
const NO_BUS: &str = "unix:path=/nowhere";
const MEGABYTE: f64 = 1024.0 * 1024.0;

#[expect(clippy::cast_precision_loss, reason = "bytes of memory")]
pub(super) fn memory((rows, seed): (u32, u64), report: &mut Report) -> Result<(), XtaskError> {
    let file = made_csv("known", (rows, seed), known_row)?;
    let plant = Plant::start("takt plant", &[])?;
    let home = folder().join("sync");
    drop(fs::remove_dir_all(&home));
    signed_in(&home, &plant)?;
    let mut sync = command(&home);
    sync.arg("sync").arg(&file).args(["--to", "work-orders.sync", "--site", SITE, "--yes"]);
    let start = Instant::now();
    let failed = |source| XtaskError::Start { program: "takt sync".to_owned(), source };
    let errors = home.join("errors");
    let printed = fs::File::create(&errors).map_err(XtaskError::file(&errors))?;
    let child = sync.stdin(Stdio::null()).stdout(Stdio::null()).stderr(printed).spawn();
    let used = child.map_err(failed)?.wait4().map_err(failed)?;
    let seconds = start.elapsed().as_secs_f64();
    if used.status.code() != Some(0) {
        let output = fs::read_to_string(&errors).unwrap_or_default();
        return Err(XtaskError::Failed { line: "takt sync".to_owned(), status: used.status.to_string(), output });
    }
    let peak = (used.rusage.maxrss > 0).then(|| used.rusage.maxrss as f64 / MEGABYTE);
    let shown = plain(f64::from(rows));
    report.at_most(&format!("csv: peak memory of `takt sync`, {shown} rows"), 250.0, peak, "MB");
    let mut table = Table::new(&format!("`takt sync` of a csv, {shown} rows"), &["seconds", "rows/s", "peak MB"]);
    let rate = f64::from(rows) / seconds;
    table.row([plain(seconds), plain(rate), peak.map_or_else(|| "–".to_owned(), plain)]);
    report.tables.push(table);
    fs::remove_dir_all(&home).map_err(XtaskError::file(&home))
}

/// A home whose site is this plant, with somebody signed in.
pub(in crate::bench) fn signed_in(home: &Path, plant: &Plant) -> Result<(), XtaskError> {
    write(&home.join("passphrase"), b"of the bench alone\n")?;
    add_site(home, plant)?;
    sign_in(home, plant.subject.address)
}

pub(in crate::bench) fn command(home: &Path) -> Command {
    let mut command = takt();
    command.env("TAKT_HOME", home).env("TAKT_VAULT_PASSPHRASE_FILE", home.join("passphrase"));
    command.env("DBUS_SESSION_BUS_ADDRESS", NO_BUS);
    command
}

fn add_site(home: &Path, plant: &Plant) -> Result<(), XtaskError> {
    let (told, _) = plant.told();
    let member = |name: &str| told[name].as_str().unwrap_or_default().to_owned();
    let secret = home.join("secret");
    write(&secret, member("client_secret").as_bytes())?;
    let mut add = command(home);
    add.env("TAKT_CLIENT_SECRET_FILE", &secret).args(["site", "add", SITE, "--kind", "test"]);
    for (option, name) in [("--base-url", "base_url"), ("--auth-url", "auth_url"), ("--client-id", "client_id")] {
        add.args([option, &member(name)]);
    }
    for address in told["redirect_uris"].as_array().into_iter().flatten() {
        add.args(["--redirect-uri", address.as_str().unwrap_or_default()]);
    }
    catch(add).map(drop)
}

/// Chooses a person on the plant's page, and comes back as a browser does.
fn sign_in(home: &Path, plant: SocketAddr) -> Result<(), XtaskError> {
    let failed = |reason: &str| wrong("takt sign-in", reason);
    let mut program = command(home);
    program.args(["sign-in", "--site", SITE, "--no-browser"]).stdin(Stdio::null()).stdout(Stdio::piped());
    let start = |source| XtaskError::Start { program: "takt sign-in".to_owned(), source };
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
    let decided = ask(plant, "POST", path, form, b"user=planner").map_err(|error| failed(&error.to_string()))?;
    let back = decided.header("location").unwrap_or_default().trim_start_matches("http://").to_owned();
    let (host, path) = back.split_once('/').ok_or_else(|| failed("the plant names no way back"))?;
    let host = host.replace("localhost", "127.0.0.1").parse().map_err(|_| failed("the way back isn't an address"))?;
    ask(host, "GET", &format!("/{path}"), "", &[]).map_err(|error| failed(&error.to_string()))?;
    lines.for_each(drop);
    let ended = program.wait().map_err(start)?;
    if ended.success() { Ok(()) } else { Err(failed(&ended.to_string())) }
}
