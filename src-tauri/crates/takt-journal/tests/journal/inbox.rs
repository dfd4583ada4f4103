//! Events are never lost, duplicated or changed, and all of them can be found.

use std::sync::Arc;
use std::thread;

use jiff::{Span, Timestamp};
use takt_journal::{
    EventPurge, Inbox,
    inbox::{
        EventFilter, EventState, GapCause, MAX_UNVERIFIED_BYTES, MAX_UNVERIFIED_PER_HOUR, NamedOrder, NewEvent,
        OrderEventQuery, Reading, SignatureState, StoreOutcome,
    },
};

use super::store::{self, Home};

struct InboxFixture {
    folder: Home,
    inbox: Inbox,
}

fn open_inbox() -> InboxFixture {
    let folder = store::home();
    let inbox = store::inbox(folder.path());
    InboxFixture { folder, inbox }
}

fn time_at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

fn event(second: i64, key: &str, body: &[u8]) -> NewEvent {
    NewEvent {
        site: "Plant".to_owned(),
        received: time_at(second),
        headers: vec![
            ("Content-Type".to_owned(), "application/json".to_owned()),
            ("x-two".to_owned(), "\\xFF".to_owned()),
        ],
        body: body.to_vec(),
        key: key.bytes().fold(0, |key, byte| key * 257 + i64::from(byte)),
        signed_key: None,
        duplicates_since: None,
        signed: SignatureState::Valid,
        replay: false,
    }
}

fn reading(event: i64, kind: i64, order: &str, text: &str) -> Reading {
    Reading {
        event,
        state: EventState::Sound,
        kind: Some(kind),
        station: Some(format!("WS-{kind:02}")),
        station_name: Some("Press".to_owned()),
        employee: None,
        person: Some("maria".to_owned()),
        description: None,
        orders: vec![NamedOrder { code: order.to_owned(), operation: "010".to_owned() }],
        text: text.to_owned(),
    }
}

fn event_ids(inbox: &Inbox, filter: &EventFilter) -> Vec<i64> {
    inbox.events(filter, 0, 100).unwrap().rows.iter().map(|row| row.id).collect()
}

#[test]
fn every_byte_is_found_again_after_the_file_was_closed() {
    let InboxFixture { folder, inbox } = open_inbox();
    let bodies: [&[u8]; 5] =
        [b"", b"\x00\xFF\xFE not text", b"{\"Id\": 1}", "{\"Note\":\"\u{1F600}\"}".as_bytes(), &[0x80; 70_000]];
    let stored: Vec<_> =
        bodies.iter().zip(0..).map(|(body, at)| inbox.store(&event(at, &at.to_string(), body)).unwrap()).collect();
    drop(inbox);
    let inbox = store::inbox(folder.path());
    for (stored, body) in stored.iter().zip(bodies) {
        let raw = inbox.raw_event(stored.event().unwrap()).unwrap().unwrap();
        assert_eq!(raw.body, body);
        assert_eq!(raw.headers, event(0, "", b"").headers);
        assert_eq!(raw.signed, SignatureState::Valid);
    }
    assert_eq!(inbox.raw_event(99).unwrap(), None);
}

#[test]
fn one_that_comes_again_is_counted_and_not_doubled() {
    let InboxFixture { inbox, folder: _folder } = open_inbox();
    let first = inbox.store(&event(0, "a", b"one")).unwrap();
    assert_eq!(first, StoreOutcome::New(1));
    assert_eq!(inbox.store(&event(1, "a", b"one")).unwrap(), StoreOutcome::Copy { event: 1, copies: 1 });
    assert_eq!(inbox.store(&event(2, "a", b"one")).unwrap(), StoreOutcome::Copy { event: 1, copies: 2 });
    assert_eq!(inbox.store(&event(3, "b", b"one")).unwrap(), StoreOutcome::New(2));
    assert_eq!(inbox.store(&event(3, "a", b"two")).unwrap(), StoreOutcome::New(3), "the same key, but other bytes");
    let other = NewEvent { site: "Other".to_owned(), ..event(4, "a", b"one") };
    assert_eq!(inbox.store(&other).unwrap(), StoreOutcome::New(4), "another site's is another event");
    let replayed = NewEvent { replay: true, ..event(5, "a", b"one") };
    assert_eq!(inbox.store(&replayed).unwrap(), StoreOutcome::New(5), "a replay is never taken for the service's own");
    let late = NewEvent { duplicates_since: Some(time_at(600)), ..event(1200, "a", b"one") };
    assert_eq!(inbox.store(&late).unwrap(), StoreOutcome::New(6), "what came too long ago is another one");
    let copies = inbox.event_copies(1).unwrap();
    assert_eq!(copies.iter().map(|copy| copy.received).collect::<Vec<_>>(), [time_at(1), time_at(2)]);
    let many: Vec<_> = (0..200).map(|_| event(3, "a", b"one")).collect();
    assert_eq!(inbox.store_all(&many).unwrap().last(), Some(&StoreOutcome::Copy { event: 6, copies: 200 }));
    let copies = inbox.event_copies(6).unwrap();
    let with_headers = copies.iter().filter(|copy| !copy.headers.is_empty()).count();
    assert_eq!((copies.len(), with_headers), (200, 100), "whoever sends it again and again fills no disk with headers");
}

