//! A relay in front of a server that forwards both directions and records every exchange. It can replace a text of the
//! same length in responses, hold back a response, or simulate network failures.

mod network_fault;

use std::{
    fmt,
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use serde_json::Value;

pub use network_fault::FreezePoint;
use network_fault::Network;

/// A relay. It ends with all its connections when it is dropped.
pub struct Relay {
    address: SocketAddr,
    url: String,
    connections: Arc<Mutex<Vec<Connection>>>,
    network: Arc<Network>,
}

/// The bytes of one connection in each direction.
#[derive(Clone, Default)]
struct Connection {
    sent: Arc<Mutex<Vec<u8>>>,
    answered: Arc<Mutex<Vec<u8>>>,
}

/// A request and its response.
#[derive(Debug, Clone)]
pub struct Exchange {
    pub method: String,
    /// The path and query.
    pub target: String,
    /// The request's JSON body, or null without one.
    pub sent: Value,
    pub status: u16,
    /// The response's headers. Names are in lower case.
    pub headers: Vec<(String, String)>,
    pub answered: Value,
}

impl fmt::Debug for Relay {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Relay").field("url", &self.url).finish_non_exhaustive()
    }
}

impl Relay {
    /// Starts a relay in front of an address such as `127.0.0.1:8080`.
    #[must_use]
    pub fn start(server: &str) -> Self {
        Self::replacing(server, ("", ""))
    }

    /// Like [`Relay::start`], but replaces the first text with the second one in responses. Both must have the same
    /// length.
    #[must_use]
    pub fn replacing(server: &str, texts: (&'static str, &'static str)) -> Self {
        assert_eq!(texts.0.len(), texts.1.len(), "a body's length stays");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it has an address");
        let relay =
            Self { address, url: format!("http://{address}"), connections: Arc::default(), network: Arc::default() };
        let (server, connections, network) =
            (server.to_owned(), Arc::clone(&relay.connections), Arc::clone(&relay.network));
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                if network.is_over() {
                    return;
                }
                let is_open = network.wait_until_open();
                let Some(far) = is_open.then(|| TcpStream::connect(&server).ok()).flatten() else { continue };
                let connection = Connection::default();
                let mut all = connections.lock().expect("nobody panics");
                let number = all.len();
                all.push(connection.clone());
                drop(all);
                network.add(&near, &far);
                forward((&near, &far), connection.sent, ("", ""), Arc::clone(&network), Direction::Request(number));
                forward((&far, &near), connection.answered, texts, Arc::clone(&network), Direction::Response(number));
            }
        });
        relay
    }

    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the address at which the relay listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Closes all connections, and each new one, until [`Relay::heal`].
    pub fn cut(&self) {
        self.network.cut();
    }

    /// Forwards nothing until [`Relay::heal`], like an unplugged cable. Connections stay open, and new ones wait.
    pub fn freeze(&self) {
        self.network.freeze(None);
    }

    /// Forwards nothing from the first occurrence of `point` on, until [`Relay::heal`].
    pub fn freeze_at(&self, point: FreezePoint) {
        self.network.freeze(Some(point));
    }

    #[must_use]
    pub fn is_frozen(&self) -> bool {
        self.network.is_frozen()
    }

    /// Holds back the response on the next connection whose request contains this text, until [`Relay::release`]. The
    /// request is forwarded, and other connections aren't affected.
    pub fn hold_response_to(&self, text: &'static str) {
        self.network.hold_response_to(text);
    }

    /// Returns whether a response is held back. True from the request that matches [`Relay::hold_response_to`] until
    /// [`Relay::release`].
    #[must_use]
    pub fn is_holding_response(&self) -> bool {
        self.network.is_holding_response()
    }

    /// Forwards the response that was held back, and ends holding back.
    pub fn release(&self) {
        self.network.release();
    }

    /// Ends a cut or freeze. Bytes that arrived in the meantime are forwarded first.
    pub fn heal(&self) {
        self.network.heal();
    }

    /// Returns all complete exchanges, ordered by connection.
    #[must_use]
    pub fn exchanges(&self) -> Vec<Exchange> {
        let connections = self.connections.lock().expect("nobody panics").clone();
        let exchanges_of = |connection: &Connection| {
            let requests = parse_messages(&connection.sent.lock().expect("nobody panics"));
            let answers = parse_messages(&connection.answered.lock().expect("nobody panics"));
            requests
                .into_iter()
                .zip(answers)
                .map(|(request, answer)| parse_exchange(&request, answer))
                .collect::<Vec<_>>()
        };
        connections.iter().flat_map(exchanges_of).collect()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.network.end();
        // Connecting wakes the thread that accepts connections.
        drop(TcpStream::connect(self.address));
    }
}

