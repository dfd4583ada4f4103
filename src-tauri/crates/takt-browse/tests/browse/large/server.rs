//! A service with responses byte by byte, and an engine that is signed in to it.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use takt_engine::{
    Engine,
    browse::{BrowseQuery, RowSet},
    sites::{Site, SiteKind},
};
use takt_test_support::setup::{self, engine_config};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

pub(crate) const SITE: &str = "Plant 4";
pub(crate) const LIST: &str = "materials.list";

/// A response in pieces, after which the connection is closed.
pub(crate) type Pieces = Box<dyn Iterator<Item = Vec<u8>> + Send>;

pub(crate) struct Fixture {
    pub(crate) engine: Arc<Engine>,
    pub(crate) requests: Arc<AtomicUsize>,
    _home: TempDir,
    serving: JoinHandle<()>,
}

impl Drop for Fixture {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Fixture {
    /// Starts a service. `answer` gets the requested page, and the request's number from 0.
    pub(crate) async fn with(answer: impl Fn(u32, usize) -> Pieces + Send + Sync + 'static) -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}", socket.local_addr().unwrap());
        let requests = Arc::new(AtomicUsize::new(0));
        let (answer, count) = (Arc::new(answer), Arc::clone(&requests));
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = socket.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&answer), Arc::clone(&count)));
            }
        });
        let home = TempDir::new().unwrap();
        let engine = engine(&home, &base_url);
        Self { engine, requests, _home: home, serving }
    }

    pub(crate) fn set(&self) -> RowSet {
        self.engine.browse().row_set(SITE, LIST).unwrap()
    }

    pub(crate) fn count(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

pub(crate) fn query() -> BrowseQuery {
    BrowseQuery { operation: LIST.to_owned(), ..BrowseQuery::default() }
}

fn engine(home: &TempDir, base_url: &str) -> Arc<Engine> {
    let engine = Engine::open(engine_config(home.path())).unwrap();
    let site =
        Site { base_url: base_url.to_owned(), auth_url: base_url.to_owned(), ..setup::site(SITE, SiteKind::Test) };
    engine.save_site(site, None).unwrap();
    engine.sites().adopt_tokens(SITE, "access", None, Some(3_600)).unwrap();
    engine
}

async fn serve<F: Fn(u32, usize) -> Pieces>(mut stream: TcpStream, answer: Arc<F>, count: Arc<AtomicUsize>) {
    let mut head = Vec::new();
    let mut part = [0; 4096];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut part).await {
            Ok(0) | Err(_) => return,
            Ok(read) => head.extend_from_slice(&part[..read]),
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let page = head.split("page=").nth(1).and_then(|rest| rest.split(['&', ' ']).next()?.parse().ok());
    let pieces = answer(page.unwrap_or(1), count.fetch_add(1, Ordering::SeqCst));
    for piece in pieces {
        if stream.write_all(&piece).await.is_err() {
            return;
        }
    }
    drop(stream.shutdown().await);
}

/// Returns the status line and headers of a response. Each further header ends with `\r\n`.
pub(crate) fn response_head(status: &str, headers: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nConnection: close\r\n{headers}\r\n").into_bytes()
}

pub(crate) fn complete_response(status: &str, headers: &str, body: &str) -> Pieces {
    let length = format!("Content-Length: {}\r\n{headers}", body.len());
    Box::new([response_head(status, &length), body.as_bytes().to_vec()].into_iter())
}

/// Returns a page of rows that differ between pages.
pub(crate) fn rows_json(page: u32, count: usize) -> String {
    let rows: Vec<String> = (0..count).map(|row| format!(r#"{{"code":"{page}-{row}"}}"#)).collect();
    format!(r#"{{"data":[{}]}}"#, rows.join(","))
}

pub(crate) fn counts_json(total: u32, pages: u32, current: u32) -> String {
    format!("X-Pagination-Total: {total}\r\nX-Pagination-Pages: {pages}\r\nX-Pagination-Current: {current}\r\n")
}