#[test]
fn many_at_once_are_all_kept_once() {
    let InboxFixture { inbox, folder: _folder } = open_inbox();
    let inbox = Arc::new(inbox);
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let inbox = Arc::clone(&inbox);
            thread::spawn(move || {
                (0..50).map(|at| inbox.store(&event(at, &at.to_string(), b"x")).unwrap()).collect::<Vec<_>>()
            })
        })
        .collect();
    let stored: Vec<_> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    assert_eq!(stored.iter().filter(|stored| matches!(stored, StoreOutcome::New(_))).count(), 50);
    let copies: usize = (1..=50).map(|id| inbox.event_copies(id).unwrap().len()).sum();
    assert_eq!(copies, 350);
}

#[test]
fn one_of_long_ago_is_known_again_by_whoever_keeps() {
    let InboxFixture { folder, inbox } = open_inbox();
    let other = store::inbox(folder.path());
    let numbered = |at: i64| event(at, &at.to_string(), at.to_string().as_bytes());
    let many: Vec<_> = (0..9_000).map(numbered).collect();
    // Two inboxes store events in turns, each more than it collects in memory.
    for (at, some) in many.chunks(500).enumerate() {
        let stored = if at % 3 == 0 { &other } else { &inbox }.store_all(some).unwrap();
        assert!(stored.iter().all(|stored| matches!(stored, StoreOutcome::New(_))), "{at}");
    }
    drop(inbox);
    let again = store::inbox(folder.path());
    for inbox in [&again, &other] {
        for at in [0, 499, 500, 8_190, 8_191, 8_192, 8_193, 8_999] {
            let stored = inbox.store(&numbered(at)).unwrap();
            assert_eq!((stored.event().unwrap(), matches!(stored, StoreOutcome::Copy { .. })), (at + 1, true));
        }
    }
    assert_eq!(again.event_copies(9_000).unwrap().len(), 2);
}

#[test]
fn what_came_together_is_kept_together() {
    let InboxFixture { inbox, folder: _folder } = open_inbox();
    let events = [event(0, "a", b"1"), event(0, "b", b"2"), event(1, "a", b"1")];
    let stored = inbox.store_all(&events).unwrap();
    assert_eq!(stored, [StoreOutcome::New(1), StoreOutcome::New(2), StoreOutcome::Copy { event: 1, copies: 1 }]);
    assert_eq!(inbox.store_all(&[]).unwrap(), []);
}

