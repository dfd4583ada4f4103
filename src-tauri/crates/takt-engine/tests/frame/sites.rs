//! Sites: kept, chosen, tested, signed in to.

use takt_engine::{Code, Home, Site, SiteKind, VaultPlace};
use takt_plant::PlantConfig;
use tempfile::TempDir;

use crate::stage::{PRACTICE, Stage, open, plant, set_practice, sign_in};

#[tokio::test]
async fn the_practice_plant_is_always_there() {
    let stage = Stage::new().await;
    let sites = stage.engine.sites().unwrap();
    assert_eq!(sites.len(), 1);
    assert!(sites[0].chosen && sites[0].has_secret && !sites[0].signed_in);
    assert_eq!(sites[0].site.kind, SiteKind::Practice);
    assert_eq!(sites[0].site.scope, "service-portal-api service-api offline_access");
    assert_eq!(stage.engine.chosen_site().unwrap().name, PRACTICE);
    assert_eq!(stage.engine.remove_site(PRACTICE).unwrap_err().code, Code::Unknown);
    assert_eq!(stage.engine.save_site(stage.site("Practice"), None).unwrap_err().code, Code::InvalidInput);
    assert_eq!(stage.engine.vault_place(), VaultPlace::Memory);
    sign_in(&stage.engine, &stage.plant, PRACTICE, "planner");
    assert!(stage.engine.sites().unwrap()[0].signed_in);
    // Another plant knows nothing of the first one's tokens.
    set_practice(&stage.engine, &plant(PlantConfig::default()).await);
    assert!(!stage.engine.sites().unwrap()[0].signed_in);
}

#[tokio::test]
async fn without_a_plant_practice_is_unreachable() {
    let engine = open(&TempDir::new().unwrap(), &takt_engine::Vault::memory());
    assert_eq!(engine.sites().unwrap().len(), 1);
    assert_eq!(engine.test_site(PRACTICE).await.unwrap_err().code, Code::ServiceUnreachable);
}

#[tokio::test]
async fn a_site_survives_a_restart_and_its_secrets_are_in_no_file() {
    let stage = Stage::new().await;
    let secret = "a-secret-of-the-works";
    stage.engine.save_site(stage.site(" Works South "), Some(secret.to_owned())).unwrap();
    sign_in(&stage.engine, &stage.plant, "Works South", "planner");
    stage.engine.choose_site("Works South").unwrap();
    let again = open(&stage.home, &stage.vault);
    let sites = again.sites().unwrap();
    assert_eq!(sites.len(), 2);
    assert!(sites[1].chosen && sites[1].has_secret && sites[1].signed_in);
    let site = again.chosen_site().unwrap();
    assert_eq!((site.name.as_str(), site.batch_size), ("Works South", Some(50)));
    assert_eq!(site.scope, "service-portal-api service-api offline_access");
    let token = stage.plant.issue_tokens("planner").unwrap().access_token;
    again.adopt_tokens("Works South", &token, None, None).unwrap();
    for entry in walk(stage.home.path()) {
        let bytes = std::fs::read(&entry).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(secret) && !text.contains(&token), "{}", entry.display());
    }
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[tokio::test]
async fn a_site_that_moves_is_signed_out() {
    let stage = Stage::new().await;
    let mut site = stage.site("Works");
    stage.engine.save_site(site.clone(), Some("s".to_owned())).unwrap();
    sign_in(&stage.engine, &stage.plant, "Works", "planner");
    site.time_zone = "America/Lima".to_owned();
    stage.engine.save_site(site.clone(), None).unwrap();
    let view = &stage.engine.sites().unwrap()[1];
    assert!(view.signed_in && view.has_secret);
    site.base_url = "https://elsewhere.example".to_owned();
    stage.engine.save_site(site.clone(), None).unwrap();
    let view = &stage.engine.sites().unwrap()[1];
    assert!(!view.signed_in && view.has_secret);
    stage.engine.save_site(site, Some(String::new())).unwrap();
    assert!(!stage.engine.sites().unwrap()[1].has_secret);
    stage.engine.choose_site("Works").unwrap();
    stage.engine.remove_site("Works").unwrap();
    assert_eq!(stage.engine.chosen_site().unwrap().name, PRACTICE);
    assert_eq!(stage.engine.remove_site("Works").unwrap_err().code, Code::Unknown);
}

