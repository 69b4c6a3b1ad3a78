//! Events of a trace of Kineto, in the format of Chrome's traces.
//!
//! Categories follow `src/trace_link/kineto_operator.py` and `chakra_device_trace_loader.py` of
//! mlcommons/chakra. Differs from Chakra: a call that begins at the instant of its caller is a part
//! of it (there, calls that begin at one instant are no parts of one another, so that the time of
//! the shorter one counts twice).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::super::error::{ChakraError, TraceFile, text_of};
use super::host::ns;

const HELP: &str = "give a trace of torch.profiler (export_chrome_trace): {\"traceEvents\": [..]}";

#[derive(Deserialize)]
#[serde(expecting = "a table with `traceEvents`")]
struct File {
    #[serde(rename = "traceEvents")]
    events: Vec<Event>,
}

#[derive(Deserialize)]
#[serde(expecting = "a table with an event")]
struct Event {
    #[serde(default)]
    cat: String,
    #[serde(default)]
    name: String,
    ts: Option<f64>,
    dur: Option<f64>,
    tid: Option<Value>,
    args: Option<Arguments>,
}

#[derive(Default, Deserialize)]
#[serde(expecting = "a table with the arguments of an event")]
struct Arguments {
    #[serde(rename = "External id", alias = "external id")]
    external: Option<Value>,
    correlation: Option<Value>,
    #[serde(rename = "Record function id")]
    record: Option<Value>,
    stream: Option<Value>,
    #[serde(rename = "Process Group Name")]
    group: Option<Value>,
}

/// A call of the host in Kineto's trace.
#[derive(Clone, Debug, Default)]
pub(super) struct DeviceCall {
    pub(super) name: String,
    pub(super) start_ns: i64,
    pub(super) duration_ns: i64,
    /// The duration without the calls inside it.
    pub(super) exclusive_ns: i64,
    pub(super) external: Option<i64>,
    /// The number of the record function, which the execution trace has, too.
    pub(super) record: Option<i64>,
    /// The number of the thread, in the order of their first events.
    pub(super) thread: usize,
}

/// A kernel or a copy.
#[derive(Clone, Debug, Default)]
pub(super) struct Kernel {
    pub(super) name: String,
    pub(super) start_ns: i64,
    pub(super) duration_ns: i64,
    pub(super) external: Option<i64>,
    pub(super) correlation: Option<i64>,
    pub(super) stream: i64,
    pub(super) group: Option<String>,
}

/// The launch of a kernel by the host.
#[derive(Clone, Copy, Debug)]
pub(super) struct Launch {
    pub(super) start_ns: i64,
    pub(super) thread: usize,
}

/// The trace of a device, in the order of time.
#[derive(Debug, Default)]
pub(super) struct Device {
    pub(super) calls: Vec<DeviceCall>,
    pub(super) kernels: Vec<Kernel>,
    /// Launches by their correlation.
    pub(super) launches: BTreeMap<i64, Launch>,
    pub(super) threads: usize,
}

/// Returns a number that may be written as text.
fn number(value: Option<&Value>) -> Option<i64> {
    match value? {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_i64(),
    }
}

/// The calls that launch a kernel or a copy.
const LAUNCHES: [&str; 15] = [
    "cuLaunchKernel",
    "cuLaunchKernelEx",
    "cudaLaunchKernel",
    "cudaLaunchKernelExC",
    "cudaMemcpy",
    "cudaMemcpyAsync",
    "cudaMemcpyFromSymbol",
    "cudaMemcpyToSymbol",
    "cudaLaunchCooperativeKernel",
    "hipLaunchKernel",
    "hipExtLaunchKernel",
    "hipExtModuleLaunchKernel",
    "hipModuleLaunchKernel",
    "hipMemcpyWithStream",
    "hipMemcpyAsync",
];

/// Reads a trace of Kineto.
///
/// # Errors
/// Fails if it is none, or if two launches have the same correlation.
pub(super) fn read(file: &[u8]) -> Result<Device, ChakraError> {
    parse(file).map_err(|error| ChakraError {
        file: TraceFile::Kineto,
        ..error
    })
}

