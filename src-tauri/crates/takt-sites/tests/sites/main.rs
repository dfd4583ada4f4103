//! Tests of sites: storing, selecting, testing and signing in.
#![expect(clippy::unwrap_used, reason = "a test that can't go on should say where")]

use takt_contract::SpanEnd;
use takt_engine::{
    Code, Home,
    browse::{BarPlace, MovedBar, ReadFilters},
    cleanup::Link,
    site_file::{OwnFile, SiteFiles},
    sites::{Site, SiteKind, VaultStorage},
    submission::SubmissionId,
};
use takt_plant::PlantConfig;
use takt_test_support::{
    plant_fixture::{Fixture, PRACTICE, open, set_practice},
    setup::{sign_in, start_plant},
};
use tempfile::TempDir;

#[tokio::test]
async fn the_practice_plant_is_always_there() {
    let fixture = Fixture::new().await;
    let sites = fixture.engine.sites().list().unwrap();
    assert_eq!(sites.len(), 1);
    assert!(sites[0].chosen && sites[0].has_secret && !sites[0].signed_in);
    assert_eq!(sites[0].site.kind, SiteKind::Practice);
    assert_eq!(sites[0].site.scope, "service-portal-api service-api offline_access");
    assert_eq!(fixture.engine.sites().selected_site().unwrap().name, PRACTICE);
    assert_eq!(fixture.engine.remove_site(PRACTICE).unwrap_err().code, Code::Unknown);
    assert_eq!(fixture.engine.save_site(fixture.site("Practice"), None).unwrap_err().code, Code::InvalidInput);
    assert_eq!(fixture.engine.sites().secrets().storage(), VaultStorage::Memory);
    sign_in(&fixture.engine, &fixture.plant, PRACTICE, "planner");
    assert!(fixture.engine.sites().list().unwrap()[0].signed_in);
    // The first plant's tokens aren't used for another plant.
    set_practice(&fixture.engine, &start_plant(PlantConfig::default()).await);
    assert!(!fixture.engine.sites().list().unwrap()[0].signed_in);
}

#[tokio::test]
async fn without_a_plant_practice_is_unreachable() {
    let engine = open(&TempDir::new().unwrap(), &takt_engine::client::Vault::memory());
    assert_eq!(engine.sites().list().unwrap().len(), 1);
    assert_eq!(engine.sites().test(PRACTICE).await.unwrap_err().code, Code::ServiceUnreachable);
}

/// A default for the chosen site or for its time zone would silently change the destination or the times of rows.
#[tokio::test]
async fn sites_that_cant_be_read_are_an_error() {
    let fixture = Fixture::new().await;
    let site = Site { time_zone: "Europe/Berlin".to_owned(), ..fixture.site("Works") };
    fixture.engine.save_site(site, None).unwrap();
    fixture.engine.sites().select_site("Works").unwrap();
    assert_eq!(fixture.engine.sites().time_zone("Works").unwrap().iana_name(), Some("Europe/Berlin"));
    assert_eq!(fixture.engine.sites().time_zone("no such site").unwrap().iana_name(), Some("UTC"));
    let file = rusqlite::Connection::open(fixture.home.path().join("journal.sqlite")).unwrap();
    file.execute("UPDATE site SET body = json_remove(body, '$.baseUrl')", []).unwrap();
    let sites = fixture.engine.sites();
    for failed in [
        sites.selected_site().map(|site| site.name),
        sites.time_zone("Works").map(|zone| format!("{zone:?}")),
        sites.time_zones().map(|zones| format!("{zones:?}")),
        sites.parse_timestamp("Works", "2026-11-30T06:00", SpanEnd::Begin).map(|time| time.to_string()),
    ] {
        assert_eq!(failed.unwrap_err().code, Code::JournalFailed);
    }
}

