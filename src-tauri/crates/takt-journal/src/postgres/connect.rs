//! A connection to the server, signed in, over which everything that comes is counted (`liveness`).

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::select_ok;
use futures_util::stream::{StreamExt, poll_fn};
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio_postgres::config::Host;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{AsyncMessage, Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::ClientConfig;
use tokio_util::io::InspectReader;

use super::liveness::Liveness;
use super::{PostgresError, TeamAddress};

/// Between two signs of life on an idle connection. So many may be missed before it counts as lost.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(3);
const KEEPALIVES: u32 = 3;
/// The same where what was sent isn't taken.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED_TIMEOUT: Duration = Duration::from_secs(10);
const DEFAULT_PORT: u16 = 5432;

/// What a connection tells of itself.
pub(super) struct Events<N, E> {
    /// The server notified this connection.
    pub(super) notified: N,
    /// It has ended.
    pub(super) ended: E,
}

/// Connects and signs in; the connection is driven by a task of the current runtime. Gives up where nothing comes for a while.
///
/// # Errors
/// [`PostgresError::Away`] where it doesn't come about, else as the server says.
pub(super) async fn connect<N, E>(
    address: &TeamAddress,
    tls: ClientConfig,
    (liveness, events): (&Liveness, Events<N, E>),
) -> Result<Client, PostgresError>
where
    N: Fn() + Send + 'static,
    E: FnOnce() + Send + 'static,
{
    let config = address.config();
    let port = config.get_ports().first().copied().unwrap_or(DEFAULT_PORT);
    match config.get_hosts().first() {
        Some(Host::Tcp(host)) => {
            let stream = tcp_stream(config, host, port).await.map_err(|error| {
                if error.kind() == io::ErrorKind::ConnectionRefused {
                    liveness.hear();
                }
                away(&error)
            })?;
            sign_in(config, (stream, host), tls, (liveness, events)).await
        }
        #[cfg(unix)]
        Some(Host::Unix(folder)) => {
            let socket = folder.join(format!(".s.PGSQL.{port}"));
            let stream = tokio::net::UnixStream::connect(socket).await.map_err(|error| away(&error))?;
            sign_in(config, (stream, ""), tls, (liveness, events)).await
        }
        None => Err(PostgresError::Away("the address names no host".to_owned())),
    }
}

fn away(error: &io::Error) -> PostgresError {
    PostgresError::Away(error.to_string())
}

/// Of several addresses of a name the first that answers.
async fn tcp_stream(config: &Config, host: &str, port: u16) -> io::Result<TcpStream> {
    let addresses: Vec<SocketAddr> = match config.get_hostaddrs() {
        [] => lookup_host((host, port)).await?.collect(),
        known => known.iter().map(|address| SocketAddr::new(*address, port)).collect(),
    };
    if addresses.is_empty() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "the name has no address"));
    }
    let (stream, _) = select_ok(addresses.into_iter().map(|address| Box::pin(TcpStream::connect(address)))).await?;
    stream.set_nodelay(true)?;
    let socket = SockRef::from(&stream);
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(UNACKNOWLEDGED_TIMEOUT))?;
    let keepalive =
        TcpKeepalive::new().with_time(KEEPALIVE_INTERVAL).with_interval(KEEPALIVE_INTERVAL).with_retries(KEEPALIVES);
    socket.set_tcp_keepalive(&keepalive)?;
    Ok(stream)
}

async fn sign_in<S, N, E>(
    config: &Config,
    (stream, host): (S, &str),
    tls: ClientConfig,
    (liveness, Events { notified, ended }): (&Liveness, Events<N, E>),
) -> Result<Client, PostgresError>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    N: Fn() + Send + 'static,
    E: FnOnce() + Send + 'static,
{
    let own = Arc::new(AtomicU64::new(0));
    let (counted, everywhere) = (Arc::clone(&own), Arc::clone(liveness.heard()));
    let stream = InspectReader::new(stream, move |bytes: &[u8]| {
        let came = bytes.len() as u64;
        counted.fetch_add(came, Ordering::Relaxed);
        everywhere.fetch_add(came, Ordering::Relaxed);
    });
    let mut connector = MakeRustlsConnect::new(tls);
    let connector = MakeTlsConnect::<InspectReader<S, fn(&[u8])>>::make_tls_connect(&mut connector, host);
    let connector = connector.map_err(|error| PostgresError::Away(error.to_string()))?;
    // Others may be heard of over sessions that they have, while nobody new is let in.
    let signed_in = tokio::select! {
        biased;
        signed_in = config.connect_raw(stream, connector) => signed_in,
        () = liveness.silence_of(&own).long() => return Err(Liveness::silent()),
    };
    let (client, mut connection) = signed_in.map_err(|error| PostgresError::of(&error))?;
    tokio::spawn(async move {
        let mut messages = poll_fn(move |context| connection.poll_message(context));
        // The next call gets the reason.
        while let Some(Ok(message)) = messages.next().await {
            if matches!(message, AsyncMessage::Notification(_)) {
                notified();
            }
        }
        ended();
    });
    Ok(client)
}
