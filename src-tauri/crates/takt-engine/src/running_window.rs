//! Allows one window per home folder. The first process holds a lock, and later ones ask its window to open their files
//! and links.
//!
//! The window listens on 127.0.0.1 at a random port. A file that only the user may read contains the port and a key,
//! which every request must contain. A request is one line of JSON. Requests that are too long, too slow or without the
//! key are rejected.

use std::{
    fs::{self, File, TryLockError},
    io::{self, BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use takt_core::Home;
use takt_journal::private_file::open_private_file;

use crate::open_target::OpenTarget;

/// The time limit for a request and its response.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
const MAX_MESSAGE_BYTES: u64 = 256 * 1024;
/// The maximum number of targets in a request. Further ones are ignored.
const MAX_TARGETS: usize = 20;
const KEY_BYTES: usize = 32;
/// The maximum time until a starting window listens.
const START_TIMEOUT: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The response to a request that was accepted.
const ACCEPTED: &str = "taken";

/// The lock of a home folder's only window. It's held until it's dropped or the process ends.
#[derive(Debug)]
pub struct WindowLock {
    _lock: File,
    address: PathBuf,
}

/// The port and key of the running window.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct WindowAddress {
    port: u16,
    key: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct OpenRequest {
    key: String,
    targets: Vec<OpenTarget>,
}

impl WindowLock {
    /// Acquires the lock. Returns `None` if a window of this home folder is already running.
    ///
    /// # Errors
    ///
    /// `std::io::Error`: the home folder can't be written, or its file system doesn't support locks.
    pub fn acquire(home: &Home) -> io::Result<Option<Self>> {
        let lock = open_private_file(&home.locks().join("window"))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Self { _lock: lock, address: address_file(home) })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Accepts requests as long as the process runs. Calls `open` for each. Without targets, the window should come to
    /// the front.
    ///
    /// # Errors
    ///
    /// `std::io::Error`: no port or random numbers are available, or the address file can't be written.
    pub fn listen(&self, open: impl Fn(Vec<OpenTarget>) + Send + 'static) -> io::Result<()> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let mut key = [0; KEY_BYTES];
        getrandom::fill(&mut key).map_err(|error| io::Error::other(error.to_string()))?;
        let key: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        let address = WindowAddress { port: listener.local_addr()?.port(), key: key.clone() };
        let mut file = open_private_file(&self.address)?;
        file.set_len(0)?;
        file.write_all(&serde_json::to_vec(&address)?)?;
        thread::Builder::new().name("running-window".to_owned()).spawn(move || {
            for stream in listener.incoming().flatten() {
                match accept_request(&stream, &key) {
                    Ok(targets) => open(targets),
                    Err(error) => tracing::debug!(%error, "a request to the window was refused"),
                }
            }
        })?;
        Ok(())
    }
}

impl Drop for WindowLock {
    fn drop(&mut self) {
        // A remaining file points to a closed port, and does no harm.
        let _ = fs::remove_file(&self.address);
    }
}

/// Sends targets to the running window of this home folder. Returns false if no window runs or accepts them.
#[must_use]
pub fn open_in_running_window(home: &Home, targets: &[OpenTarget]) -> bool {
    let start = Instant::now();
    while is_running(home) && start.elapsed() < START_TIMEOUT {
        if send_targets(home, targets).is_ok() {
            return true;
        }
        thread::sleep(POLL_INTERVAL);
    }
    false
}

/// Returns true if a window holds the lock.
fn is_running(home: &Home) -> bool {
    matches!(WindowLock::acquire(home), Ok(None))
}

fn address_file(home: &Home) -> PathBuf {
    home.locks().join("window.json")
}

fn send_targets(home: &Home, targets: &[OpenTarget]) -> io::Result<()> {
    let WindowAddress { port, key } = serde_json::from_slice(&fs::read(address_file(home))?)?;
    let stream = TcpStream::connect_timeout(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)), REQUEST_TIMEOUT)?;
    set_timeouts(&stream)?;
    let targets = targets.iter().take(MAX_TARGETS).cloned().collect();
    let mut line = serde_json::to_vec(&OpenRequest { key, targets })?;
    line.push(b'\n');
    (&stream).write_all(&line)?;
    let mut answer = String::new();
    BufReader::new(&stream).take(MAX_MESSAGE_BYTES).read_line(&mut answer)?;
    if answer.trim_end() == ACCEPTED { Ok(()) } else { Err(io::ErrorKind::ConnectionRefused.into()) }
}

