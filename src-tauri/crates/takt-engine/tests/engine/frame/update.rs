//! The check for updates: what is kept of it, when it is due, and that a notice comes once for a version.

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
use tempfile::TempDir;

use crate::setup::engine_config;

const HOUR: i64 = 3600;

struct Stage {
    updates: Updates,
    now: Arc<AtomicI64>,
    folder: TempDir,
}

impl Stage {
    fn new() -> Self {
        let (folder, now) = (TempDir::new().unwrap(), Arc::new(AtomicI64::new(1_800_000_000)));
        let clock = Arc::clone(&now);
        let engine = Engine::open(EngineConfig {
            clock: Arc::new(move || jiff::Timestamp::from_second(clock.load(Ordering::SeqCst)).unwrap()),
            ..engine_config(&folder.path().join("home"))
        })
        .unwrap();
        Self { updates: Updates::of(&engine), now, folder }
    }

    fn write(&self, version: &str) -> String {
        let file = self.folder.path().join("takt.json");
        let text = serde_json::json!({
            "version": version,
            "notes": { "en": "Faster", "de": "Schneller" },
            "download": "https://updates.example/get",
        });
        fs::write(&file, text.to_string()).unwrap();
        file.display().to_string()
    }

    fn set(&self, channel: &str, daily: bool) {
        self.updates.set_settings(&UpdateSettings { channel: Some(channel.to_owned()), daily }).unwrap();
    }

    fn view(&self) -> UpdateView {
        self.updates.view(Language::De).unwrap()
    }

    fn is_due_after(&self, hours: i64) -> bool {
        self.now.fetch_add(hours * HOUR, Ordering::SeqCst);
        self.updates.is_due().unwrap()
    }
}

#[tokio::test]
async fn a_newer_version_is_kept_and_noticed_once() {
    let stage = Stage::new();
    let place = stage.write("99.1.0");
    stage.set(&format!(" {place} "), false);
    assert_eq!(stage.view().settings.channel.as_deref(), Some(place.as_str()));
    stage.updates.check().await.unwrap();
    let view = stage.view();
    let newer = view.newer.unwrap();
    assert_eq!((newer.version.as_str(), newer.notes.as_deref(), view.dismissed), ("99.1.0", Some("Schneller"), false));
    assert_eq!(stage.updates.download().unwrap().as_deref(), Some("https://updates.example/get"));
    stage.updates.dismiss().unwrap();
    assert!(stage.view().dismissed);

    // What is known stays known while the channel is away.
    fs::remove_file(&place).unwrap();
    stage.updates.check().await.unwrap();
    let view = stage.view();
    assert_eq!(view.problem.unwrap().code, Code::FileUnreadable);
    assert!(view.newer.is_some() && view.dismissed && view.checked.is_some());

    stage.write("99.2.0");
    stage.updates.check().await.unwrap();
    let view = stage.view();
    assert_eq!((view.dismissed, view.problem), (false, None), "the next version has a notice of its own");
    for version in [env!("CARGO_PKG_VERSION"), "0.0.1"] {
        stage.write(version);
        stage.updates.check().await.unwrap();
        assert_eq!(stage.view().newer, None, "{version}");
    }
    assert_eq!(stage.updates.download().unwrap(), None);
}

#[tokio::test]
async fn it_is_due_once_a_day_and_only_where_a_person_wants_it() {
    let stage = Stage::new();
    assert!(!stage.updates.is_due().unwrap(), "nothing is asked before a person names a channel");
    let place = stage.write("99.1.0");
    stage.set(&place, false);
    assert!(!stage.updates.is_due().unwrap());
    stage.set(&place, true);
    assert!(stage.updates.is_due().unwrap());
    stage.updates.check().await.unwrap();
    assert_eq!([stage.is_due_after(0), stage.is_due_after(23), stage.is_due_after(1)], [false, false, true]);
    fs::remove_file(&place).unwrap();
    stage.updates.check().await.unwrap();
    assert_eq!([stage.is_due_after(0), stage.is_due_after(1)], [false, true], "what failed is tried again sooner");
    stage.write("99.1.0");
    stage.updates.check().await.unwrap();
    assert!(stage.is_due_after(-48), "a clock that was set back holds nothing up");
    stage.updates.set_settings(&UpdateSettings { channel: Some(" ".to_owned()), daily: true }).unwrap();
    assert_eq!(stage.view().settings, UpdateSettings::default());
    assert_eq!(stage.view().newer, None, "what another channel said is no more");
}

#[test]
fn a_channel_that_can_be_none_isnt_kept() {
    let stage = Stage::new();
    for channel in ["takt.json", "http://updates.example/takt.json", "https://anna:pw@updates.example/"] {
        let settings = UpdateSettings { channel: Some(channel.to_owned()), daily: true };
        let problem = stage.updates.set_settings(&settings).unwrap_err();
        assert_eq!((problem.code, problem.parameters["what"].as_str()), (Code::InvalidInput, channel));
    }
    assert_eq!(stage.view().settings, UpdateSettings::default());
}
