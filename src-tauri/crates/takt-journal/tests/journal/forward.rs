//! Targets: storing an event also queues it in order, and an event that a target doesn't accept isn't lost.

use jiff::Timestamp;
use takt_journal::{
    Inbox, JournalError,
    inbox::{
        Backlog, BlockedEvent, Fault, ForwardResult, ForwardState, NewEvent, NewTarget, SignatureState, Start, Target,
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

fn moment(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

fn event(second: i64, signed: SignatureState, replay: bool) -> NewEvent {
    NewEvent {
        site: "Plant".to_owned(),
        received: moment(second),
        headers: Vec::new(),
        body: format!("{{\"Id\":2,\"n\":{second}}}").into_bytes(),
        key: second,
        signed_key: None,
        same_since: None,
        signed,
        replay,
    }
}

fn store_events(inbox: &Inbox, seconds: std::ops::Range<i64>) {
    let events: Vec<_> = seconds.map(|second| event(second, SignatureState::Valid, false)).collect();
    inbox.store_all(&events).unwrap();
}

fn add(inbox: &Inbox, name: &str, start: Start) -> Target {
    let target = NewTarget {
        site: "Plant".to_owned(),
        name: name.to_owned(),
        address: "http://127.0.0.1:1/".to_owned(),
        ..NewTarget::default()
    };
    inbox.targets().add(&target, start).unwrap()
}

fn now(inbox: &Inbox, target: &Target) -> Target {
    inbox.targets().list().unwrap().into_iter().find(|one| one.id == target.id).unwrap()
}

fn due(inbox: &Inbox, target: &Target) -> Vec<i64> {
    inbox.targets().due(&now(inbox, target), 100, usize::MAX).unwrap().iter().map(|event| event.raw.id).collect()
}

fn sent(event: i64, fault: Option<Fault>) -> ForwardResult {
    ForwardResult { event, at: moment(900), tries: 1, fault, status: Some(400), response: "no".to_owned(), owed: false }
}

#[test]
fn what_came_after_the_cursor_is_queued_and_nothing_else() {
    let InboxFixture { folder, inbox } = open_inbox();
    store_events(&inbox, 0..3);
    let (next, all) = (add(&inbox, "next", Start::Now), add(&inbox, "all", Start::Beginning));
    for (second, signed, replay) in
        [(3, SignatureState::Wrong, false), (4, SignatureState::Missing, false), (5, SignatureState::Valid, true)]
    {
        inbox.store(&event(second, signed, replay)).unwrap();
    }
    inbox.store(&NewEvent { site: "Other".to_owned(), ..event(6, SignatureState::Valid, false) }).unwrap();
    inbox.store(&event(7, SignatureState::Unchecked, false)).unwrap();
    assert_eq!(due(&inbox, &next), [8], "neither what isn't believed, nor a replay, nor another site's");
    assert_eq!(due(&inbox, &all), [1, 2, 3, 8]);
    assert_eq!(inbox.targets().due(&all, 2, usize::MAX).unwrap().len(), 2);
    assert_eq!(inbox.targets().due(&all, 100, 1).unwrap().len(), 1, "one at least, however large it is");
    assert!(inbox.targets().record_results(&all, &[sent(1, None), sent(2, None)], 2, None).unwrap());
    let backlog = Backlog { waiting: 2, oldest: Some(moment(2)), set_aside: 0, owed: false };
    assert_eq!(inbox.targets().backlog(&now(&inbox, &all)).unwrap(), backlog);
    drop(inbox);
    let again = store::inbox(folder.path());
    assert_eq!(due(&again, &all), [3, 8], "the queue outlives the program");
    assert_eq!(now(&again, &all).took, Some(moment(900)));
}

#[test]
fn who_moves_the_cursor_meanwhile_wins_and_what_was_sent_is_known_all_the_same() {
    let InboxFixture { folder: _folder, inbox } = open_inbox();
    let target = add(&inbox, "erp", Start::Beginning);
    store_events(&inbox, 0..5);
    inbox.targets().pause(target.id).unwrap();
    assert!(now(&inbox, &target).paused);
    inbox.targets().resume(target.id, true).unwrap();
    assert!(!inbox.targets().record_results(&target, &[sent(1, None)], 1, None).unwrap());
    assert_eq!(due(&inbox, &target), Vec::<i64>::new());
    assert_eq!((now(&inbox, &target).began, inbox.targets().list_forwards(1).unwrap().len()), (5, 1));
    inbox.targets().remove(target.id, moment(0)).unwrap();
    assert!(inbox.targets().list_forwards(1).unwrap().is_empty());
    assert!(matches!(inbox.targets().pause(target.id), Err(JournalError::NoSuchTarget)));
    inbox.targets().record_results(&target, &[sent(2, None)], 2, None).unwrap();
    assert!(add(&inbox, "erp", Start::Now).id > target.id, "no number is given twice");
}

#[test]
fn a_delivery_that_began_before_a_person_decided_holds_nothing_up_after() {
    let InboxFixture { folder: _folder, inbox } = open_inbox();
    let target = add(&inbox, "erp", Start::Beginning);
    store_events(&inbox, 0..3);
    let late = BlockedEvent {
        event: 1,
        tries: 1,
        since: moment(1),
        next: moment(3600),
        fault: Fault::Busy,
        status: Some(503),
        response: "later".to_owned(),
    };
    let wish = NewTarget { name: "erp".to_owned(), site: "Plant".to_owned(), ..NewTarget::default() };
    let decisions: [(&str, &dyn Fn()); 4] = [
        ("resumed", &|| inbox.targets().resume(target.id, false).unwrap()),
        ("changed", &|| drop(inbox.targets().change(target.id, &wish).unwrap())),
        ("tried at once", &|| inbox.targets().try_now(target.id, moment(9)).unwrap()),
        ("resumed from now", &|| inbox.targets().resume(target.id, true).unwrap()),
    ];
    for (what, decide) in decisions {
        let before = now(&inbox, &target);
        assert!(inbox.targets().halt(&before, &late, None).unwrap(), "{what}");
        let before = now(&inbox, &target);
        decide();
        let decided = now(&inbox, &target);
        assert!(!inbox.targets().halt(&before, &late, None).unwrap(), "{what}");
        assert_eq!(now(&inbox, &target), decided, "{what}");
    }
    // The number of consecutive set-aside events also starts again.
    inbox.targets().record_results(&now(&inbox, &target), &[], 3, None).unwrap();
    store_events(&inbox, 3..5);
    let before = now(&inbox, &target);
    inbox.targets().resume(target.id, false).unwrap();
    inbox.targets().record_results(&before, &[sent(4, Some(Fault::Refused))], 4, None).unwrap();
    assert_eq!((now(&inbox, &target).refused, now(&inbox, &target).cursor), (0, 4));
}

#[test]
fn what_is_set_aside_is_counted_until_one_is_taken_and_can_be_sent_again() {
    let InboxFixture { folder: _folder, inbox } = open_inbox();
    let target = add(&inbox, "erp", Start::Beginning);
    store_events(&inbox, 0..4);
    let halt = BlockedEvent {
        event: 1,
        tries: 2,
        since: moment(1),
        next: moment(60),
        fault: Fault::Refused,
        status: Some(400),
        response: "no".to_owned(),
    };
    assert!(inbox.targets().halt(&target, &halt, None).unwrap());
    assert_eq!(now(&inbox, &target).halt, Some(halt.clone()));
    inbox.targets().try_now(target.id, moment(7)).unwrap();
    assert_eq!(now(&inbox, &target).halt, Some(BlockedEvent { next: moment(7), ..halt }));
    let refused = [sent(1, Some(Fault::Refused)), sent(2, Some(Fault::Refused))];
    inbox.targets().record_results(&now(&inbox, &target), &refused, 2, None).unwrap();
    let after = now(&inbox, &target);
    assert_eq!((after.refused, after.halt.as_ref(), after.cursor), (2, None, 2));
    let set_aside: Vec<_> = inbox
        .targets()
        .list_refused_events(target.id, 0, 10)
        .unwrap()
        .iter()
        .map(|row| (row.event, row.state))
        .collect();
    assert_eq!(set_aside, [(1, ForwardState::SetAside), (2, ForwardState::SetAside)]);
    assert_eq!(inbox.targets().send_again(target.id, &[2, 3]).unwrap(), 1, "only what is set aside");
    assert_eq!(inbox.targets().requested_again(target.id).unwrap().map(|event| event.id), Some(2));
    inbox.targets().record_results(&after, &[sent(2, Some(Fault::Busy))], after.cursor, None).unwrap();
    assert_eq!(now(&inbox, &target).refused, 2, "one more try of the same says nothing new about the target");
    assert_eq!(inbox.targets().list_forwards(2).unwrap()[0].tries, 2);
    assert_eq!(inbox.targets().send_again(target.id, &[]).unwrap(), 2);
    inbox.targets().record_results(&after, &[sent(1, None)], after.cursor, None).unwrap();
    assert_eq!(inbox.targets().list_forwards(1).unwrap()[0].state, ForwardState::Taken);
    assert_eq!(
        inbox.targets().backlog(&after).unwrap(),
        Backlog { waiting: 2, oldest: Some(moment(2)), set_aside: 1, owed: false }
    );
    inbox.targets().record_results(&after, &[sent(3, None)], 3, None).unwrap();
    assert_eq!(now(&inbox, &target).refused, 0);
}
