//! Files that a user names: replaced after they are complete, or written directly if they are not
//! regular files.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::names::cannot_write;
use super::new_file::lone_file_in;
use fabricsim_scenario::text::error::Error;

/// Number of links that are followed before a path counts as a cycle, as in Linux.
const MOST_LINKS: usize = 40;

/// Writes the file at `path`. A regular file, existing or not, is written under a temporary name in
/// its folder and renamed after it is complete. If `path` is a link, the file that it leads to is
/// replaced, and the link stays. Any other file, such as a device, a FIFO or the standard output as
/// `/dev/stdout`, is written directly; it is not an error if its reader stops early.
///
/// # Errors
/// Fails if the file cannot be written, or if `write` fails.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), Error> {
    let written = match WriteTarget::of(path) {
        Ok(WriteTarget::File(target)) => replace(&target, write),
        Ok(WriteTarget::Stream(mut file)) => match write(&mut file) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written,
        },
        Err(error) => Err(error),
    };
    written.map_err(cannot_write(path))
}

/// Writes a temporary file in the folder of `target` and renames it after it is complete.
pub(super) fn replace(
    target: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    // The parent of a bare name is empty.
    let folder = match target.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut file = lone_file_in(folder)?;
    write(file.as_file_mut())?;
    file.persist(target).map_err(|error| error.error)?;
    Ok(())
}

/// Target of the bytes written to a path.
enum WriteTarget {
    /// A regular file, existing or not.
    File(PathBuf),
    /// A target that receives bytes directly, such as a device or a FIFO.
    Stream(File),
}

impl WriteTarget {
    fn of(path: &Path) -> io::Result<Self> {
        let mut target = path.to_owned();
        for _ in 0..MOST_LINKS {
            if let Some(stream) = open_file(&target)? {
                return Ok(Self::Stream(stream));
            }
            match fs::symlink_metadata(&target) {
                Ok(facts) if facts.is_symlink() => {
                    let leads_to = fs::read_link(&target)?;
                    target.pop();
                    target.push(leads_to);
                }
                Ok(facts) if facts.is_file() => return Ok(Self::File(target)),
                // The system refuses a folder here.
                Ok(_) => return Ok(Self::Stream(File::options().write(true).open(&target)?)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(Self::File(target));
                }
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("too many links lead from one to another"))
    }
}

/// Returns the file that this process has open, if `path` names one, such as `/dev/fd/63`. For the
/// standard output, this is the very file that is used for all printing, so that no output
/// overwrites another.
#[cfg(unix)]
fn open_file(path: &Path) -> io::Result<Option<File>> {
    use std::os::fd::AsFd;

    let Some(folder) = path.parent().and_then(|folder| folder.canonicalize().ok()) else {
        return Ok(None);
    };
    // /dev/fd is a link into /proc on Linux and a folder of devices elsewhere.
    let within_process = folder.starts_with("/proc") && folder.ends_with("fd");
    if !within_process && folder != Path::new("/dev/fd") {
        return Ok(None);
    }
    let own = fs::canonicalize("/proc/self/fd").ok();
    let is_own = folder == Path::new("/dev/fd") || own.as_ref() == Some(&folder);
    let number = path.file_name().and_then(|name| name.to_str());
    let file = match number {
        Some("1") if is_own => File::from(io::stdout().as_fd().try_clone_to_owned()?),
        Some("2") if is_own => File::from(io::stderr().as_fd().try_clone_to_owned()?),
        _ => File::options().write(true).truncate(true).open(path)?,
    };
    Ok(Some(file))
}

#[cfg(not(unix))]
fn open_file(_path: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Write as _;
    use std::os::unix::fs::{FileTypeExt, symlink};

    use super::*;

    fn put(path: &Path, text: &str) -> Result<(), Error> {
        write_whole(path, |file| file.write_all(text.as_bytes()))
    }

    #[test]
    fn links_stay_and_what_they_lead_to_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("below")).unwrap();
        fs::write(at("below/real"), "old").unwrap();
        symlink("below/real", at("near")).unwrap();
        symlink(at("near"), at("far")).unwrap();
        symlink("below/new", at("dangling")).unwrap();
        symlink("circle", at("circle")).unwrap();
        put(&at("far"), "new").unwrap();
        assert_eq!(fs::read_to_string(at("below/real")).unwrap(), "new");
        put(&at("dangling"), "made").unwrap();
        assert_eq!(fs::read_to_string(at("below/new")).unwrap(), "made");
        for link in ["near", "far", "dangling"] {
            assert!(
                fs::symlink_metadata(at(link)).unwrap().is_symlink(),
                "{link}"
            );
        }
        put(&at("circle"), "").expect_err("it leads nowhere");
        put(&at("below"), "").expect_err("a folder");
        assert_eq!(
            fs::read_dir(at("below")).unwrap().count(),
            2,
            "nothing is left over"
        );
    }

    #[test]
    fn a_file_is_whole_or_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        put(&path, "old").unwrap();
        let failed = write_whole(&path, |file| {
            file.write_all(b"half")?;
            Err(io::Error::other("no more"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn devices_are_written_and_stay_devices() {
        put(Path::new("/dev/null"), "text").unwrap();
        let facts = fs::symlink_metadata("/dev/null").unwrap();
        assert!(facts.file_type().is_char_device());
        let full = put(Path::new("/dev/full"), "text").expect_err("it is full");
        assert_eq!(full.to_string(), "cannot write `/dev/full`");
    }
}
