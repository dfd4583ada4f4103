//! Who may open a folder, as Windows says it: a security descriptor's text (SDDL), read for what others than its person may do.
//!
//! Owns the reading alone. Unix needs none of it: there Takt's folders are made for their person alone.

/// Accounts that may open everything anyway, by SDDL's short names: the system, administrators, and who makes or owns a file.
const USUAL: [&str; 6] = ["SY", "BA", "LA", "CO", "OW", "S-1-5-18"];
/// Administrators by their number.
const ADMINISTRATORS: &str = "S-1-5-32-544";
/// What an access control entry may be that lets somebody in: plain, for an object, or under a condition.
const ALLOWING: [&str; 4] = ["A", "OA", "XA", "ZA"];

/// The accounts, beside `person` and those that may open everything, that a descriptor lets in. Each once, in its order.
/// Everyone (`WD`) where the descriptor has no list at all, which is how Windows reads that.
#[cfg_attr(not(any(windows, test)), expect(dead_code, reason = "only Windows has such descriptors"))]
pub(crate) fn others_let_in(descriptor: &str, person: &str) -> Vec<String> {
    let Some((_, list)) = descriptor.split_once("D:") else { return vec!["WD".to_owned()] };
    // What follows the list of access is the list of auditing.
    let list = list.split_once("S:(").map_or(list, |(list, _)| list);
    if list.starts_with("NO_ACCESS_CONTROL") {
        return vec!["WD".to_owned()];
    }
    let mut others: Vec<String> = Vec::new();
    for entry in list.split('(').skip(1) {
        let mut parts = entry.trim_end_matches(')').split(';');
        let allows = parts.next().is_some_and(|kind| ALLOWING.contains(&kind));
        let Some(account) = parts.nth(4).map(|account| account.trim_end_matches(')')) else { continue };
        let known = account == person || account == ADMINISTRATORS || USUAL.contains(&account);
        if allows && !known && !others.iter().any(|other| other == account) {
            others.push(account.to_owned());
        }
    }
    others
}

/// A folder's descriptor, and the number of the account under which Takt runs.
///
/// # Errors
///
/// What Windows says where it doesn't tell them, for example on a share that keeps no such lists.
#[cfg(windows)]
pub(crate) fn descriptor_and_person(folder: &std::path::Path) -> std::io::Result<(String, String)> {
    use windows_permissions::{
        constants::{SeObjectType, SecurityInformation},
        utilities::current_process_sid,
        wrappers::{ConvertSecurityDescriptorToStringSecurityDescriptor, GetNamedSecurityInfo},
    };
    let list = SecurityInformation::Dacl;
    let descriptor = GetNamedSecurityInfo(folder.as_os_str(), SeObjectType::SE_FILE_OBJECT, list)?;
    let text = ConvertSecurityDescriptorToStringSecurityDescriptor(&descriptor, list)?;
    Ok((text.to_string_lossy().into_owned(), current_process_sid()?.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANNA: &str = "S-1-5-21-1004336348-1177238915-682003330-1001";

    #[test]
    fn a_profile_lets_in_its_person_the_system_and_administrators() {
        let profile =
            format!("O:BAG:{ANNA}D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;{ANNA})(A;OICIIO;FA;;;CO)");
        assert_eq!(others_let_in(&profile, ANNA), [""; 0]);
    }

    #[test]
    fn a_folder_of_a_shared_disk_lets_in_others_and_says_whom() {
        let shared = "O:BAG:SYD:AI(A;ID;FA;;;BA)(A;OICIIOID;GA;;;BA)(A;OICIID;0x1200a9;;;BU)(A;ID;0x1301bf;;;AU)(A;OICIIOID;SDGXGWGR;;;AU)";
        assert_eq!(others_let_in(shared, ANNA), ["BU", "AU"]);
        let colleague = format!("D:(A;OICI;FA;;;{ANNA})(A;OICI;FR;;;S-1-5-21-1004336348-1177238915-682003330-1002)");
        assert_eq!(others_let_in(&colleague, ANNA), ["S-1-5-21-1004336348-1177238915-682003330-1002"]);
    }

    #[test]
    fn who_is_kept_out_isnt_let_in_and_no_list_lets_in_everyone() {
        assert_eq!(others_let_in("D:(D;OICI;FA;;;WD)(A;OICI;FA;;;SY)S:(AU;SAFA;FA;;;WD)", ANNA), [""; 0]);
        assert_eq!(others_let_in("D:(XA;;FR;;;WD;(@User.clearance >= 3))", ANNA), ["WD"]);
        for open in ["O:BAG:SY", "D:NO_ACCESS_CONTROL"] {
            assert_eq!(others_let_in(open, ANNA), ["WD"], "{open}");
        }
    }
}