#[tokio::test]
async fn a_site_survives_a_restart_and_its_secrets_are_in_no_file() {
    let fixture = Fixture::new().await;
    let secret = "a-secret-of-the-works";
    fixture.engine.save_site(fixture.site(" Works South "), Some(secret.to_owned())).unwrap();
    sign_in(&fixture.engine, &fixture.plant, "Works South", "planner");
    fixture.engine.sites().select_site("Works South").unwrap();
    let again = open(&fixture.home, &fixture.vault);
    let sites = again.sites().list().unwrap();
    assert_eq!(sites.len(), 2);
    assert!(sites[1].chosen && sites[1].has_secret && sites[1].signed_in);
    let site = again.sites().selected_site().unwrap();
    assert_eq!((site.name.as_str(), site.batch_size), ("Works South", Some(50)));
    assert_eq!(site.scope, "service-portal-api service-api offline_access");
    let token = fixture.plant.issue_tokens("planner").unwrap().access_token;
    again.sites().adopt_tokens("Works South", &token, None, None).unwrap();
    for entry in list_files(fixture.home.path()) {
        let bytes = std::fs::read(&entry).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(secret) && !text.contains(&token), "{}", entry.display());
    }
}

fn list_files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { list_files(&path) } else { vec![path] }).collect()
}

#[tokio::test]
async fn a_site_that_moves_is_signed_out() {
    let fixture = Fixture::new().await;
    let mut site = fixture.site("Works");
    fixture.engine.save_site(site.clone(), Some("s".to_owned())).unwrap();
    sign_in(&fixture.engine, &fixture.plant, "Works", "planner");
    site.time_zone = "America/Lima".to_owned();
    fixture.engine.save_site(site.clone(), None).unwrap();
    let view = &fixture.engine.sites().list().unwrap()[1];
    assert!(view.signed_in && view.has_secret);
    site.base_url = "https://elsewhere.example".to_owned();
    fixture.engine.save_site(site.clone(), None).unwrap();
    let view = &fixture.engine.sites().list().unwrap()[1];
    assert!(!view.signed_in && view.has_secret);
    fixture.engine.save_site(site, Some(String::new())).unwrap();
    assert!(!fixture.engine.sites().list().unwrap()[1].has_secret);
    fixture.engine.sites().select_site("Works").unwrap();
    fixture.engine.remove_site("Works").unwrap();
    assert_eq!(fixture.engine.sites().selected_site().unwrap().name, PRACTICE);
    assert_eq!(fixture.engine.remove_site("Works").unwrap_err().code, Code::Unknown);
}

/// Returns a bar that was moved by an hour.
fn moved_bars() -> Vec<MovedBar> {
    let bar_place = |hour: f64| BarPlace { begin: hour * 3.6e6, end: (hour + 1.0) * 3.6e6, lane: "Press".to_owned() };
    vec![MovedBar { label: "WO-1 · 010".to_owned(), from: bar_place(1.0), to: bar_place(2.0) }]
}

const ORDERS: &str = "work-orders.list";

#[tokio::test]
async fn moves_that_cant_be_read_are_told_and_stay_until_they_are_discarded() {
    let fixture = Fixture::new().await;
    let browse = fixture.engine.browse();
    fixture.engine.save_site(fixture.site("Works"), None).unwrap();
    let file = rusqlite::Connection::open(fixture.home.path().join("journal.sqlite")).unwrap();
    let stored = || -> String {
        let sql = "SELECT value FROM setting WHERE name = 'moved-bars/work-orders.list/Works'";
        file.query_row(sql, [], |row| row.get(0)).unwrap()
    };
    for unreadable in [r#"[{"label":"WO-1","#, r#"[{"label":"WO-1 · 010","to":"Press"}]"#, r#"{"bars":[]}"#, "null"] {
        browse.store_moved_bars("Works", ORDERS, &[]).unwrap();
        browse.store_moved_bars("Works", ORDERS, &moved_bars()).unwrap();
        assert_eq!(browse.moved_bars("Works", ORDERS).unwrap(), moved_bars());
        file.execute("UPDATE setting SET value = ?1 WHERE name LIKE 'moved-bars/%'", [unreadable]).unwrap();
        let results =
            [browse.moved_bars("Works", ORDERS).map(drop), browse.store_moved_bars("Works", ORDERS, &moved_bars())];
        for result in results {
            let problem = result.unwrap_err();
            assert_eq!(problem.code, Code::JournalDamaged, "{unreadable}");
            assert_eq!(problem.parameters["case"], "moved-bars");
            assert!(problem.message.contains("moved orders") && problem.details.is_some(), "{problem:?}");
        }
        assert_eq!(stored(), unreadable, "it stays as it is");
        assert_eq!(browse.moved_bars(PRACTICE, ORDERS).unwrap(), [], "others can be read");
    }
    browse.store_moved_bars("Works", ORDERS, &[]).unwrap();
    assert_eq!(browse.moved_bars("Works", ORDERS).unwrap(), []);
}