#[test]
fn events_are_found_by_what_was_understood_of_them() {
    let InboxFixture { inbox, folder: _folder } = open_inbox();
    for at in 0..12 {
        inbox.store(&event(at, &at.to_string(), b"{}")).unwrap();
    }
    assert_eq!(inbox.reading_progress().unwrap(), (12, 0));
    let unread = inbox.unread_events(1, 100).unwrap();
    let read: Vec<_> = unread
        .iter()
        .map(|raw| {
            reading(
                raw.id,
                raw.id % 3,
                &format!("WO-{}", raw.id % 2),
                &format!("Müller drawing WO-{} no{}", raw.id % 2, raw.id),
            )
        })
        .collect();
    inbox.store_readings(1, &read).unwrap();
    assert!(inbox.unread_events(1, 100).unwrap().is_empty());
    assert_eq!(inbox.reading_progress().unwrap(), (12, 12));
    let all = EventFilter::default();
    assert_eq!(event_ids(&inbox, &all), (1..=12).rev().collect::<Vec<_>>());
    assert_eq!(inbox.events(&all, 4, 3).unwrap().rows.iter().map(|row| row.id).collect::<Vec<_>>(), [8, 7, 6]);
    assert_eq!(inbox.events(&all, 4, 3).unwrap().total, 12);
    let text = |text: &str| EventFilter { text: Some(text.to_owned()), ..all.clone() };
    assert_eq!(event_ids(&inbox, &text("muller no1")), [12, 11, 10, 1]);
    assert_eq!(event_ids(&inbox, &text("WO-1 draw")), [11, 9, 7, 5, 3, 1]);
    for hostile in ["\"", "AND OR NOT", "a* -b (", "NEAR(", "text:x", "'; DROP TABLE event; --"] {
        inbox.events(&text(hostile), 0, 10).unwrap();
    }
    assert_eq!(event_ids(&inbox, &text(" - ")), event_ids(&inbox, &all), "nothing to look for is everything");
    let narrow = EventFilter { order: Some("WO-1".to_owned()), kinds: vec![0, 2], ..all.clone() };
    assert_eq!(event_ids(&inbox, &narrow), [11, 9, 5, 3]);
    assert_eq!(event_ids(&inbox, &EventFilter { text: Some("drawing".to_owned()), ..narrow.clone() }), [11, 9, 5, 3]);
    assert_eq!(inbox.events(&narrow, 0, 1).unwrap().total, 4);
    let span = EventFilter { since: Some(time_at(2)), until: Some(time_at(4)), ..all.clone() };
    assert_eq!(event_ids(&inbox, &span), [4, 3]);
    assert_eq!(event_ids(&inbox, &EventFilter { up_to: Some(3), ..all.clone() }), [3, 2, 1]);
    assert_eq!(event_ids(&inbox, &EventFilter { event_numbers: vec![2, 9, 99], ..all.clone() }), [9, 2]);
    assert_eq!(event_ids(&inbox, &EventFilter { event_numbers: vec![2, 9], ..narrow.clone() }), [9]);
    assert_eq!(inbox.events(&EventFilter { up_to: Some(3), ..all }, 0, 1).unwrap().total, 3);
}

#[test]
fn a_better_reader_reads_old_events_again() {
    let InboxFixture { inbox, folder: _folder } = open_inbox();
    inbox.store(&event(0, "a", b"{}")).unwrap();
    inbox.store_readings(1, &[reading(1, 4, "WO-1", "poorly understood")]).unwrap();
    assert!(inbox.unread_events(1, 10).unwrap().is_empty());
    assert_eq!(inbox.unread_events(2, 10).unwrap().len(), 1);
    inbox.store_readings(2, &[reading(1, 5, "WO-2", "better")]).unwrap();
    assert!(inbox.unread_events(2, 10).unwrap().is_empty());
    let text = |text: &str| EventFilter { text: Some(text.to_owned()), ..EventFilter::default() };
    assert_eq!(event_ids(&inbox, &text("poorly")), [] as [i64; 0]);
    assert_eq!(event_ids(&inbox, &text("better")), [1]);
    assert_eq!(
        event_ids(&inbox, &EventFilter { order: Some("WO-1".to_owned()), ..EventFilter::default() }),
        [] as [i64; 0]
    );
    assert_eq!(inbox.event(1).unwrap().unwrap().kind, Some(5));
}

#[test]
fn time_in_which_nothing_could_come_is_marked() {
    let InboxFixture { inbox, folder: _folder } = open_inbox();
    let later = |seconds: i64| time_at(0) + Span::new().seconds(seconds);
    assert_eq!(
        inbox.heartbeats().record("Plant", later(0), 60, GapCause::Off).unwrap(),
        None,
        "before the first there was nothing to miss"
    );
    assert_eq!(inbox.heartbeats().record("Plant", later(30), 60, GapCause::Asleep).unwrap(), None);
    let gap = inbox.heartbeats().record("Plant", later(330), 60, GapCause::Asleep).unwrap().unwrap();
    assert_eq!((gap.since, gap.until, gap.cause), (later(30), later(330), GapCause::Asleep));
    assert_eq!(inbox.heartbeats().record("Other", later(900), 60, GapCause::Off).unwrap(), None);
    inbox.heartbeats().record("Plant", later(900), 60, GapCause::Off).unwrap().unwrap();
    assert_eq!(inbox.heartbeats().gaps(1).unwrap().len(), 1);
    assert_eq!(
        inbox.heartbeats().gaps(10).unwrap().iter().map(|gap| gap.cause).collect::<Vec<_>>(),
        [GapCause::Off, GapCause::Asleep]
    );
}

