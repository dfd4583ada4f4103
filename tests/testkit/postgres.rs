//! A PostgreSQL server for this test process. Its cluster is in a temporary folder, it listens on 127.0.0.1 only, and
//! it ends with the process.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

static CLUSTER: OnceLock<Cluster> = OnceLock::new();

/// A PostgreSQL server. It is stopped and removed when the process that started it ends, even if that is killed.
#[derive(Debug)]
pub struct Cluster {
    port: u16,
    databases: AtomicU32,
    programs: PathBuf,
    folder: PathBuf,
    /// The shell that stops the server as soon as its standard input is closed.
    _watcher: std::process::Child,
}

/// The script that stops and removes the server at the end of its input.
const WATCHER_SCRIPT: &str = r#"
cat > /dev/null
"${1:+$1/}pg_ctl" -D "$2/data" -m immediate stop > /dev/null 2>&1
rm -rf "$2"
"#;

/// Settings for speed. Without `fsync` and full pages, only a power failure could lose data. The log stays small, since
/// there are no replicas.
const SETTINGS: &str = "\
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 300
fsync = off
full_page_writes = off
wal_level = minimal
max_wal_senders = 0
min_wal_size = 2MB
max_wal_size = 32MB
";

/// The connect timeout in seconds for a server on a busy machine.
const CONNECT_TIMEOUT_SECONDS: u32 = 30;

/// Returns a command that runs as the account `postgres` if the test runs as root, since PostgreSQL refuses to run as
/// root.
fn command(program: &Path) -> Command {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
    let mut command = Command::new(if is_root { Path::new("runuser") } else { program });
    if is_root {
        command.args(["-u", "postgres", "--"]).arg(program);
    }
    // The account `postgres` may have no access to the tests' folder.
    command.current_dir("/");
    command
}

fn write_as_server(file: &Path, content: &[u8]) {
    let mut writing = command(Path::new("sh"));
    writing.args(["-c", "umask 077; cat > \"$1\"", "write"]).arg(file).stdin(Stdio::piped());
    let mut running = writing.spawn().expect("PostgreSQL runs here");
    running.stdin.take().expect("PostgreSQL runs here").write_all(content).expect("PostgreSQL runs here");
    assert!(running.wait().expect("PostgreSQL runs here").success(), "{}", file.display());
}

/// Returns the program folder of the newest installed version. Returns an empty path if `$PATH` must be searched.
fn programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let newest = versions.filter_map(|entry| {
        let number: u32 = entry.file_name().to_str()?.parse().ok()?;
        Some((number, entry.path().join("bin")))
    });
    newest.max().map(|(_, path)| path).unwrap_or_default()
}

impl Cluster {
    /// Creates a cluster and starts its server.
    ///
    /// # Panics
    /// If PostgreSQL isn't installed or doesn't start.
    #[must_use]
    pub fn start() -> Self {
        Self::start_with(None)
    }

    /// Like [`Cluster::start`], but accepts only TLS connections. `certificate` and `key` are paths of PEM files.
    ///
    /// # Panics
    /// If PostgreSQL isn't installed or doesn't start.
    #[must_use]
    pub fn start_with_tls(certificate: &str, key: &str) -> Self {
        Self::start_with(Some((certificate, key)))
    }

    fn start_with(tls: Option<(&str, &str)>) -> Self {
        let programs = programs();
        let folder = command(Path::new("mktemp"))
            .args(["-d", "/tmp/takt-postgres-XXXXXX"])
            .output()
            .expect("PostgreSQL runs here");
        let folder = PathBuf::from(String::from_utf8(folder.stdout).expect("PostgreSQL runs here").trim());
        let made = command(&programs.join("initdb"))
            .args(["--auth=trust", "--username=takt", "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8"])
            // Log segments of the default size would need hundreds of megabytes.
            .args(["--wal-segsize=1", "-D"])
            .arg(folder.join("data"))
            .output();
        let made = made.unwrap_or_else(|error| panic!("PostgreSQL (the package `postgresql`) is needed: {error}"));
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let port = TcpListener::bind("127.0.0.1:0")
            .expect("PostgreSQL runs here")
            .local_addr()
            .expect("PostgreSQL runs here")
            .port();
        let mut settings = format!("port = {port}\n{SETTINGS}");
        if let Some((certificate, key)) = tls {
            settings.push_str("ssl = on\n");
            let read = |file| std::fs::read(file).expect("a certificate can be read");
            // The server refuses a key file that other accounts can read.
            write_as_server(&folder.join("data/server.crt"), &read(certificate));
            write_as_server(&folder.join("data/server.key"), &read(key));
            write_as_server(&folder.join("data/pg_hba.conf"), b"hostssl all all 127.0.0.1/32 trust\n");
        }
        let mut configuration =
            OpenOptions::new().append(true).open(folder.join("data/postgresql.conf")).expect("PostgreSQL runs here");
        configuration.write_all(settings.as_bytes()).expect("PostgreSQL runs here");
        control(&programs, &folder, &["-w", "start"]);
        let watch = command(Path::new("sh"))
            .args(["-c", WATCHER_SCRIPT, "watch"])
            .args([&programs, &folder])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("PostgreSQL runs here");
        Self { port, databases: AtomicU32::new(1), programs, folder, _watcher: watch }
    }

