//! Which connections to the receiver are open, and which one makes room for a new one.
//!
//! Owns the bounds on their number: in all, and per sender. Where there are too many, one ends that has nothing complete to
//! say yet: first those on which nothing ever was, the longest silent first. So nobody who only holds connections open keeps
//! out an event, wherever that comes from. A request that is complete is never ended by this.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv6Addr},
    sync::Arc,
};

use parking_lot::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

/// How many may be open at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConnectionLimits {
    pub(super) in_all: usize,
    /// From one address; senders behind one proxy share it.
    pub(super) per_peer: usize,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self { in_all: 512, per_peer: 128 }
    }
}

/// Every connection that is open. Clones are the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Connections {
    most: ConnectionLimits,
    table: Arc<Mutex<ConnectionTable>>,
}

#[derive(Debug, Default)]
struct ConnectionTable {
    next: u64,
    open: BTreeMap<u64, OpenConnection>,
}

#[derive(Debug)]
struct OpenConnection {
    peer: IpAddr,
    /// Nothing complete was said since then (moments are numbered); absent while a complete request is answered.
    waiting: Option<u64>,
    /// A request was answered on it.
    served: bool,
    ended: CancellationToken,
}

/// A place among them; given back when it is dropped.
#[derive(Debug)]
pub(super) struct ConnectionSlot {
    number: u64,
    table: Arc<Mutex<ConnectionTable>>,
    ended: CancellationToken,
}

impl Connections {
    #[cfg(test)]
    fn with(most: ConnectionLimits) -> Self {
        Self { most, ..Self::default() }
    }

    /// A place for a new connection, perhaps that of another one which ends by this. None where every connection has a complete
    /// request on it.
    pub(super) fn admit(&self, peer: IpAddr) -> Option<ConnectionSlot> {
        let peer = network(peer);
        let mut table = locked(&self.table);
        let of_peer = |open: &&OpenConnection| open.peer == peer;
        if table.open.values().filter(of_peer).count() >= self.most.per_peer && !table.end_one(Some(peer)) {
            return None;
        }
        if table.open.len() >= self.most.in_all && !table.end_one(None) {
            return None;
        }
        let (number, ended) = (table.moment(), CancellationToken::new());
        table.open.insert(number, OpenConnection { peer, waiting: Some(number), served: false, ended: ended.clone() });
        Some(ConnectionSlot { number, table: Arc::clone(&self.table), ended })
    }
}

impl ConnectionTable {
    fn moment(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Ends the connection that is missed least; of one peer, where one is given. False where none may end.
    fn end_one(&mut self, peer: Option<IpAddr>) -> bool {
        let of_peer = |open: &OpenConnection| peer.is_none_or(|peer| open.peer == peer);
        let waiting = self.open.iter().filter(|(_, open)| of_peer(open));
        let least = waiting.filter_map(|(number, open)| Some((open.served, open.waiting?, *number))).min();
        let ended = least.and_then(|(_, _, number)| self.open.remove(&number));
        ended.iter().for_each(|open| open.ended.cancel());
        ended.is_some()
    }
}

impl ConnectionSlot {
    /// A request is complete: from now on the connection isn't ended for another one, until [`ConnectionSlot::is_answered`].
    pub(super) fn is_complete(&self) {
        if let Some(open) = locked(&self.table).open.get_mut(&self.number) {
            open.waiting = None;
        }
    }

    /// Whatever comes next has to be complete before it counts.
    pub(super) fn is_answered(&self) {
        let mut table = locked(&self.table);
        let moment = table.moment();
        if let Some(open) = table.open.get_mut(&self.number) {
            (open.waiting, open.served) = (Some(moment), true);
        }
    }

    /// Returns once the place was given to another one.
    pub(super) async fn taken(&self) {
        self.ended.cancelled().await;
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        locked(&self.table).open.remove(&self.number);
    }
}

fn locked(table: &Mutex<ConnectionTable>) -> MutexGuard<'_, ConnectionTable> {
    table.lock()
}

/// Who counts as one sender: of IPv6 a whole network, because each sender has as many addresses as it likes.
fn network(peer: IpAddr) -> IpAddr {
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

    fn ended(place: &ConnectionSlot) -> bool {
        place.ended.is_cancelled()
    }

    #[test]
    fn the_longest_silent_makes_room_and_who_said_something_stays() {
        let connections = Connections::with(ConnectionLimits { in_all: 4, per_peer: 3 });
        let served = connections.admit(peer(1)).unwrap_or_else(|| panic!("the first"));
        served.is_complete();
        let silent: Vec<_> = (0..2).filter_map(|_| connections.admit(peer(1))).collect();
        served.is_answered();
        let other = connections.admit(peer(2));
        let next = connections.admit(peer(1));
        assert!(next.is_some() && ended(&silent[0]) && !ended(&silent[1]) && !ended(&served));
        let third = connections.admit(peer(3));
        assert!(third.is_some() && ended(&silent[1]), "the oldest of all that never said anything");
        drop((next, other, third));
        let busy = || connections.admit(peer(1)).inspect(ConnectionSlot::is_complete);
        let rest: Vec<_> = (0..3).filter_map(|_| busy()).collect();
        assert!(rest.len() == 3 && ended(&served), "in the end also one that was served");
        assert!(connections.admit(peer(1)).is_none(), "each has a request on it");
        assert!(connections.admit(peer(2)).is_some(), "others aren't kept out by that");
    }

    #[test]
    fn a_network_is_one_sender() {
        let of = |text: &str| network(text.parse().unwrap_or_else(|error| panic!("{error}")));
        assert_eq!(of("2001:db8:1:2::5"), of("2001:db8:1:2:ffff::1"));
        assert_ne!(of("2001:db8:1:2::5"), of("2001:db8:1:3::5"));
        assert_eq!(of("::ffff:10.0.0.1"), peer(1));
    }
}
