//! A list in a scenario: drawn elements or a list that has a name, or a file that is read later.

use std::sync::Arc;

use fabricsim_base::input::{InputError, SettingValue, ValueKind};
use serde::{Deserialize, Serialize};

use crate::workload::{FileContent, FileState, NamedFile};

/// An element of a [`NamedList`].
pub trait Listed: Clone + Sized + 'static {
    /// The name of drawn elements.
    const DRAWN: &'static str;

    /// Reads the text of a file.
    ///
    /// # Errors
    /// Fails if the text is no list of these elements.
    fn read(text: &str) -> Result<Vec<Self>, InputError>;

    /// Returns the list that the program has under `name`, or `None` if there is none.
    fn built_in(_name: &str) -> Option<Vec<Self>> {
        None
    }
}

/// Requests by name: drawn ones, a list of the program, or the path of a CSV file. The elements of
/// a file are available after its text has been loaded.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(from = "String", into = "String", bound = "T: Listed")]
pub struct NamedList<T> {
    name: String,
    list: Option<Arc<[T]>>,
}

impl<T: Listed> NamedList<T> {
    /// Returns a list of the program's own elements, in the order of time, under `name`.
    pub fn with_list(name: impl Into<String>, list: impl Into<Arc<[T]>>) -> Self {
        Self {
            name: name.into(),
            list: Some(list.into()),
        }
    }

    /// Reads the text of the file with this name.
    ///
    /// # Errors
    /// Fails if the text is no list of these elements; see [`Listed::read`].
    pub fn load(&mut self, text: &str) -> Result<(), InputError> {
        self.list = Some(T::read(text)?.into());
        Ok(())
    }

    /// Returns the name, which may be the path of a file.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns `true` if the elements are drawn.
    #[must_use]
    pub fn are_drawn(&self) -> bool {
        self.list.is_none() && self.name == T::DRAWN
    }

    /// Returns the elements, or `None` if they are drawn or their file has not been loaded.
    #[must_use]
    pub fn list(&self) -> Option<&Arc<[T]>> {
        self.list.as_ref()
    }

    /// Returns the file as the value of `key`, if the name is the path of one.
    pub(crate) fn file(&self, key: &'static str) -> Option<NamedFile<'_>> {
        let is_file = self.name != T::DRAWN && T::built_in(&self.name).is_none();
        is_file.then(|| NamedFile {
            key,
            path: &self.name,
            content: FileContent::Requests,
            state: match self.list {
                None => FileState::Missing,
                Some(_) => FileState::Loaded,
            },
        })
    }
}

impl<T: Listed> From<String> for NamedList<T> {
    fn from(name: String) -> Self {
        let list = T::built_in(&name).map(Into::into);
        Self { name, list }
    }
}

impl<T> From<NamedList<T>> for String {
    fn from(list: NamedList<T>) -> Self {
        list.name
    }
}

impl<T: Listed> SettingValue for NamedList<T> {
    const KIND: ValueKind = ValueKind::Text;
    type Bare = Self;

    fn given(&self) -> Option<&Self> {
        Some(self)
    }
}
