//! A service that returns prepared responses in order.

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

pub(crate) struct Responder {
    pub(crate) base_url: String,
}

impl Responder {
    /// Sends one response per connection. After the last one, nothing listens.
    pub(crate) async fn start(answers: Vec<String>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            for answer in answers {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut request = Vec::new();
                while !is_complete(&request) {
                    let mut part = [0; 4_096];
                    let read = stream.read(&mut part).await.unwrap();
                    request.extend_from_slice(&part[..read]);
                    assert!(read > 0, "the request broke off");
                }
                let head =
                    format!("Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close", answer.len());
                stream.write_all(format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n{answer}").as_bytes()).await.unwrap();
                stream.shutdown().await.unwrap();
            }
        });
        Self { base_url }
    }
}

fn is_complete(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ").map(str::to_owned));
    body.len() >= length.map_or(0, |length| length.trim().parse().unwrap())
}
