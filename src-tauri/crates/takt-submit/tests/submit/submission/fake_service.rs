//! A service with responses defined by a test.

use std::sync::{Arc, Mutex};

use takt_engine::contract::ServiceAccess;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

use super::support::{EngineFixture, SITE};

/// A response: status code and reason, further header lines that each end with `\r\n`, and the body. Without a status,
/// the connection is closed without a response.
pub(crate) type ServiceAnswer = (&'static str, String, Vec<u8>);

/// Stops when it is dropped.
pub(crate) struct Service {
    base_url: String,
    /// Head and body of each request, in order.
    requests: Arc<Mutex<Vec<String>>>,
    serving: JoinHandle<()>,
}

impl Drop for Service {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Service {
    pub(crate) async fn start(answer: impl Fn(&str) -> ServiceAnswer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let requests: Arc<Mutex<Vec<String>>> = Arc::default();
        let (answer, seen) = (Arc::new(answer), Arc::clone(&requests));
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&answer), Arc::clone(&seen)));
            }
        });
        Self { base_url, requests, serving }
    }

    /// Makes the service the fixture's site, with any token.
    pub(crate) fn set_as_site(&self, fixture: &EngineFixture) {
        fixture.engine.set_practice(self.access());
        fixture.engine.sites().adopt_tokens(SITE, "access", None, None).unwrap();
    }

    /// Returns its addresses, with any client.
    pub(crate) fn access(&self) -> ServiceAccess {
        ServiceAccess {
            base_url: self.base_url.clone(),
            auth_url: self.base_url.clone(),
            client_id: "takt".to_owned(),
            client_secret: "secret".to_owned(),
            redirect_uris: vec!["http://127.0.0.1:0/callback".to_owned()],
            time_zone: "UTC".to_owned(),
        }
    }

    /// Returns the number of requests that begin with this text.
    pub(crate) fn count(&self, begin: &str) -> usize {
        self.requests.lock().unwrap().iter().filter(|request| request.starts_with(begin)).count()
    }
}

async fn serve<F: Fn(&str) -> ServiceAnswer>(mut stream: TcpStream, answer: Arc<F>, seen: Arc<Mutex<Vec<String>>>) {
    let Some(request) = read(&mut stream).await else { return };
    seen.lock().unwrap().push(request.clone());
    let (status, headers, body) = answer(&request);
    if status.is_empty() {
        return;
    }
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n",
        body.len()
    );
    drop(stream.write_all(&[head.into_bytes(), body].concat()).await);
    drop(stream.shutdown().await);
}

async fn read(stream: &mut TcpStream) -> Option<String> {
    let (mut bytes, mut part) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return Some(text);
            }
        }
        match stream.read(&mut part).await {
            Ok(0) | Err(_) => return None,
            Ok(count) => bytes.extend_from_slice(&part[..count]),
        }
    }
}
