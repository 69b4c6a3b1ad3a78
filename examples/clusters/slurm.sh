# A Slurm cluster of one node, made by the user that runs this, for tests: to be sourced.
#
# start_slurm DIR starts it with everything in DIR: configuration, key, state and logs. The system's
# own configuration is neither read nor changed. stop_slurm ends what was started.

slurm_processes=()

# wait_until SECONDS COMMAND...: until the command succeeds.
wait_until() {
    local seconds=$1
    shift
    for _ in $(seq $((seconds * 10))); do
        if "$@" >/dev/null 2>&1; then
            return 0
        fi
        sleep 0.1
    done
    return 1
}

node_is_idle() { [ "$(sinfo --noheader --format=%t 2>/dev/null)" = idle ]; }

start_slurm() {
    local dir=$1
    local host port
    host=$(hostname -s)
    port=$((20000 + $$ % 20000))
    mkdir -p "$dir/state" "$dir/spool" "$dir/munge"
    chmod 700 "$dir/munge"
    export SLURM_CONF=$dir/slurm.conf
    # More CPUs than there may be: what is tested is that jobs start, not how fast they are. A job
    # that is stopped starts again when its credential has expired.
    cat >"$SLURM_CONF" <<CONF
ClusterName=test
SlurmctldHost=$host
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket,cred_expire=5
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
SlurmdParameters=config_overrides
ReturnToService=2
JobRequeue=1
KillWait=5
MpiDefault=none
NodeName=$host NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES MaxTime=10 State=UP
CONF
    # Newer versions ask for control groups unless they are told not to.
    if [ "$(slurmd -V | sed 's/[^0-9]*\([0-9]*\).*/\1/')" -ge 23 ]; then
        echo "CgroupPlugin=disabled" >"$dir/cgroup.conf"
    fi
    (umask 077 && head -c 1024 /dev/urandom >"$dir/munge/key")
    munged --foreground --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" \
        --pid-file="$dir/munge/pid" --log-file="$dir/munge/log" --seed-file="$dir/munge/seed" \
        2>"$dir/munge/errors" &
    slurm_processes+=($!)
    wait_until 10 test -S "$dir/munge/socket"
    slurmctld -D -c >"$dir/slurmctld.out" 2>&1 &
    slurm_processes+=($!)
    slurmd -D >"$dir/slurmd.out" 2>&1 &
    slurm_processes+=($!)
    if ! wait_until 30 node_is_idle; then
        echo "Slurm does not start:" >&2
        tail -n 20 "$dir/munge/errors" "$dir"/*.out "$dir"/*.log >&2
        return 1
    fi
}

stop_slurm() {
    if [ ${#slurm_processes[@]} -gt 0 ]; then
        scancel --user="$(id -un)" 2>/dev/null || true
        kill "${slurm_processes[@]}" 2>/dev/null || true
        wait "${slurm_processes[@]}" 2>/dev/null || true
    fi
    slurm_processes=()
}
