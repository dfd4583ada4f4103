//! The ciphers of encrypted workbooks, as far as decrypting needs them.

use aes::{
    Aes128, Aes192, Aes256, Block,
    cipher::{BlockCipherDecrypt, KeyInit},
};

pub(super) const BLOCK_BYTES: usize = 16;

/// AES of any key length.
pub(super) enum Aes {
    Short(Aes128),
    Middle(Aes192),
    Long(Aes256),
}

impl Aes {
    /// Returns `None` if the key doesn't have 16, 24 or 32 bytes.
    pub(super) fn new(key: &[u8]) -> Option<Self> {
        match key.len() {
            16 => Aes128::new_from_slice(key).ok().map(Self::Short),
            24 => Aes192::new_from_slice(key).ok().map(Self::Middle),
            32 => Aes256::new_from_slice(key).ok().map(Self::Long),
            _ => None,
        }
    }

    /// Decrypts whole blocks independently. Bytes after the last whole block are dropped.
    pub(super) fn decrypt(&self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        let (blocks, _) = bytes.as_chunks::<BLOCK_BYTES>();
        for block in blocks {
            let mut block = Block::from(*block);
            match self {
                Self::Short(cipher) => cipher.decrypt_block(&mut block),
                Self::Middle(cipher) => cipher.decrypt_block(&mut block),
                Self::Long(cipher) => cipher.decrypt_block(&mut block),
            }
            out.extend_from_slice(&block);
        }
        out
    }

    /// Decrypts chained blocks (CBC). `initial` is the initialization vector.
    pub(super) fn decrypt_chained(&self, bytes: &[u8], initial: &[u8]) -> Vec<u8> {
        let mut out = self.decrypt(bytes);
        let before = initial.iter().take(BLOCK_BYTES).chain(bytes);
        out.iter_mut().zip(before).for_each(|(byte, before)| *byte ^= before);
        out
    }
}

/// RC4, which is broken but used by old workbooks.
pub(crate) struct Rc4 {
    state: [u8; 256],
    first: u8,
    second: u8,
}

impl Rc4 {
    pub(crate) fn new(key: &[u8]) -> Self {
        let mut state = [0_u8; 256];
        state.iter_mut().zip(0_u8..=255).for_each(|(target, value)| *target = value);
        let mut second = 0_u8;
        for (index, letter) in (0..=255_usize).zip(key.iter().cycle()) {
            second = second.wrapping_add(state[index]).wrapping_add(*letter);
            state.swap(index, usize::from(second));
        }
        Self { state, first: 0, second: 0 }
    }

    /// Encrypts or decrypts bytes. Each call continues where the previous one ended.
    pub(crate) fn apply(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            self.first = self.first.wrapping_add(1);
            self.second = self.second.wrapping_add(self.state[usize::from(self.first)]);
            self.state.swap(usize::from(self.first), usize::from(self.second));
            let sum = self.state[usize::from(self.first)].wrapping_add(self.state[usize::from(self.second)]);
            *byte ^= self.state[usize::from(sum)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rc4_is_what_it_is() {
        let mut bytes = *b"Plaintext";
        Rc4::new(b"Key").apply(&mut bytes);
        assert_eq!(bytes, [0xBB, 0xF3, 0x16, 0xE8, 0xD9, 0x40, 0xAF, 0x0A, 0xD3]);
    }

    #[test]
    fn aes_is_that_of_the_standard() {
        let key: Vec<u8> = (0..16).collect();
        let encrypted =
            [0x69, 0xC4, 0xE0, 0xD8, 0x6A, 0x7B, 0x04, 0x30, 0xD8, 0xCD, 0xB7, 0x80, 0x70, 0xB4, 0xC5, 0x5A];
        let plain: Vec<u8> = (0..16_u8).map(|index| index * 0x11).collect();
        let cipher = Aes::new(&key).unwrap();
        assert_eq!(cipher.decrypt(&encrypted), plain);
        assert_eq!(cipher.decrypt_chained(&encrypted, &plain), [0; 16]);
        assert!(Aes::new(&[0; 5]).is_none());
    }
}