#[tokio::test]
async fn what_a_person_left_at_a_removed_site_goes_with_it() {
    let fixture = Fixture::new().await;
    let (browse, orders, templates) = (fixture.engine.browse(), fixture.engine.orders(), fixture.engine.templates());
    let sites = ["Works", "North/Works", "Steelworks"];
    for name in sites {
        fixture.engine.save_site(fixture.site(name), None).unwrap();
        browse.store_moved_bars(name, ORDERS, &moved_bars()).unwrap();
        browse.store_last_list(name, ORDERS).unwrap();
        browse.store_read_filters(name, ORDERS, &ReadFilters { limit: 7, ..ReadFilters::default() }).unwrap();
        orders.record_opened(name, "WO-1").unwrap();
        let link = Link { template_id: 7, process_code: "P".to_owned(), operation_code: "010".to_owned() };
        templates.store_links(name, vec![link.into()]).unwrap();
    }
    let left = |name: &str| {
        let filters = browse.read_filters(name, ORDERS).unwrap().limit == 7;
        let list = browse.last_list(name).unwrap().is_some();
        let links = !templates.links(name).unwrap().is_empty();
        [
            !browse.moved_bars(name, ORDERS).unwrap().is_empty(),
            filters,
            list,
            !orders.recent_orders(name).unwrap().is_empty(),
            links,
        ]
    };
    for removed in ["Works", "North/Works"] {
        assert_eq!(left(removed), [true; 5]);
        fixture.engine.remove_site(removed).unwrap();
        // A new site of the same name starts empty.
        fixture.engine.save_site(fixture.site(removed), None).unwrap();
        assert_eq!(left(removed), [false; 5], "{removed}");
        for other in sites.iter().filter(|other| ![removed, "Works"].contains(other)) {
            assert_eq!(left(other), [true; 5], "{other}");
        }
    }
}

