//! Removes the traces of the writing machine from a workbook's zip archive.

const ENTRY: &[u8] = b"PK\x01\x02";
const ENTRY_BYTES: usize = 46;
const END_BYTES: usize = 22;
/// The offset of the second byte of "made by", which is the system, and the value for Unix.
const SYSTEM: (usize, u8) = (5, 3);
/// The offset of the attributes, and the value for a plain file that its owner may read and write.
const ATTRIBUTES: (usize, u32) = (38, 0o100_600 << 16);

/// Sets the same origin in every entry of the directory at the end of the archive.
pub(super) fn normalized(mut bytes: Vec<u8>) -> Vec<u8> {
    let Some(end) = bytes.len().checked_sub(END_BYTES) else { return bytes };
    let mut at = read_u32(&bytes, end + 16) as usize;
    while bytes.get(at..at + ENTRY.len()) == Some(ENTRY) && at + ENTRY_BYTES <= bytes.len() {
        bytes[at + SYSTEM.0] = SYSTEM.1;
        bytes[at + ATTRIBUTES.0..at + ATTRIBUTES.0 + 4].copy_from_slice(&ATTRIBUTES.1.to_le_bytes());
        at += ENTRY_BYTES + read_u16(&bytes, at + 28) + read_u16(&bytes, at + 30) + read_u16(&bytes, at + 32);
    }
    bytes
}

fn read_u16(bytes: &[u8], at: usize) -> usize {
    bytes.get(at..at + 2).map_or(0, |two| usize::from(u16::from_le_bytes([two[0], two[1]])))
}

fn read_u32(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}
