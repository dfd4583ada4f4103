//! Encrypted packages of Office 2010 and later ([MS-OFFCRYPTO] 2.3.4.10 to 2.3.4.15). Their parameters are stored in
//! XML.

use base64::{Engine, engine::general_purpose::STANDARD};
use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};
use sha1::{Digest, Sha1};
use sha2::{Sha256, Sha384, Sha512};

use super::cipher::{Aes, BLOCK};
use crate::xml_text::plain_attribute;

/// Ten times the number that Office writes. Each round costs time.
const MAX_ROUNDS: u32 = 1_000_000;
const SEGMENT: usize = 4096;
const FOR_CHECK: [u8; 8] = [0xFE, 0xA7, 0xD2, 0x76, 0x3B, 0x4B, 0x9E, 0x79];
const FOR_EXPECTED: [u8; 8] = [0xD7, 0xAA, 0x0F, 0x6D, 0x30, 0x61, 0x34, 0x4E];
const FOR_KEY: [u8; 8] = [0x14, 0x6E, 0x0B, 0xE7, 0xAB, 0xAC, 0xD0, 0xD6];

#[derive(Clone, Copy)]
enum Hash {
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

/// The parameters of an encryption.
struct Parameters {
    salt: Vec<u8>,
    key_bytes: usize,
    hash: Hash,
}

/// The data that is encrypted with the password.
struct Verifier {
    parameters: Parameters,
    rounds: u32,
    check: Vec<u8>,
    expected: Vec<u8>,
    key: Vec<u8>,
}

/// Decrypts a package. `info` is the XML. Returns `None` if the password is another one or a parameter isn't supported.
pub(super) fn decrypt_package(info: &[u8], encrypted: &[u8], password: &[u8]) -> Option<Vec<u8>> {
    let (data, verifier) = parse_info(info)?;
    let parameters = &verifier.parameters;
    let mut hash = parameters.hash.of(&[&parameters.salt, password]);
    for round in 0..verifier.rounds {
        hash = parameters.hash.of(&[&round.to_le_bytes(), &hash]);
    }
    let decrypt = |bytes: &[u8], purpose: [u8; 8]| {
        let key = fit_to_length(parameters.hash.of(&[&hash, &purpose]), parameters.key_bytes);
        Some(Aes::new(&key)?.decrypt_chained(bytes, &fit_to_length(parameters.salt.clone(), BLOCK)))
    };
    let found = parameters.hash.of(&[&decrypt(&verifier.check, FOR_CHECK)?]);
    if !decrypt(&verifier.expected, FOR_EXPECTED)?.starts_with(&found) {
        return None;
    }
    let key = decrypt(&verifier.key, FOR_KEY)?;
    let cipher = Aes::new(key.get(..data.key_bytes)?)?;
    let mut out = Vec::with_capacity(encrypted.len());
    for (number, segment) in (0_u32..).zip(encrypted.chunks(SEGMENT)) {
        let start = fit_to_length(data.hash.of(&[&data.salt, &number.to_le_bytes()]), BLOCK);
        out.extend(cipher.decrypt_chained(segment, &start));
    }
    Some(out)
}

fn parse_info(info: &[u8]) -> Option<(Parameters, Verifier)> {
    let text = std::str::from_utf8(info).ok()?;
    let mut reader = Reader::from_str(text);
    let mut data = None;
    loop {
        match reader.read_event().ok()? {
            Event::Start(start) | Event::Empty(start) => match start.local_name().as_ref() {
                "keyData" => data = Some(parameters(&start)?),
                "encryptedKey" => return Some((data?, verifier(&start)?)),
                _ => {}
            },
            Event::Eof => return None,
            _ => {}
        }
    }
}

fn bytes(start: &BytesStart<'_>, name: &str) -> Option<Vec<u8>> {
    STANDARD.decode(plain_attribute(start, name)?).ok()
}

fn parameters(start: &BytesStart<'_>) -> Option<Parameters> {
    let is = |name, expected| plain_attribute(start, name).is_some_and(|found| found == expected);
    if !is("cipherAlgorithm", "AES") || !is("cipherChaining", "ChainingModeCBC") {
        return None;
    }
    let hash = match plain_attribute(start, "hashAlgorithm")?.as_str() {
        "SHA1" | "SHA-1" => Hash::Sha1,
        "SHA256" | "SHA-256" => Hash::Sha256,
        "SHA384" | "SHA-384" => Hash::Sha384,
        "SHA512" | "SHA-512" => Hash::Sha512,
        _ => return None,
    };
    let bits: usize = plain_attribute(start, "keyBits")?.parse().ok()?;
    Some(Parameters { salt: bytes(start, "saltValue")?, key_bytes: bits / 8, hash })
}

fn verifier(start: &BytesStart<'_>) -> Option<Verifier> {
    let rounds: u32 = plain_attribute(start, "spinCount")?.parse().ok()?;
    let verifier = Verifier {
        parameters: parameters(start)?,
        rounds,
        check: bytes(start, "encryptedVerifierHashInput")?,
        expected: bytes(start, "encryptedVerifierHashValue")?,
        key: bytes(start, "encryptedKeyValue")?,
    };
    (rounds <= MAX_ROUNDS).then_some(verifier)
}

/// Cuts bytes to a length, or pads them.
fn fit_to_length(mut bytes: Vec<u8>, length: usize) -> Vec<u8> {
    bytes.resize(length.min(64), 0x36);
    bytes
}

impl Hash {
    fn of(self, parts: &[&[u8]]) -> Vec<u8> {
        fn digest<D: Digest>(parts: &[&[u8]]) -> Vec<u8> {
            let mut hash = D::new();
            parts.iter().for_each(|part| hash.update(part));
            hash.finalize().to_vec()
        }
        match self {
            Self::Sha1 => digest::<Sha1>(parts),
            Self::Sha256 => digest::<Sha256>(parts),
            Self::Sha384 => digest::<Sha384>(parts),
            Self::Sha512 => digest::<Sha512>(parts),
        }
    }
}
