//! Parts hold handles that have nothing to show: they are debugged by their name.

macro_rules! opaque {
    ($part:ident) => {
        impl std::fmt::Debug for $part {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.debug_struct(stringify!($part)).finish_non_exhaustive()
            }
        }
    };
}
