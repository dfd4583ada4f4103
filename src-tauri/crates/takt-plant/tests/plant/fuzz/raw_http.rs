//! Sends HTTP requests as bytes, since a client library would correct intended errors.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

const TIMEOUT: Duration = Duration::from_secs(20);

/// A request to send as bytes.
#[derive(Debug, Clone)]
pub(super) struct RawRequest {
    pub(super) method: String,
    pub(super) target: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
    pub(super) chunked: bool,
}

#[derive(Debug)]
pub(crate) struct RawAnswer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl RawRequest {
    pub(super) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    pub(super) async fn send(&self, address: &str) -> Result<RawAnswer, String> {
        let exchange = async {
            let mut stream = TcpStream::connect(address).await.map_err(|error| error.to_string())?;
            stream.write_all(&self.bytes(address)).await.map_err(|error| error.to_string())?;
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).await.map_err(|error| error.to_string())?;
            parse_answer(&answer)
        };
        timeout(TIMEOUT, exchange).await.map_err(|_| format!("no answer after {TIMEOUT:?}"))?
    }

    fn bytes(&self, address: &str) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n", self.method, self.target);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !self.chunked {
            head.push_str(&format!("content-length: {}\r\n\r\n", self.body.len()));
            return [head.as_bytes(), &self.body].concat();
        }
        head.push_str("transfer-encoding: chunked\r\n\r\n");
        let mut bytes = head.into_bytes();
        for piece in self.body.chunks(7000) {
            bytes.extend(format!("{:x}\r\n", piece.len()).bytes());
            bytes.extend_from_slice(piece);
            bytes.extend(b"\r\n");
        }
        bytes.extend(b"0\r\n\r\n");
        bytes
    }
}

pub(crate) fn parse_answer(answer: &[u8]) -> Result<RawAnswer, String> {
    let wrong =
        || format!("no HTTP answer: {:?}", String::from_utf8_lossy(answer).chars().take(200).collect::<String>());
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").ok_or_else(wrong)?;
    let head = std::str::from_utf8(&answer[..end]).map_err(|_| wrong())?;
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).ok_or_else(wrong)?;
    let mut headers = HeaderMap::new();
    for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
        let name = HeaderName::try_from(name).map_err(|_| wrong())?;
        headers.append(name, HeaderValue::from_str(value).map_err(|_| wrong())?);
    }
    let body = String::from_utf8_lossy(&answer[end + 4..]).into_owned();
    Ok(RawAnswer { status, headers, body: serde_json::from_str(&body).unwrap_or(Value::String(body)) })
}
