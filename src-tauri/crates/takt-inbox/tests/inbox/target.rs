//! A target system that responds as configured, and records events in order.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::JoinHandle,
};

#[derive(Debug, Clone)]
pub(crate) struct ReceivedRequest {
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
    pub(crate) at: Instant,
}

impl ReceivedRequest {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn delivery(&self) -> &str {
        self.header("x-takt-delivery").unwrap_or_default()
    }
}

/// The response to a request: a status with further headers, the same after a permit, no response, or a late one.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    Status(u16, String),
    Held(Arc<Semaphore>, u16, String),
    Drop,
    Late(Duration),
}

pub(crate) fn status(status: u16) -> Answer {
    Answer::Status(status, String::new())
}

type Rule = Arc<dyn Fn(&ReceivedRequest) -> Answer + Send + Sync>;

pub(crate) struct Erp {
    port: u16,
    received: Arc<Mutex<Vec<ReceivedRequest>>>,
    rule: Arc<Mutex<Rule>>,
    serving: Option<JoinHandle<()>>,
}

impl Erp {
    pub(crate) async fn start(rule: impl Fn(&ReceivedRequest) -> Answer + Send + Sync + 'static) -> Self {
        let mut erp = Self {
            port: 0,
            received: Arc::default(),
            rule: Arc::new(Mutex::new(Arc::new(rule) as Rule)),
            serving: None,
        };
        erp.start_listening().await;
        erp
    }

    pub(crate) async fn start_listening(&mut self) {
        let listener = TcpListener::bind(("127.0.0.1", self.port)).await.unwrap();
        self.port = listener.local_addr().unwrap().port();
        let (received, rule) = (Arc::clone(&self.received), Arc::clone(&self.rule));
        self.serving = Some(tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve_connection(stream, Arc::clone(&received), Arc::clone(&rule)));
            }
        }));
    }

    /// Stops listening.
    pub(crate) async fn stop_listening(&mut self) {
        if let Some(serving) = self.serving.take() {
            serving.abort();
            let _ = serving.await;
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/events", self.port)
    }

    pub(crate) fn set_rule(&self, rule: impl Fn(&ReceivedRequest) -> Answer + Send + Sync + 'static) {
        *self.rule.lock().unwrap() = Arc::new(rule);
    }

    /// Returns all received events, whatever the response was.
    pub(crate) fn received(&self) -> Vec<ReceivedRequest> {
        self.received.lock().unwrap().clone()
    }

    pub(crate) fn deliveries(&self) -> Vec<String> {
        self.received().iter().map(|one| one.delivery().to_owned()).collect()
    }

    pub(crate) async fn wait_for_events(&self, count: usize) -> Vec<ReceivedRequest> {
        let until = Instant::now() + Duration::from_secs(20);
        while self.received().len() < count {
            assert!(Instant::now() < until, "{count} were to come: {:?}", self.deliveries());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        self.received()
    }
}

impl Drop for Erp {
    fn drop(&mut self) {
        if let Some(serving) = &self.serving {
            serving.abort();
        }
    }
}

async fn serve_connection(mut stream: TcpStream, received: Arc<Mutex<Vec<ReceivedRequest>>>, rule: Arc<Mutex<Rule>>) {
    let mut bytes = Vec::new();
    let arrived = loop {
        if let Some(arrived) = parse_request(&bytes) {
            break arrived;
        }
        let mut piece = [0; 4096];
        match stream.read(&mut piece).await {
            Ok(read) if read > 0 => bytes.extend_from_slice(&piece[..read]),
            _ => return,
        }
    };
    let rule = Arc::clone(&rule.lock().unwrap());
    let answer = rule(&arrived);
    received.lock().unwrap().push(arrived);
    let (status, headers) = match answer {
        Answer::Drop => return,
        Answer::Late(wait) => {
            tokio::time::sleep(wait).await;
            (200, String::new())
        }
        Answer::Held(permits, status, headers) => {
            permits.acquire().await.unwrap().forget();
            (status, headers)
        }
        Answer::Status(status, headers) => (status, headers),
    };
    let text = format!("answer {status}");
    let length = text.len();
    let head =
        format!("HTTP/1.1 {status} Some\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n{text}");
    let _ = stream.write_all(head.as_bytes()).await;
}

fn parse_request(bytes: &[u8]) -> Option<ReceivedRequest> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let headers: Vec<(String, String)> = head
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length =
        headers.iter().find(|(name, _)| name == "content-length").map_or(0, |(_, value)| value.parse().unwrap());
    let body = bytes.get(end + 4..end + 4 + length)?;
    Some(ReceivedRequest { headers, body: String::from_utf8_lossy(body).into_owned(), at: Instant::now() })
}
