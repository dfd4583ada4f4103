//! Values for the placeholders of a statement: an array, `params!`, or the items of an iterator.

use rusqlite::ToSql;

/// Values in the order of their placeholders.
pub(crate) trait Parameters {
    /// Passes the values as one list.
    fn with<R>(self, use_values: impl FnOnce(&[&dyn ToSql]) -> R) -> R;
}

impl Parameters for &[&dyn ToSql] {
    fn with<R>(self, use_values: impl FnOnce(&[&dyn ToSql]) -> R) -> R {
        use_values(self)
    }
}

/// No values. The type of `[]` can't be inferred from its elements, so it has an implementation.
impl Parameters for [&(dyn ToSql + Send + Sync); 0] {
    fn with<R>(self, use_values: impl FnOnce(&[&dyn ToSql]) -> R) -> R {
        use_values(&[])
    }
}

macro_rules! array_parameters {
    ($($length:literal)+) => {$(
        impl<T: ToSql> Parameters for [T; $length] {
            fn with<R>(self, use_values: impl FnOnce(&[&dyn ToSql]) -> R) -> R {
                use_values(&self.each_ref().map(|value| value as &dyn ToSql))
            }
        }
    )+};
}
array_parameters!(1 2 3 4);

impl<const LENGTH: usize> Parameters for &[&dyn ToSql; LENGTH] {
    fn with<R>(self, use_values: impl FnOnce(&[&dyn ToSql]) -> R) -> R {
        use_values(self)
    }
}

/// The items of an iterator.
pub(crate) struct CollectedValues<T>(Vec<T>);

/// Collects the items of an iterator as values.
pub(crate) fn params_from_iter<I: IntoIterator>(values: I) -> CollectedValues<I::Item>
where
    I::Item: ToSql,
{
    CollectedValues(values.into_iter().collect())
}

impl<T: ToSql> Parameters for CollectedValues<T> {
    fn with<R>(self, use_values: impl FnOnce(&[&dyn ToSql]) -> R) -> R {
        let values: Vec<&dyn ToSql> = self.0.iter().map(|value| value as &dyn ToSql).collect();
        use_values(&values)
    }
}

macro_rules! tuple_parameters {
    ($($name:ident)+) => {
        impl<$($name: ToSql),+> Parameters for ($($name,)+) {
            fn with<R>(self, use_values: impl FnOnce(&[&dyn ToSql]) -> R) -> R {
                #[expect(non_snake_case, reason = "named as their types are")]
                let ($($name,)+) = &self;
                use_values(&[$($name as &dyn ToSql),+])
            }
        }
    };
}
tuple_parameters!(A B);
tuple_parameters!(A B C);
tuple_parameters!(A B C D);
tuple_parameters!(A B C D E);
tuple_parameters!(A B C D E F G H);
