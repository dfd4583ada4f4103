//! Workbooks that are locked with the password which Excel itself uses: a sheet that is protected against changes, or a file
//! that is to be opened as read-only, is encrypted so, and opens without a question. Everything else stays locked.
//!
//! Owns both ways in which packages are encrypted ([MS-OFFCRYPTO] 2.3.4); the records of an xls are `legacy::password`'s.

mod agile;
mod cipher;
mod standard;

use crate::{
    SheetError,
    compound::{self, Compound, u16_at},
    source::Source,
};

pub(crate) use cipher::Rc4;

/// As Excel spells it.
const DEFAULT: &str = "VelvetSweatshop";
/// Behind the size of what is encrypted.
const PACKAGE_HEAD: usize = 8;

/// The default password's letters as they are hashed.
pub(crate) fn default_letters() -> Vec<u8> {
    DEFAULT.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// The package inside of an encrypted one; absent where the file is none, or its password is another.
///
/// # Errors
/// Where the file can't be read.
pub(crate) fn unlock(source: &Source) -> Result<Option<Source>, SheetError> {
    if source.head(compound::SIGNATURE.len())? != compound::SIGNATURE {
        return Ok(None);
    }
    let bytes = source.whole()?;
    let opened = Compound::parse(&bytes).and_then(|compound| {
        let (info, package) = (compound.stream("EncryptionInfo")?, compound.stream("EncryptedPackage")?);
        opened(&info, &package)
    });
    Ok(opened.map(Source::of))
}

fn opened(info: &[u8], package: &[u8]) -> Option<Vec<u8>> {
    let size = usize::try_from(u64::from_le_bytes(*package.first_chunk()?)).ok()?;
    let encrypted = package.get(PACKAGE_HEAD..)?;
    let mut opened = match (u16_at(info, 0)?, u16_at(info, 2)?) {
        (4, 4) => agile::opened(info.get(8..)?, encrypted, &default_letters()),
        (2..=4, 2) => standard::opened(info.get(4..)?, encrypted, &default_letters()),
        _ => None,
    }?;
    opened.truncate(size);
    Some(opened)
}