/// What is named, and how a site comes to it.
type Spoiled = (&'static str, fn(&mut Site));

#[tokio::test]
async fn what_cant_be_used_is_named() {
    let stage = Stage::new().await;
    let wrong: [Spoiled; 9] = [
        ("", |site| site.name = " ".to_owned()),
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
        let mut site = stage.site("Works");
        change(&mut site);
        let problem = stage.engine.save_site(site, None).unwrap_err();
        assert_eq!(problem.code, Code::InvalidInput, "{what}");
        assert_eq!(problem.parameters["what"], what);
    }
    assert_eq!(stage.engine.sites().unwrap().len(), 1);
}

#[tokio::test]
async fn testing_a_site_says_what_works() {
    let stage = Stage::new().await;
    let test = stage.engine.test_site(PRACTICE).await.unwrap();
    assert!(test.service_reached && test.provider_reached);
    assert_eq!((test.token_accepted, test.problem), (None, None));
    sign_in(&stage.engine, &stage.plant, PRACTICE, "viewer");
    assert_eq!(stage.engine.test_site(PRACTICE).await.unwrap().token_accepted, Some(true));
    assert!(stage.engine.limit(PRACTICE).is_some_and(|limit| limit.remaining < limit.limit));
    stage.suffer("error-500");
    let test = stage.engine.test_site(PRACTICE).await.unwrap();
    assert_eq!(test.token_accepted, Some(true));
    assert!(test.problem.is_some_and(|problem| problem.code == Code::ServiceFailed && problem.log_id.is_some()));
    stage.plant.stop().await;
    let test = stage.engine.test_site(PRACTICE).await.unwrap();
    assert!(!test.service_reached && !test.provider_reached);
    assert_eq!(test.problem.map(|problem| problem.code), Some(Code::ServiceUnreachable));
}

#[tokio::test]
async fn a_cancelled_sign_in_is_told_as_such() {
    let stage = Stage::new().await;
    let pending = stage.engine.begin_sign_in(PRACTICE).await.unwrap();
    assert!(pending.address().starts_with(&stage.plant.auth_url));
    pending.canceller().cancel();
    assert_eq!(pending.wait().await.unwrap_err().code, Code::SignInCancelled);
}

#[test]
fn two_homes_have_two_fingerprints() {
    let (one, other) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let print = |folder: &TempDir| Home::at(folder.path()).unwrap().fingerprint();
    assert_ne!(print(&one), print(&other));
    let detour = one.path().join("logs").join("..");
    assert_eq!(Home::at(detour).unwrap().fingerprint(), print(&one));
}

#[tokio::test]
async fn a_second_sign_in_ends_the_first_and_gets_its_port() {
    let stage = Stage::new().await;
    let first = stage.engine.begin_sign_in("practice").await.unwrap();
    let waiting = tokio::spawn(first.wait());
    let second = stage.engine.begin_sign_in("practice").await.unwrap();
    let ended = waiting.await.unwrap().unwrap_err();
    assert_eq!(ended.code, Code::SignInCancelled);
    // One that nobody waits for is ended, too.
    let address = second.address().to_owned();
    drop(second);
    let third = stage.engine.begin_sign_in_to_paste("practice").await.unwrap();
    assert!(third.is_heard() && third.address() != address);
    let problem = third.paster().paste("https://erp.example/elsewhere").unwrap_err();
    assert_eq!(problem.parameters["obstacle"], "pasted-otherwise");
}
