//! Encrypted packages of Office 2007 ([MS-OFFCRYPTO] 2.3.4.5 to 2.3.4.9), with AES and keys from SHA-1.

use sha1::{Digest, Sha1};

use super::cipher::Aes;
use crate::compound::u32_at;

const ROUNDS: u32 = 50_000;
const SALT: usize = 16;
const SHA1: usize = 20;

/// Decrypts a package. `info` begins with the flags. Returns `None` if the password is another one or the cipher isn't
/// supported.
pub(super) fn decrypt_package(info: &[u8], encrypted: &[u8], password: &[u8]) -> Option<Vec<u8>> {
    let header = info.get(8..)?.get(..u32_at(info, 4)? as usize)?;
    let verifier = info.get(8 + header.len()..)?;
    let bits = u32_at(header, 16)?;
    let salt = verifier.get(4..4 + SALT)?;
    let (check, rest) = verifier.get(4 + SALT..)?.split_at_checked(16)?;
    let expected = rest.get(4..4 + 32)?;
    let key = key(password, salt, usize::try_from(bits / 8).ok()?)?;
    let cipher = Aes::new(&key)?;
    let found = Sha1::digest(cipher.decrypt(check));
    (cipher.decrypt(expected).get(..SHA1)? == found.as_slice()).then(|| cipher.decrypt(encrypted))
}

fn key(password: &[u8], salt: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut hash = Sha1::new().chain_update(salt).chain_update(password).finalize();
    for round in 0..ROUNDS {
        hash = Sha1::new().chain_update(round.to_le_bytes()).chain_update(hash).finalize();
    }
    let hash = Sha1::new().chain_update(hash).chain_update([0; 4]).finalize();
    let half = |fill: u8| {
        let mut block = [fill; 64];
        block.iter_mut().zip(hash).for_each(|(byte, hash)| *byte ^= hash);
        Sha1::digest(block)
    };
    let both = [half(0x36), half(0x5C)].concat();
    both.get(..length).map(<[u8]>::to_vec)
}