#[test]
fn one_signature_is_one_event_under_whatever_delivery_it_comes() {
    let InboxFixture { folder, inbox } = open_inbox();
    let signed = |key: &str| NewEvent { signed_key: Some(77), ..event(0, key, b"one") };
    assert_eq!(inbox.store(&signed("a")).unwrap(), StoreOutcome::New(1));
    assert_eq!(inbox.store(&signed("b")).unwrap(), StoreOutcome::Copy { event: 1, copies: 1 });
    let replayed = NewEvent { replay: true, ..signed("c") };
    assert_eq!(inbox.store(&replayed).unwrap(), StoreOutcome::Copy { event: 1, copies: 2 }, "that header isn't signed");
    drop(inbox);
    let inbox = store::inbox(folder.path());
    assert_eq!(inbox.store(&signed("d")).unwrap(), StoreOutcome::Copy { event: 1, copies: 3 });
    let again = NewEvent { signed_key: Some(78), ..signed("a") };
    assert_eq!(
        inbox.store(&again).unwrap(),
        StoreOutcome::Copy { event: 1, copies: 4 },
        "tried again, and signed anew"
    );
    assert_eq!(inbox.store(&NewEvent { signed_key: Some(79), ..signed("e") }).unwrap(), StoreOutcome::New(2));
    let other = NewEvent { site: "Other".to_owned(), ..signed("f") };
    assert_eq!(inbox.store(&other).unwrap(), StoreOutcome::New(3));
    let bytes = NewEvent { body: b"two".to_vec(), ..signed("g") };
    assert_eq!(inbox.store(&bytes).unwrap(), StoreOutcome::New(4));
    // Removed events are forgotten as duplicates.
    inbox.store_readings(1, &[reading(1, 4, "WO-1", "read"), reading(2, 4, "WO-1", "read")]).unwrap();
    store::change_events(folder.path(), "INSERT INTO floor VALUES (1, 1, 20)");
    assert_eq!(inbox.purge_some(EventPurge::ReceivedBefore(time_at(1))).unwrap(), 2);
    assert_eq!(inbox.store(&signed("h")).unwrap(), StoreOutcome::New(5));
}

fn unsigned_event(second: i64, key: &str, body: &[u8]) -> NewEvent {
    NewEvent { signed: SignatureState::Missing, ..event(second, key, body) }
}

#[test]
fn what_is_not_believed_takes_no_more_than_its_share() {
    let InboxFixture { folder: _folder, inbox } = open_inbox();
    let many: Vec<_> = (0..=MAX_UNVERIFIED_PER_HOUR).map(|at| unsigned_event(0, &at.to_string(), b"{}")).collect();
    let stored = inbox.store_all(&many).unwrap();
    assert_eq!(stored.iter().filter(|outcome| matches!(outcome, StoreOutcome::New(_))).count(), 1_000);
    assert_eq!(stored.last(), Some(&StoreOutcome::Omitted));
    assert_eq!(
        inbox.store(&unsigned_event(1, "0", b"{}")).unwrap(),
        StoreOutcome::Omitted,
        "what comes again takes room, too"
    );
    let found = inbox.unverified().by_site().unwrap().remove(0);
    assert_eq!((found.omitted, found.omitted_first, found.omitted_last), (2, Some(time_at(0)), Some(time_at(1))));
    assert_eq!(inbox.store(&event(1, "signed", b"{}")).unwrap(), StoreOutcome::New(1_001), "what is believed has room");
    let other = NewEvent { site: "Other".to_owned(), ..unsigned_event(1, "other", b"{}") };
    assert_eq!(inbox.store(&other).unwrap(), StoreOutcome::New(1_002), "each site has its own share");
    assert_eq!(inbox.store(&unsigned_event(3_600, "later", b"{}")).unwrap(), StoreOutcome::New(1_003));

    let large = vec![b' '; usize::try_from(MAX_UNVERIFIED_BYTES / 2).unwrap()];
    assert_eq!(inbox.store(&unsigned_event(3_600, "large", &large)).unwrap(), StoreOutcome::New(1_004));
    assert_eq!(inbox.store(&unsigned_event(7_200, "larger", &large)).unwrap(), StoreOutcome::Omitted);
    assert_eq!(inbox.store(&event(7_200, "signed", &large)).unwrap(), StoreOutcome::New(1_005));
    assert!(inbox.unverified().by_site().unwrap().iter().all(|site| site.bytes <= MAX_UNVERIFIED_BYTES));

    // Untrusted events can be purged while a target waits and the floor is behind, because neither uses them.
    let all: Vec<_> = (1..=1_005).map(|event| reading(event, 2, "WO-1", "read")).collect();
    inbox.store_readings(1, &all).unwrap();
    assert_eq!(inbox.purgeable(EventPurge::Unverified).unwrap(), 1_003);
    assert_eq!(inbox.purgeable(EventPurge::ReceivedBefore(time_at(2))).unwrap(), 1_001);
    while inbox.purge_some(EventPurge::Unverified).unwrap() > 0 {}
    assert!(inbox.unverified().by_site().unwrap().iter().all(|site| site.bytes == 0));
    inbox.unverified().reset_omitted().unwrap();
    assert_eq!(inbox.unverified().by_site().unwrap().iter().map(|site| site.omitted).sum::<u64>(), 0);
    assert_eq!(inbox.store(&unsigned_event(7_200, "larger", &large)).unwrap(), StoreOutcome::New(1_006));
}