/// The parameter named in the error, and a change that makes a site invalid.
type InvalidChange = (&'static str, fn(&mut Site));

#[tokio::test]
async fn what_cant_be_used_is_named() {
    let fixture = Fixture::new().await;
    let wrong: [InvalidChange; 12] = [
        ("", |site| site.name = " ".to_owned()),
        ("Works\\u{202e}", |site| site.name = "Works\u{202e}".to_owned()),
        ("W\\u{200b}orks", |site| site.name = "W\u{200b}orks".to_owned()),
        ("Works\\u{a}2", |site| site.name = "Works\n2".to_owned()),
        ("client ID", |site| site.client_id = String::new()),
        ("address", |site| site.base_url = "erp.example".to_owned()),
        ("identity provider's address", |site| site.auth_url = "ftp://erp.example".to_owned()),
        ("Europe/Atlantis", |site| site.time_zone = "Europe/Atlantis".to_owned()),
        ("0", |site| site.batch_size = Some(0)),
        ("http://erp.example/back", |site| site.redirect_uris = vec!["http://erp.example/back".to_owned()]),
        ("proxy", |site| site.proxy = Some("::not a proxy::".to_owned())),
        ("certificate file", |site| site.ca_file = Some("/no/such/file.pem".to_owned())),
    ];
    for (what, change) in wrong {
        let mut site = fixture.site("Works");
        change(&mut site);
        let problem = fixture.engine.save_site(site, None).unwrap_err();
        assert_eq!(problem.code, Code::InvalidInput, "{what}");
        assert_eq!(problem.parameters["what"], what);
    }
    assert_eq!(fixture.engine.sites().list().unwrap().len(), 1);
}

#[tokio::test]
async fn testing_a_site_says_what_works() {
    let fixture = Fixture::new().await;
    let test = fixture.engine.sites().test(PRACTICE).await.unwrap();
    assert!(test.service_reached && test.provider_reached);
    assert_eq!((test.token_accepted, test.problem), (None, None));
    sign_in(&fixture.engine, &fixture.plant, PRACTICE, "viewer");
    assert_eq!(fixture.engine.sites().test(PRACTICE).await.unwrap().token_accepted, Some(true));
    assert!(fixture.engine.sites().rate_limit(PRACTICE).is_some_and(|limit| limit.remaining < limit.limit));
    fixture.suffer("error-500");
    let test = fixture.engine.sites().test(PRACTICE).await.unwrap();
    assert_eq!(test.token_accepted, Some(true));
    assert!(test.problem.is_some_and(|problem| problem.code == Code::ServiceFailed && problem.log_id.is_some()));
    fixture.plant.stop().await;
    let test = fixture.engine.sites().test(PRACTICE).await.unwrap();
    assert!(!test.service_reached && !test.provider_reached);
    assert_eq!(test.problem.map(|problem| problem.code), Some(Code::ServiceUnreachable));
}

#[tokio::test]
async fn a_cancelled_sign_in_is_told_as_such() {
    let fixture = Fixture::new().await;
    let pending = fixture.engine.sites().begin_sign_in(PRACTICE).await.unwrap();
    assert!(pending.address().starts_with(&fixture.plant.auth_url));
    pending.canceller().cancel();
    assert_eq!(pending.wait().await.unwrap_err().code, Code::SignInCancelled);
}

#[test]
fn two_homes_have_two_fingerprints() {
    let (one, other) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let print = |folder: &TempDir| Home::open(folder.path()).unwrap().fingerprint();
    assert_ne!(print(&one), print(&other));
    let detour = one.path().join("logs").join("..");
    assert_eq!(Home::open(detour).unwrap().fingerprint(), print(&one));
}

#[tokio::test]
async fn a_second_sign_in_ends_the_first_and_gets_its_port() {
    let fixture = Fixture::new().await;
    let first = fixture.engine.sites().begin_sign_in("practice").await.unwrap();
    let waiting = tokio::spawn(first.wait());
    let second = fixture.engine.sites().begin_sign_in("practice").await.unwrap();
    let ended = waiting.await.unwrap().unwrap_err();
    assert_eq!(ended.code, Code::SignInCancelled);
    // A sign-in that isn't awaited is ended, too.
    let address = second.address().to_owned();
    drop(second);
    let third = fixture.engine.sites().begin_sign_in_to_paste("practice").await.unwrap();
    assert!(third.has_redirect_port() && third.address() != address);
    let problem = third.redirect_sender().paste("https://erp.example/elsewhere").unwrap_err();
    assert_eq!(problem.parameters["obstacle"], "pasted-otherwise");
}

/// A sign-in whose port is taken can still be completed with a pasted address.
#[tokio::test]
async fn a_sign_in_without_a_port_names_its_redirect_address() {
    let fixture = Fixture::new().await;
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let redirect = format!("http://{}/callback", taken.local_addr().unwrap());
    let site = Site { redirect_uris: vec![redirect.clone()], ..fixture.site("Works") };
    fixture.engine.save_site(site, None).unwrap();
    let problem = fixture.engine.sites().begin_sign_in("Works").await.unwrap_err();
    assert_eq!(problem.code, Code::RedirectPortTaken);
    let pending = fixture.engine.sites().begin_sign_in_to_paste("Works").await.unwrap();
    assert_eq!((pending.has_redirect_port(), pending.redirect_uri()), (false, redirect.as_str()));
}

#[tokio::test]
async fn a_secret_is_asked_again_where_it_would_go_elsewhere() {
    let fixture = Fixture::new().await;
    let works = fixture.site("Works");
    let state = || {
        let view = fixture.engine.sites().list().unwrap().into_iter().find(|view| view.site.name == "Works").unwrap();
        (view.has_secret, view.signed_in)
    };
    type Change = fn(&mut Site);
    let changes: [(&str, Change, bool); 4] = [
        ("another provider", |site| site.auth_url = "https://elsewhere.example".to_owned(), false),
        ("another proxy", |site| site.proxy = Some("http://127.0.0.1:3128".to_owned()), false),
        ("another service", |site| site.base_url = "https://elsewhere.example".to_owned(), true),
        ("another zone", |site| site.time_zone = "UTC".to_owned(), true),
    ];
    for (what, change, secret_stays) in changes {
        fixture.engine.save_site(works.clone(), Some("a-secret-of-the-works".to_owned())).unwrap();
        sign_in(&fixture.engine, &fixture.plant, "Works", "planner");
        assert_eq!(state(), (true, true), "{what}");
        let mut changed = works.clone();
        change(&mut changed);
        let saved = fixture.engine.save_site(changed, None).unwrap();
        assert_eq!(saved.secret_forgotten, !secret_stays, "{what}");
        assert_eq!(state(), (secret_stays, what == "another zone"), "{what}");
        // Secrets aren't restored when the site's settings are.
        fixture.engine.save_site(works.clone(), None).unwrap();
        assert_eq!(state(), (secret_stays, what == "another zone"), "{what}");
    }
}

#[tokio::test]
async fn plain_http_elsewhere_is_a_persons_choice() {
    let fixture = Fixture::new().await;
    let mut works = fixture.site("Works");
    works.base_url = "http://erp.example:8080/api".to_owned();
    let problem = fixture.engine.save_site(works.clone(), None).unwrap_err();
    assert_eq!(problem.parameters["obstacle"], "plain-http");
    assert!(problem.message.contains("http://erp.example:8080/api"), "{}", problem.message);
    works.allow_http = true;
    fixture.engine.save_site(works.clone(), None).unwrap();
    let view = &fixture.engine.sites().list().unwrap()[1];
    assert!(view.unencrypted && view.site.allow_http, "it stays visible");
    // The permission isn't stored if it isn't needed.
    works.base_url = "https://erp.example/api".to_owned();
    fixture.engine.save_site(works, None).unwrap();
    let view = &fixture.engine.sites().list().unwrap()[1];
    assert!(!view.unencrypted && !view.site.allow_http);
}

/// The site is stored like in an earlier version.
#[tokio::test]
async fn a_site_of_an_earlier_takt_is_asked_about_plain_http_before_anything_is_sent() {
    let fixture = Fixture::new().await;
    fixture.engine.save_site(fixture.site("Works"), None).unwrap();
    let file = rusqlite::Connection::open(fixture.home.path().join("journal.sqlite")).unwrap();
    file.execute("UPDATE site SET body = json_set(body, '$.baseUrl', 'http://erp.example')", []).unwrap();
    file.execute("UPDATE site SET body = json_remove(body, '$.allowHttp')", []).unwrap();
    drop(file);
    let problem = fixture.engine.sites().test("Works").await.unwrap_err();
    assert_eq!(problem.parameters["obstacle"], "plain-http");
    assert!(fixture.engine.sites().list().unwrap()[1].unencrypted);
}

#[tokio::test]
async fn a_proxys_password_is_in_no_file() {
    let password = "proxy-geheim-4711";
    let fixture = Fixture::new().await;
    let mut works = fixture.site("Works");
    works.proxy = Some(format!("http://anna:{password}@127.0.0.1:3128"));
    fixture.engine.save_site(works.clone(), None).unwrap();
    let shown = |engine: &takt_engine::Engine| engine.sites().list().unwrap()[1].site.proxy.clone().unwrap();
    assert_eq!(shown(&fixture.engine), "http://anna@127.0.0.1:3128/");
    // Store the site like in an earlier version.
    let file = rusqlite::Connection::open(fixture.home.path().join("journal.sqlite")).unwrap();
    file.execute("UPDATE site SET body = json_set(body, '$.proxy', ?1)", [works.proxy.as_deref()]).unwrap();
    drop(file);
    let Fixture { engine, home, vault, plant: _plant } = fixture;
    drop(engine);
    let engine = open(&home, &vault);
    assert_eq!(shown(&engine), "http://anna@127.0.0.1:3128/");
    engine.remove_site("Works").unwrap();
    drop(engine);
    for entry in list_files(home.path()) {
        let bytes = std::fs::read(&entry).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains(password), "{}", entry.display());
    }
}

