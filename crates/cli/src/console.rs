//! Words for the person or the program at the other end.

use std::io::{ErrorKind, IsTerminal, Write, stderr, stdout};

use fabricsim::Error;
use miette::{MietteHandlerOpts, Report};

/// Columns of a message.
const WIDTH: usize = 100;

/// Prints `text` to the standard output. Whoever stops reading early (`| head`) has seen enough.
///
/// # Errors
/// When the standard output cannot take it, such as a file on a disk that is full.
pub(crate) fn say(text: &str) -> Result<(), Error> {
    let mut out = stdout().lock();
    printed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// What has become of something that was printed to the standard output.
///
/// # Errors
/// When the standard output could not take it.
pub(crate) fn printed(written: std::io::Result<()>) -> Result<(), Error> {
    match written {
        Err(source) if source.kind() != ErrorKind::BrokenPipe => Err(Error::Write {
            path: Error::STANDARD_OUTPUT.into(),
            source,
        }),
        _ => Ok(()),
    }
}

/// Prints a line to the standard error, whether or not anybody listens.
macro_rules! tell {
    ($($arguments:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($arguments)*);
    }};
}
pub(crate) use tell;

/// Prints a mistake with its place and its remedy to the standard error. In a pipe or a file it is
/// the same text everywhere: no colours, and lines are drawn in ASCII.
pub(crate) fn complain(error: Error) {
    let mut options = MietteHandlerOpts::new().width(WIDTH).terminal_links(false);
    if !stderr().is_terminal() {
        options = options.color(false).unicode(false);
    }
    // A hook can be set once; nobody else sets one.
    let _ = miette::set_hook(Box::new(move |_| Box::new(options.clone().build())));
    tell!("{:?}", Report::new(error));
}
