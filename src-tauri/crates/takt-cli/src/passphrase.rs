//! The passphrase of the encrypted vault file, from a file that the environment names or from a prompt.

use takt_engine::client::{Secret, SecretStorage, Vault, VaultError};

use crate::{console::Console, exit_codes::Failure, secret_file};

const VARIABLE: &str = "TAKT_VAULT_PASSPHRASE_FILE";

/// Unlocks the vault file if it is locked. If the user enters no passphrase, it stays locked, and commands that need a
/// secret fail.
pub(crate) fn unlock(vault: &Vault, console: &Console) -> Result<(), Failure> {
    if vault.storage() != SecretStorage::Locked {
        return Ok(());
    }
    let from_file = secret_file::from_variable(VARIABLE)?;
    let ask = || console.ask_hidden_line("vault.ask");
    let Some(passphrase) = from_file.or_else(ask) else {
        console.print_remark("vault.locked", &[]);
        return Ok(());
    };
    vault.unlock(&Secret::new(passphrase)).map_err(|error| match error {
        VaultError::WrongPassphrase => Failure::Usage("vault.wrong", Vec::new()),
        error => Failure::Usage("vault.unreadable", vec![("reason", error.to_string())]),
    })
}

/// Returns a new passphrase. A user who types it must enter it twice.
pub(crate) fn new_passphrase(console: &Console) -> Result<String, Failure> {
    if let Some(from_file) = secret_file::from_variable(VARIABLE)? {
        return Ok(from_file);
    }
    let missing = || Failure::Usage("vault.no-passphrase", Vec::new());
    let first = console.ask_hidden_line("vault.choose").filter(|text| !text.is_empty()).ok_or_else(missing)?;
    let second = console.ask_hidden_line("vault.again").ok_or_else(missing)?;
    if first == second { Ok(first) } else { Err(Failure::Usage("vault.not-the-same", Vec::new())) }
}
