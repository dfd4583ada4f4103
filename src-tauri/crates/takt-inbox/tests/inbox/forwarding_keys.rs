//! The content of forwarded events: by kind, from a time on, signed, with custom headers, and never in a loop.

use takt_engine::{
    Canceller, Code,
    forward::{Fault, ForwardStop, TargetSettings, TargetStart, TargetState},
    inbox::{Destination, Replay, SignatureState},
};
use takt_test_support::{
    event_sender::post,
    inbox_fixture::{Fixture, SITE},
};

use super::{
    forwarding::{only_target, quick_timing, send_events, target_settings, wait_for_target},
    target::{Erp, status},
};

#[tokio::test]
async fn secrets_go_along_and_come_nowhere_else() {
    let (near, far) = (Fixture::new(), Fixture::new());
    far.engine.inbox().set_secrets(SITE, &["shared".to_owned()]).unwrap();
    let (receiver, other) = (near.receive().await, far.receive().await);
    let erp =
        Erp::start(|one| status(if one.header("authorization") == Some("Bearer s3cret") { 200 } else { 401 })).await;
    let mut both = target_settings(&erp);
    both.headers = vec![("Authorization".to_owned(), "Bearer s3cret".to_owned())];
    let first = near.engine.inbox().targets().add(SITE, &both, &TargetStart::Now).unwrap();
    let signed = TargetSettings {
        name: "Signed".to_owned(),
        address: other.url(),
        secret: Some("shared".to_owned()),
        ..TargetSettings::default()
    };
    near.engine.inbox().targets().add(SITE, &signed, &TargetStart::Now).unwrap();
    let authorization = [("X-Takt-Delivery", "one"), ("Authorization", "Bearer of the site"), ("Content-Type", "a/b")];
    post(&receiver.url(), &authorization, b"{}").await;
    let received = erp.wait_for_events(1).await;
    assert_eq!(
        (received[0].header("authorization"), received[0].header("content-type")),
        (Some("Bearer s3cret"), Some("a/b"))
    );
    wait_for_target(&near, "both have it", |view| view.state == TargetState::UpToDate).await;
    for _ in 0..500 {
        if !far.events().await.is_empty() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let arrived = far.events().await;
    assert_eq!((arrived.len(), arrived[0].signed, arrived[0].replay), (1, SignatureState::Valid, false));
    let file = std::fs::read(near.home.path().join("inbox.sqlite")).unwrap();
    let holds = |text: &[u8]| file.windows(text.len()).any(|window| window == text);
    assert!(!holds(b"s3cret") && !format!("{:?}", only_target(&near).await).contains("s3cret"));
    // A value that isn't given stays unchanged, a given one replaces it.
    both.headers = vec![("authorization".to_owned(), String::new())];
    near.engine.inbox().targets().change(SITE, first, &both).unwrap();
    send_events(&receiver, 0..1).await;
    assert_eq!(erp.wait_for_events(2).await[1].header("authorization"), Some("Bearer s3cret"));
    both.headers = vec![("authorization".to_owned(), "Bearer wrong".to_owned())];
    near.engine.inbox().targets().change(SITE, first, &both).unwrap();
    send_events(&receiver, 1..2).await;
    let view = wait_for_target(&near, "it isn't believed", |view| view.state == TargetState::Failing).await;
    assert_eq!(view.miss.unwrap().fault, Fault::Denied);
    both.headers.clear();
    near.engine.inbox().targets().change(SITE, first, &both).unwrap();
    assert!(only_target(&near).await.headers.is_empty());
}

#[tokio::test]
async fn kinds_starts_and_pauses_say_what_a_target_gets() {
    let (fixture, erp) = (Fixture::new(), Erp::start(|_| status(200)).await);
    fixture.engine.inbox().targets().set_timing(quick_timing());
    let receiver = fixture.receive().await;
    send_events(&receiver, 0..6).await;
    fixture.events().await;
    let all = TargetSettings { kinds: vec![2], ..target_settings(&erp) };
    let id = fixture.engine.inbox().targets().add(SITE, &all, &TargetStart::Beginning).unwrap();
    wait_for_target(&fixture, "all is there", |view| view.waiting == 0).await;
    assert_eq!(erp.deliveries(), ["d2", "d5"]);
    assert_eq!(fixture.engine.inbox().targets().list_forwards(SITE, 1).unwrap()[0].stop, ForwardStop::OtherKind);
    fixture.engine.inbox().targets().pause(SITE, id).unwrap();
    send_events(&receiver, 6..12).await;
    fixture.events().await;
    let view = wait_for_target(&fixture, "two wait", |view| view.waiting == 2).await;
    assert!(view.state == TargetState::Paused && view.oldest.is_some(), "{view:?}");
    fixture.engine.inbox().targets().resume(SITE, id, false).unwrap();
    erp.wait_for_events(4).await;
    fixture.engine.inbox().targets().pause(SITE, id).unwrap();
    send_events(&receiver, 12..15).await;
    fixture.engine.inbox().targets().resume(SITE, id, true).unwrap();
    send_events(&receiver, 15..18).await;
    erp.wait_for_events(5).await;
    assert_eq!(erp.deliveries(), ["d2", "d5", "d8", "d11", "d17"]);
    assert_eq!(fixture.engine.inbox().targets().list_forwards(SITE, 15).unwrap()[0].stop, ForwardStop::BeforeStart);
    let since = fixture.events().await[15].received.clone();
    fixture.engine.inbox().targets().remove(SITE, id).unwrap();
    fixture.engine.inbox().targets().add(SITE, &target_settings(&erp), &TargetStart::Since { moment: since }).unwrap();
    erp.wait_for_events(8).await;
    assert_eq!(erp.deliveries()[5..], ["d15", "d16", "d17"]);
    // Without an offset, the time is the site's local time, which is later in Berlin than in London.
    let again = TargetSettings { name: "Again".to_owned(), ..target_settings(&erp) };
    let hour_ago =
        jiff::Timestamp::now().to_zoned_datetime(jiff::tz::TimeZone::UTC).datetime() + jiff::Span::new().minutes(5);
    let since = |moment: String| TargetStart::Since { moment };
    fixture
        .engine
        .inbox()
        .targets()
        .add(SITE, &again, &since(hour_ago.strftime("%Y-%m-%dT%H:%M").to_string()))
        .unwrap();
    erp.wait_for_events(8 + 18).await;
    let odd =
        fixture.engine.inbox().targets().add(SITE, &target_settings(&erp), &since("yesterday".to_owned())).unwrap_err();
    assert_eq!(odd.code, Code::InvalidInput);
}

#[tokio::test]
async fn what_came_back_or_is_not_believed_is_not_sent_on() {
    let fixture = Fixture::new();
    fixture.engine.inbox().targets().set_timing(quick_timing());
    let receiver = fixture.receive().await;
    let itself = TargetSettings { name: "Itself".to_owned(), address: receiver.url(), ..TargetSettings::default() };
    fixture.engine.inbox().targets().add(SITE, &itself, &TargetStart::Now).unwrap();
    post(&receiver.url(), &[], b"{\"Id\":2}").await;
    wait_for_target(&fixture, "it came back", |view| view.took.is_some() && view.waiting == 0).await;
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    let events = fixture.events().await;
    assert!(events.len() <= 2, "round and round: {events:?}");
    assert_eq!(fixture.engine.inbox().targets().list_forwards(SITE, 2).unwrap()[0].stop, ForwardStop::AlreadyForwarded);
    fixture.engine.inbox().set_secrets(SITE, &["shared".to_owned()]).unwrap();
    receiver.stop().await;
    let receiver = fixture.receive().await;
    assert_eq!(post(&receiver.url(), &[("X-Takt-Delivery", "x")], b"{}").await.0, 401);
    assert_eq!(fixture.engine.inbox().targets().list_forwards(SITE, 3).unwrap()[0].stop, ForwardStop::NotBelieved);
    assert_eq!(wait_for_target(&fixture, "nothing waits", |view| view.waiting == 0).await.set_aside, 0);
}

#[tokio::test]
async fn a_test_event_tells_what_is_wrong_before_anything_depends_on_it() {
    let (fixture, erp) = (Fixture::new(), Erp::start(|_| status(200)).await);
    let receiver = fixture.receive().await;
    let tried = fixture.engine.inbox().targets().send_test_event(SITE, &target_settings(&erp), None).await.unwrap();
    assert_eq!((tried.event, tried.fault, tried.status), (None, None, Some(200)));
    send_events(&receiver, 0..2).await;
    fixture.events().await;
    erp.set_rule(|_| status(403));
    let tried = fixture.engine.inbox().targets().send_test_event(SITE, &target_settings(&erp), None).await.unwrap();
    assert_eq!((tried.event, tried.fault, tried.status), (Some(2), Some(Fault::Denied), Some(403)));
    let received = erp.received();
    assert_eq!(
        (received[0].body.as_str(), received[1].header("takt-test"), received[1].header("takt-replay")),
        ("{}", Some("1"), Some("2"))
    );
    let name = |name: &str| TargetSettings { name: name.to_owned(), ..target_settings(&erp) };
    fixture.engine.inbox().targets().add(SITE, &name("A"), &TargetStart::Now).unwrap();
    let header =
        |name: &str| TargetSettings { headers: vec![(name.to_owned(), "v".to_owned())], ..target_settings(&erp) };
    let odd = ["Host", "Takt-Replay", "x-takt-delivery", "bad name"].map(header);
    let wrong = [name(""), TargetSettings { address: "ftp://a".to_owned(), ..target_settings(&erp) }];
    let no_value = TargetSettings { headers: vec![("X-Key".to_owned(), String::new())], ..target_settings(&erp) };
    let named = TargetSettings { address: "https://u:p@erp.example/".to_owned(), ..target_settings(&erp) };
    for wish in wrong.iter().chain(&odd).chain([&no_value, &named]) {
        let problem = fixture.engine.inbox().targets().add(SITE, wish, &TargetStart::Now).unwrap_err();
        assert_eq!(problem.code, Code::InvalidInput, "{wish:?}");
    }
    let taken = fixture.engine.inbox().targets().add(SITE, &name(" A "), &TargetStart::Now).unwrap_err();
    assert_eq!(taken.code, Code::Precondition);
    let plan = fixture.engine.inbox().plan_replay(None, &[1], &Destination::Target { id: 1 }).await.unwrap();
    assert_eq!(plan.address, erp.url());
    fixture.engine.remove_site(SITE).unwrap();
    assert!(fixture.engine.inbox().targets().list().await.unwrap().is_empty());
}

/// The target is stored like in an earlier version, without the user's choice.
#[tokio::test]
async fn an_unencrypted_target_of_an_earlier_takt_waits_for_a_choice() {
    let fixture = Fixture::new();
    fixture.engine.inbox().targets().set_timing(quick_timing());
    let open = TargetSettings {
        name: "ERP".to_owned(),
        address: "http://erp.invalid/hook".to_owned(),
        allow_http: true,
        ..TargetSettings::default()
    };
    let id = fixture.engine.inbox().targets().add(SITE, &open, &TargetStart::Now).unwrap();
    assert!(only_target(&fixture).await.allow_http);
    let file = rusqlite::Connection::open(fixture.home.path().join("inbox.sqlite")).unwrap();
    file.execute("UPDATE target SET keys = json_remove(keys, '$.open')", []).unwrap();
    drop(file);
    let receiver = fixture.receive().await;
    send_events(&receiver, 0..2).await;
    fixture.events().await;
    let view = wait_for_target(&fixture, "two wait", |view| view.waiting == 2 && view.running).await;
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let later = only_target(&fixture).await;
    assert_eq!((view.state, later.state, &later.miss), (TargetState::Unencrypted, TargetState::Unencrypted, &None));
    assert!(later.open && !later.allow_http && later.set_aside == 0, "{later:?}");
    assert_eq!(fixture.engine.inbox().targets().list_forwards(SITE, 1).unwrap()[0].stop, ForwardStop::Waiting);
    // A replay sends nothing there either.
    let replay = Replay { site: None, events: vec![1], to: Destination::Target { id: later.id }, per_second: 1.0 };
    let problem = fixture.engine.inbox().replay(&replay, &Canceller::new(), |one| panic!("{one:?}")).await.unwrap_err();
    assert_eq!(problem.parameters["obstacle"], "target-plain-http");
    let unchosen = TargetSettings { allow_http: false, ..open.clone() };
    for problem in [
        fixture.engine.inbox().targets().send_test_event(SITE, &unchosen, Some(id)).await.unwrap_err(),
        fixture.engine.inbox().targets().change(SITE, id, &unchosen).unwrap_err(),
    ] {
        assert_eq!(problem.parameters["obstacle"], "plain-http");
    }
    fixture.engine.inbox().targets().allow_http(SITE, id).unwrap();
    let tried = wait_for_target(&fixture, "it is tried", |view| view.miss.is_some()).await;
    assert_eq!((tried.state, tried.waiting, tried.allow_http), (TargetState::Failing, 2, true));
}
