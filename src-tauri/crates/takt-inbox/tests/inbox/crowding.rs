//! Senders that hold connections open, or send too much, don't block other events or use memory for long.

use std::{
    process::Stdio,
    time::{Duration, Instant},
};

use serde_json::json;
use takt_test_support::{event_sender::post, inbox_fixture::Fixture, process};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    runtime::Runtime,
};

/// Far shorter than any timeout of the receiver, so a sender that waits for one is late.
const MAX_EVENT_DELAY: Duration = Duration::from_secs(8);
const LARGE_BODY_BYTES: usize = 8 * 1024 * 1024;

async fn connect(url: &str) -> TcpStream {
    let (host, _) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    TcpStream::connect(host).await.unwrap()
}

fn request_head(url: &str, length: usize) -> String {
    let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    format!("POST /{path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n")
}

async fn assert_events_are_prompt(url: &str, from: usize) {
    for at in from..from + 5 {
        let began = Instant::now();
        let body = serde_json::to_vec(&json!({"Id": 10, "at": at})).unwrap();
        assert_eq!(post(url, &[], &body).await.0, 200);
        assert!(began.elapsed() < MAX_EVENT_DELAY, "{:?}", began.elapsed());
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: the network"]
async fn silent_connections_keep_nobody_out() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    let url = receiver.url();
    let mut silent = Vec::new();
    for _ in 0..640 {
        silent.push(connect(&url).await);
    }
    assert_events_are_prompt(&url, 0).await;
    // Connections with an incomplete header or body don't block others either.
    for at in 0..640 {
        let mut begun = connect(&url).await;
        let head = request_head(&url, 1000);
        let part = if at % 2 == 0 { &head[..20] } else { &head[..] };
        // The receiver may already have closed it.
        let _ = begun.write_all(part.as_bytes()).await;
        silent.push(begun);
    }
    assert_events_are_prompt(&url, 10).await;
    assert_eq!(fixture.events().await.len(), 10);
    receiver.stop().await;
}

/// Memory is measured per process, so this runs in a process without other tests.
#[test]
fn large_bodies_that_never_end_take_a_bounded_room() {
    if process::home().is_some() {
        Runtime::new().unwrap().block_on(large_bodies());
        return;
    }
    let home = TempDir::new().unwrap();
    let name = "large_bodies_that_never_end_take_a_bounded_room";
    let mut alone = process::command(module_path!(), name, home.path());
    let ran = alone.arg("--nocapture").stdout(Stdio::piped()).output().unwrap();
    let output = [ran.stdout, ran.stderr].concat();
    let output = String::from_utf8_lossy(&output);
    assert!(ran.status.success() && output.contains("1 passed"), "{output}");
}

async fn large_bodies() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    let url = receiver.url();
    let before = resident_memory();
    let whole = vec![b' '; LARGE_BODY_BYTES - 1];
    let mut senders = Vec::new();
    for _ in 0..60 {
        let (url, part) = (url.clone(), whole.clone());
        senders.push(tokio::spawn(async move {
            let mut stream = connect(&url).await;
            stream.write_all(request_head(&url, LARGE_BODY_BYTES).as_bytes()).await.unwrap();
            // Send all but the last byte. The receiver may refuse and close the connection.
            let sent = stream.write_all(&part).await;
            let mut answer = Vec::new();
            if sent.is_err()
                || tokio::time::timeout(Duration::from_secs(5), stream.read_to_end(&mut answer)).await.is_ok()
            {
                return None;
            }
            Some(stream)
        }));
    }
    let mut open_streams = Vec::new();
    for sender in senders {
        open_streams.extend(sender.await.unwrap());
    }
    assert!(open_streams.len() <= 9, "{} bodies of 8 MiB are held at once", open_streams.len());
    assert_events_are_prompt(&url, 0).await;
    assert!(receiver.refused_counts().not_kept >= 40, "{:?}", receiver.refused_counts());
    drop(open_streams);
    if let (Some(before), Some(now)) = (before, resident_memory()) {
        assert!(now.saturating_sub(before) < 400 * 1024 * 1024, "{before} {now}");
    }
    // Their memory is available again after they close.
    let mut large = serde_json::to_vec(&json!({"Id": 2})).unwrap();
    large.resize(LARGE_BODY_BYTES, b' ');
    let patience = Instant::now() + Duration::from_secs(30);
    while post(&url, &[], &large).await.0 != 200 {
        assert!(Instant::now() < patience);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    receiver.stop().await;
}

/// The resident memory of this process in bytes, if the system provides it.
fn resident_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}
