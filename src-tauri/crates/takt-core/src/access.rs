//! Reads which accounts may open a folder or change a file on Windows, from the text of a security descriptor (SDDL).
//!
//! Unix doesn't need it: Takt creates its folders for one account there, and a file's mode shows who may write to it.

/// Accounts that may open everything anyway, by SDDL's short names: the system, administrators, and the creator or
/// owner of a file.
const EXEMPT_ACCOUNTS: [&str; 6] = ["SY", "BA", "LA", "CO", "OW", "S-1-5-18"];
/// The administrators' security identifier, which SDDL may contain instead of `BA`.
const ADMINISTRATORS: &str = "S-1-5-32-544";
/// Types of access control entries that grant rights: plain, for an object, conditional, or both.
const GRANTING_ENTRY_TYPES: [&str; 4] = ["A", "OA", "XA", "ZA"];

/// Groups that every account of a computer belongs to, by SDDL's short names.
const PUBLIC_GROUPS: [&str; 6] = ["WD", "AU", "BU", "IU", "BG", "AN"];

/// Bits of an access mask, as `winnt.h` names them.
const FILE_WRITE_DATA: u32 = 0x2;
const FILE_APPEND_DATA: u32 = 0x4;
const FILE_DELETE_CHILD: u32 = 0x40;
const DELETE: u32 = 0x1_0000;
const WRITE_DAC: u32 = 0x4_0000;
const WRITE_OWNER: u32 = 0x8_0000;
const GENERIC_ALL: u32 = 0x1000_0000;
const GENERIC_WRITE: u32 = 0x4000_0000;

/// Rights as SDDL's short names and as bits. For files, `DC`, `LC` and `DT` mean to write, to append and to delete
/// children.
pub(crate) struct Rights {
    names: &'static [&'static str],
    bits: u32,
}

/// The rights to write, append to or delete a file, or to change its rights.
pub(crate) const CHANGE_FILE: Rights = Rights {
    names: &["FA", "FW", "GA", "GW", "DC", "LC", "SD", "WD", "WO"],
    bits: FILE_WRITE_DATA | FILE_APPEND_DATA | DELETE | WRITE_DAC | WRITE_OWNER | GENERIC_ALL | GENERIC_WRITE,
};
/// The rights to delete other accounts' files in a folder, or to change its rights. The right to add files isn't
/// included, since every account has it in `ProgramData`.
pub(crate) const REPLACE_IN_FOLDER: Rights =
    Rights { names: &["FA", "GA", "DT", "WD", "WO"], bits: FILE_DELETE_CHILD | WRITE_DAC | WRITE_OWNER | GENERIC_ALL };

impl Rights {
    /// Returns true if an entry's rights, as short names or a number, contain any of these.
    fn has_any_of(&self, rights: &str) -> bool {
        let bits = rights.strip_prefix("0x").and_then(|digits| u32::from_str_radix(digits, 16).ok());
        bits.map_or_else(|| has_name(rights, self.names), |bits| bits & self.bits != 0)
    }
}

/// An access control entry that grants rights.
struct Grant<'a> {
    /// With `IO`, the entry applies to a folder's content, not to the folder.
    flags: &'a str,
    rights: &'a str,
    account: &'a str,
}

/// Returns the entries that grant rights, or `None` if the descriptor has no access control list, which grants everyone
/// everything.
fn parse_grants(descriptor: &str) -> Option<Vec<Grant<'_>>> {
    let (_, list) = descriptor.split_once("D:")?;
    // The list of audited accesses (`S:`) follows the list of rights.
    let list = list.split_once("S:(").map_or(list, |(list, _)| list);
    if list.starts_with("NO_ACCESS_CONTROL") {
        return None;
    }
    let entries = list.split('(').skip(1).filter_map(|entry| {
        let mut parts = entry.trim_end_matches(')').split(';');
        let allows = parts.next().is_some_and(|kind| GRANTING_ENTRY_TYPES.contains(&kind));
        let (flags, rights) = (parts.next()?, parts.next()?);
        let account = parts.nth(2)?.trim_end_matches(')');
        allows.then_some(Grant { flags, rights, account })
    });
    Some(entries.collect())
}

/// Returns true if the names, of two letters each, contain a wanted one.
fn has_name(names: &str, wanted: &[&str]) -> bool {
    names.as_bytes().chunks(2).any(|name| wanted.iter().any(|other| other.as_bytes() == name))
}

/// Returns a group that every account belongs to and that has one of these rights.
pub(crate) fn find_public_group(rights: &Rights, descriptor: &str) -> Option<String> {
    let Some(entries) = parse_grants(descriptor) else { return Some("WD".to_owned()) };
    let open = entries.into_iter().find(|entry| {
        PUBLIC_GROUPS.contains(&entry.account) && rights.has_any_of(entry.rights) && !has_name(entry.flags, &["IO"])
    });
    open.map(|entry| entry.account.to_owned())
}

/// Returns the accounts with access, without duplicates. `own_account` and accounts that may open everything are left
/// out. Returns everyone (`WD`) if the descriptor has no list, because Windows then grants everyone access.
pub(crate) fn list_accounts_with_access(descriptor: &str, own_account: &str) -> Vec<String> {
    let Some(entries) = parse_grants(descriptor) else { return vec!["WD".to_owned()] };
    let mut accounts: Vec<String> = Vec::new();
    for Grant { account, .. } in entries {
        let known = account == own_account || account == ADMINISTRATORS || EXEMPT_ACCOUNTS.contains(&account);
        if !known && !accounts.iter().any(|other| other == account) {
            accounts.push(account.to_owned());
        }
    }
    accounts
}

