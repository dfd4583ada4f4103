//! Decrypts the records of an xls, which are encrypted with RC4 ([MS-OFFCRYPTO] 2.3.5 and 2.3.6), or by the older
//! method that rotates and masks each byte (2.3.7). Only Excel's default password is tried.

use std::borrow::Cow;

use md5::{Digest, Md5};
use sha1::Sha1;

use crate::{
    SheetError,
    binary_values::{u16_at, u32_at},
    password::{Rc4, default_password_bytes},
};

const PASSWORD: u16 = 0x002F;
const BEGIN: u16 = 0x0809;
const END: u16 = 0x000A;
/// Records that are never encrypted: the start of a stream, the password, and locks of the file while other users
/// write.
const UNENCRYPTED: [u16; 7] = [BEGIN, PASSWORD, 0x0194, 0x0195, 0x0196, 0x0138, 0x00E1];
const SHEET: u16 = 0x0085;
/// The unencrypted start of a sheet's record, which is the sheet's position in the stream.
const UNENCRYPTED_SHEET_BYTES: usize = 4;
/// Bytes that are encrypted with the same key.
const BLOCK_BYTES: usize = 1024;
const SALT_BYTES: usize = 16;
/// The results of the older method for the default password: a key, a verifier of the password, and a mask.
const MASK_KEY: u16 = 0xB359;
const MASK_VERIFIER: u16 = 0x9A0A;
const MASK: [u8; 16] = [0x3C, 0x5B, 0xD4, 0x17, 0xF0, 0x1F, 0x28, 0x13, 0xF0, 0x4B, 0xB4, 0x03, 0xC4, 0x73, 0xA4, 0x20];

/// The encryption of a stream.
enum Encryption {
    Mask,
    Rc4(Keys),
}

/// The hash from which the keys of blocks are derived.
enum Keys {
    /// The first bytes of a hash.
    Md5([u8; 5]),
    Sha1 {
        hash: Vec<u8>,
        length: usize,
    },
}

/// Decrypts all records of a stream. Returns it unchanged if none is encrypted.
///
/// # Errors
/// [`SheetError::Protected`] if the password is wrong, or the encryption isn't supported.
pub(super) fn decrypt_records(stream: &[u8]) -> Result<Cow<'_, [u8]>, SheetError> {
    let mut at = 0;
    while let (Some(kind), Some(length)) = (u16_at(stream, at), u16_at(stream, at + 2)) {
        let from = at + 4;
        match kind {
            PASSWORD => {
                let info = stream.get(from..from + usize::from(length)).unwrap_or_default();
                let encryption = detect_encryption(info).ok_or(SheetError::Protected)?;
                return Ok(Cow::Owned(decrypt_stream(stream, &encryption)));
            }
            END => break,
            _ => at = from + usize::from(length),
        }
    }
    Ok(Cow::Borrowed(stream))
}

/// Returns the encryption, or `None` if the default password doesn't match.
fn detect_encryption(info: &[u8]) -> Option<Encryption> {
    if info.len() <= 4 || u16_at(info, 0)? == 0 {
        // Excel 5 has no kinds of encryption and writes the key in the kind's position.
        let from = if info.len() <= 4 { 0 } else { 2 };
        let known = (u16_at(info, from)?, u16_at(info, from + 2)?) == (MASK_KEY, MASK_VERIFIER);
        return known.then_some(Encryption::Mask);
    }
    if u16_at(info, 0)? == 1 { read_keys(info).map(Encryption::Rc4) } else { None }
}

