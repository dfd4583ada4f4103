//! Targets: storing an event also queues it in order, and an event that a target doesn't accept isn't lost.

use jiff::Timestamp;
use takt_journal::{
    Inbox, JournalError,
    inbox::{
        Backlog, BlockedEvent, Fault, ForwardResult, ForwardStart, ForwardState, NewEvent, NewTarget, SignatureState,
        Target,
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

fn event(second: i64, signed: SignatureState, replay: bool) -> NewEvent {
    NewEvent {
        site: "Plant".to_owned(),
        received: time_at(second),
        headers: Vec::new(),
        body: format!("{{\"Id\":2,\"n\":{second}}}").into_bytes(),
        key: second,
        signed_key: None,
        duplicates_since: None,
        signed,
        replay,
    }
}

fn store_events(inbox: &Inbox, seconds: std::ops::Range<i64>) {
    let events: Vec<_> = seconds.map(|second| event(second, SignatureState::Valid, false)).collect();
    inbox.store_all(&events).unwrap();
}

fn add_target(inbox: &Inbox, name: &str, start: ForwardStart) -> Target {
    let target = NewTarget {
        site: "Plant".to_owned(),
        name: name.to_owned(),
        address: "http://127.0.0.1:1/".to_owned(),
        ..NewTarget::default()
    };
    inbox.targets().add(&target, start).unwrap()
}

fn reload_target(inbox: &Inbox, target: &Target) -> Target {
    inbox.targets().list().unwrap().into_iter().find(|one| one.id == target.id).unwrap()
}

fn due_events(inbox: &Inbox, target: &Target) -> Vec<i64> {
    inbox
        .targets()
        .due_events(&reload_target(inbox, target), 100, usize::MAX)
        .unwrap()
        .iter()
        .map(|event| event.raw.id)
        .collect()
}

fn forward_result(event: i64, fault: Option<Fault>) -> ForwardResult {
    ForwardResult {
        event,
        at: time_at(900),
        tries: 1,
        fault,
        status: Some(400),
        response: "no".to_owned(),
        owed: false,
    }
}

#[test]
fn what_came_after_the_cursor_is_queued_and_nothing_else() {
    let InboxFixture { folder, inbox } = open_inbox();
    store_events(&inbox, 0..3);
    let (next, all) =
        (add_target(&inbox, "next", ForwardStart::Now), add_target(&inbox, "all", ForwardStart::Beginning));
    for (second, signed, replay) in
        [(3, SignatureState::Wrong, false), (4, SignatureState::Missing, false), (5, SignatureState::Valid, true)]
    {
        inbox.store(&event(second, signed, replay)).unwrap();
    }
    inbox.store(&NewEvent { site: "Other".to_owned(), ..event(6, SignatureState::Valid, false) }).unwrap();
    inbox.store(&event(7, SignatureState::Unchecked, false)).unwrap();
    assert_eq!(due_events(&inbox, &next), [8], "neither what isn't believed, nor a replay, nor another site's");
    assert_eq!(due_events(&inbox, &all), [1, 2, 3, 8]);
    assert_eq!(inbox.targets().due_events(&all, 2, usize::MAX).unwrap().len(), 2);
    assert_eq!(inbox.targets().due_events(&all, 100, 1).unwrap().len(), 1, "one at least, however large it is");
    assert!(
        inbox.targets().record_results(&all, &[forward_result(1, None), forward_result(2, None)], 2, None).unwrap()
    );
    let backlog = Backlog { waiting: 2, oldest: Some(time_at(2)), set_aside: 0, owed: false };
    assert_eq!(inbox.targets().backlog(&reload_target(&inbox, &all)).unwrap(), backlog);
    drop(inbox);
    let again = store::inbox(folder.path());
    assert_eq!(due_events(&again, &all), [3, 8], "the queue outlives the program");
    assert_eq!(reload_target(&again, &all).last_accepted, Some(time_at(900)));
}

#[test]
fn who_moves_the_cursor_meanwhile_wins_and_what_was_sent_is_known_all_the_same() {
    let InboxFixture { folder: _folder, inbox } = open_inbox();
    let target = add_target(&inbox, "erp", ForwardStart::Beginning);
    store_events(&inbox, 0..5);
    inbox.targets().pause(target.id).unwrap();
    assert!(reload_target(&inbox, &target).paused);
    inbox.targets().resume(target.id, true).unwrap();
    assert!(!inbox.targets().record_results(&target, &[forward_result(1, None)], 1, None).unwrap());
    assert_eq!(due_events(&inbox, &target), Vec::<i64>::new());
    assert_eq!((reload_target(&inbox, &target).start_after, inbox.targets().list_forwards(1).unwrap().len()), (5, 1));
    inbox.targets().remove(target.id, time_at(0)).unwrap();
    assert!(inbox.targets().list_forwards(1).unwrap().is_empty());
    assert!(matches!(inbox.targets().pause(target.id), Err(JournalError::NoSuchTarget)));
    inbox.targets().record_results(&target, &[forward_result(2, None)], 2, None).unwrap();
    assert!(add_target(&inbox, "erp", ForwardStart::Now).id > target.id, "no number is given twice");
}

#[test]
fn a_delivery_that_began_before_a_person_decided_holds_nothing_up_after() {
    let InboxFixture { folder: _folder, inbox } = open_inbox();
    let target = add_target(&inbox, "erp", ForwardStart::Beginning);
    store_events(&inbox, 0..3);
    let late = BlockedEvent {
        event: 1,
        tries: 1,
        since: time_at(1),
        next: time_at(3600),
        fault: Fault::Busy,
        status: Some(503),
        response: "later".to_owned(),
    };
    let wish = NewTarget { name: "erp".to_owned(), site: "Plant".to_owned(), ..NewTarget::default() };
    let decisions: [(&str, &dyn Fn()); 4] = [
        ("resumed", &|| inbox.targets().resume(target.id, false).unwrap()),
        ("changed", &|| drop(inbox.targets().change(target.id, &wish).unwrap())),
        ("tried at once", &|| inbox.targets().try_now(target.id, time_at(9)).unwrap()),
        ("resumed from now", &|| inbox.targets().resume(target.id, true).unwrap()),
    ];
    for (what, decide) in decisions {
        let before = reload_target(&inbox, &target);
        assert!(inbox.targets().block_queue(&before, &late, None).unwrap(), "{what}");
        let before = reload_target(&inbox, &target);
        decide();
        let decided = reload_target(&inbox, &target);
        assert!(!inbox.targets().block_queue(&before, &late, None).unwrap(), "{what}");
        assert_eq!(reload_target(&inbox, &target), decided, "{what}");
    }
    // The number of consecutive set-aside events also starts again.
    inbox.targets().record_results(&reload_target(&inbox, &target), &[], 3, None).unwrap();
    store_events(&inbox, 3..5);
    let before = reload_target(&inbox, &target);
    inbox.targets().resume(target.id, false).unwrap();
    inbox.targets().record_results(&before, &[forward_result(4, Some(Fault::Refused))], 4, None).unwrap();
    assert_eq!((reload_target(&inbox, &target).consecutive_refusals, reload_target(&inbox, &target).cursor), (0, 4));
}

#[test]
fn what_is_set_aside_is_counted_until_one_is_taken_and_can_be_sent_again() {
    let InboxFixture { folder: _folder, inbox } = open_inbox();
    let target = add_target(&inbox, "erp", ForwardStart::Beginning);
    store_events(&inbox, 0..4);
    let halt = BlockedEvent {
        event: 1,
        tries: 2,
        since: time_at(1),
        next: time_at(60),
        fault: Fault::Refused,
        status: Some(400),
        response: "no".to_owned(),
    };
    assert!(inbox.targets().block_queue(&target, &halt, None).unwrap());
    assert_eq!(reload_target(&inbox, &target).blocked_event, Some(halt.clone()));
    inbox.targets().try_now(target.id, time_at(7)).unwrap();
    assert_eq!(reload_target(&inbox, &target).blocked_event, Some(BlockedEvent { next: time_at(7), ..halt }));
    let refused = [forward_result(1, Some(Fault::Refused)), forward_result(2, Some(Fault::Refused))];
    inbox.targets().record_results(&reload_target(&inbox, &target), &refused, 2, None).unwrap();
    let after = reload_target(&inbox, &target);
    assert_eq!((after.consecutive_refusals, after.blocked_event.as_ref(), after.cursor), (2, None, 2));
    let set_aside: Vec<_> = inbox
        .targets()
        .list_refused_events(target.id, 0, 10)
        .unwrap()
        .iter()
        .map(|row| (row.event, row.state))
        .collect();
    assert_eq!(set_aside, [(1, ForwardState::SetAside), (2, ForwardState::SetAside)]);
    assert_eq!(inbox.targets().request_resend(target.id, &[2, 3]).unwrap(), 1, "only what is set aside");
    assert_eq!(inbox.targets().next_event_to_resend(target.id).unwrap().map(|event| event.id), Some(2));
    inbox.targets().record_results(&after, &[forward_result(2, Some(Fault::Busy))], after.cursor, None).unwrap();
    assert_eq!(
        reload_target(&inbox, &target).consecutive_refusals,
        2,
        "one more try of the same says nothing new about the target"
    );
    assert_eq!(inbox.targets().list_forwards(2).unwrap()[0].tries, 2);
    assert_eq!(inbox.targets().request_resend(target.id, &[]).unwrap(), 2);
    inbox.targets().record_results(&after, &[forward_result(1, None)], after.cursor, None).unwrap();
    assert_eq!(inbox.targets().list_forwards(1).unwrap()[0].state, ForwardState::Taken);
    assert_eq!(
        inbox.targets().backlog(&after).unwrap(),
        Backlog { waiting: 2, oldest: Some(time_at(2)), set_aside: 1, owed: false }
    );
    inbox.targets().record_results(&after, &[forward_result(3, None)], 3, None).unwrap();
    assert_eq!(reload_target(&inbox, &target).consecutive_refusals, 0);
}
