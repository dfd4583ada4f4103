//! Encrypted workbooks. Only workbooks with Excel's own default password are opened.

use std::io::Read;

use aes::{
    Aes128, Aes256, Block,
    cipher::{BlockCipherEncrypt, KeyInit},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::Sha512;
use takt_sheet::{FileKind, SheetError};

use crate::{
    binary::{number, record, xls_stream},
    support::{Parts, cell_at, compound, open, read, xlsx},
};

const DEFAULT_PASSWORD: &str = "VelvetSweatshop";

fn password_bytes(password: &str) -> Vec<u8> {
    password.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn hash<D: Digest>(parts: &[&[u8]]) -> Vec<u8> {
    let mut hash = D::new();
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize().to_vec()
}

/// Encrypts bytes with RC4.
fn rc4(key: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut state: Vec<usize> = (0..256).collect();
    let mut second = 0;
    for first in 0..256 {
        second = (second + state[first] + usize::from(key[first % key.len()])) % 256;
        state.swap(first, second);
    }
    let (mut first, mut second) = (0, 0);
    let mut next = || {
        first = (first + 1) % 256;
        second = (second + state[first]) % 256;
        state.swap(first, second);
        u8::try_from(state[(state[first] + state[second]) % 256]).unwrap()
    };
    bytes.iter().map(|byte| byte ^ next()).collect()
}

const SALT: [u8; 16] = [7; 16];
const VERIFIER: [u8; 16] = *b"sixteen bytes ok";

/// Returns the key of a block by its number.
type Keys = Box<dyn Fn(u32) -> Vec<u8>>;

/// Returns the record that declares the encryption of an xls, and the keys of its blocks.
fn locked_record(password: &str, by_sha1: bool) -> (Vec<u8>, Keys) {
    let password = password_bytes(password);
    if by_sha1 {
        let first = hash::<Sha1>(&[&SALT, &password]);
        let key = move |block: u32| hash::<Sha1>(&[&first, &block.to_le_bytes()])[..16].to_vec();
        let locked = rc4(&key(0), &[VERIFIER.to_vec(), hash::<Sha1>(&[&VERIFIER])].concat());
        let header: Vec<u8> =
            [4_u32, 0, 0x6801, 0x8004, 128, 1, 0, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
        let head =
            [vec![1, 0, 4, 0, 2, 0, 4, 0, 0, 0], u32::try_from(header.len()).unwrap().to_le_bytes().to_vec(), header]
                .concat();
        let content =
            [head, vec![16, 0, 0, 0], SALT.to_vec(), locked[..16].to_vec(), vec![20, 0, 0, 0], locked[16..].to_vec()]
                .concat();
        return (record(0x002F, &content), Box::new(key));
    }
    let part = [hash::<Md5>(&[&password])[..5].to_vec(), SALT.to_vec()].concat();
    let first = hash::<Md5>(&[&part.repeat(16)])[..5].to_vec();
    let key = move |block: u32| hash::<Md5>(&[&first, &block.to_le_bytes()]);
    let locked = rc4(&key(0), &[VERIFIER.to_vec(), hash::<Md5>(&[&VERIFIER])].concat());
    (record(0x002F, &[vec![1, 0, 1, 0, 1, 0], SALT.to_vec(), locked].concat()), Box::new(key))
}

/// Returns an xls with two thousand rows, so that several blocks have their own keys.
fn locked_xls(password: &str, by_sha1: bool) -> Vec<u8> {
    let (lock, key) = locked_record(password, by_sha1);
    let rows: Vec<Vec<u8>> = (0..2000).map(|row| number(row, 0, 0, f64::from(row) + 0.5)).collect();
    let plain = xls_stream(&lock, &rows);
    let mut locked = Vec::new();
    for (block, bytes) in (0..).zip(plain.chunks(1024)) {
        locked.extend(rc4(&key(block), bytes));
    }
    let mut stream = plain.clone();
    let mut at = 0;
    while at + 4 <= plain.len() {
        let half = |at: usize| u16::from_le_bytes([plain[at], plain[at + 1]]);
        let (kind, to) = (half(at), at + 4 + usize::from(half(at + 2)));
        let from = at + 4 + if kind == 0x0085 { 4 } else { 0 };
        if kind != 0x0809 && kind != 0x002F {
            stream[from..to].copy_from_slice(&locked[from..to]);
        }
        at = to;
    }
    compound(&[("Workbook", &stream)])
}

#[test]
fn an_xls_with_excels_own_password_opens() {
    for by_sha1 in [false, true] {
        let sheet = read(locked_xls(DEFAULT_PASSWORD, by_sha1), "a.xls").unwrap();
        assert_eq!(
            (sheet.rows.len(), cell_at(&sheet, "A2000").shown().into_owned()),
            (2000, "1999.5".to_owned()),
            "{by_sha1}"
        );
        assert!(matches!(read(locked_xls("secret", by_sha1), "a.xls"), Err(SheetError::Protected)), "{by_sha1}");
    }
}

/// Masks records like Excel 5 and 95, by the formulas of [MS-OFFCRYPTO] 2.3.7.2 for that one password.
fn masked_xls(key: u16, check: u16, short: bool) -> Vec<u8> {
    let fill = [0xBB_u8];
    let mask: Vec<u8> = (0..16)
        .map(|index| {
            let letter = DEFAULT_PASSWORD.bytes().chain(fill).nth(index).unwrap();
            (letter ^ 0xB359_u16.to_le_bytes()[index % 2]).rotate_left(2)
        })
        .collect();
    let kind: &[u16] = if short { &[] } else { &[0] };
    let lock: Vec<u8> = kind.iter().chain(&[key, check]).flat_map(|half| half.to_le_bytes()).collect();
    let plain = xls_stream(&record(0x002F, &lock), &[number(0, 0, 0, 1.5), number(7, 3, 0, 7.25)]);
    let mut stream = plain.clone();
    let mut at = 0;
    while at + 4 <= plain.len() {
        let half = |at: usize| u16::from_le_bytes([plain[at], plain[at + 1]]);
        let (kind, from, to) = (half(at), at + 4, at + 4 + usize::from(half(at + 2)));
        let open = if kind == 0x0085 { 4 } else { 0 };
        if kind != 0x0809 && kind != 0x002F {
            for index in from + open..to {
                stream[index] = (plain[index] ^ mask[(to + index - from) % 16]).rotate_right(3);
            }
        }
        at = to;
    }
    compound(&[("Workbook", &stream)])
}

#[test]
fn an_xls_that_is_masked_with_excels_own_password_opens() {
    for short in [false, true] {
        let sheet = read(masked_xls(0xB359, 0x9A0A, short), "a.xls").unwrap();
        assert_eq!([cell_at(&sheet, "A1").shown(), cell_at(&sheet, "D8").shown()], ["1.5", "7.25"]);
        assert!(matches!(read(masked_xls(0x514A, 0xCC1A, short), "a.xls"), Err(SheetError::Protected)));
    }
}

fn pad_to_block(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.resize(bytes.len().div_ceil(16) * 16, 0);
    bytes
}

fn encrypt_chained(key: &[u8], start: &[u8], bytes: Vec<u8>) -> Vec<u8> {
    let encrypt = |block: &mut Block| match key.len() {
        16 => Aes128::new_from_slice(key).unwrap().encrypt_block(block),
        _ => Aes256::new_from_slice(key).unwrap().encrypt_block(block),
    };
    let mut before = start[..16].to_vec();
    let mut out = Vec::new();
    for chunk in pad_to_block(bytes).chunks(16) {
        let mut block = Block::from_fn(|at| chunk[at] ^ before[at]);
        encrypt(&mut block);
        before = block.to_vec();
        out.extend(block);
    }
    out
}

/// Encrypts a package like Excel 2013 and later.
fn encrypt_agile(package: &[u8], password: &str) -> Vec<u8> {
    encrypt_agile_with::<Sha512>(package, password, "SHA512", 32, 1000)
}

/// Encrypts a package like Excel 2010.
fn encrypt_agile_of_2010(package: &[u8], password: &str) -> Vec<u8> {
    encrypt_agile_with::<Sha1>(package, password, "SHA1", 16, 1000)
}

/// Encrypts a package with a hash by its name, and with keys of `key_bytes` bytes.
fn encrypt_agile_with<D: Digest>(
    package: &[u8],
    password: &str,
    name: &str,
    key_bytes: usize,
    claimed_rounds: u32,
) -> Vec<u8> {
    let (key, salt) = (vec![9_u8; key_bytes], [3_u8; 16]);
    let mut spun = hash::<D>(&[&SALT, &password_bytes(password)]);
    for round in 0_u32..1000 {
        spun = hash::<D>(&[&round.to_le_bytes(), &spun]);
    }
    let locked = |what: &[u8], purpose: [u8; 8]| {
        STANDARD.encode(encrypt_chained(&hash::<D>(&[&spun, &purpose])[..key_bytes], &SALT, what.to_vec()))
    };
    let check = locked(&VERIFIER, [0xFE, 0xA7, 0xD2, 0x76, 0x3B, 0x4B, 0x9E, 0x79]);
    let expected = locked(&hash::<D>(&[&VERIFIER]), [0xD7, 0xAA, 0x0F, 0x6D, 0x30, 0x61, 0x34, 0x4E]);
    let value = locked(&key, [0x14, 0x6E, 0x0B, 0xE7, 0xAB, 0xAC, 0xD0, 0xD6]);
    let (bits, hash_size) = (key_bytes * 8, <D as Digest>::output_size());
    let how = format!(
        r#"saltSize="16" blockSize="16" keyBits="{bits}" hashSize="{hash_size}" cipherAlgorithm="AES" cipherChaining="ChainingModeCBC" hashAlgorithm="{name}""#
    );
    let (data_salt, password_salt) = (STANDARD.encode(salt), STANDARD.encode(SALT));
    let xml = format!(
        r#"<encryption xmlns:p="p"><keyData {how} saltValue="{data_salt}"/><keyEncryptors><keyEncryptor><p:encryptedKey spinCount="{claimed_rounds}" {how} saltValue="{password_salt}" encryptedVerifierHashInput="{check}" encryptedVerifierHashValue="{expected}" encryptedKeyValue="{value}"/></keyEncryptor></keyEncryptors></encryption>"#
    );
    let info = [vec![4, 0, 4, 0, 0x40, 0, 0, 0], xml.into_bytes()].concat();
    let mut locked = (package.len() as u64).to_le_bytes().to_vec();
    for (number, segment) in (0_u32..).zip(package.chunks(4096)) {
        locked.extend(encrypt_chained(&key, &hash::<D>(&[&salt, &number.to_le_bytes()]), segment.to_vec()));
    }
    // The hand-made container pads streams, and reading ends with the XML.
    let info = [info, vec![b' '; 4096]].concat();
    compound(&[("EncryptionInfo", &info), ("EncryptedPackage", &locked)])
}

/// Encrypts a package like Office 2007.
fn encrypt_standard(package: &[u8], password: &str) -> Vec<u8> {
    let mut spun = hash::<Sha1>(&[&SALT, &password_bytes(password)]);
    for round in 0_u32..50_000 {
        spun = hash::<Sha1>(&[&round.to_le_bytes(), &spun]);
    }
    let last = hash::<Sha1>(&[&spun, &[0; 4]]);
    let mut block = [0x36_u8; 64];
    block.iter_mut().zip(&last).for_each(|(byte, hash)| *byte ^= hash);
    let cipher = Aes128::new_from_slice(&hash::<Sha1>(&[&block])[..16]).unwrap();
    let locked = |bytes: &[u8]| {
        let blocks = pad_to_block(bytes.to_vec());
        let blocks = blocks.chunks(16).flat_map(|chunk| {
            let mut block = Block::try_from(chunk).unwrap();
            cipher.encrypt_block(&mut block);
            block.to_vec()
        });
        blocks.collect::<Vec<u8>>()
    };
    let header: Vec<u8> =
        [0x24_u32, 0, 0x660E, 0x8004, 128, 0x18, 0, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
    let info = [
        vec![4, 0, 2, 0, 0x24, 0, 0, 0],
        u32::try_from(header.len()).unwrap().to_le_bytes().to_vec(),
        header,
        vec![16, 0, 0, 0],
        SALT.to_vec(),
        locked(&VERIFIER),
        vec![20, 0, 0, 0],
        locked(&hash::<Sha1>(&[&VERIFIER])),
    ]
    .concat();
    let package = [(package.len() as u64).to_le_bytes().to_vec(), locked(package)].concat();
    compound(&[("EncryptionInfo", &info), ("EncryptedPackage", &package)])
}

#[test]
fn a_package_with_excels_own_password_opens() {
    let rows: String = (1..=900)
        .map(|row| format!(r#"<row r="{row}"><c r="A{row}" t="str"><v>WO-{}</v></c></row>"#, row * 7919))
        .collect();
    let package = xlsx(&rows, &Parts::default());
    let locks = [
        ("agile", encrypt_agile as fn(&[u8], &str) -> Vec<u8>),
        ("agile of 2010", encrypt_agile_of_2010),
        ("standard", encrypt_standard),
    ];
    for (name, lock) in locks {
        let file = lock(&package, DEFAULT_PASSWORD);
        let opened = open(file.clone(), "a.xlsx").unwrap();
        assert_eq!(opened.kind(), FileKind::Xlsx, "{name}");
        let sheet = read(file.clone(), "a.xlsx").unwrap();
        assert_eq!(
            (sheet.rows.len(), cell_at(&sheet, "A900").shown().into_owned()),
            (900, format!("WO-{}", 900 * 7919)),
            "{name}"
        );
        // `file_reader` returns the encrypted file, not the decrypted workbook.
        let mut bytes = Vec::new();
        opened.file_reader().read_to_end(&mut bytes).unwrap();
        assert!(bytes == file, "{name}");
        assert!(matches!(open(lock(&package, "secret"), "a.xlsx"), Err(SheetError::Protected)), "{name}");
    }
}

#[test]
fn a_package_with_more_rounds_than_any_program_writes_stays_locked() {
    let package = xlsx(r#"<row r="1"><c r="A1"><v>1</v></c></row>"#, &Parts::default());
    let file = encrypt_agile_with::<Sha512>(&package, DEFAULT_PASSWORD, "SHA512", 32, u32::MAX);
    assert!(matches!(open(file, "a.xlsx"), Err(SheetError::Protected)));
}
