//! Sends single requests that aren't measured: to sign in, to wait for a server, to reset.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

const TIMEOUT: Duration = Duration::from_secs(60);

/// A complete response.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: Vec<u8>,
}

impl Response {
    /// Returns a header's value. The name's case doesn't matter.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// Returns a request's bytes. Each header in `headers` ends with a line break.
pub(crate) fn request_bytes(method: &str, path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
    let mut bytes = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n{headers}{length}\r\n").into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// Sends one request on a new connection.
pub(crate) fn send_request(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &str,
    body: &[u8],
) -> io::Result<Response> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.write_all(&request_bytes(method, path, &format!("Connection: close\r\n{headers}"), body))?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    let invalid_data = || io::Error::from(io::ErrorKind::InvalidData);
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").ok_or_else(invalid_data)?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(invalid_data)?;
    Ok(Response { status, head, body: bytes.split_off(end + 4) })
}

/// Encodes the pairs of a query or a form.
pub(crate) fn encode_form(pairs: &[(&str, &str)]) -> String {
    let text = |text: &str| -> String {
        text.bytes()
            .map(
                |byte| {
                    if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") }
                },
            )
            .collect()
    };
    pairs.iter().map(|(name, value)| format!("{}={}", text(name), text(value))).collect::<Vec<_>>().join("&")
}