    /// Creates an empty database and returns its address, which includes a connect timeout for busy machines.
    ///
    /// # Panics
    /// If the database can't be created.
    #[must_use]
    pub fn create_database(&self) -> String {
        let name = format!("takt_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let admin = format!("postgres://takt@127.0.0.1:{}/postgres", self.port);
        assert!(statement_succeeds(&admin, &format!("CREATE DATABASE {name}")), "a database can't be made");
        format!("postgres://takt@127.0.0.1:{}/{name}?connect_timeout={CONNECT_TIMEOUT_SECONDS}", self.port)
    }

    /// Returns the server's port on 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Stops the server immediately, without a checkpoint.
    ///
    /// # Panics
    /// If it doesn't run.
    pub fn stop(&self) {
        control(&self.programs, &self.folder, &["-m", "immediate", "stop"]);
    }

    /// Suspends the server with all its sessions. It receives statements but doesn't respond, as if its network dropped
    /// every packet.
    ///
    /// # Panics
    /// If it doesn't run.
    pub fn suspend(&self) {
        // The postmaster is suspended first, so that no session starts in the meantime.
        self.signal("STOP", &[self.id()]);
        self.signal("STOP", &self.sessions());
    }

    /// Resumes the suspended server and its sessions.
    ///
    /// # Panics
    /// If it doesn't run.
    pub fn wake(&self) {
        self.signal("CONT", &self.sessions());
        self.signal("CONT", &[self.id()]);
    }

    fn id(&self) -> String {
        let file = command(Path::new("cat")).arg(self.folder.join("data/postmaster.pid")).output();
        let text = String::from_utf8(file.expect("PostgreSQL runs here").stdout).expect("PostgreSQL runs here");
        text.lines().next().expect("PostgreSQL runs here").to_owned()
    }

    fn sessions(&self) -> Vec<String> {
        let (id, all) = (self.id(), Command::new("ps").args(["-A", "-o", "pid=,ppid="]).output());
        let all = String::from_utf8(all.expect("`ps` runs here").stdout).expect("`ps` runs here");
        let pairs = all.lines().filter_map(|line| line.trim().split_once(' '));
        pairs.filter(|(_, parent)| parent.trim() == id).map(|(child, _)| child.to_owned()).collect()
    }

    fn signal(&self, name: &str, targets: &[String]) {
        let mut shell = command(Path::new("sh"));
        shell.args(["-c", "kill -s \"$@\"", "kill", name, "--"]).args(targets).stderr(Stdio::null());
        // The command fails if a session has ended in the meantime.
        let _ = shell.status().expect("PostgreSQL runs here");
    }

    /// Starts a stopped server again. Its committed data must remain.
    ///
    /// # Panics
    /// If it doesn't start.
    pub fn restart(&self) {
        control(&self.programs, &self.folder, &["-w", "start"]);
    }
}

fn control(programs: &Path, folder: &Path, arguments: &[&str]) {
    let mut control = command(&programs.join("pg_ctl"));
    control.arg("-D").arg(folder.join("data")).arg("-l").arg(folder.join("log")).args(arguments);
    let status = control.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("PostgreSQL runs here");
    assert!(status.success(), "{}", std::fs::read_to_string(folder.join("log")).unwrap_or_default());
}

/// Creates a database on this process's server and returns its address. The first call starts the server.
///
/// # Panics
/// Like [`Cluster::start`].
#[must_use]
pub fn create_database() -> String {
    CLUSTER.get_or_init(Cluster::start).create_database()
}

/// Returns the address without its connect timeout, so that Takt's own default applies.
#[must_use]
pub fn without_connect_timeout(address: &str) -> &str {
    address.split_once('?').map_or(address, |(address, _)| address)
}

/// Drops a database that [`create_database`] created, and ends its sessions. Each database needs eight megabytes.
///
/// # Panics
/// If it can't be dropped.
pub fn drop_database(address: &str) {
    let (server, name) = without_connect_timeout(address).rsplit_once('/').expect("an address of `database`");
    assert!(statement_succeeds(&format!("{server}/postgres"), &format!("DROP DATABASE {name} WITH (FORCE)")), "{name}");
}

/// Returns whether a statement succeeds.
///
/// # Panics
/// If `psql` isn't installed.
#[must_use]
pub fn statement_succeeds(address: &str, sql: &str) -> bool {
    let mut psql = Command::new("psql");
    psql.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", sql, address]);
    psql.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("PostgreSQL runs here").success()
}

/// Runs the statements of a file, such as one that `pg_dump --inserts` wrote.
///
/// # Panics
/// If `psql` isn't installed or a statement fails.
pub fn run_file(address: &str, file: &Path) {
    let mut psql = Command::new("psql");
    psql.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-f"]).arg(file).arg(address).stdout(Stdio::null());
    assert!(psql.status().expect("PostgreSQL runs here").success(), "{}", file.display());
}

/// Runs a query and returns its rows, one per line, with columns separated by U+001F. The search path is the schema
/// `takt`.
///
/// # Panics
/// If `psql` isn't installed or the query fails.
#[must_use]
pub fn query(address: &str, sql: &str) -> String {
    let mut psql = Command::new("psql");
    psql.args(["-X", "-q", "-A", "-t", "-F", "\u{1F}", "-v", "ON_ERROR_STOP=1", "-c", sql, address]);
    psql.env("PGOPTIONS", "-c search_path=takt");
    let mut running = psql.stdout(Stdio::piped()).spawn().expect("PostgreSQL runs here");
    let mut text = String::new();
    running.stdout.take().expect("PostgreSQL runs here").read_to_string(&mut text).expect("PostgreSQL runs here");
    assert!(running.wait().expect("PostgreSQL runs here").success(), "{sql}");
    text.trim().to_owned()
}

/// Runs a statement and returns its SQLSTATE, which is `00000` on success.
///
/// # Panics
/// If `psql` isn't installed.
#[must_use]
pub fn sqlstate(address: &str, sql: &str) -> String {
    PsqlSession::open(address).sqlstate(sql)
}

/// An interactive session of `psql`. It ends when it is dropped.
#[derive(Debug)]
pub struct PsqlSession {
    input: std::process::ChildStdin,
    output: BufReader<std::process::ChildStdout>,
    psql: std::process::Child,
}

impl PsqlSession {
    /// Opens a session. The search path is the schema `takt`, then temporary tables.
    ///
    /// # Panics
    /// If `psql` isn't installed.
    #[must_use]
    pub fn open(address: &str) -> Self {
        let mut psql = Command::new("psql");
        psql.args(["-X", "-q", "-A", "-t", address]).env("PGOPTIONS", "-c search_path=takt,pg_temp");
        psql.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut psql = psql.spawn().expect("PostgreSQL runs here");
        let (input, output) = (psql.stdin.take().expect("a pipe"), psql.stdout.take().expect("a pipe"));
        Self { input, output: BufReader::new(output), psql }
    }

