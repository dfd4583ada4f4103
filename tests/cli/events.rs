//! `takt plant --events`: an integrator receives the service's events from the plant's start.

use std::time::Duration;

use serde_json::{Value, json};
use takt_tests::{Plant, Takt};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    time::timeout,
};

use crate::transcript::{Transcript, assert_transcript};

/// Answers the next request with 200. Returns its head and body.
async fn next_request(listener: &TcpListener) -> (String, Value) {
    let (mut connection, _) = listener.accept().await.unwrap();
    let mut bytes = Vec::new();
    loop {
        let mut piece = [0; 4096];
        let count = connection.read(&mut piece).await.unwrap();
        assert!(count > 0, "the request is whole");
        bytes.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n")
            && let Ok(body) = serde_json::from_str(body)
        {
            connection.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").await.unwrap();
            return (head.to_lowercase(), body);
        }
    }
}

#[tokio::test]
async fn the_plant_tells_the_addresses_that_it_is_started_with() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/erp", listener.local_addr().unwrap());
    let files = Takt::new();
    let secret = files.write("secret.txt", "\u{FEFF}hush ✓\r\nnot this\n");
    let plant = Plant::start(&["--events", &address, "--events-secret-file", secret.to_str().unwrap()]);
    let sent = plant.fire_event(json!({ "event": "WorkOrderExecutionPaused" })).await;
    assert_eq!(sent, json!({ "event": 3, "deliveries": 1 }));
    let (head, body) = timeout(Duration::from_secs(120), next_request(&listener)).await.unwrap();
    assert!(head.starts_with("post /erp http/1.1\r\n") && head.contains("x-takt-signature: sha256="), "{head}");
    assert_eq!((&body["Id"], body["WorkOrders"].as_array().map(Vec::len)), (&json!(3), Some(1)));
    assert!(!head.contains("hush"));
}

#[test]
fn a_secret_that_is_none_is_told() {
    let takt = Takt::new();
    let empty = takt.write("empty.txt", "\nsecond");
    let transcript = Transcript::new(&takt);
    let address = ["plant", "--events", "http://127.0.0.1:1/"];
    for options in [
        ["--events-secret-file", empty.to_str().unwrap()],
        ["--events-secret-file", "nowhere.txt"],
        ["--events", "ftp://127.0.0.1/"],
    ] {
        let ran = transcript.run(&[&address, &options[..]].concat());
        assert_eq!(ran.code, Some(2), "{options:?}: {}", ran.err);
    }
    assert_eq!(transcript.run(&["plant", "--events-secret-file", "alone.txt"]).code, Some(2));
    assert_transcript!(transcript);
}
