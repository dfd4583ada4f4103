//! The bench's own PostgreSQL cluster with default settings, which listens on 127.0.0.1 only. It is stopped and removed
//! when the bench ends, even by a kill.

use std::{
    cell::Cell,
    env,
    fs::{self, OpenOptions},
    io::{self, Write},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use tempfile::TempDir;

use crate::{
    console::print,
    error::{BenchError, unexpected_result},
    process::{exists, folder, program, run_captured},
    subject::free_address,
};

/// The folder in which Debian installs PostgreSQL, with a folder per version.
const PACKAGE_FOLDER: &str = "/usr/lib/postgresql";
const MISSING_TEXT: &str = "`cargo xtask bench team` needs PostgreSQL 13 or later with its server programs: `initdb` is neither on the path \
                      nor below /usr/lib/postgresql (Debian: apt-get install postgresql)";
/// The account that PostgreSQL's package creates.
const ACCOUNT: &str = "postgres";

/// The limit of desks. Each one has up to three sessions.
pub(crate) const MAX_DESKS: u32 = 120;
/// The settings that differ from the defaults, except `fsync`, which is explicit so that commits are durable.
const SETTINGS: &str = "\
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 400
fsync = on
";

/// The shell script that stops the server and removes its files as soon as its standard input is closed.
const WATCHER_SCRIPT: &str = r#"
cat > /dev/null
"$1" -D "$2" -m fast stop > /dev/null 2>&1
rm -rf "$2" "$2.log"
"#;

/// A server that ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Cluster {
    programs: PathBuf,
    address: SocketAddr,
    databases: Cell<u32>,
    /// The shell that stops the server.
    watcher: Child,
    folder: TempDir,
}

impl Cluster {
    /// Creates a cluster and starts it.
    pub(crate) fn start() -> Result<Self, BenchError> {
        let (programs, account) = (find_programs()?, Account::of_server()?);
        let folder = account.folder()?;
        let data = folder.path().join("data");
        let mut make = account.command(&programs.join("initdb"));
        make.args(["--auth=trust", "--username=takt", "--encoding=UTF8", "--locale=C", "-D"]).arg(&data);
        run_captured(make)?;
        let address = free_address()?;
        let settings = data.join("postgresql.conf");
        let opened = OpenOptions::new().append(true).open(&settings);
        opened
            .and_then(|mut file| write!(file, "port = {}\n{SETTINGS}", address.port()))
            .map_err(BenchError::file(&settings))?;
        let watcher = start_watcher(account.command(Path::new("sh")), &programs, &data)?;
        // From here on the guard stops it.
        let cluster = Self { programs, address, databases: Cell::new(0), watcher, folder };
        cluster.start_server(&account)?;
        Ok(cluster)
    }

    fn start_server(&self, account: &Account) -> Result<(), BenchError> {
        let data = self.folder.path().join("data");
        let log = data.with_extension("log");
        let mut start = account.command(&self.programs.join("pg_ctl"));
        start.arg("-D").arg(&data).arg("-l").arg(&log).args(["-w", "start"]);
        // No pipes, because the server would keep them open.
        let status = start.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        let status = status.map_err(|source| BenchError::Start { program: "pg_ctl".to_owned(), source })?;
        if status.success() {
            return Ok(());
        }
        let output = fs::read_to_string(&log).unwrap_or_default();
        Err(BenchError::Failed { line: "pg_ctl start".to_owned(), status: status.to_string(), output })
    }

    /// Creates a database, sets it up for a team and returns its address.
    pub(crate) fn create_team(&self) -> Result<String, BenchError> {
        self.databases.set(self.databases.get() + 1);
        let name = format!("takt_{}", self.databases.get());
        self.query("postgres", &format!("CREATE DATABASE {name}"))?;
        let address = format!("postgres://takt@{}/{name}", self.address);
        takt_engine::team::set_up(&address, None)
            .map_err(|problem| unexpected_result("PostgreSQL", &format!("{problem:?}")))?;
        Ok(address)
    }

    /// Drops a team's database and ends its sessions.
    pub(crate) fn drop_database(&self, team: &str) -> Result<(), BenchError> {
        let name = team.rsplit('/').next().unwrap_or_default();
        self.query("postgres", &format!("DROP DATABASE {name} WITH (FORCE)")).map(drop)
    }

    pub(crate) fn version(&self) -> Result<String, BenchError> {
        let version = self.query("postgres", "SHOW server_version")?;
        Ok(version.split_whitespace().next().unwrap_or_default().to_owned())
    }

