//! Checks the route to an address: name, connection, proxy and certificate. It uses the same proxy as the HTTP client.

use std::{io, net::SocketAddr, time::Instant};

use hyper_util::client::proxy::matcher::Matcher;
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use oauth2::http::{HeaderValue, Uri};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpStream, lookup_host},
    time::timeout,
};
use tokio_rustls::rustls::{CertificateError, Error as TlsError};
use url::{Position, Url};

use super::{
    ConnectionPart, ConnectionStep, StepOutcome, proxy_script,
    tls_probe::{self, AnyStream, CertificateDetails, ServerPresentation},
};
use crate::{Client, ClientError, Clock, SiteAccess, access::is_proxied, http::RouteSecrets, proxy::with_password};

/// Certificates that expire within this time cause a warning.
const CERTIFICATE_WARNING_PERIOD: SignedDuration = SignedDuration::from_hours(30 * 24);
/// In bytes, for the head of a proxy's response.
const MAX_HEAD_LENGTH: usize = 16 * 1024;
const PROXY_AUTHENTICATION_REQUIRED: u16 = 407;

impl Client {
    /// Checks the routes to the service and, if its host differs, to the identity provider.
    pub async fn check_route(&self) -> Vec<ConnectionStep> {
        let access = self.access();
        let mut urls: Vec<Url> =
            [&access.base_url, &access.auth_url].into_iter().filter_map(|url| Url::parse(url).ok()).collect();
        urls.dedup_by_key(|url| authority(url));
        let mut steps = Vec::new();
        for url in urls {
            let (secrets, clock) = (self.route_secrets(), self.transport().clock());
            let mut check = RouteCheck { access, secrets, clock, url, steps: Vec::new() };
            check.run().await;
            steps.append(&mut check.steps);
        }
        steps.into_iter().map(|step| self.redacted(step)).collect()
    }
}

struct RouteCheck<'a> {
    access: &'a SiteAccess,
    secrets: &'a RouteSecrets,
    clock: &'a Clock,
    url: Url,
    steps: Vec<ConnectionStep>,
}

