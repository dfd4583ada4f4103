//! The team store of these tests: a database for each test.

use std::path::Path;
use std::sync::Arc;

use takt_journal::{Inbox, Journal, Team, TeamAddress};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::aws_lc_rs};

use crate::postgres::{self, query, statement_succeeds};

/// The file with the address of a home folder's database.
const ADDRESS: &str = "team";

/// A desk's folder, and the database of its team, which is removed with it.
pub(crate) struct Home(tempfile::TempDir);

impl Home {
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // Skipped after a panic, because a second panic would abort all tests.
        if !std::thread::panicking() {
            postgres::drop_database(&address(self.path()));
        }
    }
}

pub(crate) fn home() -> Home {
    let home = tempfile::tempdir().unwrap();
    let address = postgres::create_database();
    Team::set_up(&address.parse().unwrap(), &tls()).unwrap();
    std::fs::write(home.path().join(ADDRESS), address).unwrap();
    Home(home)
}

pub(crate) fn address(home: &Path) -> String {
    std::fs::read_to_string(home.join(ADDRESS)).unwrap()
}

pub(crate) fn open(home: &Path) -> Journal {
    let address: TeamAddress = address(home).parse().unwrap();
    Team::join(Journal::open(&home.join("journal.db")).unwrap(), address, Arc::new(|| None), tls())
}

pub(crate) fn inbox(home: &Path) -> Inbox {
    Inbox::from_team(&open(home)).unwrap()
}

/// Runs a statement on the team's database without Takt.
pub(crate) fn change_events(home: &Path, sql: &str) {
    assert!(sql_succeeds(home, sql));
}

/// Returns a TLS configuration without certificates, because connections to this computer aren't encrypted.
pub(crate) fn tls() -> ClientConfig {
    ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth()
}

/// Returns whether a statement on the team's database succeeds without Takt.
pub(crate) fn sql_succeeds(home: &Path, sql: &str) -> bool {
    statement_succeeds(&address(home), &format!("SET search_path = takt; {sql}"))
}

/// Returns the tables that have rows.
pub(crate) fn filled_tables(home: &Path) -> Vec<String> {
    let names = query(
        &address(home),
        "SELECT tablename FROM pg_tables WHERE schemaname = 'takt' AND tablename NOT IN ('version', 'origin', 'event_number')",
    );
    let holds = |name: &&str| query(&address(home), &format!("SELECT EXISTS (SELECT 1 FROM takt.{name})")) == "t";
    names.lines().filter(holds).map(str::to_owned).collect()
}