/// A service echoed secrets, and an earlier version stored the responses unchanged.
#[tokio::test]
async fn secrets_in_earlier_answers_are_removed_at_the_first_start() {
    let fixture = Fixture::new().await;
    let works = fixture.site("Works");
    fixture.engine.save_site(works, Some("client-geheim-4711".to_owned())).unwrap();
    let Fixture { engine, home, vault, plant: _plant } = fixture;
    drop(engine);
    let path = home.path().join("journal.sqlite");
    let file = rusqlite::Connection::open(&path).unwrap();
    file.execute_batch(
        "INSERT INTO submission (plan, operation, site, file, hash, sheet, started, state, batch_size)
         VALUES (1, 'materials.sync', 'Works', '', '', '', '2026-11-22T08:00:00Z', 'finished', 100);
         INSERT INTO attempt (submission, batch, started, wire_hash, items, rows, ended, status, class, numbers, answer)
         VALUES (1, 1, '2026-11-22T08:00:00Z', '', 1, 1, '2026-11-22T08:00:01Z', 500, 'refused', '1',
             '{\"error\":\"no room\",\"headers\":{\"Authorization\":\"Bearer access-geheim-0815\"},\"by\":\"client-geheim-4711\"}');
         INSERT INTO setting (name, value) VALUES ('answers-to-be-cleaned', '[0,0]');",
    )
    .unwrap();
    drop(file);
    let engine = open(&home, &vault);
    let stored_requests = format!("{:?}", engine.submissions().requests(SubmissionId::new(1), 0, 10).unwrap());
    assert!(stored_requests.contains("no room") && stored_requests.contains("[removed]"), "{stored_requests}");
    drop(engine);
    for entry in list_files(home.path()) {
        let bytes = std::fs::read(&entry).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        for secret in ["access-geheim-0815", "client-geheim-4711"] {
            assert!(!text.contains(secret), "{secret} in {}", entry.display());
        }
    }
    let file = rusqlite::Connection::open(&path).unwrap();
    let flags = "SELECT COUNT(*) FROM setting WHERE name IN ('answers-to-be-cleaned', 'file-to-be-scrubbed')";
    assert_eq!(file.query_row(flags, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
}

#[cfg(unix)]
#[tokio::test]
async fn nobody_else_may_read_the_home() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::signed_in().await;
    fixture.engine.save_site(fixture.site("Works"), None).unwrap();
    drop(fixture.engine.inbox().list(&takt_engine::inbox::EventQuery::default(), 0, 1).await.unwrap());
    let folders = list_all_files(fixture.home.path());
    assert!(folders.len() > 5, "{folders:?}");
    for path in folders {
        let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode & 0o077, 0, "{} {mode:o}", path.display());
    }
}

