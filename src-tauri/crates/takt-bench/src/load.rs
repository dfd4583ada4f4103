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

/// A source that repeats the same requests.
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

/// The end of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Until {
    Passed(Duration),
    /// After this many responses on each connection.
    Answered(usize),
}

/// The result of a load.
#[derive(Debug, Clone, Default)]
pub(crate) struct Volley {
    pub(crate) answers: usize,
    /// Responses with an error status, and broken connections.
    pub(crate) failures: usize,
    pub(crate) bytes: usize,
    pub(crate) elapsed: Duration,
    /// Sorted.
    latencies: Vec<Duration>,
}

impl Volley {
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
pub(crate) fn volley(address: SocketAddr, sources: Vec<Box<dyn Source>>, until: Until) -> Volley {
    let mut total = Volley::default();
    thread::scope(|scope| {
        let shots: Vec<_> =
            sources.into_iter().map(|source| scope.spawn(move || run_connection(address, source, until))).collect();
        for shot in shots {
            total.add(shot.join().unwrap_or(Volley { failures: 1, ..Volley::default() }));
        }
    });
    total.latencies.sort_unstable();
    total
}

fn run_connection(address: SocketAddr, mut source: Box<dyn Source>, until: Until) -> Volley {
    let mut volley = Volley::default();
    let start = Instant::now();
    let mut connection = None;
    let mut broken = 0;
    loop {
        let enough = match until {
            Until::Passed(limit) => start.elapsed() >= limit,
            Until::Answered(limit) => volley.answers + volley.failures >= limit,
        };
        if enough || broken > 10 {
            break;
        }
        let sent = Instant::now();
        match ask(&mut connection, address, source.next()) {
            Ok(answer) => {
                volley.bytes += answer.bytes;
                volley.latencies.push(sent.elapsed());
                if answer.success {
                    volley.answers += 1
                } else {
                    volley.failures += 1
                }
                if answer.last {
                    connection = None;
                }
            }
            Err(_) => {
                connection = None;
                broken += 1;
                volley.failures += 1;
            }
        }
    }
    volley.elapsed = start.elapsed();
    volley
}

fn ask(connection: &mut Option<Connection>, address: SocketAddr, request: &[u8]) -> io::Result<Answer> {
    let connection = match connection {
        Some(connection) => connection,
        None => connection.insert(Connection::to(address)?),
    };
    connection.stream.write_all(request)?;
    connection.answer()
}

#[derive(Debug)]
struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

#[derive(Debug)]
struct Answer {
    success: bool,
    /// Whether the server closes the connection after it.
    last: bool,
    bytes: usize,
}

impl Connection {
    fn to(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        Ok(Self { stream, buffer: vec![0; BUFFER] })
    }

    /// Reads one complete response. No further bytes follow, because only one request is in flight.
    fn answer(&mut self) -> io::Result<Answer> {
        let mut filled = 0;
        let head = loop {
            filled += self.more(filled)?;
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
            None => self.chunks(head, filled)?,
        };
        Ok(Answer { success, last, bytes })
    }

    /// Reads to the last chunk, which is empty. The measured bodies don't contain that sequence.
    fn chunks(&mut self, head: usize, filled: usize) -> io::Result<usize> {
        const END: &[u8] = b"\r\n0\r\n\r\n";
        let mut bytes = filled - head;
        let mut tail = self.buffer[head.saturating_sub(2)..filled].to_vec();
        while !tail.ends_with(END) {
            let count = self.more(0)?;
            bytes += count;
            tail.drain(..tail.len().saturating_sub(END.len()));
            tail.extend_from_slice(&self.buffer[..count]);
        }
        Ok(bytes)
    }

    /// Reads and discards at most this many bytes. Linux drops them without a copy and wakes the thread once, because
    /// the server shares the client's cores.
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

    fn more(&mut self, from: usize) -> io::Result<usize> {
        if from == self.buffer.len() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        match self.stream.read(&mut self.buffer[from..])? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            count => Ok(count),
        }
    }
}
