//! Connects and signs in to a team's database. A connection counts all bytes that it receives (`availability`).

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

use super::availability::Liveness;
use super::{PostgresError, TeamAddress};

/// The time between two keepalive packets on an idle connection, and the number that may be lost.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(3);
const MAX_LOST_KEEPALIVES: u32 = 3;
/// The time after which a connection whose data isn't acknowledged is treated as lost.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED_TIMEOUT: Duration = Duration::from_secs(10);
const DEFAULT_PORT: u16 = 5432;

/// The callbacks of a connection.
pub(super) struct ConnectionCallbacks<N, E> {
    /// Called for each notification of the server.
    pub(super) on_notification: N,
    /// Called when the connection has ended.
    pub(super) on_end: E,
}

/// Connects and signs in. A task of the current runtime drives the connection. Gives up if the server is silent.
///
/// # Errors
/// [`PostgresError::Unavailable`] if the connection fails or the server is silent. Otherwise the error of the server.
pub(super) async fn connect<N, E>(
    address: &TeamAddress,
    tls: ClientConfig,
    liveness: &Liveness,
    events: ConnectionCallbacks<N, E>,
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
                    liveness.record_sign_of_life();
                }
                unavailable_error(&error)
            })?;
            sign_in(config, stream, host, tls, liveness, events).await
        }
        #[cfg(unix)]
        Some(Host::Unix(folder)) => {
            let socket = folder.join(format!(".s.PGSQL.{port}"));
            let stream = tokio::net::UnixStream::connect(socket).await.map_err(|error| unavailable_error(&error))?;
            sign_in(config, stream, "", tls, liveness, events).await
        }
        None => Err(PostgresError::Unavailable("the address names no host".to_owned())),
    }
}

fn unavailable_error(error: &io::Error) -> PostgresError {
    PostgresError::Unavailable(error.to_string())
}

/// Connects to the first address of the host that responds.
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
    let keepalive = TcpKeepalive::new()
        .with_time(KEEPALIVE_INTERVAL)
        .with_interval(KEEPALIVE_INTERVAL)
        .with_retries(MAX_LOST_KEEPALIVES);
    socket.set_tcp_keepalive(&keepalive)?;
    Ok(stream)
}

async fn sign_in<S, N, E>(
    config: &Config,
    stream: S,
    host: &str,
    tls: ClientConfig,
    liveness: &Liveness,
    ConnectionCallbacks { on_notification, on_end }: ConnectionCallbacks<N, E>,
) -> Result<Client, PostgresError>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    N: Fn() + Send + 'static,
    E: FnOnce() + Send + 'static,
{
    let session_bytes = Arc::new(AtomicU64::new(0));
    let (session_counter, store_counter) = (Arc::clone(&session_bytes), Arc::clone(liveness.received()));
    let stream = InspectReader::new(stream, move |bytes: &[u8]| {
        let length = bytes.len() as u64;
        session_counter.fetch_add(length, Ordering::Relaxed);
        store_counter.fetch_add(length, Ordering::Relaxed);
    });
    let mut connector = MakeRustlsConnect::new(tls);
    let connector = MakeTlsConnect::<InspectReader<S, fn(&[u8])>>::make_tls_connect(&mut connector, host);
    let connector = connector.map_err(|error| PostgresError::Unavailable(error.to_string()))?;
    // Measures only this connection, because other sessions may work while the server accepts no new one.
    let signed_in = tokio::select! {
        biased;
        signed_in = config.connect_raw(stream, connector) => signed_in,
        () = liveness.measure_session_silence(&session_bytes).wait_until_long() => return Err(Liveness::silence_error()),
    };
    let (client, mut connection) = signed_in.map_err(|error| PostgresError::from_driver(&error))?;
    tokio::spawn(async move {
        let mut messages = poll_fn(move |context| connection.poll_message(context));
        // An error ends the loop, and the next call returns it.
        while let Some(Ok(message)) = messages.next().await {
            if matches!(message, AsyncMessage::Notification(_)) {
                on_notification();
            }
        }
        on_end();
    });
    Ok(client)
}
