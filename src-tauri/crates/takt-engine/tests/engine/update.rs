//! Tests of the update check: its stored result, its due time, and one notice per version.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use takt_engine::{
    Code, Engine, EngineConfig, Language,
    update::{UpdateSettings, UpdateView, Updates},
};
use takt_test_support::setup::engine_config;
use tempfile::TempDir;

const SECONDS_PER_HOUR: i64 = 3600;

struct Fixture {
    updates: Updates,
    now: Arc<AtomicI64>,
    folder: TempDir,
}

impl Fixture {
    fn new() -> Self {
        let (folder, now) = (TempDir::new().unwrap(), Arc::new(AtomicI64::new(1_800_000_000)));
        let clock = Arc::clone(&now);
        let engine = Engine::open(EngineConfig {
            clock: Arc::new(move || jiff::Timestamp::from_second(clock.load(Ordering::SeqCst)).unwrap()),
            ..engine_config(&folder.path().join("home"))
        })
        .unwrap();
        Self { updates: Updates::new(&engine), now, folder }
    }

    fn write_channel(&self, version: &str) -> String {
        let file = self.folder.path().join("takt.json");
        let text = serde_json::json!({
            "version": version,
            "notes": { "en": "Faster", "de": "Schneller" },
            "download": "https://updates.example/get",
        });
        fs::write(&file, text.to_string()).unwrap();
        file.display().to_string()
    }

    fn set_settings(&self, channel: &str, daily: bool) {
        self.updates.set_settings(&UpdateSettings { channel: Some(channel.to_owned()), daily }).unwrap();
    }

    fn view(&self) -> UpdateView {
        self.updates.view(Language::De).unwrap()
    }

    fn is_due_after(&self, hours: i64) -> bool {
        self.now.fetch_add(hours * SECONDS_PER_HOUR, Ordering::SeqCst);
        self.updates.is_due().unwrap()
    }
}

#[tokio::test]
async fn a_newer_version_is_kept_and_noticed_once() {
    let fixture = Fixture::new();
    let channel = fixture.write_channel("99.1.0");
    fixture.set_settings(&format!(" {channel} "), false);
    assert_eq!(fixture.view().settings.channel.as_deref(), Some(channel.as_str()));
    fixture.updates.check().await.unwrap();
    let view = fixture.view();
    let newer = view.newer.unwrap();
    assert_eq!((newer.version.as_str(), newer.notes.as_deref(), view.dismissed), ("99.1.0", Some("Schneller"), false));
    assert_eq!(fixture.updates.download_address().unwrap().as_deref(), Some("https://updates.example/get"));
    fixture.updates.dismiss_notice().unwrap();
    assert!(fixture.view().dismissed);

    // The last result remains while the channel is unavailable.
    fs::remove_file(&channel).unwrap();
    fixture.updates.check().await.unwrap();
    let view = fixture.view();
    assert_eq!(view.problem.unwrap().code, Code::FileUnreadable);
    assert!(view.newer.is_some() && view.dismissed && view.checked.is_some());

    fixture.write_channel("99.2.0");
    fixture.updates.check().await.unwrap();
    let view = fixture.view();
    assert_eq!((view.dismissed, view.problem), (false, None), "the next version has a notice of its own");
    for version in [env!("CARGO_PKG_VERSION"), "0.0.1"] {
        fixture.write_channel(version);
        fixture.updates.check().await.unwrap();
        assert_eq!(fixture.view().newer, None, "{version}");
    }
    assert_eq!(fixture.updates.download_address().unwrap(), None);
}

#[tokio::test]
async fn it_is_due_once_a_day_and_only_where_a_person_wants_it() {
    let fixture = Fixture::new();
    assert!(!fixture.updates.is_due().unwrap(), "nothing is asked before a person names a channel");
    let channel = fixture.write_channel("99.1.0");
    fixture.set_settings(&channel, false);
    assert!(!fixture.updates.is_due().unwrap());
    fixture.set_settings(&channel, true);
    assert!(fixture.updates.is_due().unwrap());
    fixture.updates.check().await.unwrap();
    assert_eq!([fixture.is_due_after(0), fixture.is_due_after(23), fixture.is_due_after(1)], [false, false, true]);
    fs::remove_file(&channel).unwrap();
    fixture.updates.check().await.unwrap();
    assert_eq!([fixture.is_due_after(0), fixture.is_due_after(1)], [false, true], "what failed is tried again sooner");
    fixture.write_channel("99.1.0");
    fixture.updates.check().await.unwrap();
    assert!(fixture.is_due_after(-48), "a clock that was set back holds nothing up");
    fixture.updates.set_settings(&UpdateSettings { channel: Some(" ".to_owned()), daily: true }).unwrap();
    assert_eq!(fixture.view().settings, UpdateSettings::default());
    assert_eq!(fixture.view().newer, None, "what another channel said is no more");
}

#[test]
fn a_channel_that_can_be_none_isnt_kept() {
    let fixture = Fixture::new();
    for channel in ["takt.json", "http://updates.example/takt.json", "https://anna:pw@updates.example/"] {
        let settings = UpdateSettings { channel: Some(channel.to_owned()), daily: true };
        let problem = fixture.updates.set_settings(&settings).unwrap_err();
        assert_eq!((problem.code, problem.parameters["what"].as_str()), (Code::InvalidInput, channel));
    }
    assert_eq!(fixture.view().settings, UpdateSettings::default());
}