impl RouteCheck<'_> {
    /// Runs the steps until one fails. The remaining ones are reported as skipped.
    async fn run(&mut self) {
        use ConnectionPart::{Dns, Proxy as ProxyPart, Tcp, Tls};
        if self.run_steps().await.is_none() {
            for part in [Dns, Tcp, ProxyPart, Tls] {
                if !self.steps.iter().any(|step| step.part == part) {
                    self.add_step(ConnectionStep::new(
                        part,
                        &authority(&self.url),
                        StepOutcome::Skipped,
                        "after-failure",
                    ));
                }
            }
        }
    }

    async fn run_steps(&mut self) -> Option<()> {
        let proxy = match Proxy::find(self.access, self.secrets, &self.url) {
            Ok(proxy) => proxy,
            Err(error) => return self.add_failed_step(ConnectionPart::Proxy, "proxy-address", &error),
        };
        let host = without_brackets(self.url.host_str().unwrap_or_default());
        let port = self.url.port_or_known_default().unwrap_or_default();
        let (host, port) = proxy.as_ref().map_or((host, port), |proxy| (proxy.host.clone(), proxy.port));
        let addresses = self.look_up_host(&host, port).await?;
        let stream = self.connect(&format!("{host}:{port}"), &addresses).await?;
        let stream = self.connect_proxy(proxy.as_ref(), stream).await?;
        self.encrypt(stream).await
    }

    async fn look_up_host(&mut self, host: &str, port: u16) -> Option<Vec<SocketAddr>> {
        let (started, target) = (Instant::now(), format!("{host}:{port}"));
        let limit = self.access.timeouts.connect;
        let found = timeout(limit, lookup_host((host, port))).await.unwrap_or_else(|late| Err(late.into()));
        let found_addresses: Vec<_> = match found {
            Ok(found_addresses) => found_addresses.collect(),
            Err(error) => {
                let step = ConnectionStep::new(ConnectionPart::Dns, &target, StepOutcome::Failed, "dns-unknown");
                self.add_step(step.since(started).parameter("host", host).details(error));
                return None;
            }
        };
        let addresses = found_addresses.iter().map(|address| address.ip().to_string()).collect::<Vec<_>>().join(", ");
        let step = ConnectionStep::new(ConnectionPart::Dns, &target, StepOutcome::Passed, "dns-found");
        self.add_step(step.since(started).parameter("host", host).parameter("addresses", addresses));
        Some(found_addresses)
    }

    async fn connect(&mut self, name: &str, addresses: &[SocketAddr]) -> Option<AnyStream> {
        let started = Instant::now();
        let made = timeout(self.access.timeouts.connect, TcpStream::connect(addresses)).await;
        let (finding, error) = match made {
            Ok(Ok(stream)) => {
                let step = ConnectionStep::new(ConnectionPart::Tcp, name, StepOutcome::Passed, "tcp-made");
                self.add_step(step.since(started).parameter("host", name));
                return Some(Box::new(stream));
            }
            Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused => ("tcp-refused", error),
            Ok(Err(error)) => ("tcp-failed", error),
            Err(late) => ("tcp-late", late.into()),
        };
        let step = ConnectionStep::new(ConnectionPart::Tcp, name, StepOutcome::Failed, finding);
        self.add_step(step.since(started).parameter("host", name).details(error));
        None
    }

    async fn connect_proxy(&mut self, proxy: Option<&Proxy>, stream: AnyStream) -> Option<AnyStream> {
        let target = authority(&self.url);
        let Some(proxy) = proxy else {
            let script = if self.access.no_proxy { None } else { proxy_script::find_proxy_script().await };
            let step = match script {
                Some(script) => {
                    ConnectionStep::new(ConnectionPart::Proxy, &target, StepOutcome::Warning, "proxy-script")
                        .parameter("address", script)
                }
                None => ConnectionStep::new(ConnectionPart::Proxy, &target, StepOutcome::Skipped, "proxy-none"),
            };
            self.add_step(step);
            return Some(stream);
        };
        let name = proxy.name();
        let started = Instant::now();
        let step = |outcome, finding| {
            ConnectionStep::new(ConnectionPart::Proxy, &name, outcome, finding)
                .since(started)
                .parameter("proxy", &*name)
        };
        if !matches!(proxy.scheme.as_str(), "http" | "https") {
            self.add_step(step(StepOutcome::Failed, "proxy-kind").parameter("kind", &*proxy.scheme));
            return None;
        }
        if self.url.scheme() != "https" {
            // Unencrypted requests need no tunnel.
            self.add_step(step(StepOutcome::Passed, "proxy-used"));
            return Some(stream);
        }
        match timeout(self.access.timeouts.connect, self.open_tunnel(proxy, stream))
            .await
            .unwrap_or_else(|late| Err(late.into()))
        {
            Ok((200, stream)) => {
                self.add_step(step(StepOutcome::Passed, "proxy-used"));
                Some(stream)
            }
            Ok((PROXY_AUTHENTICATION_REQUIRED, _)) => {
                self.add_step(step(StepOutcome::Failed, "proxy-password"));
                None
            }
            Ok((status, _)) => {
                let failed = step(StepOutcome::Failed, "proxy-refuses");
                self.add_step(failed.parameter("status", status.to_string()).parameter("host", target));
                None
            }
            Err(error) => {
                self.add_step(step(StepOutcome::Failed, "proxy-silent").details(error));
                None
            }
        }
    }

    /// Requests a tunnel from the proxy. Returns the status of the response and the stream.
    async fn open_tunnel(&self, proxy: &Proxy, stream: AnyStream) -> io::Result<(u16, AnyStream)> {
        let mut stream = if proxy.scheme == "https" {
            let (connector, _) = tls_probe::recording_connector(self.access, None).map_err(io::Error::other)?;
            Box::new(tls_probe::handshake(&connector, &proxy.host, stream).await?)
        } else {
            stream
        };
        let target = authority(&self.url);
        let mut request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n");
        if let Some(value) = proxy.authorization.as_ref().and_then(|value| value.to_str().ok()) {
            request.push_str(&format!("Proxy-Authorization: {value}\r\n"));
        }
        stream.write_all(format!("{request}\r\n").as_bytes()).await?;
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") && head.len() < MAX_HEAD_LENGTH {
            head.push(stream.read_u8().await?);
        }
        let head = String::from_utf8_lossy(&head).into_owned();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        status.map(|status| (status, stream)).ok_or_else(|| io::Error::other("it speaks no HTTP"))
    }

    async fn encrypt(&mut self, stream: AnyStream) -> Option<()> {
        let target = authority(&self.url);
        if self.url.scheme() != "https" {
            self.add_step(ConnectionStep::new(ConnectionPart::Tls, &target, StepOutcome::Skipped, "tls-none"));
            return Some(());
        }
        let started = Instant::now();
        let (connector, presented) =
            match tls_probe::recording_connector(self.access, self.secrets.certificate_passphrase.as_ref()) {
                Ok(made) => made,
                Err(error) => return self.add_failed_step(ConnectionPart::Tls, "tls-settings", &error),
            };
        let host = without_brackets(self.url.host_str().unwrap_or_default());
        let made = timeout(self.access.timeouts.connect, tls_probe::handshake(&connector, &host, stream)).await;
        let outcome = made.unwrap_or_else(|late| Err(late.into())).map(drop);
        let has_client_certificate = self.access.client_certificate.is_some();
        let step = tls_step(&target, &presented, outcome, has_client_certificate, (self.clock)()).since(started);
        let failed = step.is_failed();
        self.add_step(step);
        (!failed).then_some(())
    }

    fn add_failed_step<T>(&mut self, part: ConnectionPart, finding: &'static str, error: &ClientError) -> Option<T> {
        let step = ConnectionStep::new(part, &authority(&self.url), StepOutcome::Failed, finding);
        self.add_step(step.details(error));
        None
    }

    fn add_step(&mut self, step: ConnectionStep) {
        self.steps.push(step);
    }
}