fn read_keys(info: &[u8]) -> Option<Keys> {
    let password = default_password_bytes();
    match (u16_at(info, 2)?, u16_at(info, 4)?) {
        (1, 1) => {
            let (salt, rest) = info.get(6..)?.split_at_checked(SALT_BYTES)?;
            let hash = Md5::digest(password);
            let part = [hash.get(..5)?, salt].concat();
            let keys = Keys::Md5(*Md5::digest(part.repeat(16)).first_chunk()?);
            keys.matches_verifier(rest.get(..16)?, rest.get(16..32)?, |check| Md5::digest(check).to_vec())
                .then_some(keys)
        }
        (2..=4, 2) => {
            let header = info.get(14..)?.get(..u32_at(info, 10)? as usize)?;
            let verifier = info.get(14 + header.len()..)?;
            let length = match u32_at(header, 16)? {
                0 => 5,
                bits => usize::try_from(bits / 8).ok().filter(|length| (5..=16).contains(length))?,
            };
            let (salt, rest) = verifier.get(4..)?.split_at_checked(SALT_BYTES)?;
            let hash = Sha1::new().chain_update(salt).chain_update(password).finalize().to_vec();
            let keys = Keys::Sha1 { hash, length };
            keys.matches_verifier(rest.get(..16)?, rest.get(20..40)?, |check| Sha1::digest(check).to_vec())
                .then_some(keys)
        }
        _ => None,
    }
}

impl Keys {
    fn block_cipher(&self, number: u32) -> Rc4 {
        match self {
            Self::Md5(hash) => Rc4::new(&Md5::new().chain_update(hash).chain_update(number.to_le_bytes()).finalize()),
            Self::Sha1 { hash, length } => {
                let key = Sha1::new().chain_update(hash).chain_update(number.to_le_bytes()).finalize();
                let mut key: Vec<u8> = key.iter().copied().take(*length).collect();
                // The shortest key is padded with zeros.
                if *length == 5 {
                    key.resize(16, 0);
                }
                Rc4::new(&key)
            }
        }
    }

    /// Returns whether the default password decrypts the verifier.
    fn matches_verifier(&self, check: &[u8], expected: &[u8], hash: impl Fn(&[u8]) -> Vec<u8>) -> bool {
        let (mut check, mut expected) = (check.to_vec(), expected.to_vec());
        let mut cipher = self.block_cipher(0);
        cipher.apply(&mut check);
        cipher.apply(&mut expected);
        hash(&check) == expected
    }
}

/// Decrypts a stream. The unencrypted bytes also advance the key stream.
fn decrypt_stream(stream: &[u8], encryption: &Encryption) -> Vec<u8> {
    let plain = match encryption {
        Encryption::Mask => unmask_stream(stream),
        Encryption::Rc4(keys) => {
            let mut plain = stream.to_vec();
            for (number, block) in (0_u32..).zip(plain.chunks_mut(BLOCK_BYTES)) {
                keys.block_cipher(number).apply(block);
            }
            plain
        }
    };
    let mut out = stream.to_vec();
    let mut at = 0;
    while let (Some(kind), Some(length)) = (u16_at(stream, at), u16_at(stream, at + 2)) {
        let to = (at + 4 + usize::from(length)).min(stream.len());
        let from = at + 4 + if kind == SHEET { UNENCRYPTED_SHEET_BYTES } else { 0 };
        if !UNENCRYPTED.contains(&kind)
            && let (Some(target), Some(record)) = (out.get_mut(from..to), plain.get(from..to))
        {
            target.copy_from_slice(record);
        }
        // Overwrites the kind, so that the password isn't requested again.
        if kind == PASSWORD
            && let Some(target) = out.get_mut(at..at + 2)
        {
            target.fill(0xFF);
        }
        at += 4 + usize::from(length);
    }
    out
}

/// Unmasks a stream. The start of the mask depends on the end of each record.
fn unmask_stream(stream: &[u8]) -> Vec<u8> {
    let mut plain = stream.to_vec();
    let mut at = 0;
    while let (Some(_), Some(length)) = (u16_at(stream, at), u16_at(stream, at + 2)) {
        let (from, end) = (at + 4, at + 4 + usize::from(length));
        let record = plain.get_mut(from..end.min(stream.len())).unwrap_or_default();
        for (byte, mask) in record.iter_mut().zip(MASK.iter().cycle().skip(end % MASK.len())) {
            *byte = byte.rotate_left(3) ^ mask;
        }
        at = end;
    }
    plain
}
