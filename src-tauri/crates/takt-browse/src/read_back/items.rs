//! The items to read back.

use serde_json::Value;

/// An item to read back.
#[derive(Debug, Clone, Copy)]
pub struct ReadBackItem<'a> {
    /// The body as it was or would be sent.
    pub body: &'a Value,
}

/// Items to read back, by index. They needn't all be in memory.
pub trait ReadBackItems: Sync {
    fn count(&self) -> usize;

    /// Calls `look` with the body of the item at `position`, if there is one. Mostly called in ascending order.
    fn with(&self, position: usize, look: &mut dyn FnMut(&Value));
}

impl ReadBackItems for &[ReadBackItem<'_>] {
    fn count(&self) -> usize {
        self.len()
    }

    fn with(&self, position: usize, look: &mut dyn FnMut(&Value)) {
        if let Some(item) = self.get(position) {
            look(item.body);
        }
    }
}
