//! Whoever holds connections open, or sends more than anybody needs, keeps out no event and takes no memory for long.

use std::{
    env,
    process::Command,
    time::{Duration, Instant},
};

use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    runtime::Runtime,
};

use super::{sender::post, stage::Stage};

/// Far below any deadline of the receiver: who waits for one of those is late.
const PROMPT: Duration = Duration::from_secs(8);
const LARGE: usize = 8 * 1024 * 1024;

async fn connect(url: &str) -> TcpStream {
    let (host, _) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    TcpStream::connect(host).await.unwrap()
}

fn head(url: &str, length: usize) -> String {
    let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    format!("POST /{path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n")
}

async fn events_are_prompt(url: &str, from: usize) {
    for at in from..from + 5 {
        let began = Instant::now();
        let body = serde_json::to_vec(&json!({"Id": 10, "at": at})).unwrap();
        assert_eq!(post(url, &[], &body).await.0, 200);
        assert!(began.elapsed() < PROMPT, "{:?}", began.elapsed());
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: the network"]
async fn silent_connections_keep_nobody_out() {
    let stage = Stage::new();
    let receiver = stage.receive().await;
    let url = receiver.url();
    let mut silent = Vec::new();
    for _ in 0..640 {
        silent.push(connect(&url).await);
    }
    events_are_prompt(&url, 0).await;
    // Those that have begun a head, or a body, and say no more, are no better.
    for at in 0..640 {
        let mut begun = connect(&url).await;
        let head = head(&url, 1000);
        let said = if at % 2 == 0 { &head[..20] } else { &head[..] };
        // It may have had to make room already.
        let _ = begun.write_all(said.as_bytes()).await;
        silent.push(begun);
    }
    events_are_prompt(&url, 10).await;
    assert_eq!(stage.events().await.len(), 10);
    receiver.stop().await;
}

/// What memory is taken is known of a whole process, so this runs in one where no other test takes any.
#[test]
fn large_bodies_that_never_end_take_a_bounded_room() {
    const ALONE: &str = "TAKT_TEST_ALONE";
    if env::var_os(ALONE).is_some() {
        Runtime::new().unwrap().block_on(large_bodies());
        return;
    }
    let name = "inbox::crowding::large_bodies_that_never_end_take_a_bounded_room";
    let mut alone = Command::new(env::current_exe().unwrap());
    let ran = alone.args(["--exact", name, "--nocapture"]).env(ALONE, "1").output().unwrap();
    let told = [ran.stdout, ran.stderr].concat();
    let told = String::from_utf8_lossy(&told);
    assert!(ran.status.success() && told.contains("1 passed"), "{told}");
}

async fn large_bodies() {
    let stage = Stage::new();
    let receiver = stage.receive().await;
    let url = receiver.url();
    let before = resident();
    let whole = vec![b' '; LARGE - 1];
    let mut senders = Vec::new();
    for _ in 0..60 {
        let (url, part) = (url.clone(), whole.clone());
        senders.push(tokio::spawn(async move {
            let mut stream = connect(&url).await;
            stream.write_all(head(&url, LARGE).as_bytes()).await.unwrap();
            // All but the last byte; who has no room for it says so and hangs up.
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
    let mut held = Vec::new();
    for sender in senders {
        held.extend(sender.await.unwrap());
    }
    assert!(held.len() <= 9, "{} bodies of 8 MiB are held at once", held.len());
    events_are_prompt(&url, 0).await;
    assert!(receiver.refused().not_kept >= 40, "{:?}", receiver.refused());
    drop(held);
    if let (Some(before), Some(now)) = (before, resident()) {
        assert!(now.saturating_sub(before) < 400 * 1024 * 1024, "{before} {now}");
    }
    // As soon as they are gone, their room is there again.
    let mut large = serde_json::to_vec(&json!({"Id": 2})).unwrap();
    large.resize(LARGE, b' ');
    let patience = Instant::now() + Duration::from_secs(30);
    while post(&url, &[], &large).await.0 != 200 {
        assert!(Instant::now() < patience);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    receiver.stop().await;
}

/// Bytes of this process in memory, where the system says so in a file.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}
