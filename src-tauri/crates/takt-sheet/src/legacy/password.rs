//! Records of an xls that are locked: with RC4 ([MS-OFFCRYPTO] 2.3.5 and 2.3.6), or by the older way that turns and masks each
//! byte (2.3.7). They are opened where the password is the one that Excel itself uses.

use std::borrow::Cow;

use md5::{Digest, Md5};
use sha1::Sha1;

use crate::{
    SheetError,
    compound::{u16_at, u32_at},
    password::{Rc4, default_letters},
};

const PASSWORD: u16 = 0x002F;
const BEGIN: u16 = 0x0809;
const END: u16 = 0x000A;
/// Records that are never encrypted: begins, the password itself, and what is locked while others write.
const OPEN: [u16; 7] = [BEGIN, PASSWORD, 0x0194, 0x0195, 0x0196, 0x0138, 0x00E1];
const SHEET: u16 = 0x0085;
/// A sheet's place in the stream isn't encrypted.
const SHEET_OPEN: usize = 4;
/// So many bytes have a key of their own.
const BLOCK: usize = 1024;
const SALT: usize = 16;
/// What the older way makes of the password: a key, a number by which the password is known, and a mask.
const MASK_KEY: u16 = 0xB359;
const MASK_CHECK: u16 = 0x9A0A;
const MASK: [u8; 16] = [0x3C, 0x5B, 0xD4, 0x17, 0xF0, 0x1F, 0x28, 0x13, 0xF0, 0x4B, 0xB4, 0x03, 0xC4, 0x73, 0xA4, 0x20];

/// How a stream is locked.
enum Lock {
    Mask,
    Rc4(Keys),
}

/// How the key of a block is made.
enum Keys {
    /// From the first bytes of a hash.
    Md5([u8; 5]),
    Sha1 {
        hash: Vec<u8>,
        length: usize,
    },
}

/// The stream with all of its records open: itself where none is locked.
///
/// # Errors
/// [`SheetError::Protected`] where the password is another, or the way isn't known.
pub(super) fn unlock(stream: &[u8]) -> Result<Cow<'_, [u8]>, SheetError> {
    let mut at = 0;
    while let (Some(kind), Some(length)) = (u16_at(stream, at), u16_at(stream, at + 2)) {
        let from = at + 4;
        match kind {
            PASSWORD => {
                let info = stream.get(from..from + usize::from(length)).unwrap_or_default();
                let lock = lock(info).ok_or(SheetError::Protected)?;
                return Ok(Cow::Owned(opened(stream, &lock)));
            }
            END => break,
            _ => at = from + usize::from(length),
        }
    }
    Ok(Cow::Borrowed(stream))
}

/// `None` where the default password isn't the one.
fn lock(info: &[u8]) -> Option<Lock> {
    if info.len() <= 4 || u16_at(info, 0)? == 0 {
        // Excel 5 knew no kinds, and wrote the key where the kind stands now.
        let from = if info.len() <= 4 { 0 } else { 2 };
        let known = (u16_at(info, from)?, u16_at(info, from + 2)?) == (MASK_KEY, MASK_CHECK);
        return known.then_some(Lock::Mask);
    }
    if u16_at(info, 0)? == 1 { keys(info).map(Lock::Rc4) } else { None }
}

fn keys(info: &[u8]) -> Option<Keys> {
    let password = default_letters();
    match (u16_at(info, 2)?, u16_at(info, 4)?) {
        (1, 1) => {
            let (salt, rest) = info.get(6..)?.split_at_checked(SALT)?;
            let hash = Md5::digest(password);
            let part = [hash.get(..5)?, salt].concat();
            let keys = Keys::Md5(*Md5::digest(part.repeat(16)).first_chunk()?);
            keys.fits(rest.get(..16)?, rest.get(16..32)?, |check| Md5::digest(check).to_vec()).then_some(keys)
        }
        (2..=4, 2) => {
            let header = info.get(14..)?.get(..u32_at(info, 10)? as usize)?;
            let verifier = info.get(14 + header.len()..)?;
            let length = match u32_at(header, 16)? {
                0 => 5,
                bits => usize::try_from(bits / 8).ok().filter(|length| (5..=16).contains(length))?,
            };
            let (salt, rest) = verifier.get(4..)?.split_at_checked(SALT)?;
            let hash = Sha1::new().chain_update(salt).chain_update(password).finalize().to_vec();
            let keys = Keys::Sha1 { hash, length };
            keys.fits(rest.get(..16)?, rest.get(20..40)?, |check| Sha1::digest(check).to_vec()).then_some(keys)
        }
        _ => None,
    }
}

impl Keys {
    fn block(&self, number: u32) -> Rc4 {
        match self {
            Self::Md5(hash) => Rc4::new(&Md5::new().chain_update(hash).chain_update(number.to_le_bytes()).finalize()),
            Self::Sha1 { hash, length } => {
                let key = Sha1::new().chain_update(hash).chain_update(number.to_le_bytes()).finalize();
                let mut key: Vec<u8> = key.iter().copied().take(*length).collect();
                // The shortest key is filled up with zeros.
                if *length == 5 {
                    key.resize(16, 0);
                }
                Rc4::new(&key)
            }
        }
    }

    fn fits(&self, check: &[u8], expected: &[u8], hash: impl Fn(&[u8]) -> Vec<u8>) -> bool {
        let (mut check, mut expected) = (check.to_vec(), expected.to_vec());
        let mut cipher = self.block(0);
        cipher.apply(&mut check);
        cipher.apply(&mut expected);
        hash(&check) == expected
    }
}

/// Every byte of the stream counts, also those that aren't encrypted.
fn opened(stream: &[u8], lock: &Lock) -> Vec<u8> {
    let plain = match lock {
        Lock::Mask => unmasked(stream),
        Lock::Rc4(keys) => {
            let mut plain = stream.to_vec();
            for (number, block) in (0_u32..).zip(plain.chunks_mut(BLOCK)) {
                keys.block(number).apply(block);
            }
            plain
        }
    };
    let mut out = stream.to_vec();
    let mut at = 0;
    while let (Some(kind), Some(length)) = (u16_at(stream, at), u16_at(stream, at + 2)) {
        let to = (at + 4 + usize::from(length)).min(stream.len());
        let from = at + 4 + if kind == SHEET { SHEET_OPEN } else { 0 };
        if !OPEN.contains(&kind)
            && let (Some(place), Some(record)) = (out.get_mut(from..to), plain.get(from..to))
        {
            place.copy_from_slice(record);
        }
        // So that the password isn't asked for again.
        if kind == PASSWORD
            && let Some(place) = out.get_mut(at..at + 2)
        {
            place.fill(0xFF);
        }
        at += 4 + usize::from(length);
    }
    out
}

/// Where the mask begins depends on where each record ends.
fn unmasked(stream: &[u8]) -> Vec<u8> {
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
