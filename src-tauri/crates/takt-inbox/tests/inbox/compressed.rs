//! Bodies that are compressed, or in another encoding than UTF-8.

use std::io::Write;

use flate2::{
    Compression,
    write::{DeflateEncoder, GzEncoder, ZlibEncoder},
};
use jiff::Timestamp;
use takt_engine::inbox::SignatureState;
use takt_test_support::{
    event_sender::{SECRET, post, signature},
    inbox_fixture::{Fixture, SITE},
};

const EVENT: &[u8] = br#"{"Id":10,"WorkStationCode":"WS-1"}"#;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bare_deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn a_compressed_event_is_believed_by_the_bytes_that_were_sent_and_read_by_what_they_hold() {
    let fixture = Fixture::new();
    fixture.engine.inbox().set_secrets(SITE, &[SECRET.to_owned()]).unwrap();
    let receiver = fixture.receive().await;
    let url = receiver.url();
    let timestamp = Timestamp::now().as_second().to_string();
    let many: Vec<(&str, Vec<u8>)> = vec![
        ("gzip", gzip(EVENT)),
        ("x-gzip", gzip(EVENT)),
        ("GZIP", [gzip(&EVENT[..9]), gzip(&EVENT[9..])].concat()),
        ("deflate", deflate(EVENT)),
        ("deflate", bare_deflate(EVENT)),
        ("deflate, gzip", gzip(&deflate(EVENT))),
        ("identity", EVENT.to_vec()),
    ];
    for (place, (coding, body)) in many.iter().enumerate() {
        let (signed, delivery) = (signature(&timestamp, body), place.to_string());
        let headers = [
            ("Content-Encoding", *coding),
            ("X-Takt-Signature", &signed),
            ("X-Takt-Timestamp", &timestamp),
            ("X-Takt-Delivery", &delivery),
        ];
        assert_eq!(post(&url, &headers, body).await, (200, r#"{"errors":[]}"#.to_owned()), "{coding}");
        // The signature covers the bytes that are sent, not the uncompressed body.
        if body != EVENT {
            let signed = signature(&timestamp, EVENT);
            let headers = [headers[0], ("X-Takt-Signature", &signed), headers[2], headers[3]];
            assert_eq!(post(&url, &headers, body).await.0, 401, "{coding}");
        }
    }
    let believed: Vec<_> =
        fixture.events().await.into_iter().filter(|event| event.signed == SignatureState::Valid).collect();
    assert!(
        believed.iter().all(|event| event.kind == Some(10) && event.station.as_deref() == Some("WS-1")),
        "{believed:?}"
    );
    assert_eq!(fixture.event(1).await.body.as_bytes(), EVENT);
    receiver.stop().await;
}

#[tokio::test]
async fn what_unfolds_without_end_or_can_not_be_unfolded_is_refused() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    let url = receiver.url();
    let bomb = gzip(&vec![b' '; 64 * 1024 * 1024]);
    assert!(bomb.len() < 100_000, "{}", bomb.len());
    assert_eq!(post(&url, &[("Content-Encoding", "gzip")], &bomb).await.0, 413);
    assert_eq!(post(&url, &[("Content-Encoding", "gzip, gzip")], &gzip(&bomb)).await.0, 413);
    let whole = gzip(EVENT);
    for broken in [&whole[..whole.len() - 3], b"{}"] {
        assert_eq!(post(&url, &[("Content-Encoding", "gzip")], broken).await.0, 400);
    }
    for coding in ["br", "zstd", "gzip, br", "gzip, gzip, gzip"] {
        assert_eq!(post(&url, &[("Content-Encoding", coding)], &whole).await.0, 415, "{coding}");
    }
    assert_eq!(receiver.refused_counts().unreadable, 8);
    assert!(fixture.events().await.is_empty());
    assert_eq!(post(&url, &[("Content-Encoding", "gzip")], &gzip(&vec![b' '; 8 * 1024 * 1024])).await.0, 200);
    receiver.stop().await;
}

#[tokio::test]
async fn an_event_in_utf_16_is_read_and_answered_as_one_in_utf_8() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    let event = r#"{"Id": 11, "WorkStationCode": "WS-1", "Description": "Säge", "WorkOrders": [{"Code": "WO-1"}]}"#;
    let mut bodies = vec![event.as_bytes().to_vec(), format!("\u{feff}{event}").into_bytes()];
    for unit in [u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes] {
        for text in [event.to_owned(), format!("\u{feff}{event}")] {
            bodies.push(text.encode_utf16().flat_map(unit).collect());
        }
    }
    for body in &bodies {
        assert_eq!(post(&receiver.url(), &[], body).await, (200, r#"{"errors":[]}"#.to_owned()));
    }
    let events = fixture.events().await;
    assert_eq!(events.len(), 6);
    for stored in &events {
        let decoded = (
            stored.kind,
            stored.station.as_deref(),
            stored.description.as_deref(),
            stored.order.as_deref(),
            stored.state,
        );
        assert_eq!(decoded, (Some(11), Some("WS-1"), Some("Säge"), Some("WO-1"), events[0].state));
        let detail = fixture.event(stored.id).await;
        assert_eq!(
            (detail.body.trim_start_matches('\u{feff}'), detail.hex, &*detail.orders),
            (event, None, &["WO-1".to_owned()][..])
        );
    }
    receiver.stop().await;
}
