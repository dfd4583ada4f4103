//! Decrypts workbooks that are encrypted with Excel's own default password. Excel encrypts a workbook in this way if a
//! sheet is protected against changes, or if the file is to be opened as read-only. It doesn't ask for that password.
//! Other files stay encrypted.
//!
//! This module handles both encryptions of packages ([MS-OFFCRYPTO] 2.3.4). `xls::password` handles the records of xls
//! files.

mod cipher;

use base64::{Engine, engine::general_purpose::STANDARD};
use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};
use sha1::{Digest, Sha1};
use sha2::{Sha256, Sha384, Sha512};

use self::cipher::{Aes, BLOCK_BYTES};
use crate::{
    SheetError,
    binary_values::{u16_at, u32_at},
    compound::{self, Compound},
    source::Source,
    xml_text::plain_attribute,
};

pub(crate) use self::cipher::Rc4;

/// Excel's default password.
const DEFAULT_PASSWORD: &str = "VelvetSweatshop";
/// The bytes that store the size of the package, before the encrypted data.
const PACKAGE_HEAD_BYTES: usize = 8;

/// Ten times the number that Office writes. Each round costs time.
const MAX_AGILE_ROUNDS: u32 = 1_000_000;
/// Every segment of this many bytes is encrypted separately.
const SEGMENT_BYTES: usize = 4096;
/// The block keys from which the password's keys are derived ([MS-OFFCRYPTO] 2.3.4.13). The keys decrypt the verifier's
/// input, the verifier's hash, and the package's key.
const VERIFIER_INPUT_BLOCK_KEY: [u8; 8] = [0xFE, 0xA7, 0xD2, 0x76, 0x3B, 0x4B, 0x9E, 0x79];
const VERIFIER_HASH_BLOCK_KEY: [u8; 8] = [0xD7, 0xAA, 0x0F, 0x6D, 0x30, 0x61, 0x34, 0x4E];
const PACKAGE_KEY_BLOCK_KEY: [u8; 8] = [0x14, 0x6E, 0x0B, 0xE7, 0xAB, 0xAC, 0xD0, 0xD6];

const STANDARD_ROUNDS: u32 = 50_000;
const SALT_BYTES: usize = 16;
const SHA1_BYTES: usize = 20;

