//! The zip around a workbook, without what it says of the machine that wrote it.

const ENTRY: &[u8] = b"PK\x01\x02";
const ENTRY_BYTES: usize = 46;
const END_BYTES: usize = 22;
/// "Made by", second byte: the kind of system; 3 is Unix.
const SYSTEM: (usize, u8) = (5, 3);
/// A plain file that its owner may read and write.
const ATTRIBUTES: (usize, u32) = (38, 0o100_600 << 16);

/// Walks the directory at the end of the archive and makes every entry say the same about its origin.
pub(super) fn evened_out(mut bytes: Vec<u8>) -> Vec<u8> {
    let Some(end) = bytes.len().checked_sub(END_BYTES) else { return bytes };
    let mut at = four(&bytes, end + 16) as usize;
    while bytes.get(at..at + ENTRY.len()) == Some(ENTRY) && at + ENTRY_BYTES <= bytes.len() {
        bytes[at + SYSTEM.0] = SYSTEM.1;
        bytes[at + ATTRIBUTES.0..at + ATTRIBUTES.0 + 4].copy_from_slice(&ATTRIBUTES.1.to_le_bytes());
        at += ENTRY_BYTES + two(&bytes, at + 28) + two(&bytes, at + 30) + two(&bytes, at + 32);
    }
    bytes
}

fn two(bytes: &[u8], at: usize) -> usize {
    bytes.get(at..at + 2).map_or(0, |two| usize::from(u16::from_le_bytes([two[0], two[1]])))
}

fn four(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}
