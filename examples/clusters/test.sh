#!/usr/bin/env bash
# Submits each script of this folder to a Slurm cluster of one node that is made for it, and compares
# the results with those of the same work without Slurm. FABRICSIM names the command to test
# [default: target/debug/fabricsim]; what needs MPI is skipped when it was built without.
set -euo pipefail
cd "$(dirname "$0")"
. ./slurm.sh

for tool in sbatch slurmctld slurmd munged; do
    if ! PATH=$PATH:/usr/sbin command -v "$tool" >/dev/null; then
        echo "skipped: Slurm is not installed ($tool is missing)"
        exit 0
    fi
done
if [ "$(id -u)" -ne 0 ]; then
    echo "skipped: only root can start a Slurm of its own"
    exit 0
fi
export PATH=$PATH:/usr/sbin

here=$PWD
remove=$here/../../.ci/remove
command=$(realpath "${FABRICSIM:-../../${CARGO_TARGET_DIR:-target}/debug/fabricsim}")
work=$(mktemp -d)
trap 'stop_slurm; "$remove" "$work"' EXIT
mkdir "$work/bin"
ln -s "$command" "$work/bin/fabricsim"
export PATH=$work/bin:$PATH
start_slurm "$work/slurm"
cd "$work"

fail() {
    echo "$*" >&2
    tail -n 20 "$work"/*.log >&2 || true
    exit 1
}

# submit NAME OPTIONS... SCRIPT ARGUMENTS...: waits for the job, whose output is in NAME.log. Fails
# when one of its tasks does. (`sbatch --wait` looks every few seconds.)
submit() {
    local name=$1
    local job
    shift
    job=$(sbatch --parsable --output="$work/$name.log" "$@") || return 1
    wait_until 300 is_over "$job" && [ "$(states "$job")" = COMPLETED ]
}

# states JOB: each state that a task of it has.
states() { scontrol show job "$1" | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p' | sort -u; }

is_over() {
    local states
    states=$(states "$1") && [ -n "$states" ] &&
        ! grep -qE 'PENDING|CONFIGURING|RUNNING|COMPLETING' <<<"$states"
}

same() { cmp "$1" "$2" || fail "$1 and $2 differ"; }

echo "a sweep in shards, one of which is lost and submitted again"
sweep=$here/../sweeps/loads.toml
short=(--set workload.0.duration=100us)
fabricsim sweep "$sweep" "${short[@]}" --out expected >/dev/null
submit lost --array=2-3 --cpus-per-task=1 \
    --wrap "fabricsim sweep '$sweep' ${short[*]} --out sweep --shard \$SLURM_ARRAY_TASK_ID/3" ||
    fail "two shards have failed"
if [ "$(grep -c ',missing,' sweep/points.csv)" -eq 0 ]; then
    fail "two shards of three cannot be the whole sweep"
fi
submit sweep --array=1-3 --cpus-per-task=1 "$here/sweep-array.sbatch" "$sweep" "${short[@]}" --out sweep ||
    fail "the sweep has failed"
same expected/points.csv sweep/points.csv

echo "a run that is stopped and goes on from its checkpoint"
cat >long.toml <<SCENARIO
[topology]
kind = "leaf-spine"
leaves = 4
hosts_per_leaf = 8
spines = 2

[cc]
kind = "hpcc"

[[workload]]
kind = "poisson"
sizes = "websearch"
load = 0.5
duration = "20ms"
SCENARIO
job=$(sbatch --parsable --cpus-per-task=1 --output="$work/run.log" \
    "$here/checkpointed-run.sbatch" long.toml run 1ms 19ms)
wait_until 60 test -e run.1ms.checkpoint || fail "there is no checkpoint"
scontrol requeue "$job"
restarted() { [ "$(grep -c 'begins with' run.log)" -eq 2 ]; }
wait_until 120 restarted || fail "the job does not start again"
finished() { [ -e run/summary.json ] && [ -z "$(squeue --noheader --jobs="$job" 2>/dev/null)" ]; }
wait_until 120 finished || fail "the run does not end"
grep -q 'begins with --from run.1ms.checkpoint' run.log || fail "the run has begun anew"
fabricsim run long.toml --out whole --quiet
same whole/fct.csv run/fct.csv

case $(ldd "$command") in
    *libmpi*) ;;
    *)
        echo "skipped what needs MPI: $command was built without it"
        exit 0
        ;;
esac
case $(srun --mpi=list 2>&1) in
    *pmix*) ;;
    *)
        echo "skipped what needs MPI: this Slurm has no PMIx"
        exit 0
        ;;
esac

echo "what messages cost between two ranks"
ranks=(--nodes=1 --ntasks-per-node=2 --cpus-per-task=1)
submit probe "${ranks[@]}" "$here/probe.sbatch" --out probe.json --time 2ms ||
    fail "the measurement has failed"
grep -q '"ranks": 2' probe.json || fail "the measurement is not of two ranks"

echo "one run over two ranks"
scenario=$here/../scenarios/default.toml
fabricsim run "$scenario" --out one --quiet
submit two "${ranks[@]}" "$here/large-run.sbatch" "$scenario" --out two --quiet ||
    fail "the run over two ranks has failed"
same one/fct.csv two/fct.csv
grep -q '"ranks"' two/summary.json || fail "the run was not one of two ranks"

echo "tasks without MPI work by themselves"
submit tasks --ntasks=2 --wrap "srun --mpi=none sh -c 'fabricsim list cc >list.\$SLURM_PROCID'" ||
    fail "tasks without MPI have failed"
same list.0 list.1
