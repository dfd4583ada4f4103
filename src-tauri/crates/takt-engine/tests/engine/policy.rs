//! Tests of the policy: its sites exist at the first start, and users can't change its settings.

use std::{fs, path::PathBuf, sync::Arc};

use serde_json::{Value, json};
use takt_engine::{
    Code, Engine, EngineConfig, Language, Problem,
    client::Vault,
    maintenance::Retention,
    site_file::SiteFiles,
    sites::{Site, SiteSecrets, SiteView},
    update::{UpdateSettings, Updates},
};
use takt_test_support::{plant_fixture::Fixture, setup::engine_config};
use tempfile::TempDir;

/// A computer with an administrator's policy.
struct Computer {
    folder: TempDir,
    vault: Vault,
}

impl Computer {
    fn new(policy: &Value) -> Self {
        let computer = Self { folder: TempDir::new().unwrap(), vault: Vault::memory() };
        computer.set_policy(policy);
        computer
    }

    fn set_policy(&self, policy: &Value) {
        fs::write(self.policy_file(), policy.to_string()).unwrap();
    }

    fn policy_file(&self) -> PathBuf {
        self.folder.path().join("policy.json")
    }

    fn open_engine(&self) -> Result<Arc<Engine>, Problem> {
        let config = engine_config(&self.folder.path().join("home"));
        let home = config.home.clone().with_policy_file(self.policy_file());
        Engine::open(EngineConfig { home, vault: self.vault.clone(), ..config })
    }
}

fn list_sites(engine: &Engine) -> Vec<SiteView> {
    engine.sites().list().unwrap()
}

fn obstacle(problem: &Problem) -> &str {
    assert_eq!(problem.code, Code::Precondition, "{problem:?}");
    problem.parameters["obstacle"].as_str()
}

/// Exports a changed site as the administrator's site file next to the policy.
async fn export_site_file(fixture: &Fixture, computer: &Computer, change: impl FnOnce(&mut Site)) {
    let mut site = fixture.site("Works");
    change(&mut site);
    fixture.engine.save_site(site, None).unwrap();
    SiteFiles::new(&fixture.engine).export("Works", &computer.folder.path().join("works.json")).unwrap();
}

#[tokio::test]
async fn a_site_of_the_policy_is_there_and_stays_as_it_is_set() {
    let (fixture, computer) =
        (Fixture::new().await, Computer::new(&json!({ "sites": [{ "file": "works.json" }], "onlyTheseSites": true })));
    export_site_file(&fixture, &computer, |_| {}).await;
    let engine = computer.open_engine().unwrap();
    let [practice, works] = list_sites(&engine).try_into().unwrap();
    assert_eq!((practice.managed, works.managed, works.site.name.as_str()), (false, true, "Works"));

    let mut other = works.site.clone();
    other.base_url = "https://elsewhere.example".to_owned();
    assert_eq!(obstacle(&engine.save_site(other, None).unwrap_err()), "managed-site");
    assert_eq!(obstacle(&engine.remove_site("Works").unwrap_err()), "managed-site");
    assert_eq!(obstacle(&engine.save_site(fixture.site("Mine"), None).unwrap_err()), "only-managed-sites");
    // The user can set its secret.
    engine
        .save_site(works.site.clone(), SiteSecrets { client: Some("s3cret".to_owned()), ..Default::default() })
        .unwrap();
    assert!(list_sites(&engine)[1].has_secret);
    drop(engine);

    // The policy changes the site, which takes effect for all users with the next start.
    export_site_file(&fixture, &computer, |site| site.time_zone = "America/Lima".to_owned()).await;
    let engine = computer.open_engine().unwrap();
    assert_eq!(list_sites(&engine)[1].site.time_zone, "America/Lima");
    assert!(list_sites(&engine)[1].has_secret, "the address is the same, so the secret is");
    drop(engine);

    // Without the policy, the user can change the site.
    computer.set_policy(&json!({}));
    let engine = computer.open_engine().unwrap();
    assert!(!list_sites(&engine)[1].managed);
    engine.save_site(fixture.site("Mine"), None).unwrap();
    drop(engine);
    computer.set_policy(&json!({ "sites": [{ "file": "works.json" }], "onlyTheseSites": true }));
    let engine = computer.open_engine().unwrap();
    let names: Vec<_> = list_sites(&engine).into_iter().map(|view| view.site.name).collect();
    assert_eq!(names, ["practice", "Works"], "another one isn't shown, and isn't lost");
    drop(engine);
    computer.set_policy(&json!({ "sites": [{ "file": "works.json" }] }));
    assert_eq!(list_sites(&computer.open_engine().unwrap()).len(), 3);
}

#[test]
fn settings_of_the_policy_hold() {
    let computer = Computer::new(&json!({
        "language": "de-AT",
        "update": { "channel": "https://updates.example/takt.json", "daily": true },
        "retention": { "rowsDays": 90 },
    }));
    let engine = computer.open_engine().unwrap();
    assert_eq!(engine.maintenance().policy().language(), Some(Language::De));
    let updates = Updates::new(&engine);
    let view = updates.view(Language::En).unwrap();
    assert!(view.managed && view.settings.daily);
    assert_eq!(view.settings.channel.as_deref(), Some("https://updates.example/takt.json"));
    assert_eq!(obstacle(&updates.set_settings(&UpdateSettings::default()).unwrap_err()), "set-by-policy");
    let storage = engine.maintenance().storage().unwrap();
    assert!(storage.retention_managed && storage.retention.scheduled);
    assert_eq!(storage.retention.rows_days, Some(90));
    assert_eq!(obstacle(&engine.maintenance().set_retention(&Retention::default()).unwrap_err()), "set-by-policy");
    drop(engine);

    computer.set_policy(&json!({ "update": {} }));
    let engine = computer.open_engine().unwrap();
    let view = Updates::new(&engine).view(Language::En).unwrap();
    assert_eq!((view.managed, view.settings), (true, UpdateSettings::default()), "IT has switched the check off");
    engine.maintenance().set_retention(&Retention::default()).unwrap();
}

#[test]
fn a_policy_that_cannot_be_used_stops_the_start() {
    let computer = Computer::new(&json!({ "onlyThisSite": true }));
    let problem = computer.open_engine().unwrap_err();
    assert_eq!((problem.code, problem.parameters["case"].as_str()), (Code::InvalidInput, "policy"));
    assert!(problem.details.unwrap().contains("onlyThisSite"));
    computer.set_policy(&json!({ "sites": [{ "file": "absent.json" }] }));
    let problem = computer.open_engine().unwrap_err();
    assert_eq!(problem.code, Code::FileUnreadable);
    assert!(problem.parameters["file"].ends_with("absent.json"), "{problem:?}");
    fs::write(computer.folder.path().join("absent.json"), "{}").unwrap();
    assert_eq!(computer.open_engine().unwrap_err().code, Code::SiteFileRefused);
}
