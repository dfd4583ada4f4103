//! Tests of the update channel over loopback and as a file, including its errors.

use std::{fs, time::Duration};

use semver::Version;
use takt_client::update_channel::{ChannelError, MAX_CHANNEL_BYTES, Release, UpdateChannel};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use crate::responder::{Responder, answer};

const READ_TIMEOUT: Duration = Duration::from_secs(10);
const SHORT_TIMEOUT: Duration = Duration::from_millis(400);

fn channel_json(version: &str) -> String {
    format!(
        r#"{{ "version": "{version}", "date": "2026-12-01", "notes": {{ "en": "Faster" }}, "download": "https://updates.example/get", "later": {{}} }}"#
    )
}

async fn read_channel(location: &str) -> Result<Release, ChannelError> {
    UpdateChannel::parse(location)?.read(READ_TIMEOUT).await
}

#[tokio::test]
async fn a_newer_version_is_told_from_the_same_and_an_older_one() {
    let installed = Version::new(0, 2, 0);
    let versions = [("0.10.0", true), ("0.2.1", true), ("0.2.0", false), ("0.2.0+build", false), ("0.1.9", false)];
    let prerelease = [("0.2.0-rc.1", false), ("0.3.0-rc.1", true)];
    for (version, newer) in versions.into_iter().chain(prerelease) {
        let responder =
            Responder::start(move |_| answer("200 OK", "Set-Cookie: a=b\r\n", &channel_json(version))).await;
        let release = read_channel(&format!("{}/takt.json", responder.base_url)).await.expect(version);
        assert_eq!(release.is_newer_than(&installed), newer, "{version}");
        assert_eq!(release.notes_in("de"), Some("Faster"));
        assert_eq!(release.download.as_deref(), Some("https://updates.example/get"));
        assert_eq!(release.date.map(|date| date.to_string()).as_deref(), Some("2026-12-01"));
    }
}

#[tokio::test]
async fn nothing_about_who_asks_goes_along() {
    let responder = Responder::start(|_| answer("200 OK", "", &channel_json("1.0.0"))).await;
    read_channel(&format!("{}/takt.json", responder.base_url)).await.expect("a channel");
    let request = responder.requests.lock().expect("the requests").join("").to_ascii_lowercase();
    let head: Vec<&str> = request.lines().filter_map(|line| line.split_once(':')).map(|(name, _)| name).collect();
    assert!(head.iter().all(|name| ["host", "accept", "accept-encoding", "user-agent"].contains(name)), "{request}");
    assert!(!request.contains(env!("CARGO_PKG_VERSION")), "{request}");
}

#[tokio::test]
async fn what_isnt_a_channel_is_refused_without_quoting_it() {
    for body in
        ["<html>secret</html>", "{}", r#"{ "version": "secret" }"#, r#"{ "version": "1.0.0", "date": "secret" }"#]
    {
        let responder = Responder::start(move |_| answer("200 OK", "", body)).await;
        let error = read_channel(&responder.base_url).await.expect_err(body);
        assert!(matches!(error, ChannelError::NotAChannel { .. }), "{error:?}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
    let missing = Responder::start(|_| answer("404 Not Found", "", "")).await;
    assert!(matches!(read_channel(&missing.base_url).await, Err(ChannelError::Status(404))));
    // The port is closed again, so the connection is refused.
    let unused_address = TcpListener::bind("127.0.0.1:0").await.expect("a port").local_addr().expect("its address");
    assert!(matches!(read_channel(&format!("http://{unused_address}/")).await, Err(ChannelError::Unreachable(_))));
}

#[tokio::test]
async fn more_than_a_channel_holds_isnt_read() {
    let large = format!("{{ \"version\": \"1.0.0\", \"notes\": {{ \"en\": \"{}\" }} }}", "x".repeat(MAX_CHANNEL_BYTES));
    let (told, untold) = (large.clone(), large.clone());
    let with_length = Responder::start(move |_| answer("200 OK", "", &told)).await;
    assert!(matches!(read_channel(&with_length.base_url).await, Err(ChannelError::TooLarge)));
    let without =
        Responder::start(move |_| format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{untold}").into()).await;
    assert!(matches!(read_channel(&without.base_url).await, Err(ChannelError::TooLarge)));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("large.json");
    fs::write(&file, large).expect("a file");
    assert!(matches!(read_channel(&file.display().to_string()).await, Err(ChannelError::TooLarge)));
}

#[tokio::test]
async fn a_channel_that_never_ends_is_given_up() {
    let socket = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = format!("http://{}/", socket.local_addr().expect("its address"));
    let trickle = tokio::spawn(async move {
        let (mut stream, _) = socket.accept().await.expect("a request");
        let mut head = [0; 1024];
        assert!(stream.read(&mut head).await.is_ok());
        let mut next: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n";
        while stream.write_all(next).await.is_ok() {
            tokio::time::sleep(SHORT_TIMEOUT / 8).await;
            next = b" ";
        }
    });
    let read = UpdateChannel::parse(&address).expect("an address").read(SHORT_TIMEOUT).await;
    assert!(matches!(read, Err(ChannelError::TimedOut(time)) if time == SHORT_TIMEOUT), "{read:?}");
    // The server ends because the client has closed the connection.
    trickle.await.expect("the other side ends");
}

#[tokio::test]
async fn a_redirect_is_followed_within_its_origin_and_no_further() {
    let other = Responder::start(|_| answer("200 OK", "", &channel_json("9.0.0"))).await;
    let away = format!("Location: {}/takt.json\r\n", other.base_url);
    let responder = Responder::start(move |request| match request.split(' ').nth(1) {
        Some("/moved") => answer("302 Found", "Location: /takt.json\r\n", ""),
        Some("/away") => answer("302 Found", &away, ""),
        Some("/round") => answer("302 Found", "Location: /round\r\n", ""),
        _ => answer("200 OK", "", &channel_json("1.0.0")),
    })
    .await;
    let at = |path: &str| format!("{}{path}", responder.base_url);
    assert_eq!(read_channel(&at("/moved")).await.expect("a channel").version, Version::new(1, 0, 0));
    assert!(matches!(read_channel(&at("/away")).await, Err(ChannelError::LeadsAway)));
    assert_eq!(other.count(), 0, "another origin is never asked");
    assert!(matches!(read_channel(&at("/round")).await, Err(ChannelError::LeadsAway)));
}

#[tokio::test]
async fn a_file_is_a_channel_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("takt update.json");
    fs::write(&file, format!("\u{FEFF}{}", channel_json("3.1.4"))).expect("a file");
    let location = file.display().to_string();
    assert_eq!(read_channel(&location).await.expect("a channel").version, Version::new(3, 1, 4));
    for other in [folder.path().join("missing.json"), folder.path().to_path_buf()] {
        assert!(matches!(read_channel(&other.display().to_string()).await, Err(ChannelError::File(_))), "{other:?}");
    }
}