/// Returns the default password in UTF-16, as it is hashed.
pub(crate) fn default_password_bytes() -> Vec<u8> {
    DEFAULT_PASSWORD.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Decrypts an encrypted package. Returns `None` if the file isn't one, has another password, or uses an unsupported
/// encryption.
///
/// # Errors
/// If the file can't be read.
pub(crate) fn decrypt_source(source: &Source) -> Result<Option<Source>, SheetError> {
    if source.head(compound::SIGNATURE.len())? != compound::SIGNATURE {
        return Ok(None);
    }
    let bytes = source.read_all()?;
    let decrypted = Compound::parse(&bytes).and_then(|compound| {
        let (info, package) = (compound.read_stream("EncryptionInfo")?, compound.read_stream("EncryptedPackage")?);
        decrypt_package(&info, &package)
    });
    Ok(decrypted.map(Source::from_bytes))
}

fn decrypt_package(info: &[u8], package: &[u8]) -> Option<Vec<u8>> {
    let size = usize::try_from(u64::from_le_bytes(*package.first_chunk()?)).ok()?;
    let encrypted = package.get(PACKAGE_HEAD_BYTES..)?;
    let mut decrypted = match (u16_at(info, 0)?, u16_at(info, 2)?) {
        (4, 4) => decrypt_agile(info.get(8..)?, encrypted, &default_password_bytes()),
        (2..=4, 2) => decrypt_standard(info.get(4..)?, encrypted, &default_password_bytes()),
        _ => None,
    }?;
    decrypted.truncate(size);
    Some(decrypted)
}

/// Decrypts a package of Office 2007, with AES and keys from SHA-1 ([MS-OFFCRYPTO] 2.3.4.5 to 2.3.4.9). `info` begins
/// with the flags. Returns `None` if the password is wrong or the cipher isn't supported.
fn decrypt_standard(info: &[u8], encrypted: &[u8], password: &[u8]) -> Option<Vec<u8>> {
    let header = info.get(8..)?.get(..u32_at(info, 4)? as usize)?;
    let verifier = info.get(8 + header.len()..)?;
    let bits = u32_at(header, 16)?;
    let salt = verifier.get(4..4 + SALT_BYTES)?;
    let (check, rest) = verifier.get(4 + SALT_BYTES..)?.split_at_checked(16)?;
    let expected = rest.get(4..4 + 32)?;
    let key = derive_standard_key(password, salt, usize::try_from(bits / 8).ok()?)?;
    let cipher = Aes::new(&key)?;
    let found = Sha1::digest(cipher.decrypt(check));
    (cipher.decrypt(expected).get(..SHA1_BYTES)? == found.as_slice()).then(|| cipher.decrypt(encrypted))
}

fn derive_standard_key(password: &[u8], salt: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut hash = Sha1::new().chain_update(salt).chain_update(password).finalize();
    for round in 0..STANDARD_ROUNDS {
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

#[derive(Clone, Copy)]
enum Hash {
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

/// The parameters of the encryption of the data or of its key.
struct Parameters {
    salt: Vec<u8>,
    key_bytes: usize,
    hash: Hash,
}

/// The data that is encrypted with the password: a verifier of the password, and the package's key.
struct Verifier {
    parameters: Parameters,
    rounds: u32,
    encrypted_input: Vec<u8>,
    encrypted_hash: Vec<u8>,
    encrypted_key: Vec<u8>,
}

/// Decrypts a package of Office 2010 and later ([MS-OFFCRYPTO] 2.3.4.10 to 2.3.4.15). `info` is the XML. Returns `None`
/// if the password is wrong or a parameter isn't supported.
fn decrypt_agile(info: &[u8], encrypted: &[u8], password: &[u8]) -> Option<Vec<u8>> {
    let (data, verifier) = parse_info(info)?;
    let parameters = &verifier.parameters;
    let mut hash = parameters.hash.digest(&[&parameters.salt, password]);
    for round in 0..verifier.rounds {
        hash = parameters.hash.digest(&[&round.to_le_bytes(), &hash]);
    }
    let decrypt = |bytes: &[u8], purpose: [u8; 8]| {
        let key = fit_to_length(parameters.hash.digest(&[&hash, &purpose]), parameters.key_bytes);
        Some(Aes::new(&key)?.decrypt_chained(bytes, &fit_to_length(parameters.salt.clone(), BLOCK_BYTES)))
    };
    let found = parameters.hash.digest(&[&decrypt(&verifier.encrypted_input, VERIFIER_INPUT_BLOCK_KEY)?]);
    if !decrypt(&verifier.encrypted_hash, VERIFIER_HASH_BLOCK_KEY)?.starts_with(&found) {
        return None;
    }
    let key = decrypt(&verifier.encrypted_key, PACKAGE_KEY_BLOCK_KEY)?;
    let cipher = Aes::new(key.get(..data.key_bytes)?)?;
    let mut out = Vec::with_capacity(encrypted.len());
    for (number, segment) in (0_u32..).zip(encrypted.chunks(SEGMENT_BYTES)) {
        let start = fit_to_length(data.hash.digest(&[&data.salt, &number.to_le_bytes()]), BLOCK_BYTES);
        out.extend(cipher.decrypt_chained(segment, &start));
    }
    Some(out)
}

/// Parses the parameters of the data and of the password, which are stored in XML.
fn parse_info(info: &[u8]) -> Option<(Parameters, Verifier)> {
    let text = std::str::from_utf8(info).ok()?;
    let mut reader = Reader::from_str(text);
    let mut data = None;
    loop {
        match reader.read_event().ok()? {
            Event::Start(start) | Event::Empty(start) => match start.local_name().as_ref() {
                "keyData" => data = Some(parse_parameters(&start)?),
                "encryptedKey" => return Some((data?, parse_verifier(&start)?)),
                _ => {}
            },
            Event::Eof => return None,
            _ => {}
        }
    }
}

fn read_base64(start: &BytesStart<'_>, name: &str) -> Option<Vec<u8>> {
    STANDARD.decode(plain_attribute(start, name)?).ok()
}

fn parse_parameters(start: &BytesStart<'_>) -> Option<Parameters> {
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
    Some(Parameters { salt: read_base64(start, "saltValue")?, key_bytes: bits / 8, hash })
}

fn parse_verifier(start: &BytesStart<'_>) -> Option<Verifier> {
    let rounds: u32 = plain_attribute(start, "spinCount")?.parse().ok()?;
    let verifier = Verifier {
        parameters: parse_parameters(start)?,
        rounds,
        encrypted_input: read_base64(start, "encryptedVerifierHashInput")?,
        encrypted_hash: read_base64(start, "encryptedVerifierHashValue")?,
        encrypted_key: read_base64(start, "encryptedKeyValue")?,
    };
    (rounds <= MAX_AGILE_ROUNDS).then_some(verifier)
}

/// Cuts bytes to a length of at most 64, or pads them with 0x36.
fn fit_to_length(mut bytes: Vec<u8>, length: usize) -> Vec<u8> {
    bytes.resize(length.min(64), 0x36);
    bytes
}

impl Hash {
    fn digest(self, parts: &[&[u8]]) -> Vec<u8> {
        fn digest_with<D: Digest>(parts: &[&[u8]]) -> Vec<u8> {
            let mut hash = D::new();
            parts.iter().for_each(|part| hash.update(part));
            hash.finalize().to_vec()
        }
        match self {
            Self::Sha1 => digest_with::<Sha1>(parts),
            Self::Sha256 => digest_with::<Sha256>(parts),
            Self::Sha384 => digest_with::<Sha384>(parts),
            Self::Sha512 => digest_with::<Sha512>(parts),
        }
    }
}
