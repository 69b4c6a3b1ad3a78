//! A queue of plain values that are copied once in and once out.

use std::collections::VecDeque;

/// First in, first out. Values are stored one behind the other and copied straight from and to where
/// the caller has them, which for packets is several times faster than moving them over the stack. A
/// queue that runs empty begins again in the memory that it used last.
#[derive(Clone, Debug)]
pub struct Fifo<T> {
    items: VecDeque<T>,
}

impl<T> Default for Fifo<T> {
    fn default() -> Self {
        Self {
            items: VecDeque::new(),
        }
    }
}

impl<T: Copy> Fifo<T> {
    /// Adds `item` at the end and returns its copy there.
    ///
    /// # Panics
    /// Never.
    #[inline]
    pub fn push(&mut self, item: &T) -> &mut T {
        self.items.extend(std::slice::from_ref(item));
        self.items.back_mut().expect("just pushed")
    }

    /// The first item.
    #[inline]
    #[must_use]
    pub fn front(&self) -> Option<&T> {
        self.items.front()
    }

    /// Removes the first item, if there is one.
    #[inline]
    pub fn pop(&mut self) {
        if self.items.len() <= 1 {
            self.items.clear();
        } else {
            self.items.pop_front();
        }
    }

    /// The items, first to last.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.items.iter()
    }

    /// Items in the queue.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether the queue is empty.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn behaves_like_a_queue(steps in proptest::collection::vec(proptest::option::weighted(0.55, 0u32..9), 0..600)) {
            let mut fifo = Fifo::default();
            let mut model = VecDeque::new();
            for step in steps {
                match step {
                    Some(item) => {
                        fifo.push(&item);
                        model.push_back(item);
                    }
                    None => {
                        proptest::prop_assert_eq!(fifo.front(), model.front());
                        fifo.pop();
                        model.pop_front();
                    }
                }
                proptest::prop_assert_eq!(fifo.len(), model.len());
                proptest::prop_assert_eq!(fifo.is_empty(), model.is_empty());
            }
        }
    }
}
