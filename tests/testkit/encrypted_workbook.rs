//! A password-protected workbook in the container that Excel writes: a Compound File Binary with three kinds of
//! sectors. Random bytes replace the encrypted content.

const SECTOR: usize = 512;
const END_OF_CHAIN: u32 = 0xFFFF_FFFE;
const FREE: u32 = 0xFFFF_FFFF;
const FAT: u32 = 0xFFFF_FFFD;
const NO_ENTRY: u32 = 0xFFFF_FFFF;

/// Returns the workbook's bytes, which are always the same.
#[must_use]
pub fn protected_workbook() -> Vec<u8> {
    let stream = pseudo_random_bytes(16 * SECTOR);
    let sectors = u32::try_from(stream.len() / SECTOR).unwrap_or_default();
    let mut file = header();
    // Sector 0 is the FAT, which links the sectors of each stream.
    let mut fat = vec![FAT, END_OF_CHAIN];
    fat.extend((0..sectors).map(|index| if index + 1 == sectors { END_OF_CHAIN } else { index + 3 }));
    fat.resize(SECTOR / 4, FREE);
    file.extend(fat.iter().flat_map(|number| number.to_le_bytes()));
    // Sector 1 is the directory.
    file.extend(directory_entry("Root Entry", 5, 1, END_OF_CHAIN, 0));
    file.extend(directory_entry("EncryptedPackage", 2, NO_ENTRY, 2, u32::try_from(stream.len()).unwrap_or_default()));
    file.extend(directory_entry("", 0, NO_ENTRY, 0, 0));
    file.extend(directory_entry("", 0, NO_ENTRY, 0, 0));
    file.extend(stream);
    file
}

fn header() -> Vec<u8> {
    let mut header = vec![0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];
    header.resize(24, 0);
    // Version 3 in little endian, with sectors of 512 bytes and small sectors of 64 bytes.
    for number in [0x3E_u16, 3, 0xFFFE, 9, 6] {
        header.extend(number.to_le_bytes());
    }
    header.resize(44, 0);
    // One FAT sector, the directory in sector 1, and no small streams. Streams below 4096 bytes would be small.
    for number in [1_u32, 1, 0, 4096, END_OF_CHAIN, 0, END_OF_CHAIN, 0, 0] {
        header.extend(number.to_le_bytes());
    }
    header.resize(SECTOR, 0xFF);
    header
}

fn directory_entry(name: &str, kind: u8, child: u32, start: u32, size: u32) -> Vec<u8> {
    let mut entry: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let length = if name.is_empty() { 0 } else { u16::try_from(entry.len() + 2).unwrap_or_default() };
    entry.resize(64, 0);
    entry.extend(length.to_le_bytes());
    entry.extend([kind, 1]);
    for number in [NO_ENTRY, NO_ENTRY, child] {
        entry.extend(number.to_le_bytes());
    }
    entry.resize(116, 0);
    entry.extend(start.to_le_bytes());
    entry.extend(size.to_le_bytes());
    entry.resize(128, 0);
    entry
}

/// Returns pseudo-random bytes, which are always the same.
fn pseudo_random_bytes(length: usize) -> Vec<u8> {
    let mut state = 0x2026_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    (0..length).map(|_| next()).collect()
}