    /// Runs a query and returns its result as text.
    pub(crate) fn query(&self, database: &str, sql: &str) -> Result<String, BenchError> {
        let name = database.rsplit('/').next().unwrap_or_default();
        let mut psql = program(self.programs.join("psql"));
        psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql]);
        psql.arg(format!("postgres://takt@{}/{name}", self.address));
        run_captured(psql).map(|answer| answer.trim().to_owned())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.watcher.stdin.take());
        // The shell ends after the server.
        drop(self.watcher.wait());
    }
}

/// Starts the shell that stops the server. It has its own process group, so that Ctrl-C doesn't end it too early.
fn start_watcher(mut shell: Command, programs: &Path, data: &Path) -> Result<Child, BenchError> {
    shell.args(["-c", WATCHER_SCRIPT, "watch"]).arg(programs.join("pg_ctl")).arg(data);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut shell, 0);
    let started = shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    started.map_err(|source| BenchError::Start { program: "sh".to_owned(), source })
}

/// Returns the folder of the newest version, or an empty path if the programs are on the path.
fn find_programs() -> Result<PathBuf, BenchError> {
    let versions = fs::read_dir(PACKAGE_FOLDER).into_iter().flatten().flatten();
    let newest = versions.filter_map(|entry| {
        let (number, programs): (u32, _) = (entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"));
        programs.join("initdb").is_file().then_some((number, programs))
    });
    match newest.max() {
        Some((_, programs)) => Ok(programs),
        None if exists("initdb") => Ok(PathBuf::new()),
        None => Err(BenchError::Missing(MISSING_TEXT.to_owned())),
    }
}

#[cfg(unix)]
fn change_owner(folder: &Path, account: u32) -> io::Result<()> {
    std::os::unix::fs::chown(folder, Some(account), None)
}

/// Other systems have no such account.
#[cfg(not(unix))]
fn change_owner(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

/// The account that runs the server. PostgreSQL refuses to run as root. Then the account of its package is used.
enum Account {
    Own,
    Packaged { number: u32 },
}

impl Account {
    fn of_server() -> Result<Self, BenchError> {
        if !cfg!(unix) {
            return Err(BenchError::Missing("`cargo xtask bench team` runs on Unix".to_owned()));
        }
        let number = |arguments: &[&str]| {
            let mut id = program("id");
            id.arg("-u").args(arguments);
            run_captured(id).map(|number| number.trim().to_owned())
        };
        if number(&[])? != "0" {
            return Ok(Self::Own);
        }
        let packaged = number(&[ACCOUNT])?.parse().map_err(|_| unexpected_result("id", "it tells no number"))?;
        Ok(Self::Packaged { number: packaged })
    }

    fn command(&self, name: &Path) -> Command {
        let mut command = match self {
            Self::Own => Command::new(name),
            Self::Packaged { .. } => {
                let mut command = Command::new("runuser");
                command.args(["-u", ACCOUNT, "--"]).arg(name);
                command
            }
        };
        // The account may have no access to the bench's folder.
        command.current_dir("/");
        command
    }

    /// Creates the cluster's folder on the same disk as the local file if the account may write there.
    fn folder(&self) -> Result<TempDir, BenchError> {
        let (beside, elsewhere) = (folder(), env::temp_dir());
        fs::create_dir_all(&beside).map_err(BenchError::file(&beside))?;
        let made = self.folder_in(&beside)?;
        if self.may_write(made.path()) {
            return Ok(made);
        }
        print(&format!(
            "! PostgreSQL's files lie in {}: {ACCOUNT} can't enter {}",
            elsewhere.display(),
            beside.display()
        ));
        self.folder_in(&elsewhere)
    }

    fn folder_in(&self, parent: &Path) -> Result<TempDir, BenchError> {
        let made = tempfile::Builder::new().prefix("postgres-").tempdir_in(parent).map_err(BenchError::file(parent))?;
        match self {
            Self::Own => Ok(made),
            Self::Packaged { number } => match change_owner(made.path(), *number) {
                Ok(()) => Ok(made),
                Err(source) => Err(BenchError::File { path: made.path().to_path_buf(), source }),
            },
        }
    }

    fn may_write(&self, folder: &Path) -> bool {
        let mut test = self.command(Path::new("test"));
        test.arg("-w").arg(folder);
        run_captured(test).is_ok()
    }
}