    /// Runs statements that return no rows. Returns the SQLSTATE of the last one.
    ///
    /// # Panics
    /// If the session has ended.
    pub fn sqlstate(&mut self, sql: &str) -> String {
        writeln!(self.input, "{sql};\n\\echo :SQLSTATE").expect("PostgreSQL runs here");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("PostgreSQL runs here");
        line.trim().to_owned()
    }
}

impl Drop for PsqlSession {
    fn drop(&mut self) {
        drop(writeln!(self.input, "\\q"));
        drop(self.psql.wait());
    }
}

/// Dumps a team's database and restores it into another database, as described in `docs/team.md`.
///
/// # Panics
/// If PostgreSQL's client programs aren't installed or one of them fails.
pub fn restore(from: &str, into: &str) {
    let mut dump = Command::new("pg_dump");
    dump.args(["--format=custom", "--schema=takt"]).arg(from).stdout(Stdio::piped());
    let mut dump = dump.spawn().expect("PostgreSQL runs here");
    let mut restore = Command::new("pg_restore");
    restore.args(["--clean", "--if-exists", "--single-transaction"]).arg(format!("--dbname={into}"));
    restore.stdin(dump.stdout.take().expect("a pipe"));
    assert!(restore.status().expect("PostgreSQL runs here").success(), "pg_restore");
    assert!(dump.wait().expect("PostgreSQL runs here").success(), "pg_dump");
}
