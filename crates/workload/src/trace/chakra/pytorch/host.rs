//! Calls of the host in an execution trace of PyTorch.
//!
//! The schemas are those of `src/converter/pytorch_node.py` of mlcommons/chakra, and 1.0.1, whose
//! nodes have the attributes as keys (`et_replay/execution_trace.py` of param).

use serde::Deserialize;
use serde_json::Value;

use super::super::error::ChakraError;
use super::super::node::in_words;
use super::Call;

/// The execution trace of a rank.
pub(in super::super) struct HostTrace {
    pub(in super::super) schema: String,
    pub(in super::super) nodes: Vec<HostNode>,
}

/// A call of the host, or a kernel if the trace has been linked.
#[derive(Deserialize)]
#[serde(expecting = "a table with a node")]
pub(in super::super) struct HostNode {
    pub(super) id: u64,
    #[serde(default)]
    pub(super) name: String,
    #[serde(alias = "parent")]
    pub(super) ctrl_deps: Option<u64>,
    #[serde(default)]
    inputs: Value,
    #[serde(default)]
    input_types: Vec<String>,
    #[serde(default)]
    attrs: Vec<Attribute>,
    rf_id: Option<i64>,
    tid: Option<i64>,
    cat: Option<String>,
    exclusive_dur: Option<f64>,
    ts: Option<f64>,
    stream: Option<i64>,
    inter_thread_dep: Option<u64>,
    pg_name: Option<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "a table with `name` and `value`")]
struct Attribute {
    name: String,
    #[serde(default)]
    value: Value,
}

/// Returns microseconds in nanoseconds.
#[expect(clippy::cast_possible_truncation, reason = "saturates")]
pub(super) fn ns(micros: f64) -> i64 {
    (micros * 1_000.0).round() as i64
}

impl HostTrace {
    /// Checks the schema.
    pub(super) fn check(&self) -> Result<(), ChakraError> {
        const KNOWN: [&str; 6] = [
            "1.0.1",
            "1.0.2-chakra.0.0.4",
            "1.0.3-chakra.0.0.4",
            "1.0.4-chakra.0.0.4",
            "1.1.0-chakra.0.0.4",
            "1.1.1-chakra.0.0.4",
        ];
        if KNOWN.contains(&self.schema.as_str()) {
            return Ok(());
        }
        Err(ChakraError::new(
            format!("the execution trace has the schema `{}`", self.schema),
            format!("schemas that can be read: {}", KNOWN.join(", ")),
        ))
    }

    /// Returns `true` if the trace has kernels of the device.
    pub(super) fn is_linked(&self) -> bool {
        self.nodes.iter().any(|node| node.cat.is_some())
    }

    /// Returns the calls and kernels of a linked trace.
    pub(super) fn linked(&self) -> Result<Vec<Call>, ChakraError> {
        let linked = |node: &HostNode| {
            Ok(Call {
                is_kernel: node.cat.is_some(),
                duration_ns: u64::try_from(ns(node.exclusive_dur.unwrap_or(0.0))).unwrap_or(0),
                start_ns: ns(node.ts.unwrap_or(0.0)),
                stream: node.stream.unwrap_or(0),
                other_thread: node.inter_thread_dep,
                ..node.call()?
            })
        };
        self.nodes.iter().map(linked).collect()
    }
}

impl HostNode {
    fn attribute(&self, name: &str) -> Option<&Value> {
        let attribute = self.attrs.iter().find(|attribute| attribute.name == name);
        attribute.map(|attribute| &attribute.value)
    }

    /// Returns the number of the record function.
    pub(super) fn record(&self) -> Option<i64> {
        self.rf_id
            .or_else(|| self.attribute("rf_id").and_then(Value::as_i64))
    }

    /// Returns the number of the thread.
    pub(super) fn thread(&self) -> Option<i64> {
        self.tid
            .or_else(|| self.attribute("tid").and_then(Value::as_i64))
    }

    /// Returns the call without a duration.
    pub(super) fn call(&self) -> Result<Call, ChakraError> {
        let group = self.attribute("pg_name").and_then(Value::as_str);
        Ok(Call {
            id: self.id,
            name: self.name.clone(),
            parent: self.ctrl_deps,
            group: group
                .map(ToOwned::to_owned)
                .or_else(|| self.pg_name.clone())
                .filter(|group| !group.is_empty()),
            size: self.size()?,
            stated_groups: self.stated_groups(),
            ..Call::default()
        })
    }

    fn values(&self) -> &[Value] {
        let values = match &self.inputs {
            Value::Object(inputs) => inputs.get("values"),
            other => Some(other),
        };
        values.and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Returns the type of the input at `place`.
    fn kind(&self, place: usize) -> &str {
        let kind = match &self.inputs {
            Value::Object(inputs) => inputs
                .get("types")
                .and_then(|types| types.get(place))
                .and_then(Value::as_str),
            _ => self.input_types.get(place).map(String::as_str),
        };
        kind.unwrap_or("")
    }

    /// Returns the text of the process groups if the call creates them, as ASTRA-sim expects it in
    /// the inputs of a node.
    fn stated_groups(&self) -> Option<String> {
        if !self.name.contains("process_group:init") {
            return None;
        }
        let text = self.values().first()?.as_str()?;
        Some(format!("[\"{text}\"]"))
    }

    /// Returns the bytes of all tensors among the inputs, alone or in lists, as `comm_size` of
    /// Chakra's converter.
    fn size(&self) -> Result<i128, ChakraError> {
        let mut size = 0;
        for (place, value) in self.values().iter().enumerate() {
            let kind = self.kind(place);
            if kind.starts_with("GenericList[Tensor") {
                for tensor in value.as_array().map_or(&[][..], Vec::as_slice) {
                    size += self.tensor(tensor)?;
                }
            } else if kind.contains("Tensor") && !kind.starts_with("GenericList") {
                size += self.tensor(value)?;
            }
        }
        Ok(size)
    }

    /// Returns the bytes of a tensor: numbers of the tensor and its storage, offset, elements,
    /// bytes of an element, and the device.
    fn tensor(&self, value: &Value) -> Result<i128, ChakraError> {
        let number = |place: usize| value.get(place).and_then(Value::as_i64).map(i128::from);
        match (number(3), number(4)) {
            (Some(elements), Some(bytes)) if elements >= 0 && bytes >= 0 => Ok(elements * bytes),
            _ => Err(ChakraError::new(
                format!(
                    "{}: an input of a type of tensors is no tensor: {}",
                    in_words(self.id, &self.name),
                    value.to_string().chars().take(80).collect::<String>()
                ),
                "write [tensor, storage, offset, elements, bytes of an element, device]",
            )),
        }
    }
}
