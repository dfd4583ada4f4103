//! `takt vault`: shows the place where secrets are stored, and manages the encrypted file.

use serde_json::json;
use takt_engine::sites::VaultStorage;

use crate::{
    arguments::VaultCommand,
    console::Console,
    exit_codes::{ExitStatus, Failure},
    passphrase, session,
};

pub(super) fn run(command: &VaultCommand, console: &Console) -> Result<ExitStatus, Failure> {
    match *command {
        VaultCommand::Status { json } => {
            let place = session::open_engine_with_keychain(console)?.sites().secrets().storage();
            if json {
                console.print_json(&json!({ "vault": place }));
            } else {
                console.print_text(storage_key(place), &[]);
            }
        }
        VaultCommand::Create => {
            let engine = session::open_engine_with_keychain(console)?;
            engine.sites().secrets().set_passphrase(&passphrase::new_passphrase(console)?)?;
            console.print_remark("vault.made", &[]);
        }
        VaultCommand::Remove { yes } => {
            if !yes && console.ask("vault.remove-ask", &[]) != Some(true) {
                return Err(Failure::Usage("vault.remove-needs-yes", Vec::new()));
            }
            session::open_engine_with_keychain(console)?.sites().secrets().remove_vault_file()?;
            console.print_remark("vault.removed", &[]);
        }
    }
    Ok(ExitStatus::Done)
}

/// Returns the key of the text for the place where secrets are stored.
pub(super) fn storage_key(place: VaultStorage) -> &'static str {
    match place {
        VaultStorage::Keychain => "vault.in-keychain",
        VaultStorage::Kernel => "vault.in-kernel",
        VaultStorage::Passphrase => "vault.in-file",
        VaultStorage::Locked => "vault.in-locked-file",
        VaultStorage::Memory => "vault.in-memory",
    }
}