/// The direction in which bytes are forwarded, with the connection's number.
#[derive(Debug, Clone, Copy)]
enum Direction {
    Request(usize),
    Response(usize),
}

fn forward(
    (from, to): (&TcpStream, &TcpStream),
    recorded: Arc<Mutex<Vec<u8>>>,
    texts: (&'static str, &'static str),
    network: Arc<Network>,
    direction: Direction,
) {
    let (mut from, mut to) =
        (from.try_clone().expect("a socket has two ends"), to.try_clone().expect("so has the other"));
    thread::spawn(move || {
        let mut buffer = [0; 16 * 1024];
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            replace_text(&mut buffer[..count], texts);
            let mut bytes = recorded.lock().expect("nobody panics");
            bytes.extend_from_slice(&buffer[..count]);
            let arrives = match direction {
                Direction::Request(number) => network.apply_points(&bytes, count, number),
                Direction::Response(_) => false,
            };
            drop(bytes);
            if let Direction::Response(number) = direction {
                network.wait_until_released(number);
            }
            if !(arrives || network.wait_until_open()) || to.write_all(&buffer[..count]).is_err() {
                break;
            }
        }
        // The end of a stream is forwarded, too. The receiver may have closed the connection.
        network.wait_until_open();
        let _ = to.shutdown(Shutdown::Write);
    });
}

fn replace_text(bytes: &mut [u8], (before, after): (&str, &str)) {
    if before.is_empty() {
        return;
    }
    while let Some(at) = bytes.windows(before.len()).position(|window| window == before.as_bytes()) {
        bytes[at..at + before.len()].copy_from_slice(after.as_bytes());
    }
}

struct Message {
    first: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// Parses the complete messages of one direction. They must have a `Content-Length`, as all messages of Takt and the
/// plant do.
fn parse_messages(bytes: &[u8]) -> Vec<Message> {
    let (mut messages, mut rest) = (Vec::new(), bytes);
    while let Some(end) = rest.windows(4).position(|window| window == b"\r\n\r\n") {
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        let mut lines = head.lines();
        let first = lines.next().unwrap_or_default().to_owned();
        let header =
            |line: &str| line.split_once(':').map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()));
        let headers: Vec<_> = lines.filter_map(header).collect();
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let length = length.map_or(0, |(_, length)| length.parse().expect("a length is a number"));
        assert!(!headers.iter().any(|(name, _)| name == "transfer-encoding"), "{first}: its length isn't said");
        let Some(body) = rest.get(end + 4..end + 4 + length) else { break };
        messages.push(Message { first, headers, body: body.to_vec() });
        rest = &rest[end + 4 + length..];
    }
    messages
}

fn parse_exchange(request: &Message, answer: Message) -> Exchange {
    let part = |text: &str, index: usize| text.split(' ').nth(index).unwrap_or_default().to_owned();
    let json = |body: &[u8]| serde_json::from_slice(body).unwrap_or_default();
    Exchange {
        method: part(&request.first, 0),
        target: part(&request.first, 1),
        sent: json(&request.body),
        status: part(&answer.first, 1).parse().expect("a status is a number"),
        answered: json(&answer.body),
        headers: answer.headers,
    }
}