/// Returns the step for the handshake and the server's certificate.
fn tls_step(
    target: &str,
    presented: &ServerPresentation,
    outcome: io::Result<()>,
    has_client_certificate: bool,
    now: Timestamp,
) -> ConnectionStep {
    let chain: Vec<_> = presented.chain().iter().filter_map(CertificateDetails::read).collect();
    let certificate = chain.first();
    let until = certificate.and_then(|certificate| certificate.valid_until);
    let (outcome, finding, cause) = match outcome {
        Ok(()) if presented.is_client_certificate_requested() && !has_client_certificate => {
            (StepOutcome::Warning, "tls-client-certificate", None)
        }
        Ok(()) if until.is_some_and(|until| until.duration_since(now) < CERTIFICATE_WARNING_PERIOD) => {
            (StepOutcome::Warning, "tls-ends-soon", None)
        }
        Ok(()) => (StepOutcome::Passed, "tls-trusted", None),
        Err(error) => (StepOutcome::Failed, tls_finding(&error), Some(error)),
    };
    let mut step = ConnectionStep::new(ConnectionPart::Tls, target, outcome, finding).parameter("host", target);
    if let Some(certificate) = certificate {
        step = step.parameter("issuer", &*certificate.issuer).parameter("names", certificate.names.join(", "));
    }
    if let Some(until) = until {
        step = step.parameter("until", until.to_zoned_datetime(TimeZone::UTC).date().to_string());
    }
    let shown = chain
        .iter()
        .map(|certificate| format!("{} ← {}", certificate.subject, certificate.issuer))
        .collect::<Vec<_>>()
        .join("\n");
    let cause = cause.map(|error| format!("{error}\n")).unwrap_or_default();
    if cause.is_empty() && shown.is_empty() { step } else { step.details(format!("{cause}{shown}")) }
}

fn tls_finding(error: &io::Error) -> &'static str {
    let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<TlsError>());
    match cause {
        Some(TlsError::InvalidCertificate(cause)) => match cause {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => "tls-expired",
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => "tls-not-yet",
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => "tls-other-name",
            CertificateError::UnknownIssuer => "tls-unknown-issuer",
            _ => "tls-not-trusted",
        },
        Some(_) | None => "tls-failed",
    }
}

#[derive(Debug)]
struct Proxy {
    scheme: String,
    host: String,
    port: u16,
    authorization: Option<HeaderValue>,
}

impl Proxy {
    /// Returns the proxy of the site or the system. None for a direct connection.
    fn find(access: &SiteAccess, secrets: &RouteSecrets, url: &Url) -> Result<Option<Self>, ClientError> {
        let matcher = match access.own_proxy() {
            Some(own) => Matcher::builder().all(with_password(own, secrets.proxy_password.as_ref())?).build(),
            None if is_proxied(access) => Matcher::from_system(),
            None => return Ok(None),
        };
        let Ok(uri) = url.as_str().parse::<Uri>() else { return Ok(None) };
        Ok(matcher.intercept(&uri).map(|found| {
            let scheme = found.uri().scheme_str().unwrap_or("http").to_owned();
            let usual = if scheme == "https" { 443 } else { 80 };
            Self {
                host: without_brackets(found.uri().host().unwrap_or_default()),
                port: found.uri().port_u16().unwrap_or(usual),
                authorization: found.basic_auth().cloned(),
                scheme,
            }
        }))
    }

    fn name(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

/// Returns host and port. IPv6 addresses keep their brackets.
fn authority(url: &Url) -> String {
    let port = url.port_or_known_default().unwrap_or_default();
    format!("{}:{port}", &url[Position::BeforeHost..Position::AfterHost])
}

fn without_brackets(host: &str) -> String {
    host.trim_start_matches('[').trim_end_matches(']').to_owned()
}
