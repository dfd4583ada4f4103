//! A server whose responses are defined by a test, byte by byte.

use std::sync::{Arc, Mutex};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// A server that stops on drop.
pub(crate) struct Responder {
    pub(crate) base_url: String,
    /// The head and body of each request, in order.
    pub(crate) requests: Arc<Mutex<Vec<String>>>,
    serving: JoinHandle<()>,
}

impl Drop for Responder {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Responder {
    /// Starts a server. `answer` returns the complete response to a request. Then the connection is closed.
    pub(crate) async fn start(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base_url = format!("http://{}", socket.local_addr().expect("its address"));
        let requests: Arc<Mutex<Vec<String>>> = Arc::default();
        let (answer, seen) = (Arc::new(answer), Arc::clone(&requests));
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = socket.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&answer), Arc::clone(&seen)));
            }
        });
        Self { base_url, requests, serving }
    }

    /// Returns the number of requests, without those for metadata.
    pub(crate) fn count(&self) -> usize {
        self.requests.lock().expect("the requests").iter().filter(|request| !request.contains("/.well-known/")).count()
    }
}

async fn serve<F: Fn(&str) -> Vec<u8>>(mut stream: TcpStream, answer: Arc<F>, seen: Arc<Mutex<Vec<String>>>) {
    let Some(request) = read(&mut stream).await else { return };
    seen.lock().expect("the requests").push(request.clone());
    let bytes = answer(&request);
    if stream.write_all(&bytes).await.is_ok() {
        drop(stream.shutdown().await);
    }
}

async fn read(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.to_ascii_lowercase().lines().find_map(|line| {
                line.strip_prefix("content-length:").and_then(|length| length.trim().parse::<usize>().ok())
            });
            if body.len() >= length.unwrap_or_default() {
                return Some(text);
            }
        }
        match stream.read(&mut part).await {
            Ok(0) | Err(_) => return None,
            Ok(count) => bytes.extend_from_slice(&part[..count]),
        }
    }
}

/// Returns a complete response with additional header lines, each ending with `\r\n`.
pub(crate) fn answer(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n{body}",
        body.len()
    )
    .into_bytes()
}
