//! A home with a keychain, so that secrets remain after a command, and with a plant as a site.

use crate::{Keychain, Person, Plant, Takt};

/// The name of the plant's site in these homes.
pub const SITE: &str = "works";

/// A home with the system's keychain, or with a test keychain if the system has none.
#[derive(Debug)]
pub struct Console {
    pub takt: Takt,
    _keychain: Option<Keychain>,
}

impl Console {
    /// Adds the plant as a site. No user is signed in.
    #[must_use]
    pub fn new(plant: &Plant) -> Self {
        Self::in_home(plant, Takt::new)
    }

    /// Like [`Console::new`], but in a home that `home` creates. Calls `home` a second time if the first home has no
    /// keychain.
    #[must_use]
    pub fn in_home(plant: &Plant, home: impl Fn() -> Takt) -> Self {
        let takt = home();
        let added = takt.add_site(SITE, plant);
        assert_eq!(added.code, Some(0), "{}", added.err);
        if !added.err.contains("no keychain") {
            return Self { takt, _keychain: None };
        }
        let keychain = Keychain::start();
        let takt = home().with("DBUS_SESSION_BUS_ADDRESS", keychain.address());
        let added = takt.add_site(SITE, plant);
        assert!(added.code == Some(0) && !added.err.contains("no keychain"), "{}", added.err);
        Self { takt, _keychain: Some(keychain) }
    }

    pub async fn signed_in(plant: &Plant, person: Person) -> Self {
        let console = Self::new(plant);
        console.sign_in(person).await;
        console
    }

    pub async fn sign_in(&self, person: Person) {
        let ran = self.takt.sign_in(SITE, person).await;
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
}
