//! Values for the places of a statement, as they are given: an array, `params!`, or whatever an iterator gives.

use rusqlite::ToSql;

/// Values in the order of their places.
pub(crate) trait Parameters {
    /// Hands them over as one list.
    fn with<R>(self, use_values: impl FnOnce(&[&dyn ToSql]) -> R) -> R;
}

impl Parameters for &[&dyn ToSql] {
    fn with<R>(self, use_values: impl FnOnce(&[&dyn ToSql]) -> R) -> R {
        use_values(self)
    }
}

/// No values: the type of `[]` can't be told from its elements, so it has one of its own.
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

/// What an iterator gave.
pub(crate) struct Given<T>(Vec<T>);

/// The values that an iterator gives.
pub(crate) fn params_from_iter<I: IntoIterator>(values: I) -> Given<I::Item>
where
    I::Item: ToSql,
{
    Given(values.into_iter().collect())
}

impl<T: ToSql> Parameters for Given<T> {
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
