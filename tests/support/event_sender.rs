//! Sends requests to a receiver over plain TCP, so that tests control every byte. Also signs events.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

pub const SECRET: &str = "our secret";

/// Returns the value of the signature header: [`SECRET`]'s HMAC of the timestamp and the body.
pub fn signature(timestamp: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    mac.update(format!("{timestamp}.").as_bytes());
    mac.update(body);
    let bytes = mac.finalize().into_bytes();
    format!("sha256={}", bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
}

/// Posts a request, and returns the response's status and body.
pub async fn post(url: &str, headers: &[(&str, &str)], body: &[u8]) -> (u16, String) {
    request("POST", url, headers, body).await
}

pub async fn request(method: &str, url: &str, headers: &[(&str, &str)], body: &[u8]) -> (u16, String) {
    let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).await.unwrap();
    let mut head =
        format!("{method} /{path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {}\r\nConnection: close\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    // A receiver that refuses a body may close the connection before the whole body is sent.
    let _ = stream.write_all(body).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer.get(9..12).and_then(|status| status.parse().ok()).unwrap_or_default();
    (status, answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default())
}
