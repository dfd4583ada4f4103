//! Tests only for a team's events: one sender and one reader, the receivers' address, and the search without SQLite.

use takt_journal::{
    Inbox, JournalError, SharedChanges, SharedKind, Team,
    inbox::{
        BlockedEvent, EventFilter, EventState, Fault, ForwardResult, ForwardStart, NewEvent, NewTarget, Reading,
        SignatureState,
    },
};

use super::store::{self, home, open};
use super::support::at;

fn event(key: i64, site: &str) -> NewEvent {
    NewEvent {
        site: site.to_owned(),
        received: at(key),
        headers: Vec::new(),
        body: key.to_string().into_bytes(),
        key,
        signed_key: None,
        duplicates_since: None,
        signed: SignatureState::Unchecked,
        replay: false,
    }
}

fn reading(event: i64, text: &str) -> Reading {
    Reading {
        event,
        state: EventState::Sound,
        kind: None,
        station: None,
        station_name: None,
        employee: None,
        person: None,
        description: None,
        orders: Vec::new(),
        text: text.to_owned(),
    }
}

#[test]
fn one_desk_sends_on_to_a_target_and_another_takes_over() {
    let home = home();
    let (one, other) = (store::inbox(home.path()), store::inbox(home.path()));
    let wanted = |name: &str| NewTarget { site: "north".to_owned(), name: name.to_owned(), ..NewTarget::default() };
    let erp = one.targets().add(&wanted("erp"), ForwardStart::Now).unwrap();
    let mes = one.targets().add(&wanted("mes"), ForwardStart::Now).unwrap();
    let lock = one.senders().lock(erp.id).unwrap().unwrap();
    assert!(lock.is_held() && other.senders().lock(erp.id).unwrap().is_none());
    assert_eq!(other.senders().is_running(erp.id).unwrap(), Some(true));
    assert_eq!(other.senders().is_running(mes.id).unwrap(), Some(false));
    let _mes = other.senders().lock(mes.id).unwrap().unwrap();
    let sql = "SELECT count(pg_terminate_backend(pid)) FROM pg_locks WHERE locktype = 'advisory' AND classid = 1413565254 AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND objid = 1";
    assert_eq!(crate::postgres::query(&store::address(home.path()), sql), "1");
    let limit = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while lock.is_held() {
        // The server ends the session asynchronously, and the desk notices that a moment later.
        assert!(std::time::Instant::now() < limit, "its session is gone");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(other.senders().lock(erp.id).unwrap().is_some());
}

#[test]
fn who_stands_still_loses_the_target_and_writes_nothing_of_it_any_more() {
    let home = home();
    let (one, other) = (store::inbox(home.path()), store::inbox(home.path()));
    let wanted = NewTarget { site: "north".to_owned(), name: "erp".to_owned(), ..NewTarget::default() };
    let erp = one.targets().add(&wanted, ForwardStart::Now).unwrap();
    for key in 1..=3 {
        one.store(&event(key, "north")).unwrap();
    }
    let sent = |number| ForwardResult {
        event: number,
        at: at(9),
        tries: 1,
        fault: None,
        status: Some(200),
        response: String::new(),
        owed: false,
    };
    let suspended = one.senders().lock(erp.id).unwrap().unwrap();
    assert!(one.targets().record_results(&erp, &[sent(1)], 1, Some(&suspended)).unwrap());
    let erp = one.targets().list().unwrap().remove(0);
    // Simulates a suspended desk. Its session still exists.
    let silent = "UPDATE takt.sender SET seen = seen - INTERVAL '6 s' RETURNING target";
    assert_eq!(crate::postgres::query(&store::address(home.path()), silent), erp.id.to_string());
    assert_eq!(other.senders().is_running(erp.id).unwrap(), Some(false));
    let lock = other.senders().lock(erp.id).unwrap().unwrap();
    assert!(other.targets().record_results(&erp, &[sent(2)], 2, Some(&lock)).unwrap());
    // The resumed desk notices that it lost the target, and none of its results are recorded.
    assert!(!suspended.is_held() && lock.is_held());
    let late = one.targets().record_results(&erp, &[sent(2), sent(3)], 3, Some(&suspended));
    assert!(matches!(late, Err(JournalError::SentElsewhere(target)) if target == erp.id), "{late:?}");
    let halt = BlockedEvent {
        event: 2,
        tries: 1,
        since: at(9),
        next: at(10),
        fault: Fault::Refused,
        status: None,
        response: String::new(),
    };
    assert!(matches!(one.targets().block_queue(&erp, &halt, Some(&suspended)), Err(JournalError::SentElsewhere(_))));
    let now = one.targets().list().unwrap().remove(0);
    assert_eq!((now.cursor, now.blocked_event), (2, None));
    assert!(one.senders().lock(erp.id).unwrap().is_none(), "it is the other's until that one goes");
    drop(lock);
    assert!(one.senders().lock(erp.id).unwrap().is_some());
}

#[test]
fn one_desk_reads_at_a_time() {
    let home = home();
    let (one, other) = (store::inbox(home.path()), store::inbox(home.path()));
    let lock = one.lock_reader().unwrap().unwrap();
    assert!(other.lock_reader().unwrap().is_none());
    drop(lock);
    assert!(other.lock_reader().unwrap().is_some());
}

#[test]
fn all_receivers_of_a_site_have_one_address() {
    let home = home();
    let (one, other) = (store::inbox(home.path()), store::inbox(home.path()));
    assert_eq!(one.ensure_shared_path("north", "first").unwrap().unwrap(), "first");
    assert_eq!(other.ensure_shared_path("north", "second").unwrap().unwrap(), "first");
    assert_eq!(other.ensure_shared_path("south", "third").unwrap().unwrap(), "third");
    let folder = tempfile::tempdir().unwrap();
    let own = Inbox::open(&folder.path().join("inbox.sqlite")).unwrap();
    assert_eq!(own.ensure_shared_path("north", "fourth").unwrap(), None);
}

#[test]
fn words_are_found_as_in_a_file() {
    let home = home();
    let folder = tempfile::tempdir().unwrap();
    let own = Inbox::open(&folder.path().join("inbox.sqlite")).unwrap();
    let team = store::inbox(home.path());
    let texts = [
        "WO-1001 Gr\u{f6}\u{df}e 12.5 mm",
        "wo 1001 crane",
        "MAT-0001\nPRESSE 3",
        "\u{c4}nderung caf\u{e9} na\u{ef}ve",
        "it's 'quoted' \\ & | ! <-> :*",
        "1e5 2024-05-01T10:00:00Z a@b.example",
        "\u{65e5}\u{672c} \u{0443}\u{0436}\u{0435}",
    ];
    for (number, text) in (1..).zip(texts) {
        for inbox in [&own, &team] {
            assert_eq!(inbox.store(&event(number, "north")).unwrap().event(), Some(number));
            inbox.store_readings(1, &[reading(number, text)]).unwrap();
        }
    }
    let queries = [
        "WO-1001",
        "wo 10",
        "gro",
        "gr\u{f6}\u{df}e",
        "GR\u{d6}",
        "12.5",
        "5 mm",
        "mat-00",
        "presse",
        "cafe",
        "anderung",
        "quoted",
        "it's",
        "'",
        "& |",
        "1e5",
        "1e",
        "2024-05",
        "10:00",
        "a@b",
        "example",
        "\u{65e5}",
        "\u{0443}\u{0436}",
        "nothing",
        "1001 wo",
        "\\",
        "\"quoted\"",
    ];
    for text in queries {
        let filter = EventFilter { text: Some(text.to_owned()), ..EventFilter::default() };
        let found = |inbox: &Inbox| inbox.event_numbers(&filter, 100).unwrap();
        assert_eq!(found(&own), found(&team), "{text}");
    }
}

#[test]
fn numbers_have_no_gaps_where_a_desk_fails() {
    let home = home();
    let (inbox, journal) = (store::inbox(home.path()), open(home.path()));
    assert_eq!(inbox.store(&event(1, "north")).unwrap().event(), Some(1));
    // The second event is refused, because the database's texts can't contain this character.
    let broken = NewEvent { site: "no\u{0}rth".to_owned(), ..event(3, "north") };
    inbox.store_all(&[event(2, "north"), broken]).unwrap_err();
    assert_eq!(inbox.store(&event(2, "north")).unwrap().event(), Some(2));
    drop(journal);
}

#[test]
fn rules_that_a_desk_has_come_along_where_the_team_never_had_any() {
    let home = home();
    let folder = tempfile::tempdir().unwrap();
    let own = Inbox::open(&folder.path().join("inbox.sqlite")).unwrap();
    let team = store::inbox(home.path());
    for site in ["north", "south", "practice"] {
        own.rules().save(site, at(1), "an earlier edit").unwrap();
        own.rules().save(site, at(2), &format!("of {site}")).unwrap();
        own.rules().mark_tried(site, &["a hash".to_owned()], at(2)).unwrap();
    }
    team.rules().save("south", at(0), "the team's").unwrap();
    assert_eq!(own.rules().carry_over(&team, "practice").unwrap(), 1);
    assert_eq!(own.rules().carry_over(&team, "practice").unwrap(), 0, "nothing comes twice");
    let text = |site: &str| team.rules().latest(site).unwrap().map(|rules| rules.text);
    assert_eq!(
        (text("north").unwrap(), text("south").unwrap(), text("practice")),
        ("of north".to_owned(), "the team's".to_owned(), None)
    );
    assert_eq!(team.rules().filter_tried("north", &["a hash".to_owned(), "another".to_owned()]).unwrap(), ["a hash"]);
}

#[test]
fn who_changed_rules_and_targets_is_recorded_and_they_are_put_back() {
    let home = home();
    let desk = Team::with_person(open(home.path()), "anna@pc1".to_owned());
    let (inbox, changes) = (Inbox::from_team(&desk).unwrap(), SharedChanges::from_journal(&desk).unwrap());
    let changes_now = || changes.list(None, 100).unwrap();
    inbox.rules().save("north", at(1), r#"{"rules":[1]}"#).unwrap();
    inbox.rules().save("north", at(2), r#"{"rules":[2]}"#).unwrap();
    let wanted = |address: &str| NewTarget {
        site: "north".to_owned(),
        name: "erp".to_owned(),
        address: address.to_owned(),
        at: at(3),
        ..NewTarget::default()
    };
    let target = inbox.targets().add(&wanted("https://one"), ForwardStart::Now).unwrap();
    inbox.targets().change(target.id, &wanted("https://two")).unwrap();
    inbox.targets().change(target.id, &wanted("https://two")).unwrap();
    let newest: Vec<_> =
        changes_now().iter().map(|change| (change.kind, change.added, change.latest, change.name.clone())).collect();
    assert_eq!(
        newest,
        [
            (SharedKind::Target, false, true, "erp".to_owned()),
            (SharedKind::Target, true, false, "erp".to_owned()),
            (SharedKind::Rules, false, true, "north".to_owned()),
            (SharedKind::Rules, true, false, "north".to_owned()),
        ],
        "what changes nothing isn't told"
    );
    assert!(changes_now().iter().all(|change| change.person == "anna@pc1" && change.site == "north"));
    let number = |at: usize| changes_now()[at].number;
    assert!(matches!(changes.restore(number(3), at(4)), Err(JournalError::ChangedSince(_))));
    changes.restore(number(2), at(4)).unwrap();
    let rules = || inbox.rules().latest("north").unwrap().unwrap();
    assert_eq!((rules().text.as_str(), rules().version), (r#"{"rules":[1]}"#, 3), "as another edit");
    changes.restore(number(1), at(5)).unwrap();
    assert_eq!(inbox.targets().list().unwrap()[0].address, "https://one");
    inbox.targets().remove(target.id, at(6)).unwrap();
    changes.restore(number(0), at(7)).unwrap();
    let back = inbox.targets().list().unwrap();
    assert_eq!((back.len(), back[0].address.as_str()), (1, "https://one"));
    assert!(back[0].id > target.id, "no number is given twice");
}
