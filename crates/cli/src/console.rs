//! Output to the terminal or to a pipe, and the arguments of the command.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write, stderr, stdout};
use std::process::ExitCode;

use clap::Parser;
use clap::builder::Styles;
use clap::error::ErrorKind;
use fabricsim::Error;
use fabricsim_scenario::text::error::escaped;
use miette::{MietteHandlerOpts, Report};

use crate::error_report::ErrorReport;
use crate::exit;
use crate::first_process::leave_it_to_the_first;

/// Columns at which messages wrap.
const WIDTH: usize = 100;

/// Prints `text` to the standard output, with control characters escaped.
///
/// A reader that closes the pipe early (`| head`) is not an error.
///
/// # Errors
/// If writing fails, for example because the disk is full.
pub(crate) fn output(text: &str) -> Result<(), Error> {
    put(&escaped(text))
}

/// Prints a file's content to the standard output: unchanged if it is a file or a pipe, escaped as
/// by [`output`] if it is a terminal.
///
/// # Errors
/// If writing fails.
pub(crate) fn pour(content: &str) -> Result<(), Error> {
    if stdout().is_terminal() {
        output(content)
    } else {
        put(content)
    }
}

fn put(text: &str) -> Result<(), Error> {
    let mut out = stdout().lock();
    printed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Converts the result of printing to the standard output; a broken pipe is not an error.
///
/// # Errors
/// If printing failed for any other reason.
pub(crate) fn printed(written: io::Result<()>) -> Result<(), Error> {
    match written {
        Err(source) if source.kind() != io::ErrorKind::BrokenPipe => Err(Error::Write {
            path: Error::STANDARD_OUTPUT.into(),
            source,
        }),
        _ => Ok(()),
    }
}

/// Prints a line to the standard error, with control characters escaped. Ignores failures, because
/// there is no other stream to report them on.
macro_rules! note {
    ($($arguments:tt)*) => {{
        use std::io::Write as _;
        let line = format!($($arguments)*);
        let _ = writeln!(std::io::stderr(), "{}", fabricsim_scenario::text::error::escaped(&line));
    }};
}
pub(crate) use note;

/// Parses the arguments of the command, or prints the error and ends the process. Quoted arguments
/// are escaped.
pub(crate) fn arguments<A: Parser>() -> A {
    let given: Vec<OsString> = std::env::args_os().collect();
    let error = match A::try_parse_from(&given) {
        Ok(arguments) => return arguments,
        Err(error) if error.kind() == ErrorKind::InvalidUtf8 => no_text::<A>(&given),
        Err(error) => error,
    };
    refuse_arguments(&given, error, || {
        // Without styles, all that a terminal would obey is the user's.
        let plain = A::command().styles(Styles::plain());
        let again = plain.try_get_matches_from(&given).err();
        again.filter(|error| error.kind() != ErrorKind::InvalidUtf8)
    })
}

/// Returns the error of arguments that are not UTF-8, with their positions, which clap does not
/// tell.
fn no_text<A: Parser>(given: &[OsString]) -> clap::Error {
    let bad: Vec<String> = given
        .iter()
        .enumerate()
        .filter(|(_, argument)| argument.to_str().is_none())
        .map(|(place, argument)| {
            let shown = argument.to_string_lossy();
            format!("argument {place} (`{}`)", escaped(&shown))
        })
        .collect();
    let message = format!("{}: not valid UTF-8; write it in UTF-8", bad.join(", "));
    A::command().error(ErrorKind::InvalidUtf8, message)
}

/// Prints the error of the arguments and ends the process.
pub(crate) fn exit_with(error: clap::Error) -> ! {
    let given: Vec<OsString> = std::env::args_os().collect();
    refuse_arguments(&given, error, || None)
}

fn refuse_arguments(
    given: &[OsString],
    error: clap::Error,
    plain: impl FnOnce() -> Option<clap::Error>,
) -> ! {
    leave_it_to_the_first(error.exit_code());
    let harmless = |argument: &OsString| {
        let argument = argument.to_string_lossy();
        matches!(escaped(&argument), Cow::Borrowed(_))
    };
    if given.iter().all(harmless) {
        if error.use_stderr() {
            error.exit();
        }
        end(printed(error.print().and_then(|()| stdout().flush())));
    }
    let said = match plain() {
        Some(plain) => plain.render().ansi().to_string(),
        // Removes the styles, and user text that looks like one.
        None => error.render().to_string(),
    };
    if error.use_stderr() {
        let _ = write!(stderr(), "{}", escaped(&said));
        std::process::exit(error.exit_code())
    }
    end(output(&said))
}

/// Ends the process after printing help; the exit code tells if printing failed.
fn end(printed: Result<(), Error>) -> ! {
    let code = match printed {
        Ok(()) => 0,
        Err(error) => {
            report_error(error);
            exit::FAILURE
        }
    };
    std::process::exit(code.into())
}

/// Reports `error` and returns its exit code.
pub(crate) fn refuse(error: Error) -> ExitCode {
    let code = exit::of(&error);
    for error in error.each() {
        report_error(error);
    }
    ExitCode::from(code)
}

/// Prints an error with its place and a suggested fix to the standard error.
///
/// The text has no colors and its lines are ASCII if the standard error is a pipe or a file.
pub(crate) fn report_error(error: Error) {
    let mut options = MietteHandlerOpts::new().width(WIDTH).terminal_links(false);
    if !stderr().is_terminal() {
        options = options.color(false).unicode(false);
    }
    // A hook can be set once; this is the only place that sets one.
    let _ = miette::set_hook(Box::new(move |_| Box::new(options.clone().build())));
    let report = Report::new(ErrorReport::new(error));
    // The words are fit for a terminal; the colors around them are ours.
    let _ = writeln!(stderr(), "{report:?}");
}
