//! Limits the open connections to the receiver, in total and per sender.
//!
//! If there are too many, [`Connections::admit`] ends one without a complete request: first connections that never had
//! one, and among those the longest idle. So idle connections can't keep out events. A connection with a complete
//! request is never ended here.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv6Addr},
    sync::Arc,
};

use parking_lot::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

/// The maximum numbers of open connections.
#[derive(Debug, Clone, Copy)]
struct ConnectionLimits {
    total: usize,
    /// Connections from one address, which all senders behind a proxy share.
    per_peer: usize,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self { total: 512, per_peer: 128 }
    }
}

/// All open connections. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Connections {
    limits: ConnectionLimits,
    table: Arc<Mutex<ConnectionTable>>,
}

#[derive(Debug, Default)]
struct ConnectionTable {
    last_number: u64,
    open: BTreeMap<u64, OpenConnection>,
}

#[derive(Debug)]
struct OpenConnection {
    peer: IpAddr,
    /// The sequence number since which it is idle. Absent while a complete request is answered.
    idle_since: Option<u64>,
    /// Whether a request on it was answered.
    was_served: bool,
    end_signal: CancellationToken,
}

/// The slot of a connection, freed when it is dropped.
#[derive(Debug)]
pub(crate) struct ConnectionSlot {
    number: u64,
    table: Arc<Mutex<ConnectionTable>>,
    end_signal: CancellationToken,
}

impl Connections {
    #[cfg(test)]
    fn with_limits(limits: ConnectionLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Returns a slot for a new connection, ending an idle one if needed. Returns `None` if every connection has a
    /// complete request.
    pub(crate) fn admit(&self, peer: IpAddr) -> Option<ConnectionSlot> {
        let peer = sender_network(peer);
        let mut table = lock(&self.table);
        let of_peer = |open: &&OpenConnection| open.peer == peer;
        if table.open.values().filter(of_peer).count() >= self.limits.per_peer && !table.end_idle(Some(peer)) {
            return None;
        }
        if table.open.len() >= self.limits.total && !table.end_idle(None) {
            return None;
        }
        let (number, end_signal) = (table.next_number(), CancellationToken::new());
        table.open.insert(
            number,
            OpenConnection { peer, idle_since: Some(number), was_served: false, end_signal: end_signal.clone() },
        );
        Some(ConnectionSlot { number, table: Arc::clone(&self.table), end_signal })
    }
}

impl ConnectionTable {
    fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// Ends the least useful idle connection, of one peer if given. Returns false if there is none.
    fn end_idle(&mut self, peer: Option<IpAddr>) -> bool {
        let of_peer = |open: &OpenConnection| peer.is_none_or(|peer| open.peer == peer);
        let candidates = self.open.iter().filter(|(_, open)| of_peer(open));
        let least = candidates.filter_map(|(number, open)| Some((open.was_served, open.idle_since?, *number))).min();
        let ended = least.and_then(|(_, _, number)| self.open.remove(&number));
        ended.iter().for_each(|open| open.end_signal.cancel());
        ended.is_some()
    }
}

impl ConnectionSlot {
    /// Marks the request as complete. The connection isn't ended for another one until
    /// [`ConnectionSlot::set_answered`].
    pub(crate) fn set_complete(&self) {
        if let Some(open) = lock(&self.table).open.get_mut(&self.number) {
            open.idle_since = None;
        }
    }

    /// Marks the request as answered. The connection is idle until the next request is complete.
    pub(crate) fn set_answered(&self) {
        let mut table = lock(&self.table);
        let number = table.next_number();
        if let Some(open) = table.open.get_mut(&self.number) {
            (open.idle_since, open.was_served) = (Some(number), true);
        }
    }

    /// Returns when the connection is ended in favor of another one.
    pub(crate) async fn wait_until_ended(&self) {
        self.end_signal.cancelled().await;
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        lock(&self.table).open.remove(&self.number);
    }
}

fn lock(table: &Mutex<ConnectionTable>) -> MutexGuard<'_, ConnectionTable> {
    table.lock()
}

/// Returns the address that identifies a sender. For IPv6 it is the /64 network, because a sender has many addresses.
fn sender_network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) => {
            let [one, two, three, four, ..] = address.segments();
            Ipv6Addr::new(one, two, three, four, 0, 0, 0, 0).into()
        }
        peer @ IpAddr::V4(_) => peer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    fn has_ended(slot: &ConnectionSlot) -> bool {
        slot.end_signal.is_cancelled()
    }

    #[test]
    fn the_longest_silent_makes_room_and_who_said_something_stays() {
        let connections = Connections::with_limits(ConnectionLimits { total: 4, per_peer: 3 });
        let served = connections.admit(peer(1)).unwrap_or_else(|| panic!("the first"));
        served.set_complete();
        let silent: Vec<_> = (0..2).filter_map(|_| connections.admit(peer(1))).collect();
        served.set_answered();
        let other = connections.admit(peer(2));
        let next = connections.admit(peer(1));
        assert!(next.is_some() && has_ended(&silent[0]) && !has_ended(&silent[1]) && !has_ended(&served));
        let third = connections.admit(peer(3));
        assert!(third.is_some() && has_ended(&silent[1]), "the oldest of all that never said anything");
        drop((next, other, third));
        let busy = || connections.admit(peer(1)).inspect(ConnectionSlot::set_complete);
        let rest: Vec<_> = (0..3).filter_map(|_| busy()).collect();
        assert!(rest.len() == 3 && has_ended(&served), "in the end also one that was served");
        assert!(connections.admit(peer(1)).is_none(), "each has a request on it");
        assert!(connections.admit(peer(2)).is_some(), "others aren't kept out by that");
    }

    #[test]
    fn a_network_is_one_sender() {
        let of = |text: &str| sender_network(text.parse().unwrap_or_else(|error| panic!("{error}")));
        assert_eq!(of("2001:db8:1:2::5"), of("2001:db8:1:2:ffff::1"));
        assert_ne!(of("2001:db8:1:2::5"), of("2001:db8:1:3::5"));
        assert_eq!(of("::ffff:10.0.0.1"), peer(1));
    }
}
