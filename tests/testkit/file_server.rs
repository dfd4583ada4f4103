//! A file server with the role of an update channel. Unknown names get 404.

use std::{
    collections::BTreeMap,
    fmt,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

/// The time that a connection waits for a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(120);

/// A file server. It ends when it is dropped.
pub struct FileServer {
    address: String,
    files: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
    is_stopped: Arc<AtomicBool>,
}

impl fmt::Debug for FileServer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("FileServer").field("address", &self.address).finish_non_exhaustive()
    }
}

impl FileServer {
    #[must_use]
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port of this computer");
        let address = listener.local_addr().expect("an address").to_string();
        let server = Self { address, files: Arc::default(), is_stopped: Arc::default() };
        let (files, is_stopped) = (Arc::clone(&server.files), Arc::clone(&server.is_stopped));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if is_stopped.load(Ordering::Relaxed) {
                    return;
                }
                let files = Arc::clone(&files);
                // Failures are ignored, since the client may have closed the connection or sent no request.
                thread::spawn(move || answer(&stream, &files));
            }
        });
        server
    }

    /// Returns the address of a file, even if the file doesn't exist yet.
    #[must_use]
    pub fn url(&self, name: &str) -> String {
        format!("http://{}/{name}", self.address)
    }

    /// Adds a file, or replaces the file of this name.
    pub fn put(&self, name: &str, bytes: impl Into<Vec<u8>>) {
        self.files.lock().expect("nobody panics").insert(name.to_owned(), bytes.into());
    }
}

impl Drop for FileServer {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::Relaxed);
        // Connecting wakes the thread that accepts connections.
        drop(TcpStream::connect(&self.address));
    }
}

fn answer(mut stream: &TcpStream, files: &Mutex<BTreeMap<String, Vec<u8>>>) -> std::io::Result<()> {
    stream.set_read_timeout(Some(REQUEST_TIMEOUT))?;
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let name = first.split(' ').nth(1).unwrap_or_default().trim_start_matches('/');
    let files = files.lock().expect("nobody panics").clone();
    let (status, bytes) = files.get(name).map_or(("404 Not Found", &[][..]), |bytes| ("200 OK", bytes));
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", bytes.len());
    stream.write_all(head.as_bytes())?;
    stream.write_all(bytes)
}
