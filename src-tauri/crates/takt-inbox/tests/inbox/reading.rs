//! Stored events are read in the background by the contract of their site.

use std::time::Duration;

use takt_engine::inbox::{EventQuery, EventState};
use takt_test_support::{
    event_sender::post,
    inbox_fixture::{Fixture, SITE},
};

const READ_TIMEOUT: Duration = Duration::from_secs(60);

#[tokio::test]
async fn an_event_whose_contract_was_unreadable_is_read_without_another_arrival() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    let mut newest_read = fixture.engine.inbox().watch(Some(SITE)).unwrap();
    let journal = rusqlite::Connection::open(fixture.home.path().join("journal.sqlite")).unwrap();
    let damaged = "INSERT INTO contract_version (site, number, at, person, source, body)
                   VALUES (?1, 1, '2026-11-22T06:00:00Z', '', '', '{')";
    journal.execute(damaged, [SITE]).unwrap();
    assert_eq!(post(&receiver.url(), &[], br#"{"Id":2}"#).await.0, 200);
    let list = fixture.engine.inbox().list(&EventQuery::default(), 0, 10).await.unwrap();
    assert_eq!((list.total, list.unread), (0, 1), "the event waits for its contract");
    journal.execute("UPDATE contract_version SET body = '{}'", []).unwrap();
    // Listing would also read the event, so the test watches.
    tokio::time::timeout(READ_TIMEOUT, newest_read.changed()).await.expect("the event is read").unwrap();
    let states: Vec<_> = fixture.events().await.iter().map(|event| event.state).collect();
    assert_eq!(states, [EventState::Odd], "members are missing");
    receiver.stop().await;
}
