//! The addresses on which a receiver can listen: this computer only, one network card, or all addresses.

use std::net::{IpAddr, Ipv4Addr};

use serde::{Deserialize, Serialize};
use specta::Type;
use sysinfo::Networks;

/// An address of this computer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub(crate) struct Place {
    #[specta(type = String)]
    pub(crate) address: IpAddr,
    /// The network card's name, absent for this computer only and for all addresses.
    pub(crate) card: Option<String>,
    /// True if only this computer reaches the address.
    pub(crate) own: bool,
}

/// Lists the addresses: this computer only, then its cards, then all addresses.
pub(super) fn all() -> Vec<Place> {
    let own = Place { address: Ipv4Addr::LOCALHOST.into(), card: None, own: true };
    let all_addresses = Place { address: Ipv4Addr::UNSPECIFIED.into(), card: None, own: false };
    [own].into_iter().chain(cards()).chain([all_addresses]).collect()
}

/// Lists the addresses of network cards that other computers may reach, sorted.
fn cards() -> Vec<Place> {
    let Ok(networks) = Networks::new_with_refreshed_list() else { return Vec::new() };
    let addresses = networks.iter().flat_map(|(name, card)| {
        let addresses = card.ip_networks().iter().map(|network| network.addr);
        addresses.filter(|address| is_reachable(*address)).map(move |address| Place {
            address,
            card: Some(name.to_string_lossy().into_owned()),
            own: false,
        })
    });
    let mut found: Vec<_> = addresses.collect();
    found.sort_by_key(|place| (place.address.is_ipv6(), place.address));
    found
}

/// Returns whether other computers may reach the address. Loopback and link-local addresses are excluded.
fn is_reachable(address: IpAddr) -> bool {
    !address.is_loopback()
        && match address {
            IpAddr::V4(address) => !address.is_link_local(),
            IpAddr::V6(address) => !address.is_unicast_link_local(),
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_computer_alone_comes_first_and_everywhere_last() {
        let places = all();
        assert!(places[0].own && places[0].address.is_loopback());
        assert!(places.last().is_some_and(|place| place.address.is_unspecified() && !place.own));
        assert!(places[1..places.len() - 1].iter().all(|place| place.card.is_some() && !place.own));
    }
}
