//! The passphrase of the file with the secrets: out of a file that the environment names, or typed.

use takt_engine::client::{Secret, SecretStorage, Vault, VaultError};

use crate::{console::Console, ending::Failure, secret_file};

const VARIABLE: &str = "TAKT_VAULT_PASSPHRASE_FILE";

/// Opens the file where there is one. Without anybody to ask it stays locked, and what needs a secret says so.
pub(crate) fn unlock(vault: &Vault, console: &Console) -> Result<(), Failure> {
    if vault.place() != SecretStorage::Locked {
        return Ok(());
    }
    let named = secret_file::named_by(VARIABLE)?;
    let typed = || console.hidden_line("vault.ask");
    let Some(passphrase) = named.or_else(typed) else {
        console.remark("vault.locked", &[]);
        return Ok(());
    };
    vault.unlock(&Secret::new(passphrase)).map_err(|error| match error {
        VaultError::WrongPassphrase => Failure::Usage("vault.wrong", Vec::new()),
        error => Failure::Usage("vault.unreadable", vec![("reason", error.to_string())]),
    })
}

/// A new passphrase; typed it is asked for twice.
pub(crate) fn chosen(console: &Console) -> Result<String, Failure> {
    if let Some(named) = secret_file::named_by(VARIABLE)? {
        return Ok(named);
    }
    let none = || Failure::Usage("vault.no-passphrase", Vec::new());
    let first = console.hidden_line("vault.choose").filter(|text| !text.is_empty()).ok_or_else(none)?;
    let second = console.hidden_line("vault.again").ok_or_else(none)?;
    if first == second { Ok(first) } else { Err(Failure::Usage("vault.not-the-same", Vec::new())) }
}
