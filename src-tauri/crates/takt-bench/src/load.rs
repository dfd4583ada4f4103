//! Load on one address: connections that are kept alive, each with its own thread, each sending its next request when the last
//! one is answered.
//!
//! It is made here, of bare sockets and requests written down beforehand, so that the client costs little, costs the same for
//! everyone measured, and nothing has to be installed. It understands as much of HTTP as finding an answer's end takes.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// A server that is silent for so long has failed.
const TIMEOUT: Duration = Duration::from_secs(30);
const BUFFER: usize = 256 * 1024;

/// Where a connection takes its requests from.
pub(crate) trait Source: Send {
    /// The next request, whole.
    fn next(&mut self) -> &[u8];
}

/// The same requests again and again.
pub(crate) struct Cycle {
    requests: Arc<Vec<Vec<u8>>>,
    at: usize,
}

impl Cycle {
    /// A cycle per connection, each beginning elsewhere.
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

/// When a connection ends.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Until {
    Passed(Duration),
    /// After so many answers of each connection.
    Answered(usize),
}

/// The outcome.
#[derive(Debug, Clone, Default)]
pub(crate) struct Volley {
    pub(crate) answers: usize,
    /// Answers that were no success, and connections that broke.
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

    /// The latency that so many per cent of the answers keep.
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

/// Lets every source's requests go to the address, one connection each.
pub(crate) fn volley(address: SocketAddr, sources: Vec<Box<dyn Source>>, until: Until) -> Volley {
    let mut whole = Volley::default();
    thread::scope(|scope| {
        let shots: Vec<_> =
            sources.into_iter().map(|source| scope.spawn(move || one(address, source, until))).collect();
        for shot in shots {
            whole.add(shot.join().unwrap_or(Volley { failures: 1, ..Volley::default() }));
        }
    });
    whole.latencies.sort_unstable();
    whole
}

fn one(address: SocketAddr, mut source: Box<dyn Source>, until: Until) -> Volley {
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

    /// Reads one answer to its end. Nothing follows it, since only one request is under way.
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
                    got += self.pass_over(length - got)?;
                }
                got
            }
            None => self.chunks(head, filled)?,
        };
        Ok(Answer { success, last, bytes })
    }

    /// Reads to the last chunk, which is empty. The text of our answers holds no such end.
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

    /// Takes at most so many bytes that nobody looks at. Linux drops them without a copy and wakes the thread once: the server
    /// shares the client's cores.
    fn pass_over(&mut self, most: usize) -> io::Result<usize> {
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
