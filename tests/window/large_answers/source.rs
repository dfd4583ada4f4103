//! A service with large responses: a list with many megabytes in one page, and an object with five megabytes.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::JoinHandle,
};

const MEGABYTE: usize = 1024 * 1024;
/// The number of rows that are generated and sent together.
const ROWS_PER_BLOCK: usize = 512;
/// The length of the object's description in bytes.
pub(super) const LONG_NOTE: usize = 5 * MEGABYTE;

pub(super) struct Source {
    address: String,
    shared: Arc<Shared>,
    serving: JoinHandle<()>,
}

struct Shared {
    blocks: usize,
    /// Gets a permit when the first list has been sent, except for its end.
    nearly_sent: Semaphore,
    /// Gets a permit when the end of the list may be sent.
    end_allowed: Semaphore,
    was_held_back: AtomicBool,
}

impl Drop for Source {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Source {
    pub(super) async fn start(megabytes: usize) -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", socket.local_addr().unwrap());
        let blocks = megabytes * MEGABYTE / block_of_rows(0).len() + 1;
        let (nearly_sent, end_allowed) = (Semaphore::new(0), Semaphore::new(0));
        let shared = Arc::new(Shared { blocks, nearly_sent, end_allowed, was_held_back: AtomicBool::new(false) });
        let with = Arc::clone(&shared);
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = socket.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&with)));
            }
        });
        Self { address, shared, serving }
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    pub(super) fn rows(&self) -> usize {
        self.shared.blocks * ROWS_PER_BLOCK
    }

    /// Waits until the list has been sent, except for its end. The end is sent after [`Self::allow_end`].
    pub(super) async fn wait_until_nearly_sent(&self) {
        self.shared.nearly_sent.acquire().await.unwrap().forget();
    }

    pub(super) fn allow_end(&self) {
        self.shared.end_allowed.add_permits(1);
    }
}

async fn serve(mut stream: TcpStream, shared: Arc<Shared>) {
    let mut head = Vec::new();
    let mut part = [0; 4096];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut part).await {
            Ok(0) | Err(_) => return,
            Ok(read) => head.extend_from_slice(&part[..read]),
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default();
    // Errors are ignored, since the client may have closed the connection.
    let _ = match path.split('?').next() {
        Some("/api/v1/Materials") => send_list(&mut stream, &shared).await,
        Some("/api/v1/WorkStations") => send_object(&mut stream).await,
        _ => stream.write_all(b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n").await,
    };
    drop(stream.shutdown().await);
}

async fn send_list(stream: &mut TcpStream, shared: &Shared) -> std::io::Result<()> {
    stream.write_all(HEAD).await?;
    stream.write_all(br#"{"data":["#).await?;
    for number in 0..shared.blocks {
        if number > 0 {
            stream.write_all(b",").await?;
        }
        stream.write_all(block_of_rows(number * ROWS_PER_BLOCK).as_bytes()).await?;
    }
    if !shared.was_held_back.swap(true, Ordering::SeqCst) {
        shared.nearly_sent.add_permits(1);
        if let Ok(permit) = shared.end_allowed.acquire().await {
            permit.forget();
        }
    }
    stream.write_all(b"]}").await
}

async fn send_object(stream: &mut TcpStream) -> std::io::Result<()> {
    let note = "<b>x</b>".repeat(LONG_NOTE / 8);
    let body = format!(r#"{{"data":[{{"code":"WS-1"}},{{"code":"WS-2","description":"{note}"}},{{"code":"WS-3"}}]}}"#);
    stream.write_all(HEAD).await?;
    stream.write_all(body.as_bytes()).await
}

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n";

/// Returns a block of rows, each with about two kilobytes.
fn block_of_rows(first: usize) -> String {
    let note = "plan ".repeat(380);
    let row = |row: usize| {
        format!(
            r#"{{"code":"M-{row}","description":"needle {row} {note}","uoM":"pcs","family":"F-{}","isActive":true}}"#,
            row % 40
        )
    };
    (first..first + ROWS_PER_BLOCK).map(row).collect::<Vec<_>>().join(",")
}
