//! Decrypts workbooks that are encrypted with Excel's own default password. Excel encrypts a sheet that is protected
//! against changes, or a file to be opened as read-only, in this way, and opens it without asking. Other files stay
//! encrypted.
//!
//! This module handles both encryptions of packages ([MS-OFFCRYPTO] 2.3.4). `legacy::password` handles the records of
//! xls files.

mod agile;
mod cipher;
mod standard;

use crate::{
    SheetError,
    compound::{self, Compound, u16_at},
    source::Source,
};

pub(crate) use cipher::Rc4;

/// Excel's default password.
const DEFAULT: &str = "VelvetSweatshop";
/// The bytes that store the size of the package, before the encrypted data.
const PACKAGE_HEAD: usize = 8;

/// Returns the default password in UTF-16, as it is hashed.
pub(crate) fn default_password_bytes() -> Vec<u8> {
    DEFAULT.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Decrypts an encrypted package. Returns `None` if the file isn't one or has another password.
///
/// # Errors
/// If the file can't be read.
pub(crate) fn unlock(source: &Source) -> Result<Option<Source>, SheetError> {
    if source.head(compound::SIGNATURE.len())? != compound::SIGNATURE {
        return Ok(None);
    }
    let bytes = source.read_all()?;
    let decrypted = Compound::parse(&bytes).and_then(|compound| {
        let (info, package) = (compound.stream("EncryptionInfo")?, compound.stream("EncryptedPackage")?);
        decrypt_package(&info, &package)
    });
    Ok(decrypted.map(Source::from_bytes))
}

fn decrypt_package(info: &[u8], package: &[u8]) -> Option<Vec<u8>> {
    let size = usize::try_from(u64::from_le_bytes(*package.first_chunk()?)).ok()?;
    let encrypted = package.get(PACKAGE_HEAD..)?;
    let mut decrypted = match (u16_at(info, 0)?, u16_at(info, 2)?) {
        (4, 4) => agile::decrypt_package(info.get(8..)?, encrypted, &default_password_bytes()),
        (2..=4, 2) => standard::decrypt_package(info.get(4..)?, encrypted, &default_password_bytes()),
        _ => None,
    }?;
    decrypted.truncate(size);
    Some(decrypted)
}
