//! A queue of plain values that are copied once in and once out.

/// First in, first out. Values are stored one behind the other and copied straight from and to where
/// the caller has them, which for packets is several times faster than moving them over the stack.
#[derive(Clone, Debug)]
pub struct Fifo<T> {
    items: Vec<T>,
    head: usize,
}

/// Slots that may stand empty at the front before the rest is moved up.
const SLACK: usize = 64;

impl<T> Default for Fifo<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            head: 0,
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
        self.items.extend_from_slice(std::slice::from_ref(item));
        self.items.last_mut().expect("just pushed")
    }

    /// The first item.
    #[inline]
    #[must_use]
    pub fn front(&self) -> Option<&T> {
        self.items.get(self.head)
    }

    /// Removes the first item, if there is one.
    #[inline]
    pub fn pop(&mut self) {
        if self.head >= self.items.len() {
            return;
        }
        self.head += 1;
        if self.head == self.items.len() {
            self.items.clear();
            self.head = 0;
        } else if self.head >= SLACK && self.head * 2 >= self.items.len() {
            self.items.drain(..self.head);
            self.head = 0;
        }
    }

    /// The items, first to last.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items[self.head..].iter()
    }

    /// Items in the queue.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len() - self.head
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
    use std::collections::VecDeque;

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
