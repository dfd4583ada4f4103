//! One window per home folder: the first start holds a lock. Later starts ask its window to open their files and links.
//!
//! The window listens on 127.0.0.1 at a port of its own. The port, and a key that every request must carry, stand in a file that only
//! this person may read. A request is one line of JSON; whatever is longer, slower or without the key is refused.

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
use takt_journal::private::open_private_file;

use crate::open_target::OpenTarget;

/// For one request and its response.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
const MAX_BYTES: u64 = 256 * 1024;
/// As many things are opened at once.
const MAX_TARGETS: usize = 20;
const KEY_BYTES: usize = 32;
/// How long a window that was just started may take until it listens.
const START_TIMEOUT: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
const TAKEN: &str = "taken";

/// The right to be the window of a home; it ends with the process at the latest.
#[derive(Debug)]
pub struct WindowLock {
    _lock: File,
    address: PathBuf,
}

/// Where the window listens.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Address {
    port: u16,
    key: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Request {
    key: String,
    targets: Vec<OpenTarget>,
}

impl WindowLock {
    /// The lock; absent where a window of this home runs already.
    ///
    /// # Errors
    ///
    /// `std::io::Error`: the home can't be written to, or its disk knows no locks.
    pub fn acquire(home: &Home) -> io::Result<Option<Self>> {
        let lock = open_private_file(&home.locks().join("window"))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Self { _lock: lock, address: address_file(home) })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Takes requests from now on, for as long as the process runs. `open` is called for each; without targets the window is to come to
    /// the front.
    ///
    /// # Errors
    ///
    /// `std::io::Error`: no port, no random numbers, or the file for the address can't be written.
    pub fn listen(&self, open: impl Fn(Vec<OpenTarget>) + Send + 'static) -> io::Result<()> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let mut key = [0; KEY_BYTES];
        getrandom::fill(&mut key).map_err(|error| io::Error::other(error.to_string()))?;
        let key: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        let address = Address { port: listener.local_addr()?.port(), key: key.clone() };
        let mut file = open_private_file(&self.address)?;
        file.set_len(0)?;
        file.write_all(&serde_json::to_vec(&address)?)?;
        thread::Builder::new().name("running-window".to_owned()).spawn(move || {
            for stream in listener.incoming().flatten() {
                match take(&stream, &key) {
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
        // A file that stays leads to a closed port, so it does no harm.
        let _ = fs::remove_file(&self.address);
    }
}

/// Hands over what is to be opened to the window of this home. False where none takes it: none runs, or it doesn't answer.
#[must_use]
pub fn hand_over(home: &Home, targets: &[OpenTarget]) -> bool {
    let begun = Instant::now();
    while is_running(home) && begun.elapsed() < START_TIMEOUT {
        if send(home, targets).is_ok() {
            return true;
        }
        thread::sleep(POLL_INTERVAL);
    }
    false
}

/// Whether a window holds the lock.
fn is_running(home: &Home) -> bool {
    matches!(WindowLock::acquire(home), Ok(None))
}

fn address_file(home: &Home) -> PathBuf {
    home.locks().join("window.json")
}

fn send(home: &Home, targets: &[OpenTarget]) -> io::Result<()> {
    let Address { port, key } = serde_json::from_slice(&fs::read(address_file(home))?)?;
    let stream = TcpStream::connect_timeout(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)), REQUEST_TIMEOUT)?;
    limit(&stream)?;
    let targets = targets.iter().take(MAX_TARGETS).cloned().collect();
    let mut line = serde_json::to_vec(&Request { key, targets })?;
    line.push(b'\n');
    (&stream).write_all(&line)?;
    let mut answer = String::new();
    BufReader::new(&stream).take(MAX_BYTES).read_line(&mut answer)?;
    if answer.trim_end() == TAKEN { Ok(()) } else { Err(io::ErrorKind::ConnectionRefused.into()) }
}

fn take(stream: &TcpStream, key: &str) -> io::Result<Vec<OpenTarget>> {
    limit(stream)?;
    let mut line = Vec::new();
    BufReader::new(stream).take(MAX_BYTES).read_until(b'\n', &mut line)?;
    let request: Request = serde_json::from_slice(&line)?;
    if request.key != key {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let mut stream = stream;
    stream.write_all(format!("{TAKEN}\n").as_bytes())?;
    Ok(request.targets.into_iter().take(MAX_TARGETS).collect())
}

fn limit(stream: &TcpStream) -> io::Result<()> {
    stream.set_read_timeout(Some(REQUEST_TIMEOUT))?;
    stream.set_write_timeout(Some(REQUEST_TIMEOUT))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn home() -> (tempfile::TempDir, Home) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path()).unwrap();
        (folder, home)
    }

    fn order() -> OpenTarget {
        OpenTarget::Order { code: "WO-1".to_owned(), site: None }
    }

    #[test]
    fn the_second_start_hands_over_to_the_first() {
        let (_folder, home) = home();
        assert!(!hand_over(&home, &[order()]), "nobody is there");
        let lock = WindowLock::acquire(&home).unwrap().unwrap();
        let (heard, targets) = mpsc::channel();
        lock.listen(move |targets| heard.send(targets).unwrap()).unwrap();
        assert!(WindowLock::acquire(&home).unwrap().is_none());
        assert!(hand_over(&home, &[order()]));
        assert_eq!(targets.recv_timeout(REQUEST_TIMEOUT).unwrap(), [order()]);
        assert!(hand_over(&home, &[]), "only to the front");
        assert!(targets.recv_timeout(REQUEST_TIMEOUT).unwrap().is_empty());
        drop(lock);
        assert!(!hand_over(&home, &[order()]));
        assert!(WindowLock::acquire(&home).unwrap().is_some(), "who comes next is the window");
    }

    #[test]
    fn another_home_has_another_window() {
        let ((_folder, home), (_other, another)) = (home(), home());
        let _lock = WindowLock::acquire(&home).unwrap().unwrap();
        assert!(WindowLock::acquire(&another).unwrap().is_some());
        assert!(!hand_over(&another, &[]));
    }

    #[test]
    fn whoever_has_no_key_opens_nothing() {
        let (_folder, home) = home();
        let lock = WindowLock::acquire(&home).unwrap().unwrap();
        let (heard, targets) = mpsc::channel();
        lock.listen(move |targets| heard.send(targets).unwrap()).unwrap();
        let address: Address = serde_json::from_slice(&fs::read(address_file(&home)).unwrap()).unwrap();
        for line in ["\n", "{}\n", "{\"key\":\"\",\"targets\":[]}\n", &format!("{}\n", "[".repeat(100_000))] {
            let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, address.port)).unwrap();
            let mut answer = String::new();
            // It may have hung up before all was written.
            let _ = stream.write_all(line.as_bytes());
            let _ = stream.read_to_string(&mut answer);
            assert_eq!(answer, "", "{line:.40}");
        }
        assert!(hand_over(&home, &[order()]), "and it still listens");
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
