//! Every event changes the floor once, even if several processes apply events.

use jiff::Timestamp;
use takt_journal::{
    Inbox,
    inbox::{FloorChange, FloorStation},
};

use super::store;

fn station(code: &str, event: i64) -> FloorStation {
    let last_at = Timestamp::from_second(1_800_000_000 + event).unwrap();
    FloorStation { site: "Plant".to_owned(), code: code.to_owned(), name: None, last: event, last_at }
}

fn change(after: i64, event: i64, code: &str) -> FloorChange {
    FloorChange { after, event, stations: vec![station(code, event)], ..FloorChange::default() }
}

fn station_codes(inbox: &Inbox) -> Vec<String> {
    inbox.floor().state_of_site("Plant").unwrap().stations.into_iter().map(|station| station.code).collect()
}

#[test]
fn what_does_not_go_on_from_where_the_floor_stands_is_left_out() {
    let folder = store::home();
    let inbox = store::inbox(folder.path());
    assert_eq!(inbox.floor().last_applied_event(1).unwrap(), Some(0));
    inbox.floor().store(1, &change(5, 9, "from nowhere")).unwrap();
    assert_eq!((inbox.floor().last_applied_event(1).unwrap(), station_codes(&inbox).len()), (Some(0), 0));
    inbox.floor().store(1, &change(0, 4, "A")).unwrap();
    // Another process applied the same events and more.
    inbox.floor().store(1, &change(0, 7, "B")).unwrap();
    assert_eq!((inbox.floor().last_applied_event(1).unwrap(), station_codes(&inbox)), (Some(4), vec!["A".to_owned()]));
    inbox.floor().store(1, &change(4, 7, "C")).unwrap();
    assert_eq!((inbox.floor().last_applied_event(1).unwrap(), station_codes(&inbox).len()), (Some(7), 2));
    // A newer reader starts again, and later changes of an older reader are ignored.
    assert_eq!(inbox.floor().last_applied_event(2).unwrap(), Some(0));
    inbox.floor().store(2, &change(0, 3, "D")).unwrap();
    assert_eq!(inbox.floor().last_applied_event(1).unwrap(), None);
    inbox.floor().store(1, &change(3, 7, "E")).unwrap();
    assert_eq!((inbox.floor().last_applied_event(2).unwrap(), station_codes(&inbox)), (Some(3), vec!["D".to_owned()]));
}
