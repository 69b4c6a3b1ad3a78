//! Parses the text of a workload of SimAI.

use fabricsim_base::input::InputError;
use fabricsim_base::units::{Bytes, Duration};

use super::groups::Group;
use crate::collective::CollectiveOperation;
use crate::text::{Piece, lines};

/// The only supported parallelism, which AICB writes for models.
pub(super) const TRANSFORMER: &str = "HYBRID_TRANSFORMER_FWD_IN_BCKWD";

/// The other parallelisms of SimAI, which are not supported.
pub(super) const OTHERS: [&str; 11] = [
    "DATA",
    "HYBRID_TRANSFORMER",
    "HYBRID_DLRM",
    "HYBRID_DLRM_ENHANCED",
    "MODEL",
    "HYBRID_DATA_MODEL",
    "HYBRID_MODEL_DATA",
    "HYBRID_CUSTOMIZED",
    "MICRO",
    "DISTRIBUTED_INFERENCE",
    "ALL",
];

/// Least bytes of a forward collective.
const LEAST_FORWARD: u64 = 4096;

/// Words of a layer: name, dependency, then three times a time, a collective and its size, and a
/// final time.
const WORDS: usize = 12;

/// The collective in a line.
pub(super) type Named = (CollectiveOperation, Bytes, Group);

/// The actions of a layer in one direction: a computation, and then a collective.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step<'t> {
    pub(super) span: Duration,
    pub(super) collective: Option<Named>,
    pub(super) place: Piece<'t>,
}

/// A layer of the model.
#[derive(Clone, Debug)]
pub(super) struct Layer<'t> {
    pub(super) name: &'t str,
    pub(super) forward: Step<'t>,
    pub(super) input_gradient: Step<'t>,
    pub(super) weight_gradient: Step<'t>,
    /// Time that follows each collective.
    pub(super) update: Duration,
}

/// Sizes of groups, each with its position in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes<'t> {
    pub(super) tensor: (u32, Piece<'t>),
    pub(super) expert: (u32, Piece<'t>),
}

/// The first line.
#[derive(Debug)]
pub(super) struct Header<'t> {
    pub(super) sizes: Sizes<'t>,
    /// The other settings of the line, which SimAI's simulation does not read.
    pub(super) others: Vec<(&'t str, Piece<'t>)>,
}

/// The layers of a file, each with `true` if it has a broadcast.
pub(super) type Layers<'t> = Vec<(Layer<'t>, bool)>;

/// Reads a whole file.
///
/// # Errors
/// Returns the position of the first word that cannot be read or simulated.
pub(super) fn read(text: &str) -> Result<(Header<'_>, Layers<'_>), InputError> {
    let end = Piece {
        text: "",
        offset: text.len(),
    };
    let mut lines = lines(text);
    let header = read_header(lines.next().unwrap_or(end))?;
    let count = lines.next().unwrap_or(end);
    let promised: usize = count.integer("a number of layers", "write how many lines follow")?;
    let mut layers = Vec::new();
    for line in lines {
        if layers.len() == promised {
            return Err(line.error(
                format!("this is after the last of the {promised} layers"),
                "write the number of layers into the second line",
            ));
        }
        layers.push(read_layer(line)?);
    }
    if layers.is_empty() || layers.len() < promised {
        return Err(count.error(
            format!("the file has {} of {promised} layers", layers.len()),
            "write the number of layers into the second line, at least 1",
        ));
    }
    Ok((header, layers))
}

