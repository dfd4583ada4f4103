//! The state of a relay's network: open, frozen or cut, and whether a response is held back.

use std::{
    net::{Shutdown, TcpStream},
    sync::{Condvar, Mutex, MutexGuard},
};

/// A position in a connection's sent bytes: the first `text` after `after`. Both may arrive together.
#[derive(Debug, Clone, Copy)]
pub struct FreezePoint {
    pub after: &'static str,
    pub text: &'static str,
    /// The number of matching positions to skip.
    pub skip: u64,
    /// Whether `text` is still forwarded. The response isn't.
    pub arrives: bool,
}

#[derive(Debug, Default)]
pub(super) struct Network {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    condition: Condition,
    freezes_at: Option<FreezePoint>,
    holds_response_to: Option<&'static str>,
    /// The number of the connection whose response is held back. Absent if there is none.
    held_connection: Option<usize>,
    /// Both sockets of each connection since the last cut.
    sockets: Vec<TcpStream>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Condition {
    #[default]
    Open,
    Frozen,
    Cut,
    Over,
}

impl Network {
    pub(super) fn add(&self, near: &TcpStream, far: &TcpStream) {
        let mut state = self.lock();
        // The relay may have been cut while the connection was opened.
        let ends = matches!(state.condition, Condition::Cut | Condition::Over);
        for socket in [near, far] {
            if ends {
                end(socket);
            } else {
                state.sockets.push(socket.try_clone().expect("a socket has two ends"));
            }
        }
    }

    pub(super) fn cut(&self) {
        self.end_all(Condition::Cut);
    }

    pub(super) fn end(&self) {
        self.end_all(Condition::Over);
    }

    fn end_all(&self, condition: Condition) {
        let mut state = self.lock();
        state.condition = condition;
        state.freezes_at = None;
        state.sockets.drain(..).for_each(|socket| end(&socket));
        drop(state);
        self.changed.notify_all();
    }

    /// Freezes immediately, or at the given position.
    pub(super) fn freeze(&self, at: Option<FreezePoint>) {
        let mut state = self.lock();
        state.freezes_at = at;
        if at.is_none() {
            state.condition = Condition::Frozen;
        }
    }

    pub(super) fn hold_response_to(&self, text: &'static str) {
        self.lock().holds_response_to = Some(text);
    }

    pub(super) fn is_holding_response(&self) -> bool {
        self.lock().held_connection.is_some()
    }

    pub(super) fn release(&self) {
        self.lock().held_connection = None;
        self.changed.notify_all();
    }

    /// Waits until the response on this connection may be forwarded. Also returns if the relay is cut or ends.
    pub(super) fn wait_until_released(&self, connection: usize) {
        let is_held = |state: &mut State| {
            state.held_connection == Some(connection) && !matches!(state.condition, Condition::Cut | Condition::Over)
        };
        drop(self.changed.wait_while(self.lock(), is_held).expect("nobody panics"));
    }

    pub(super) fn heal(&self) {
        self.lock().condition = Condition::Open;
        self.changed.notify_all();
    }

    pub(super) fn is_frozen(&self) -> bool {
        self.lock().condition == Condition::Frozen
    }

    pub(super) fn is_over(&self) -> bool {
        self.lock().condition == Condition::Over
    }

    /// Freezes, or holds back the connection's response, if the last `new` bytes of `sent` match. Returns true if these
    /// bytes must be forwarded despite the freeze.
    pub(super) fn apply_points(&self, sent: &[u8], new: usize, connection: usize) -> bool {
        let mut state = self.lock();
        // A text may arrive in two pieces, so the search also covers the bytes before.
        let new_part = |text: &str| sent.get(sent.len().saturating_sub(new + text.len())..).unwrap_or_default();
        if state.holds_response_to.take_if(|text| contains(new_part(text), text)).is_some() {
            state.held_connection = Some(connection);
        }
        if state.condition != Condition::Open {
            return false;
        }
        let Some(point) = &mut state.freezes_at else { return false };
        if !contains(sent, point.after) || !contains(&sent[sent.len() - new..], point.text) {
            return false;
        }
        if point.skip > 0 {
            point.skip -= 1;
            return false;
        }
        let arrives = point.arrives;
        state.freezes_at = None;
        state.condition = Condition::Frozen;
        arrives
    }

    /// Waits while the relay is frozen. Returns false if it was cut or has ended.
    pub(super) fn wait_until_open(&self) -> bool {
        let frozen = |state: &mut State| state.condition == Condition::Frozen;
        let state = self.changed.wait_while(self.lock(), frozen).expect("nobody panics");
        state.condition == Condition::Open
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics")
    }
}

fn contains(bytes: &[u8], text: &str) -> bool {
    text.is_empty() || bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

fn end(socket: &TcpStream) {
    // Errors are ignored, since the other side may have closed the connection.
    let _ = socket.shutdown(Shutdown::Both);
}