fn accept_request(stream: &TcpStream, key: &str) -> io::Result<Vec<OpenTarget>> {
    set_timeouts(stream)?;
    let mut line = Vec::new();
    BufReader::new(stream).take(MAX_MESSAGE_BYTES).read_until(b'\n', &mut line)?;
    let request: OpenRequest = serde_json::from_slice(&line)?;
    if request.key != key {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let mut stream = stream;
    stream.write_all(format!("{ACCEPTED}\n").as_bytes())?;
    Ok(request.targets.into_iter().take(MAX_TARGETS).collect())
}

fn set_timeouts(stream: &TcpStream) -> io::Result<()> {
    stream.set_read_timeout(Some(REQUEST_TIMEOUT))?;
    stream.set_write_timeout(Some(REQUEST_TIMEOUT))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn home() -> (tempfile::TempDir, Home) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(folder.path()).unwrap();
        (folder, home)
    }

    fn order() -> OpenTarget {
        OpenTarget::Order { code: "WO-1".to_owned(), site: None }
    }

    #[test]
    fn the_second_start_hands_over_to_the_first() {
        let (_folder, home) = home();
        assert!(!open_in_running_window(&home, &[order()]), "nobody is there");
        let lock = WindowLock::acquire(&home).unwrap().unwrap();
        let (heard, targets) = mpsc::channel();
        lock.listen(move |targets| heard.send(targets).unwrap()).unwrap();
        assert!(WindowLock::acquire(&home).unwrap().is_none());
        assert!(open_in_running_window(&home, &[order()]));
        assert_eq!(targets.recv_timeout(REQUEST_TIMEOUT).unwrap(), [order()]);
        assert!(open_in_running_window(&home, &[]), "only to the front");
        assert!(targets.recv_timeout(REQUEST_TIMEOUT).unwrap().is_empty());
        drop(lock);
        assert!(!open_in_running_window(&home, &[order()]));
        assert!(WindowLock::acquire(&home).unwrap().is_some(), "who comes next is the window");
    }

    #[test]
    fn another_home_has_another_window() {
        let ((_folder, home), (_other, another)) = (home(), home());
        let _lock = WindowLock::acquire(&home).unwrap().unwrap();
        assert!(WindowLock::acquire(&another).unwrap().is_some());
        assert!(!open_in_running_window(&another, &[]));
    }

    #[test]
    fn requests_without_the_key_open_nothing() {
        let (_folder, home) = home();
        let lock = WindowLock::acquire(&home).unwrap().unwrap();
        let (heard, targets) = mpsc::channel();
        lock.listen(move |targets| heard.send(targets).unwrap()).unwrap();
        let address: WindowAddress = serde_json::from_slice(&fs::read(address_file(&home)).unwrap()).unwrap();
        for line in ["\n", "{}\n", "{\"key\":\"\",\"targets\":[]}\n", &format!("{}\n", "[".repeat(100_000))] {
            let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, address.port)).unwrap();
            let mut answer = String::new();
            // The window may close the connection before everything is written.
            let _ = stream.write_all(line.as_bytes());
            let _ = stream.read_to_string(&mut answer);
            assert_eq!(answer, "", "{line:.40}");
        }
        assert!(open_in_running_window(&home, &[order()]), "and it still listens");
        assert_eq!(targets.recv_timeout(REQUEST_TIMEOUT).unwrap(), [order()]);
        assert!(targets.try_recv().is_err(), "nothing else was opened");
        #[cfg(unix)]
        {
            let mode =
                std::os::unix::fs::PermissionsExt::mode(&fs::metadata(address_file(&home)).unwrap().permissions());
            assert_eq!(mode & 0o077, 0, "only this person may read the key");
        }
    }
}
