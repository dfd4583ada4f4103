//! Listens on a loopback address for the browser's redirect.

use std::{
    collections::VecDeque,
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::timeout,
};
use url::{Host, Url};

use super::{
    page,
    redirect::{self, AuthorizationResponse},
};
use crate::{ClientError, address::is_loopback};

/// In bytes. Authorization codes are much shorter.
const MAX_HEAD_LENGTH: usize = 16 * 1024;
/// The timeout for the request of a connection. Browsers open connections before they need them.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_CONNECTIONS: usize = 32;

/// The open ports and the redirect address.
#[derive(Debug)]
pub(super) struct Listener {
    sockets: Vec<TcpListener>,
    redirect_uri: String,
    path: String,
}

/// The authorization response in the redirect, or why it was refused.
pub(super) type RedirectResult = Result<AuthorizationResponse, ClientError>;

/// The browser's connection, on which the result of the sign-in is shown.
#[derive(Debug)]
pub(super) struct BrowserConnection {
    stream: TcpStream,
    head: String,
}

impl BrowserConnection {
    /// Shows the result of the sign-in. Does nothing if the browser closed the connection.
    pub(super) async fn show(mut self, signed_in: bool) {
        let page = if signed_in { page::success_page(&self.head) } else { page::failure_page(&self.head) };
        drop(timeout(CONNECTION_TIMEOUT, send_page(&mut self.stream, &page)).await);
    }
}

impl Listener {
    /// Opens the first loopback address whose port is available.
    pub(super) async fn bind(redirect_uris: &[String]) -> Result<Self, ClientError> {
        let mut ports = Vec::new();
        let mut last = None;
        for uri in redirect_uris {
            let Some(url) = Url::parse(uri).ok().filter(|url| url.scheme() == "http" && is_loopback(url)) else {
                continue;
            };
            match open_sockets(&url).await {
                Ok(sockets) => return Self::from_sockets(sockets, uri, &url),
                Err(cause) => {
                    ports.push(url.port_or_known_default().unwrap_or_default());
                    last = Some(cause);
                }
            }
        }
        Err(match last {
            Some(cause) => ClientError::RedirectPortTaken {
                ports,
                excluded: cause.kind() == io::ErrorKind::PermissionDenied,
                reason: cause.to_string(),
            },
            None => ClientError::Settings {
                setting: "redirect address",
                reason: "none begins with http://127.0.0.1, http://[::1] or http://localhost".to_owned(),
            },
        })
    }

    fn from_sockets(sockets: Vec<TcpListener>, uri: &str, url: &Url) -> Result<Self, ClientError> {
        let opened = sockets.first().and_then(|socket| socket.local_addr().ok()).map(|address| address.port());
        let redirect_uri = match (url.port(), opened) {
            (Some(0), Some(port)) => uri.replacen(":0", &format!(":{port}"), 1),
            _ => uri.to_owned(),
        };
        Ok(Self { sockets, redirect_uri, path: url.path().to_owned() })
    }

    pub(super) fn redirect_uri(&self) -> &str {
        &self.redirect_uri
    }

    /// Serves browsers until a request has the state of this sign-in. The browser that sent a code is returned, since
    /// its page shows the result.
    pub(super) async fn wait_for_redirect(&self, state: &str) -> (RedirectResult, Option<BrowserConnection>) {
        let expected: Arc<(String, String)> = Arc::new((self.path.clone(), state.to_owned()));
        let mut connections = JoinSet::new();
        let mut oldest_first = VecDeque::new();
        loop {
            tokio::select! {
                Some(connection) = connections.join_next() => {
                    if let Ok(Some(redirect)) = connection {
                        return redirect;
                    }
                }
                accepted = self.accept() => {
                    let expected = Arc::clone(&expected);
                    oldest_first.push_back(connections.spawn(async move { serve(accepted, &expected.0, &expected.1).await }));
                    // The browser of this sign-in sends its request at once, so the oldest idle connection is closed.
                    if oldest_first.len() > MAX_CONNECTIONS && let Some(oldest) = oldest_first.pop_front() {
                        oldest.abort();
                    }
                }
            }
        }
    }

    /// Accepts the next connection on any socket. Failed connections are ignored.
    async fn accept(&self) -> TcpStream {
        loop {
            let accepted = match self.sockets.as_slice() {
                [first, second, ..] => tokio::select! {
                    accepted = first.accept() => accepted,
                    accepted = second.accept() => accepted,
                },
                [only] => only.accept().await,
                [] => std::future::pending().await,
            };
            match accepted {
                Ok((stream, _)) => return stream,
                // Without a pause, this would loop at full speed, for example if no file handles are left.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }
}

/// Opens both loopback addresses for `localhost`, since browsers may use either. Fails if the port is in use on either.
async fn open_sockets(url: &Url) -> io::Result<Vec<TcpListener>> {
    let port = url.port_or_known_default().unwrap_or_default();
    let address = |ip: IpAddr, port| TcpListener::bind(SocketAddr::new(ip, port));
    match url.host() {
        Some(Host::Ipv4(ip)) => Ok(vec![address(ip.into(), port).await?]),
        Some(Host::Ipv6(ip)) => Ok(vec![address(ip.into(), port).await?]),
        Some(Host::Domain(_)) | None => {
            let first = address(Ipv4Addr::LOCALHOST.into(), port).await?;
            let opened = first.local_addr()?.port();
            match address(Ipv6Addr::LOCALHOST.into(), opened).await {
                Ok(second) => Ok(vec![first, second]),
                Err(cause) if cause.kind() == io::ErrorKind::AddrInUse => Err(cause),
                // The computer may not support IPv6.
                Err(_) => Ok(vec![first]),
            }
        }
    }
}

/// Reads one request and responds, unless it has a code. Returns a result only for the redirect of this sign-in.
async fn serve(mut stream: TcpStream, path: &str, state: &str) -> Option<(RedirectResult, Option<BrowserConnection>)> {
    let head = timeout(CONNECTION_TIMEOUT, read_head(&mut stream)).await.ok()?.ok()?;
    let (result, page) = match redirect::parse_request(&head, path, state) {
        Some(Ok(response)) => return Some((Ok(response), Some(BrowserConnection { stream, head }))),
        Some(Err(refused)) if !refused.has_valid_state => (None, page::missing_state_page(&head)),
        Some(Err(refused)) => (Some((Err(refused.into()), None)), page::refusal_page(&head)),
        None => (None, page::not_found_response()),
    };
    drop(timeout(CONNECTION_TIMEOUT, send_page(&mut stream, &page)).await);
    result
}

async fn read_head(stream: &mut TcpStream) -> io::Result<String> {
    let mut head = Vec::new();
    let mut part = [0; 2048];
    while !head.windows(4).any(|window| window == b"\r\n\r\n") {
        let count = stream.read(&mut part).await?;
        if count == 0 || head.len() + count > MAX_HEAD_LENGTH {
            return Err(io::ErrorKind::InvalidData.into());
        }
        head.extend_from_slice(part.get(..count).unwrap_or_default());
    }
    String::from_utf8(head).map_err(|_| io::ErrorKind::InvalidData.into())
}

async fn send_page(stream: &mut TcpStream, page: &str) -> io::Result<()> {
    stream.write_all(page.as_bytes()).await?;
    stream.shutdown().await
}
