//! Collections of values.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, Hash};
use std::ops::Range;

use super::{LoadError, Reader, Stored, Writer};

/// Stores a collection as its length and its elements.
macro_rules! sequence {
    ($($type:ty $(, $bound:ident)?);* $(;)?) => {$(
        impl<T: Stored $(+ $bound)?> Stored for $type {
            fn store(&self, out: &mut Writer) {
                out.number(self.len());
                self.iter().for_each(|element| element.store(out));
            }

            fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
                let length = input.length()?;
                (0..length).map(|_| T::fetch(input)).collect()
            }
        }
    )*};
}

sequence! {
    Vec<T>;
    Box<[T]>;
    VecDeque<T>;
    BTreeSet<T>, Ord;
}

/// Stores the elements in their internal order, which alone decides the order of removal.
impl<T: Stored + Ord> Stored for BinaryHeap<T> {
    fn store(&self, out: &mut Writer) {
        out.number(self.len());
        self.iter().for_each(|element| element.store(out));
    }

    fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        Vec::fetch(input).map(Self::from)
    }
}

impl<K: Stored + Ord, V: Stored> Stored for BTreeMap<K, V> {
    fn store(&self, out: &mut Writer) {
        out.number(self.len());
        for (key, value) in self {
            key.store(out);
            value.store(out);
        }
    }

    fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        input.entries()
    }
}

impl<K: Stored + Ord + Hash, V: Stored, S: BuildHasher + Default> Stored for HashMap<K, V, S> {
    fn store(&self, out: &mut Writer) {
        out.sorted(self.iter());
    }

    fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        input.entries()
    }
}

impl<T: Stored + Ord + Hash, S: BuildHasher + Default> Stored for HashSet<T, S> {
    fn store(&self, out: &mut Writer) {
        let mut elements: Vec<&T> = self.iter().collect();
        elements.sort_unstable();
        out.number(elements.len());
        elements.into_iter().for_each(|element| element.store(out));
    }

    fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        let length = input.length()?;
        (0..length).map(|_| T::fetch(input)).collect()
    }
}

impl<T: Stored, const N: usize> Stored for [T; N] {
    fn store(&self, out: &mut Writer) {
        self.iter().for_each(|element| element.store(out));
    }

    fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        let elements: Vec<T> = (0..N).map(|_| T::fetch(input)).collect::<Result<_, _>>()?;
        let array = Self::try_from(elements);
        Ok(array.unwrap_or_else(|_| unreachable!("as many as were fetched")))
    }
}

impl<T: Stored> Stored for Option<T> {
    fn store(&self, out: &mut Writer) {
        self.is_some().store(out);
        if let Some(value) = self {
            value.store(out);
        }
    }

    fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        bool::fetch(input)?.then(|| T::fetch(input)).transpose()
    }
}

impl<T: Stored> Stored for Box<T> {
    fn store(&self, out: &mut Writer) {
        (**self).store(out);
    }

    fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        T::fetch(input).map(Self::new)
    }
}

impl<T: Stored> Stored for Reverse<T> {
    fn store(&self, out: &mut Writer) {
        self.0.store(out);
    }

    fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        T::fetch(input).map(Self)
    }
}

impl<T: Stored> Stored for Range<T> {
    fn store(&self, out: &mut Writer) {
        self.start.store(out);
        self.end.store(out);
    }

    fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        Ok(T::fetch(input)?..T::fetch(input)?)
    }
}

impl Stored for Cow<'static, str> {
    fn store(&self, out: &mut Writer) {
        out.number(self.len());
        out.bytes(self.as_bytes());
    }

    fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        String::fetch(input).map(Self::Owned)
    }
}

impl Stored for String {
    fn store(&self, out: &mut Writer) {
        out.number(self.len());
        out.bytes(self.as_bytes());
    }

    fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        let length = input.length()?;
        let text = Self::from_utf8(input.bytes(length)?.to_vec());
        text.map_err(|_| LoadError::new("a text is not of UTF-8"))
    }
}

macro_rules! tuple {
    ($($name:ident)*) => {
        impl<$($name: Stored),*> Stored for ($($name,)*) {
            #[allow(non_snake_case)]
            fn store(&self, out: &mut Writer) {
                let ($($name,)*) = self;
                $($name.store(out);)*
            }

            fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
                Ok(($($name::fetch(input)?,)*))
            }
        }
    };
}

tuple!(A B);
tuple!(A B C);
