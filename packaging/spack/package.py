# SPDX-License-Identifier: MIT OR Apache-2.0
"""Recipe of fabricsim for Spack 1.0 or later; docs/install.md says how to use it."""

from spack_repo.builtin.build_systems.cargo import CargoPackage

from spack.package import *


class Fabricsim(CargoPackage):
    """A packet-level discrete-event simulator of datacenter networks: RDMA and TCP, shared buffers
    with priority flow control, in-band telemetry, and congestion control."""

    homepage = "https://fabricsim.github.io/fabricsim/"
    git = "https://github.com/fabricsim/fabricsim.git"

    license("MIT OR Apache-2.0", checked_by="fabricsim")

    version("main", branch="main")
    version("0.2.0", tag="v0.2.0")

    variant("parquet", default=False, description="Write and read Parquet files")
    variant("arrow", default=False, description="Export results as files of Apache Arrow")
    variant("mpi", default=False, description="Run one simulation over several processes")

    depends_on("c", type="build")
    depends_on("rust@1.90:", type="build")
    depends_on("mpi", when="+mpi")
    # bindgen reads the headers of MPI with libclang.
    depends_on("llvm+clang", type="build", when="+mpi")

    build_directory = "crates/cli"

    @property
    def build_args(self):
        features = [name for name in ("parquet", "arrow", "mpi") if self.spec.satisfies(f"+{name}")]
        return ["--locked"] + (["--features", ",".join(features)] if features else [])

    def check(self):
        # The tests of the repository take minutes. One run shows that the command works.
        with working_dir(self.stage.path):
            Executable(self.prefix.bin.fabricsim)("run", "--quiet", "--force")

    @run_after("install")
    def install_completions(self):
        fabricsim = Executable(self.prefix.bin.fabricsim)
        mkdirp(bash_completion_path(self.prefix))
        with open(bash_completion_path(self.prefix) / "fabricsim", "w") as file:
            fabricsim("completions", "bash", output=file)
        mkdirp(self.prefix.share.man.man1)
        fabricsim("man", self.prefix.share.man.man1)
