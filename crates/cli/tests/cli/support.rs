//! A folder with files, and the command in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A temporary folder in which the command runs.
pub(crate) struct Folder {
    dir: TempDir,
}

/// Exit code and output of one run of the command.
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        Self { dir }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a file in the temporary folder");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Returns `fabricsim` in this folder, without environment variables that could change its
    /// output.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fabricsim"));
        command.args(args).current_dir(self.dir.path());
        for name in [
            "NO_GRAPHICS",
            "FORCE_COLOR",
            "CLICOLOR_FORCE",
            "RUST_BACKTRACE",
        ] {
            command.env_remove(name);
        }
        command.env("NO_COLOR", "1");
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Outcome {
        self.command(args)
            .output()
            .expect("the command starts")
            .into()
    }

    /// Returns the summary of a run that wrote into `dir`.
    pub(crate) fn summary(&self, dir: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(&format!("{dir}/summary.json"))).expect("JSON")
    }
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("the command writes UTF-8");
        Self {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

impl Outcome {
    /// Returns the outcome, or panics if it is a failure.
    pub(crate) fn succeeded(self) -> Self {
        assert_eq!(self.code, Some(0), "{}\n{}", self.stdout, self.stderr);
        self
    }
}

/// Returns the path of a file of the project.
pub(crate) fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

/// Returns the text of a file of the project.
pub(crate) fn project_text(path: &str) -> String {
    fs::read_to_string(project(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}
