//! Parses HTTP requests and writes responses, for servers in front of a plant.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use reqwest::Url;
use serde_json::Value;

/// A parsed HTTP request, without the headers that no server needs.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    /// The path with its query, exactly as received.
    pub(crate) target: String,
    /// Decoded parameters in the order of the query.
    pub(crate) query: Vec<(String, String)>,
    pub(crate) authorization: String,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// Returns the value of a query parameter. The name is compared regardless of case.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// An HTTP response before it is written.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) kind: String,
    /// All headers except `Content-Type` and `Content-Length`.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        let kind = "application/json; charset=utf-8".to_owned();
        Self { status, kind, headers: Vec::new(), body: body.to_string().into_bytes() }
    }

    pub(crate) fn empty(status: u16) -> Self {
        Self { status, kind: String::new(), headers: Vec::new(), body: Vec::new() }
    }
}

/// Reads the next request of a connection. Returns `None` at the end of the connection.
pub(crate) fn next_request(mut stream: &TcpStream, rest: &mut Vec<u8>) -> Option<Request> {
    loop {
        if let Some((request, length)) = parse_request(rest) {
            rest.drain(..length);
            return Some(request);
        }
        let mut chunk = [0; 16 * 1024];
        let read = stream.read(&mut chunk).ok().filter(|read| *read > 0)?;
        rest.extend_from_slice(chunk.get(..read)?);
    }
}

/// Parses a request and returns it with its length. Returns `None` if bytes are missing.
fn parse_request(bytes: &[u8]) -> Option<(Request, usize)> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(bytes.get(..end)?).into_owned();
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let headers: Vec<_> = lines.filter_map(|line| line.split_once(':')).collect();
    let header = |wanted: &str| {
        headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value.trim().to_owned())
    };
    assert!(header("transfer-encoding").is_none(), "a request says how long it is: {head}");
    let length = header("content-length").map_or(Some(0), |length| length.parse().ok())?;
    let (start, method, target) = (end + 4, first.next()?.to_owned(), first.next()?);
    let body = bytes.get(start..start + length)?.to_vec();
    let address = Url::parse("http://plant.invalid").ok()?.join(target).ok()?;
    let query = address.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
    let authorization = header("authorization").unwrap_or_default();
    let (path, target) = (address.path().to_owned(), target.to_owned());
    Some((Request { method, path, target, query, authorization, body }, start + length))
}

/// Writes a response. Returns `None` if the client has closed the connection.
pub(crate) fn write_answer(mut stream: &TcpStream, answer: &Answer) -> Option<()> {
    let mut head = format!("HTTP/1.1 {} Said\r\nContent-Length: {}\r\n", answer.status, answer.body.len());
    if !answer.kind.is_empty() {
        head.push_str(&format!("Content-Type: {}\r\n", answer.kind));
    }
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    stream.write_all(&[head.as_bytes(), &answer.body].concat()).ok()
}
