//! Files and folders of results: written as a whole, by one process at a time, and never over other
//! results unless the user allows it.

mod destination;
mod differences;
mod folder;
mod inputs;
mod lock;
mod names;
mod new_file;
mod origin;
mod result_set;
mod whole_file;

pub(crate) use differences::different_keys;

pub use destination::{Destination, Existing};
pub use folder::{
    ResultFolder, is_being_replaced, remove_left_over, remove_stale_lock, write_in_folder,
};
pub use inputs::refuse_input;
pub use lock::FolderLock;
pub use names::{Ending, cannot_write, partial_name};
pub use new_file::new_file_in;
pub use origin::{Origin, Unclaimed};
pub use result_set::{RUN, ResultSet};
pub use whole_file::write_whole;