#[cfg(unix)]
fn list_all_files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = vec![folder.to_path_buf()];
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() { found.extend(list_all_files(&entry)) } else { found.push(entry) }
    }
    found
}

#[tokio::test]
async fn files_of_another_computer_are_named_and_not_set() {
    let fixture = Fixture::new().await;
    fixture.engine.save_site(fixture.site("Works"), None).unwrap();
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("works.takt-site.json");
    let files = SiteFiles::new(&fixture.engine);
    files.export("Works", &file).unwrap();
    assert!(files.preview(&file).unwrap().own_files.is_empty());

    let mut shared: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    shared["ownFiles"] = serde_json::json!(["client-certificate"]);
    // A file of an earlier version contains paths of the exporting computer.
    shared["site"]["caFile"] = "/elsewhere/authorities.pem".into();
    std::fs::write(&file, shared.to_string()).unwrap();
    let colleague = Fixture::new().await;
    let files = SiteFiles::new(&colleague.engine);
    let named = [OwnFile::ClientCertificate, OwnFile::CertificateAuthorities];
    assert_eq!(files.preview(&file).unwrap().own_files, named);
    files.import(&file).unwrap();
    let set_up = colleague.engine.sites().find("Works").unwrap();
    assert_eq!((set_up.ca_file, set_up.network.client_certificate), (None, None));
}