#[test]
fn events_that_name_an_order_are_found_with_and_without_its_operation() {
    let InboxFixture { folder: _folder, inbox } = open_inbox();
    inbox.store_all(&[event(1, "a", b"{}"), event(2, "b", b"{}")]).unwrap();
    inbox.store_readings(1, &[reading(1, 4, "WO-1", "read"), reading(2, 5, "WO-2", "read")]).unwrap();
    let named = |code: &str, operation: Option<&str>| {
        let (site, operation) = ("Plant".to_owned(), operation.map(str::to_owned));
        let query = OrderEventQuery { site, code: code.to_owned(), operation, since: time_at(0) };
        let (count, events) = inbox.find_order_events(&query, 9).unwrap();
        assert_eq!(count as usize, events.len());
        assert_eq!(
            inbox.has_order_event(&query, &[4].into()).unwrap(),
            events.iter().any(|event| event.kind == Some(4))
        );
        events.iter().map(|event| event.event).collect::<Vec<_>>()
    };
    assert_eq!(
        (named("WO-1", None), named("WO-1", Some("010")), named("WO-1", Some("020"))),
        (vec![1], vec![1], vec![])
    );
    assert_eq!((named("WO-2", None), named("WO-3", None)), (vec![2], vec![]));
}

#[test]
fn on_a_nearly_full_disk_only_what_is_believed_is_stored() {
    let InboxFixture { folder: _folder, inbox } = open_inbox();
    assert_eq!(inbox.store(&unsigned_event(1, "first", b"{}")).unwrap(), StoreOutcome::New(1));
    // No disk has that much free space.
    inbox.unverified().set_reserve(u64::MAX);
    let both = [unsigned_event(2, "second", b"{}"), event(2, "signed", b"{}")];
    if inbox.is_shared() {
        let stored = [StoreOutcome::New(2), StoreOutcome::New(3)];
        assert_eq!(inbox.store_all(&both).unwrap(), stored, "this computer's disk isn't the team's");
        return;
    }
    assert_eq!(inbox.store_all(&both).unwrap(), [StoreOutcome::Omitted, StoreOutcome::New(2)]);
    let again = unsigned_event(3, "first", b"{}");
    assert_eq!(inbox.store(&again).unwrap(), StoreOutcome::Omitted, "a copy takes room, too");
    let (stored, _) = inbox.store_with_answers(&both[..1], &[]).unwrap();
    assert_eq!(stored, [StoreOutcome::Omitted]);
    let unchecked = NewEvent { signed: SignatureState::Unchecked, ..event(3, "open", b"{}") };
    assert_eq!(inbox.store(&unchecked).unwrap(), StoreOutcome::New(3));
    let found = inbox.unverified().by_site().unwrap().remove(0);
    assert_eq!((found.omitted, found.omitted_first, found.omitted_last), (3, Some(time_at(2)), Some(time_at(2))));
    inbox.unverified().set_reserve(0);
    assert_eq!(inbox.store(&unsigned_event(4, "third", b"{}")).unwrap(), StoreOutcome::New(4), "there is room again");
}
