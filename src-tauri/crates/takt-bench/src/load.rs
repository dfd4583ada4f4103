//! Puts load on one address. Each keep-alive connection has its own thread and sends its next request after the last
//! response.
//!
//! It uses bare sockets and prepared requests, so that the client costs little and the same for each subject. It parses
//! only as much of HTTP as it needs to find a response's end.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// A server that is silent for this long has failed.
const TIMEOUT: Duration = Duration::from_secs(30);
const BUFFER: usize = 256 * 1024;

/// A source of requests for one connection.
pub(crate) trait Source: Send {
    /// Returns the next complete request.
    fn next(&mut self) -> &[u8];
}

/// A source that repeats the same requests in order.
pub(crate) struct Cycle {
    requests: Arc<Vec<Vec<u8>>>,
    at: usize,
}

impl Cycle {
    /// Returns a source per connection. Each one begins with another request.
    pub(crate) fn sources(requests: Vec<Vec<u8>>, connections: usize) -> Vec<Box<dyn Source>> {
        let requests = Arc::new(requests);
        let source = |at| Box::new(Self { requests: Arc::clone(&requests), at }) as Box<dyn Source>;
        (0..connections).map(source).collect()
    }
}

impl Source for Cycle {
    fn next(&mut self) -> &[u8] {
        let at = self.at % self.requests.len();
        self.at += 1;
        &self.requests[at]
    }
}

/// The condition that ends a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Until {
    Passed(Duration),
    /// The number of responses on the connection.
    Answered(usize),
}

/// The result of a load.
#[derive(Debug, Clone, Default)]
pub(crate) struct LoadResult {
    pub(crate) answers: usize,
    /// Responses with an error status, and broken connections.
    pub(crate) failures: usize,
    pub(crate) bytes: usize,
    pub(crate) elapsed: Duration,
    /// The latency of each response, sorted.
    latencies: Vec<Duration>,
}

impl LoadResult {
    #[expect(clippy::cast_precision_loss, reason = "a count of answers")]
    pub(crate) fn per_second(&self) -> f64 {
        self.answers as f64 / self.elapsed.as_secs_f64().max(f64::EPSILON)
    }

    /// Returns the latency within which this percentage of responses arrived.
    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        let at = (self.latencies.len() * percent / 100).min(self.latencies.len().saturating_sub(1));
        self.latencies.get(at).copied().unwrap_or_default()
    }

    fn add(&mut self, other: Self) {
        self.answers += other.answers;
        self.failures += other.failures;
        self.bytes += other.bytes;
        self.elapsed = self.elapsed.max(other.elapsed);
        self.latencies.extend(other.latencies);
    }
}

/// Sends the requests of all sources to the address, with one connection each.
pub(crate) fn run_load(address: SocketAddr, sources: Vec<Box<dyn Source>>, until: Until) -> LoadResult {
    let mut total = LoadResult::default();
    thread::scope(|scope| {
        let workers: Vec<_> =
            sources.into_iter().map(|source| scope.spawn(move || run_connection(address, source, until))).collect();
        for worker in workers {
            total.add(worker.join().unwrap_or(LoadResult { failures: 1, ..LoadResult::default() }));
        }
    });
    total.latencies.sort_unstable();
    total
}

fn run_connection(address: SocketAddr, mut source: Box<dyn Source>, until: Until) -> LoadResult {
    let mut result = LoadResult::default();
    let start = Instant::now();
    let mut connection = None;
    let mut broken = 0;
    loop {
        let enough = match until {
            Until::Passed(limit) => start.elapsed() >= limit,
            Until::Answered(limit) => result.answers + result.failures >= limit,
        };
        if enough || broken > 10 {
            break;
        }
        let sent = Instant::now();
        match send_request(&mut connection, address, source.next()) {
            Ok(answer) => {
                result.bytes += answer.bytes;
                result.latencies.push(sent.elapsed());
                if answer.success {
                    result.answers += 1
                } else {
                    result.failures += 1
                }
                if answer.last {
                    connection = None;
                }
            }
            Err(_) => {
                connection = None;
                broken += 1;
                result.failures += 1;
            }
        }
    }
    result.elapsed = start.elapsed();
    result
}

fn send_request(connection: &mut Option<Connection>, address: SocketAddr, request: &[u8]) -> io::Result<Response> {
    let connection = match connection {
        Some(connection) => connection,
        None => connection.insert(Connection::open(address)?),
    };
    connection.stream.write_all(request)?;
    connection.read_response()
}

#[derive(Debug)]
struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

#[derive(Debug)]
struct Response {
    success: bool,
    /// Whether the server closes the connection after it.
    last: bool,
    bytes: usize,
}

impl Connection {
    fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        Ok(Self { stream, buffer: vec![0; BUFFER] })
    }

    /// Reads one complete response. No further bytes follow, because only one request is in flight.
    fn read_response(&mut self) -> io::Result<Response> {
        let mut filled = 0;
        let head = loop {
            filled += self.read_more(filled)?;
            if let Some(end) = self.buffer[..filled].windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
        };
        let text = String::from_utf8_lossy(&self.buffer[..head]).to_ascii_lowercase();
        let header = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let success = text.split(' ').nth(1).is_some_and(|status| status.starts_with('2'));
        let last = header("connection:") == Some("close");
        let bytes = match header("content-length:").and_then(|length| length.parse::<usize>().ok()) {
            Some(length) => {
                let mut got = filled - head;
                while got < length {
                    got += self.discard(length - got)?;
                }
                got
            }
            None => self.read_chunks(head, filled)?,
        };
        Ok(Response { success, last, bytes })
    }

    /// Reads a chunked body up to the empty last chunk, and returns its size. Measured bodies don't contain its bytes.
    fn read_chunks(&mut self, head: usize, filled: usize) -> io::Result<usize> {
        const END: &[u8] = b"\r\n0\r\n\r\n";
        let mut bytes = filled - head;
        let mut tail = self.buffer[head.saturating_sub(2)..filled].to_vec();
        while !tail.ends_with(END) {
            let count = self.read_more(0)?;
            bytes += count;
            tail.drain(..tail.len().saturating_sub(END.len()));
            tail.extend_from_slice(&self.buffer[..count]);
        }
        Ok(bytes)
    }

    /// Reads and discards at most this many bytes. The server shares the client's cores, so on Linux the bytes aren't
    /// copied and the thread is woken only once.
    fn discard(&mut self, most: usize) -> io::Result<usize> {
        let most = most.min(self.buffer.len());
        let room = &mut self.buffer[..most];
        #[cfg(target_os = "linux")]
        let (_, count) = {
            use rustix::net::{RecvFlags, recv};
            recv(&self.stream, room, RecvFlags::TRUNC | RecvFlags::WAITALL)?
        };
        #[cfg(not(target_os = "linux"))]
        let count = self.stream.read(room)?;
        if count == 0 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(count) }
    }

    fn read_more(&mut self, from: usize) -> io::Result<usize> {
        if from == self.buffer.len() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        match self.stream.read(&mut self.buffer[from..])? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            count => Ok(count),
        }
    }
}
