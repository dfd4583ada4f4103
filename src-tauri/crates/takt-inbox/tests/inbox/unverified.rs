//! Events from unverified senders use a limited part of the disk. Those that aren't stored are counted.

use jiff::Timestamp;
use takt_engine::inbox::{EventState, SignatureState};
use takt_test_support::{
    event_sender::{SECRET, post, signature},
    inbox_fixture::{Fixture, SITE},
};

#[tokio::test]
async fn what_is_not_signed_takes_its_share_of_the_disk_and_no_more() {
    let fixture = Fixture::new();
    let maintenance = fixture.engine.maintenance();
    fixture.engine.inbox().set_secrets(SITE, &[SECRET.to_owned()]).unwrap();
    let receiver = fixture.receive().await;
    let url = receiver.url();
    let now = Timestamp::now().as_second().to_string();
    let large = |number: u8| [b"{\"Id\":2}".as_slice(), &vec![b' ' + number; 5 * 1024 * 1024]].concat();
    for number in 0..6 {
        let wrong = [("x-takt-signature", "sha256=00ff"), ("x-takt-timestamp", now.as_str())];
        let headers: &[(&str, &str)] = if number % 2 == 0 { &[] } else { &wrong };
        assert_eq!(post(&url, headers, &large(number)).await.0, 401);
    }
    assert_eq!((fixture.events().await.len(), receiver.refused_counts().unverified), (3, 3));
    // Signed events are accepted, even large ones.
    let body = large(7);
    let signed = signature(&now, &body);
    let headers = [("x-takt-signature", signed.as_str()), ("x-takt-timestamp", &now)];
    assert_eq!(post(&url, &headers, &body).await.0, 200);
    let storage = maintenance.storage().unwrap();
    assert_eq!((storage.unverified_omitted, storage.unverified_bytes / 1024 / 1024), (3, 15));
    receiver.stop().await;

    // The count survives a restart, until the user removes the events.
    let fixture = fixture.reopen();
    let maintenance = fixture.engine.maintenance();
    assert_eq!(maintenance.storage().unwrap().unverified_omitted, 3);
    assert_eq!(maintenance.purge_unverified(true).unwrap().events, 3);
    assert_eq!(maintenance.storage().unwrap().unverified_omitted, 3);
    assert_eq!(maintenance.purge_unverified(false).unwrap().events, 3);
    let storage = maintenance.storage().unwrap();
    assert_eq!((storage.unverified_omitted, storage.unverified_bytes), (0, 0));
    let left: Vec<_> = fixture.events().await.iter().map(|event| (event.signed, event.state)).collect();
    assert_eq!(left, [(SignatureState::Valid, EventState::Malformed)]);
    let receiver = fixture.receive().await;
    assert_eq!(post(&receiver.url(), &[], b"{}").await.0, 401);
    assert_eq!((fixture.events().await.len(), receiver.refused_counts().unverified), (2, 0), "there is room again");
    receiver.stop().await;
}

#[tokio::test]
async fn a_signed_request_is_one_event_under_whatever_delivery_it_is_sent_again() {
    let fixture = Fixture::new();
    fixture.engine.inbox().set_secrets(SITE, &[SECRET.to_owned()]).unwrap();
    let receiver = fixture.receive().await;
    let url = receiver.url();
    let (body, now) = (br#"{"Id":2}"#, Timestamp::now().as_second());
    let at = now.to_string();
    let signed = signature(&at, body);
    let own = [("x-takt-signature", signed.as_str()), ("x-takt-timestamp", at.as_str())];
    for beside in [
        &[("x-takt-delivery", "one")][..],
        &[("x-takt-delivery", "two")],
        &[("x-takt-delivery", "three"), ("takt-replay", "7")],
        &[("webhook-id", "four")],
        &[],
    ] {
        let headers: Vec<_> = own.iter().chain(beside).copied().collect();
        assert_eq!(post(&url, &headers, body).await.0, 200, "{beside:?}");
    }
    // The sender retries with a new signature, and sends the same event as another delivery.
    let later = (now + 1).to_string();
    let anew = signature(&later, body);
    for (delivery, events) in [("one", 1), ("another", 2)] {
        let headers =
            [("x-takt-signature", anew.as_str()), ("x-takt-timestamp", &later), ("x-takt-delivery", delivery)];
        assert_eq!(post(&url, &headers, body).await.0, 200, "{delivery}");
        assert_eq!(fixture.events().await.len(), events, "{delivery}");
    }
    let found: Vec<_> = fixture.events().await.iter().map(|event| (event.copies, event.replay)).collect();
    assert_eq!(found, [(5, false), (0, false)]);
    receiver.stop().await;
}
