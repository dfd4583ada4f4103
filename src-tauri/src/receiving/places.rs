//! Where a receiver may listen: this computer alone, one of its network cards, or all of them.

use std::net::{IpAddr, Ipv4Addr};

use serde::{Deserialize, Serialize};
use specta::Type;
use sysinfo::Networks;

/// An address of this computer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub(crate) struct Place {
    #[specta(type = String)]
    pub(crate) address: IpAddr,
    /// The network card's name; absent for this computer alone and for all addresses.
    pub(crate) card: Option<String>,
    /// True where nobody else reaches it.
    pub(crate) own: bool,
}

/// This computer alone, then its cards, then all.
pub(super) fn all() -> Vec<Place> {
    let own = Place { address: Ipv4Addr::LOCALHOST.into(), card: None, own: true };
    let everywhere = Place { address: Ipv4Addr::UNSPECIFIED.into(), card: None, own: false };
    [own].into_iter().chain(cards()).chain([everywhere]).collect()
}

/// The addresses of this computer's network cards that others may reach, in order.
pub(super) fn cards() -> Vec<Place> {
    let Ok(networks) = Networks::new_with_refreshed_list() else { return Vec::new() };
    let addresses = networks.iter().flat_map(|(name, card)| {
        let addresses = card.ip_networks().iter().map(|network| network.addr);
        addresses.filter(|address| reachable(*address)).map(move |address| Place {
            address,
            card: Some(name.to_string_lossy().into_owned()),
            own: false,
        })
    });
    let mut found: Vec<_> = addresses.collect();
    found.sort_by_key(|place| (place.address.is_ipv6(), place.address));
    found
}

/// Of IPv6 those that need no card's name beside them.
fn reachable(address: IpAddr) -> bool {
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