fn parse(file: &[u8]) -> Result<Device, ChakraError> {
    let text = text_of(file, HELP)?;
    let file: File =
        serde_json::from_str(&text).map_err(|error| ChakraError::json(&text, &error, HELP))?;
    let mut events = file.events;
    events.sort_by_key(|event| ns(event.ts.unwrap_or(0.0)));
    let mut device = Device::default();
    let mut threads: BTreeMap<String, usize> = BTreeMap::new();
    for event in events {
        let next = threads.len();
        let tid = event.tid.as_ref().map(Value::to_string);
        let thread = *threads.entry(tid.unwrap_or_default()).or_insert(next);
        device.add(event, thread)?;
    }
    device.threads = threads.len();
    exclude_inner_calls(&mut device.calls, device.threads);
    Ok(device)
}

impl Device {
    fn add(&mut self, event: Event, thread: usize) -> Result<(), ChakraError> {
        let arguments = event.args.unwrap_or_default();
        let start_ns = ns(event.ts.unwrap_or(0.0));
        let duration_ns = ns(event.dur.unwrap_or(0.0)).max(0);
        let external = number(arguments.external.as_ref());
        let correlation = number(arguments.correlation.as_ref());
        match event.cat.as_str() {
            "cpu_op" | "user_annotation" if !event.name.contains("ProfilerStep") => {
                self.calls.push(DeviceCall {
                    name: event.name,
                    start_ns,
                    duration_ns,
                    exclusive_ns: duration_ns,
                    external,
                    record: number(arguments.record.as_ref()),
                    thread,
                });
            }
            "cuda_runtime" | "cuda_driver" if LAUNCHES.contains(&event.name.as_str()) => {
                let Some(correlation) = correlation else {
                    return Ok(());
                };
                let launch = Launch { start_ns, thread };
                if self.launches.insert(correlation, launch).is_some() {
                    return Err(ChakraError::new(
                        format!("two launches of kernels have the correlation {correlation}"),
                        "give the trace of one process",
                    ));
                }
            }
            "kernel" | "gpu_memcpy" => self.kernels.push(Kernel {
                name: event.name,
                start_ns,
                duration_ns,
                external,
                correlation,
                stream: number(arguments.stream.as_ref()).unwrap_or(0),
                group: arguments.group.and_then(|group| match group {
                    Value::String(name) => Some(name),
                    _ => None,
                }),
            }),
            _ => {}
        }
        Ok(())
    }
}

/// Removes the time of inner calls from the calls around them.
fn exclude_inner_calls(calls: &mut [DeviceCall], threads: usize) {
    let mut order: Vec<Vec<usize>> = vec![Vec::new(); threads];
    for (place, call) in calls.iter().enumerate() {
        order[call.thread].push(place);
    }
    for mut places in order {
        // A caller begins no later and ends no earlier than the calls in it.
        places.sort_by_key(|&place| {
            (
                calls[place].start_ns,
                std::cmp::Reverse(calls[place].duration_ns),
            )
        });
        // The open calls, each with the end of its inner calls so far.
        let mut open: Vec<(usize, i64)> = Vec::new();
        for place in places {
            let (start, duration) = (calls[place].start_ns, calls[place].duration_ns);
            let end = start.saturating_add(duration);
            let end_of =
                |call: &DeviceCall| -> i64 { call.start_ns.saturating_add(call.duration_ns) };
            while open
                .last()
                .is_some_and(|&(top, _)| end_of(&calls[top]) < start)
            {
                open.pop();
            }
            let around = open
                .iter_mut()
                .rev()
                .find(|(top, _)| end_of(&calls[*top]) >= end);
            if let Some((caller, covered)) = around {
                let inside = end - start.max(*covered);
                *covered = (*covered).max(end);
                calls[*caller].exclusive_ns -= inside.max(0);
            }
            open.push((place, start));
        }
    }
}