/// Returns the descriptor of a file or folder.
///
/// # Errors
///
/// Windows' error if there is no descriptor, for example on a share without access control lists.
#[cfg(windows)]
pub(crate) fn read_descriptor(path: &std::path::Path) -> std::io::Result<String> {
    use windows_permissions::{
        constants::{SeObjectType, SecurityInformation},
        wrappers::{ConvertSecurityDescriptorToStringSecurityDescriptor, GetNamedSecurityInfo},
    };
    let list = SecurityInformation::Dacl;
    let descriptor = GetNamedSecurityInfo(path.as_os_str(), SeObjectType::SE_FILE_OBJECT, list)?;
    let text = ConvertSecurityDescriptorToStringSecurityDescriptor(&descriptor, list)?;
    Ok(text.to_string_lossy().into_owned())
}

/// Returns the security identifier of the account under which Takt runs.
///
/// # Errors
///
/// Windows' error if the account is unknown.
#[cfg(windows)]
pub(crate) fn current_account() -> std::io::Result<String> {
    Ok(windows_permissions::utilities::current_process_sid()?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANNA: &str = "S-1-5-21-1004336348-1177238915-682003330-1001";

    #[test]
    fn a_profile_lets_in_its_person_the_system_and_administrators() {
        let profile =
            format!("O:BAG:{ANNA}D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;{ANNA})(A;OICIIO;FA;;;CO)");
        assert_eq!(list_accounts_with_access(&profile, ANNA), [""; 0]);
    }

    #[test]
    fn a_folder_of_a_shared_disk_lets_in_others_and_says_whom() {
        let shared = "O:BAG:SYD:AI(A;ID;FA;;;BA)(A;OICIIOID;GA;;;BA)(A;OICIID;0x1200a9;;;BU)(A;ID;0x1301bf;;;AU)(A;OICIIOID;SDGXGWGR;;;AU)";
        assert_eq!(list_accounts_with_access(shared, ANNA), ["BU", "AU"]);
        let colleague = format!("D:(A;OICI;FA;;;{ANNA})(A;OICI;FR;;;S-1-5-21-1004336348-1177238915-682003330-1002)");
        assert_eq!(list_accounts_with_access(&colleague, ANNA), ["S-1-5-21-1004336348-1177238915-682003330-1002"]);
    }

    #[test]
    fn who_may_write_is_told_from_who_may_read() {
        let machine = "O:BAG:SYD:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)(A;ID;0x1200a9;;;BU)";
        assert_eq!(find_public_group(&CHANGE_FILE, machine), None);
        for (rights, group) in [("0x1301bf", "AU"), ("FA", "WD"), ("FRFW", "BU"), ("CCDCLC", "IU"), ("WD", "BU")] {
            let open = format!("D:AI(A;ID;FA;;;SY)(A;;{rights};;;{group})");
            assert_eq!(find_public_group(&CHANGE_FILE, &open).as_deref(), Some(group), "{open}");
        }
        for closed in ["D:(A;;FR;;;WD)", "D:(A;;CCSWLO;;;WD)", "D:(D;;FA;;;WD)", "D:(A;OICIIO;FA;;;BU)"] {
            assert_eq!(find_public_group(&CHANGE_FILE, closed), None, "{closed}");
        }
        assert_eq!(find_public_group(&CHANGE_FILE, "O:BAG:SY").as_deref(), Some("WD"));
        assert_eq!(find_public_group(&CHANGE_FILE, &format!("D:(A;;FA;;;{ANNA})")), None);
    }

    #[test]
    fn a_folder_that_takes_new_files_keeps_those_that_are_there() {
        let usual = "D:AI(A;OICIID;FA;;;SY)(A;OICIIOID;GA;;;CO)(A;OICIID;0x1200a9;;;BU)(A;CIID;DCLCRPCR;;;BU)";
        assert_eq!(find_public_group(&REPLACE_IN_FOLDER, usual), None);
        assert_eq!(find_public_group(&REPLACE_IN_FOLDER, "D:AI(A;OICIID;0x1301ff;;;WD)").as_deref(), Some("WD"));
        assert_eq!(find_public_group(&REPLACE_IN_FOLDER, "D:AI(A;CI;DCDT;;;AU)").as_deref(), Some("AU"));
    }

    #[test]
    fn who_is_kept_out_isnt_let_in_and_no_list_lets_in_everyone() {
        assert_eq!(list_accounts_with_access("D:(D;OICI;FA;;;WD)(A;OICI;FA;;;SY)S:(AU;SAFA;FA;;;WD)", ANNA), [""; 0]);
        assert_eq!(list_accounts_with_access("D:(XA;;FR;;;WD;(@User.clearance >= 3))", ANNA), ["WD"]);
        for open in ["O:BAG:SY", "D:NO_ACCESS_CONTROL"] {
            assert_eq!(list_accounts_with_access(open, ANNA), ["WD"], "{open}");
        }
    }
}