fn read_header(line: Piece<'_>) -> Result<Header<'_>, InputError> {
    let mut words = line.words();
    let policy = words.next().unwrap_or(line);
    // SimAI's parallelisms differ in the order of operations, and only one is implemented here.
    if policy.text != TRANSFORMER {
        let help = match policy.text {
            "MICRO" => format!(
                "SimAI runs the first line of such a file alone; write `{TRANSFORMER} \
                 model_parallel_NPU_group: 1` in its place to have all of them, or use workloads of \
                 kind \"collective\""
            ),
            _ => format!(
                "write `{TRANSFORMER} model_parallel_NPU_group: 8` in its place to have the layers \
                 in its order: forward, then back with input gradients before weight gradients"
            ),
        };
        return Err(policy.error(format!("`{}` is not simulated", policy.text), help));
    }
    let mut tensor = None;
    let mut expert = (1, policy);
    let mut others = Vec::new();
    while let Some(key) = words.next() {
        let missing = || key.error("a number must follow", "write it behind the key");
        let value = words.next().ok_or_else(missing)?;
        let number = || value.integer::<u32>("a number", "write digits alone, such as 8");
        match key.text.trim_end_matches(':') {
            "model_parallel_NPU_group" => tensor = Some((number()?, value)),
            "ep" => expert = (number()?, value),
            name @ ("pp" | "vpp" | "ga" | "all_gpus" | "pp_comm") => {
                value.integer::<u64>("a number", "write digits alone, such as 8")?;
                others.push((name, value));
            }
            // Without this check, a file with recomputation would be simulated as if it had none.
            name @ ("checkpoints" | "checkpoint_initiates") => {
                if number()? > 0 {
                    return Err(value.error(
                        format!("{name}: to compute layers again on the way back is not simulated"),
                        "write 0, as AICB does",
                    ));
                }
            }
            name => {
                return Err(key.error(
                    format!("there is no key `{name}`"),
                    "known here: model_parallel_NPU_group, ep, pp, vpp, ga, all_gpus, pp_comm, \
                     checkpoints, checkpoint_initiates",
                ));
            }
        }
    }
    let Some(tensor) = tensor else {
        return Err(policy.error(
            "the line has no model_parallel_NPU_group",
            "write `model_parallel_NPU_group: 8` after it, the size of tensor-parallel groups",
        ));
    };
    let sizes = Sizes { tensor, expert };
    Ok(Header { sizes, others })
}

fn read_layer(line: Piece<'_>) -> Result<(Layer<'_>, bool), InputError> {
    let words: Vec<Piece<'_>> = line.words().collect();
    let Ok(words) = <[Piece<'_>; WORDS]>::try_from(words) else {
        return Err(line.error(
            format!("a layer has {WORDS} words"),
            "write its name, -1, three times a time in ns, a collective or NONE, and its bytes, and \
             then a time in ns",
        ));
    };
    let mut has_broadcast = false;
    let mut step = |at: usize, default: Group, least: u64| {
        let [time, named, size] = [words[at], words[at + 1], words[at + 2]];
        let size: u64 = size.integer("a number of bytes", "write digits alone, such as 4096")?;
        has_broadcast |= named.text == "BROADCAST";
        let collective = collective(named, default)?.filter(|_| size > 0);
        Ok(Step {
            span: span(time)?,
            collective: collective
                .map(|(operation, group)| (operation, Bytes::new(size.max(least)), group)),
            place: named,
        })
    };
    let layer = Layer {
        name: words[0].text,
        forward: step(2, Group::Tensor, LEAST_FORWARD)?,
        input_gradient: step(5, Group::Tensor, 0)?,
        weight_gradient: step(8, Group::Data, 0)?,
        update: span(words[11])?,
    };
    Ok((layer, has_broadcast))
}

fn span(word: Piece<'_>) -> Result<Duration, InputError> {
    let help = "write nanoseconds, such as 556000";
    let ns: u64 = word.integer("a time in nanoseconds", help)?;
    let ps = ns.checked_mul(1_000);
    ps.map(Duration::from_ps)
        .ok_or_else(|| word.error(format!("`{ns}` ns are too long"), help))
}

/// Returns the collective that `word` names and its group, which is `default` if the name has no
/// suffix.
fn collective(
    word: Piece<'_>,
    default: Group,
) -> Result<Option<(CollectiveOperation, Group)>, InputError> {
    use CollectiveOperation as Operation;
    if matches!(word.text, "NONE" | "BROADCAST") {
        return Ok(None);
    }
    let (name, group) = match word.text.split_once('_') {
        None => (word.text, Some(default)),
        Some((name, "EP")) => (name, Some(Group::Expert)),
        Some((name, "DP_EP")) => (name, Some(Group::DataOfExperts)),
        Some((name, _)) => (name, None),
    };
    let operation = match name {
        "ALLREDUCE" => Some(Operation::AllReduce),
        "ALLGATHER" => Some(Operation::AllGather),
        "REDUCESCATTER" => Some(Operation::ReduceScatter),
        "ALLTOALL" => Some(Operation::AllToAll),
        _ => None,
    };
    let found = operation.zip(group);
    found.map(Some).ok_or_else(|| {
        word.error(
            format!("`{}` is not simulated", word.text),
            "write NONE, or ALLREDUCE, ALLGATHER, REDUCESCATTER or ALLTOALL, \
             with _EP or _DP_EP after it for the groups of experts",
        )
    })
}
