//! Tests that entries of earlier versions, which used version 3.6 of the `keyring` crate, are found. The entries are
//! created by hand. Each test runs itself in a child process, with a keychain or without one.

use std::{
    collections::HashMap,
    process::{Command, Stdio},
};

use dbus_secret_service::{EncryptionType, SecretService};
use linux_keyutils::{KeyPermissionsBuilder, KeyRing, KeyRingIdentifier, Permission};
use takt_client::{Secret, SecretKind, SecretStorage, Vault, VaultError};

const IN_CHILD: &str = "TAKT_TEST_IN_CHILD";
const SITE: &str = "Werk Süd";
/// The user name in the attributes of the tokens' entry.
const USER: &str = "Werk Süd/tokens";

#[test]
fn an_item_of_a_keychain_is_found_and_updated() {
    if !is_child() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let unlock =
            "printf practice | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1 && exec \"$@\"";
        // The keychain ends with the bus, and the bus ends with the child process.
        let mut command = Command::new("dbus-run-session");
        command.args(["--", "sh", "-c", unlock, "sh"]).arg(std::env::current_exe().expect("this program"));
        for name in ["HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"] {
            command.env(name, home.path());
        }
        return run_in_child(command, "an_item_of_a_keychain_is_found_and_updated");
    }
    let (namespace, service) = names();
    let keychain = SecretService::connect(EncryptionType::Dh).expect("a keychain");
    let items = || find_values(&keychain, &service);
    let mut attributes = search_attributes(&service);
    attributes.insert("application", "rust-keyring");
    let label = format!("{USER}@{service}:default (keyring v3.6.3)");
    let collection = keychain.get_default_collection().expect("a collection");
    collection.create_item(&label, attributes, b"=first", true, "text/plain").expect("stored");

    let vault = Vault::open(&namespace);
    assert_eq!(vault.storage(), SecretStorage::Keychain);
    assert_eq!(vault.get(SITE, SecretKind::Tokens), Some(Secret::new("first")));
    vault.put(SITE, SecretKind::Tokens, &Secret::new("second"));
    assert_eq!(items(), ["=second"], "no second item");
    vault.remove(SITE, SecretKind::Tokens).expect("removed");
    assert!(items().is_empty());

    vault.put(SITE, SecretKind::Tokens, &Secret::new("third"));
    assert_eq!(items(), ["=third"], "an earlier Takt finds it, too");
}

#[test]
fn a_key_of_the_kernel_is_found_and_updated() {
    if !is_child() {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.env_remove("DBUS_SESSION_BUS_ADDRESS");
        return run_in_child(command, "a_key_of_the_kernel_is_found_and_updated");
    }
    let Ok(persistent) = KeyRing::get_persistent(KeyRingIdentifier::Session) else {
        eprintln!("no persistent keyring here");
        return;
    };
    let (namespace, service) = names();
    let session = KeyRing::from_special_id(KeyRingIdentifier::Session, false).expect("a session keyring");
    let description = format!("keyring-rs:{USER}@{service}");
    let key = session.add_key(&description, "=first").expect("stored");
    persistent.link_key(key).expect("linked");

    let vault = Vault::open(&namespace);
    assert_eq!(vault.storage(), SecretStorage::Kernel);
    assert_eq!(vault.get(SITE, SecretKind::Tokens), Some(Secret::new("first")));
    vault.put(SITE, SecretKind::Tokens, &Secret::new("second"));
    assert_eq!(key.read_to_vec().expect("a value"), b"=second", "no second key");
    vault.remove(SITE, SecretKind::Tokens).expect("removed");
    assert!(session.search(&description).is_err());

    vault.put(SITE, SecretKind::Tokens, &Secret::new("third"));
    let found = session.search(&description).expect("an earlier Takt finds it, too");
    assert_eq!(found.read_to_vec().expect("a value"), b"=third");

    // The kernel denies access in the same way while another process changes the keyring.
    let with = |permissions| KeyPermissionsBuilder::builder().posessor(permissions).build();
    found.set_perms(with(Permission::ALL - Permission::LINK)).expect("the key's owner may");
    let denied = vault.read(SITE, SecretKind::Tokens);
    assert!(matches!(denied, Err(VaultError::Store(_))), "a denied key isn't an absent one: {denied:?}");
    found.set_perms(with(Permission::ALL)).expect("the key's owner may");
    assert_eq!(vault.read(SITE, SecretKind::Tokens), Ok(Some(Secret::new("third"))));
    vault.remove(SITE, SecretKind::Tokens).expect("removed");
}

fn is_child() -> bool {
    std::env::var_os(IN_CHILD).is_some()
}

fn run_in_child(mut command: Command, test: &str) {
    command
        .args(["--exact", &format!("earlier_entries::{test}"), "--nocapture"])
        .env(IN_CHILD, "1")
        .stdin(Stdio::null());
    let done = command.output().expect("the child ran");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// Returns the vault's namespace, and the service name of earlier versions.
fn names() -> (String, String) {
    let namespace = format!("earlier {}", std::process::id());
    let service = format!("Takt {namespace}");
    (namespace, service)
}

/// Returns the attributes by which earlier versions find the entry.
fn search_attributes(service: &str) -> HashMap<&str, &str> {
    HashMap::from([("target", "default"), ("service", service), ("username", USER)])
}

/// Returns the values that an earlier version would find.
fn find_values(keychain: &SecretService, service: &str) -> Vec<String> {
    let found = keychain.search_items(search_attributes(service)).expect("an answer");
    let values = found.unlocked.iter().chain(&found.locked).map(|item| item.get_secret().expect("a value"));
    values.map(|value| String::from_utf8(value).expect("text")).collect()
}
