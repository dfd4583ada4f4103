//! Sites kept, chosen, tested and signed in to.
